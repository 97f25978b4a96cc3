/** Checks that several requests share, so that a busy app is not checked once for each token. */
import { LRUCache } from 'lru-cache';

type Check = () => Promise<boolean>;

export type Checks = {
  /** A result that is at most two seconds old. Only a yes is kept. */
  recent(key: string, check: Check): Promise<boolean>;
  /**
   * A check that begins after this call: it sees what the caller has committed. All who wait for
   * the same one share it.
   */
  next(key: string, check: Check): Promise<boolean>;
};

const ttlMs = 2_000;
const maxEntries = 20_000;

export function createChecks(): Checks {
  const kept = new LRUCache<string, Promise<boolean>>({ max: maxEntries, ttl: ttlMs, ttlResolution: 0 });
  const running = new Map<string, Promise<boolean>>();
  const waiting = new Map<string, Promise<boolean>>();

  const begin = (key: string, check: Check): Promise<boolean> => {
    const result = check();
    const ended = () => {
      if (running.get(key) === result) running.delete(key);
    };
    running.set(key, result);
    result.then(ended, ended);
    return result;
  };

  return {
    recent(key, check) {
      const known = kept.get(key);
      if (known !== undefined) return known;
      const result = check();
      kept.set(key, result);
      const forget = () => {
        if (kept.peek(key) === result) kept.delete(key);
      };
      result.then((isAllowed) => void (isAllowed || forget()), forget);
      return result;
    },
    next(key, check) {
      const current = running.get(key);
      if (current === undefined) return begin(key, check);
      const shared = waiting.get(key);
      if (shared !== undefined) return shared;
      const start = () => {
        waiting.delete(key);
        return begin(key, check);
      };
      const result = current.then(start, start);
      waiting.set(key, result);
      return result;
    },
  };
}
