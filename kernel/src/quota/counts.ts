import { LRUCache } from 'lru-cache';

type Log = { warn(details: object, message: string): void };

/** What is counted in windows of a length of its own. */
export type CountedLayer = { readonly name: string; readonly windowSeconds: number };

/** The count in a window of a layer, and the time until the window ends. */
export type Count<Layer extends CountedLayer = CountedLayer> = {
  readonly layer: Layer;
  readonly count: number;
  readonly resetSeconds: number;
};

/**
 * Adds and reads in one atomic step: concurrent callers get different counts. The local counter
 * returns at once.
 */
export type Counter = {
  increment<Layer extends CountedLayer>(layer: Layer, key: string, amount: number, nowMs: number): Count<Layer> | Promise<Count<Layer>>;
};

/** Also takes over what was counted elsewhere. */
export type LocalCounter = {
  increment<Layer extends CountedLayer>(layer: Layer, key: string, amount: number, nowMs: number): Count<Layer>;
  follow(key: string, count: Count, nowMs: number): void;
};

type Window = { count: number; readonly endsAtMs: number };

/**
 * Counts in this process, for the keys used last. Each layer has its own map, which saves building
 * a joint key.
 */
export function createLocalCounter(maxKeys = 100_000): LocalCounter {
  const windowsByLayer = new Map<string, LRUCache<string, Window>>();
  const windowsOf = (name: string): LRUCache<string, Window> => {
    const known = windowsByLayer.get(name) ?? new LRUCache<string, Window>({ max: maxKeys });
    windowsByLayer.set(name, known);
    return known;
  };
  return {
    follow: (key, { layer, count, resetSeconds }, nowMs) => {
      const windows = windowsByLayer.get(layer.name) ?? windowsOf(layer.name);
      windows.set(key, { count, endsAtMs: nowMs + resetSeconds * 1_000 });
    },
    increment: <Layer extends CountedLayer>(layer: Layer, key: string, amount: number, nowMs: number): Count<Layer> => {
      const windows = windowsByLayer.get(layer.name) ?? windowsOf(layer.name);
      let window = windows.get(key);
      if (window === undefined || window.endsAtMs <= nowMs) {
        window = { count: 0, endsAtMs: nowMs + layer.windowSeconds * 1_000 };
        windows.set(key, window);
      }
      window.count += amount;
      return { layer, count: window.count, resetSeconds: secondsUntil(window.endsAtMs, nowMs, layer.windowSeconds) };
    },
  };
}

/** The clock has fractions: (now + window) - now may be a trace more than the window. */
function secondsUntil(endsAtMs: number, nowMs: number, windowSeconds: number): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000)));
}

/** The shared store, for example Redis. */
export type SharedCounts = { increment(key: string, amount: number, windowSeconds: number): Promise<Omit<Count, 'layer'>> };

/** While the shared store is down, it is tried again at this interval. */
const probeIntervalMs = 1_000;

/**
 * Counts in the shared store, and in this process while the store is down. Each replica goes on
 * from the count that it saw last, so one late answer of the store resets no count.
 */
export function createDegradingCounter(shared: SharedCounts, local: LocalCounter, logger: Log): Counter {
  let isDown = false;
  let isProbing = false;
  let probeAtMs = 0;
  const onDown = (error: unknown): void => {
    if (!isDown) logger.warn({ err: error }, 'the shared store is down: limits are counted in this process alone');
    isDown = true;
    probeAtMs = performance.now() + probeIntervalMs;
  };
  const onUp = (): void => {
    logger.warn({}, 'limits are counted in the shared store again');
    isDown = false;
  };
  /**
   * One count at a time tries the store in the background: no request waits for a store that is
   * down.
   */
  const probe = (count: () => Promise<unknown>): void => {
    if (isProbing || performance.now() < probeAtMs) return;
    isProbing = true;
    void count()
      .then(onUp, onDown)
      .finally(() => {
        isProbing = false;
      });
  };
  return {
    increment: async (layer, key, amount, nowMs) => {
      const countShared = () => shared.increment(`limit:${layer.name}:${key}`, amount, layer.windowSeconds);
      if (isDown) {
        probe(countShared);
        return local.increment(layer, key, amount, nowMs);
      }
      try {
        const counted = { layer, ...(await countShared()) };
        local.follow(key, counted, nowMs);
        return counted;
      } catch (error) {
        onDown(error);
        return local.increment(layer, key, amount, nowMs);
      }
    },
  };
}
