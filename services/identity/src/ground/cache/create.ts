import type { RedisSettings } from '@tessera/kernel/redis';
import type { Cache } from './cache.ts';
import { createMemoryCache } from './memory.ts';
import { createRedisCache, type RedisCacheOptions } from './redis.ts';

export type CacheSettings = Omit<RedisSettings, 'REDIS_URL'> & {
  readonly CACHE_STRATEGY: 'memory' | 'redis';
  readonly REDIS_URL?: string | undefined;
};

export function createCache(settings: CacheSettings, logger?: RedisCacheOptions['logger']): Cache {
  const { CACHE_STRATEGY, REDIS_URL, REDIS_SENTINELS, REDIS_SENTINEL_MASTER } = settings;
  if (CACHE_STRATEGY === 'memory') return createMemoryCache();
  if (!REDIS_URL) throw new Error('CACHE_STRATEGY=redis needs REDIS_URL.');
  return createRedisCache({ settings: { REDIS_URL, REDIS_SENTINELS, REDIS_SENTINEL_MASTER }, logger });
}
