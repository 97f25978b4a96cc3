export { type RequestContext, requestContext } from './context.ts';
export { createLogger, type Logger } from './logger.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { createRedactor, markedFields, secretFields } from './redact.ts';
export { acceptTraceparent, type RunningSpan, startSpan, startTracing, withSpan } from './tracing.ts';
