import { LRUCache } from 'lru-cache';
import type { Layer } from './layers.ts';

type Log = { warn(details: object, message: string): void };

/** How much was counted in a window of a layer, and when that window ends. */
export type Count = { readonly layer: Layer; readonly count: number; readonly resetSeconds: number };

/** Adds and tells in one step: of any number of callers each hears another count. In process it answers at once. */
export type Counter = { increment(layer: Layer, key: string, amount: number, nowMs: number): Count | Promise<Count> };

type Window = { count: number; readonly endsAtMs: number };

/** Counts in this process alone, in each layer of the keys seen last. A layer has its own: no text is made to tell them apart. */
export function createLocalCounter(maxKeys = 100_000) {
  const windowsOf = { global: createWindows(maxKeys), auth: createWindows(maxKeys), tenant: createWindows(maxKeys) };
  return {
    increment: (layer: Layer, key: string, amount: number, nowMs: number): Count => {
      const windows = windowsOf[layer.name];
      let window = windows.get(key);
      if (window === undefined || window.endsAtMs <= nowMs) {
        window = { count: 0, endsAtMs: nowMs + layer.windowSeconds * 1_000 };
        windows.set(key, window);
      }
      window.count += amount;
      return { layer, count: window.count, resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)) };
    },
  };
}

function createWindows(max: number) {
  return new LRUCache<string, Window>({ max });
}

/** What the shared store can do, whatever it is. */
export type SharedCounts = { increment(key: string, amount: number, windowSeconds: number): Promise<Omit<Count, 'layer'>> };

/** How long the local counts stand in before the shared store is asked again. */
const restMs = 1_000;

/**
 * Counts in the shared store; while it is away, here, and says so once. A replica alone then lets through up to
 * the whole limit: limits get softer in an outage, they never lock everybody out.
 */
export function createDegradingCounter(shared: SharedCounts, local: Counter, logger: Log): Counter {
  let isAway = false;
  let isLooking = false;
  let lookAt = 0;
  const isGone = (error: unknown): void => {
    if (!isAway) logger.warn({ err: error }, 'the shared store is away: limits are counted in this process alone');
    isAway = true;
    lookAt = performance.now() + restMs;
  };
  const isBack = (): void => {
    logger.warn({}, 'limits are counted in the shared store again');
    isAway = false;
  };
  /** Nobody waits for a store that is away: one count at a time tries it beside the local one. */
  const lookAgain = (count: () => Promise<unknown>): void => {
    if (isLooking || performance.now() < lookAt) return;
    isLooking = true;
    void count()
      .then(isBack, isGone)
      .finally(() => {
        isLooking = false;
      });
  };
  return {
    increment: async (layer, key, amount, nowMs) => {
      const countShared = () => shared.increment(`limit:${layer.name}:${key}`, amount, layer.windowSeconds);
      if (isAway) {
        lookAgain(countShared);
        return local.increment(layer, key, amount, nowMs);
      }
      try {
        return { layer, ...(await countShared()) };
      } catch (error) {
        isGone(error);
        return local.increment(layer, key, amount, nowMs);
      }
    },
  };
}
