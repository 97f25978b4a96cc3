import { LRUCache } from 'lru-cache';

type Log = { warn(details: object, message: string): void };

/** How much was counted in a window, and when that window ends. */
export type Count = { readonly count: number; readonly resetSeconds: number };

/** Adds and tells in one step: of any number of callers each hears another count. In process it answers at once. */
export type Counter = { increment(key: string, amount: number, windowSeconds: number): Count | Promise<Count> };

type Window = { count: number; readonly endsAtMs: number };

/** Counts in this process alone, of the addresses seen last. */
export const createLocalCounter = (maxKeys = 100_000, clock = () => performance.now()): Counter => {
  const windows = new LRUCache<string, Window>({ max: maxKeys });
  return {
    increment: (key, amount, windowSeconds) => {
      const now = clock();
      let window = windows.get(key);
      if (window === undefined || window.endsAtMs <= now) {
        window = { count: 0, endsAtMs: now + windowSeconds * 1_000 };
        windows.set(key, window);
      }
      window.count += amount;
      return { count: window.count, resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - now) / 1_000)) };
    },
  };
};

/** How long the local counts stand in before the shared store is asked again. */
const restMs = 1_000;

/**
 * Counts in the shared store; while it is away, here, and says so once. A replica alone then lets through up to
 * the whole limit: limits get softer in an outage, they never lock everybody out.
 */
export const createDegradingCounter = (shared: Counter, local: Counter, logger: Log): Counter => {
  let awayUntil = 0;
  let isAway = false;
  return {
    increment: async (key, amount, windowSeconds) => {
      if (performance.now() < awayUntil) return local.increment(key, amount, windowSeconds);
      try {
        const counted = await shared.increment(key, amount, windowSeconds);
        if (isAway) logger.warn({}, 'limits are counted in the shared store again');
        isAway = false;
        return counted;
      } catch (error) {
        if (!isAway) logger.warn({ err: error }, 'the shared store is away: limits are counted in this process alone');
        isAway = true;
        awayUntil = performance.now() + restMs;
        return local.increment(key, amount, windowSeconds);
      }
    },
  };
};
