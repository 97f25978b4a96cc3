/**
 * Short-lived texts and counters, shared by all replicas when the strategy is redis. Every method
 * is atomic: of two concurrent `take` calls one gets the value, and no increment is lost.
 */
export type Cache = {
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Reads and deletes in one step, for values that may be used once. */
  take(key: string): Promise<string | undefined>;
  has(key: string): Promise<boolean>;
  /** Deletes a text or a count. */
  forget(key: string): Promise<void>;
  /** Returns the new count. The first increment opens the window, which then expires. */
  increment(key: string, amount: number, windowSeconds: number): Promise<number>;
  isHealthy(): Promise<boolean>;
  close(): Promise<void>;
};
