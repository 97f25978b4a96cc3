import { LRUCache } from 'lru-cache';

/**
 * Responses of another service, at most two seconds old. Concurrent calls share one request;
 * failures are not cached.
 */
export type ResponseCache = {
  get(key: string, request: () => Promise<boolean>): Promise<boolean>;
  forget(key: string): void;
  /** What is under way is forgotten too: its answer may be from before. */
  forgetAll(): void;
};

const ttlMs = 2_000;
const maxEntries = 20_000;

export function createResponseCache(): ResponseCache {
  const responses = new LRUCache<string, Promise<boolean>>({ max: maxEntries, ttl: ttlMs, ttlResolution: 0 });
  return {
    get(key, request) {
      const cached = responses.get(key);
      if (cached !== undefined) return cached;
      const response = request();
      responses.set(key, response);
      response.catch(() => {
        if (responses.peek(key) === response) responses.delete(key);
      });
      return response;
    },
    forget: (key) => void responses.delete(key),
    forgetAll: () => responses.clear(),
  };
}
