export { type Count, type CountedLayer, type Counter, createDegradingCounter, createLocalCounter, type SharedCounts } from './counts.ts';
export { createRedisCounts } from './redis-counts.ts';
export { errors, openRequestQuota, type RequestQuota } from './request-quota.ts';
