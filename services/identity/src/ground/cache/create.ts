import type { Cache } from './cache.ts';
import { createMemoryCache } from './memory.ts';
import { createRedisCache, type RedisCacheOptions } from './redis.ts';

export type CacheOptions = {
  readonly strategy: 'memory' | 'redis';
  readonly redisUrl?: string | undefined;
  readonly logger?: NonNullable<RedisCacheOptions['logger']>;
};

export function createCache({ strategy, redisUrl, logger }: CacheOptions): Cache {
  if (strategy === 'memory') return createMemoryCache();
  if (!redisUrl) throw new Error('CACHE_STRATEGY=redis needs REDIS_URL.');
  return createRedisCache({ url: redisUrl, ...(logger ? { logger } : {}) });
}
