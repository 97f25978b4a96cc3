import type { Cache } from '@tessera/kernel/cache';

type Log = { warn(details: object, message: string): void };

export type Counter = Pick<Cache, 'increment'>;

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
