/**
 * Short-lived texts and counters, shared by all replicas when the strategy is redis. Every method
 * is atomic: of two concurrent `take` calls one gets the value, of two `setIfAbsent` calls one
 * succeeds, and no increment is lost.
 */
export type Cache = {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Reads and deletes in one step, for values that may be used once. */
  take(key: string): Promise<string | undefined>;
  /** true when the key was free. */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Adds to the key's counter. The first increment opens the window, which then expires. */
  increment(key: string, amount: number, windowSeconds: number): Promise<{ count: number; resetSeconds: number }>;
  delete(key: string): Promise<void>;
  isHealthy(): Promise<boolean>;
  close(): Promise<void>;
};
