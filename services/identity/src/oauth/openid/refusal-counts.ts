/**
 * Refusals of requests that prove nothing: client ids are public, so any caller could fill the
 * audit log of a project. One row a minute for each client and refusal, with the count of those
 * before.
 */
import { LRUCache } from 'lru-cache';

export type RefusalCounts = {
  /** How many rows this one stands for; undefined when it gets no row of its own. */
  count(key: string, nowMs: number): number | undefined;
};

const windowMs = 60_000;
const mostKeys = 10_000;

export function createRefusalCounts(): RefusalCounts {
  const seen = new LRUCache<string, { writtenAtMs: number; unwritten: number }>({ max: mostKeys });
  return {
    count(key, nowMs) {
      const entry = seen.get(key);
      if (entry !== undefined && nowMs - entry.writtenAtMs < windowMs) {
        entry.unwritten += 1;
        return undefined;
      }
      seen.set(key, { writtenAtMs: nowMs, unwritten: 0 });
      return 1 + (entry?.unwritten ?? 0);
    },
  };
}
