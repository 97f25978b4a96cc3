import { LRUCache } from 'lru-cache';
import type { Cache } from './cache.ts';

/** In this process only. Values and counters are bounded apart, so that a flood of counted addresses pushes out no one-time code. */
export function createMemoryCache(maxEntries = 100_000): Cache {
  const values = new LRUCache<string, string>({ max: maxEntries, ttl: 1, ttlResolution: 0 });
  const counters = new LRUCache<string, number>({ max: maxEntries, ttl: 1, ttlResolution: 0 });
  return {
    get: async (key) => values.get(key),
    set: async (key, value, ttlSeconds) => void values.set(key, value, { ttl: ttlSeconds * 1_000 }),
    take: async (key) => {
      const value = values.get(key);
      values.delete(key);
      return value;
    },
    setIfAbsent: async (key, value, ttlSeconds) => {
      if (values.has(key)) return false;
      values.set(key, value, { ttl: ttlSeconds * 1_000 });
      return true;
    },
    increment: async (key, amount, windowSeconds) => {
      const known = counters.get(key);
      const count = (known ?? 0) + amount;
      const ttl = known === undefined ? windowSeconds * 1_000 : counters.getRemainingTTL(key);
      counters.set(key, count, { ttl: Math.max(ttl, 1) });
      return { count, resetSeconds: Math.max(1, Math.ceil(ttl / 1_000)) };
    },
    delete: async (key) => {
      values.delete(key);
      counters.delete(key);
    },
    isHealthy: async () => true,
    close: async () => {
      values.clear();
      counters.clear();
    },
  };
}
