export { openRedis, type RedisSettings } from './redis.ts';
