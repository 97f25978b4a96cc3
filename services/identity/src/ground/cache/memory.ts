import { LRUCache } from 'lru-cache';
import type { Cache } from './cache.ts';

/** An expired window stays until it is counted in again or evicted. */
type Window = { count: number; readonly endsAtMs: number };

/** In this process only. Separate bounds: counted addresses evict no one-time code. */
export function createMemoryCache(maxEntries = 100_000): Cache {
  const values = new LRUCache<string, string>({ max: maxEntries, ttl: 1, ttlResolution: 0 });
  const counters = new LRUCache<string, Window>({ max: maxEntries });
  return {
    set: async (key, value, ttlSeconds) => void values.set(key, value, { ttl: ttlSeconds * 1_000 }),
    take: async (key) => {
      const value = values.get(key);
      values.delete(key);
      return value;
    },
    has: async (key) => values.has(key),
    forget: async (key) => {
      values.delete(key);
      counters.delete(key);
    },
    increment: async (key, amount, windowSeconds) => {
      const now = performance.now();
      let window = counters.get(key);
      if (window === undefined || window.endsAtMs <= now) {
        window = { count: 0, endsAtMs: now + windowSeconds * 1_000 };
        counters.set(key, window);
      }
      window.count += amount;
      return window.count;
    },
    isHealthy: async () => true,
    close: async () => {
      values.clear();
      counters.clear();
    },
  };
}
