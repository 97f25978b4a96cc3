/**
 * Requests that prove nothing: any caller could fill the audit log with them. One row a minute for
 * each key, with the count of those that it stands for. The first has its row at once; those that
 * follow are counted here for a minute at most, so that a crash loses no more.
 */
import { LRUCache } from 'lru-cache';

/** Writes the row of those that were counted. */
type WriteLater = (count: number, at: Date) => Promise<void>;

export type RequestCounts = {
  /**
   * How many requests the row of this one stands for; undefined when it gets none. Then
   * `writeLater` writes the row, once the minute is over.
   */
  count(key: string, now: Date, writeLater: WriteLater): number | undefined;
  /** Writes a row for each key whose minute is over. */
  flush(now: Date): Promise<void>;
  /** Writes a row for each key whose requests have none yet: the process ends. */
  stop(now: Date): Promise<void>;
};

type Entry = { writtenAtMs: number; unwritten: number; writeLater: WriteLater };

const windowMs = 60_000;
const mostKeys = 10_000;

export function createRequestCounts(): RequestCounts {
  const seen = new LRUCache<string, Entry>({ max: mostKeys });

  async function write(now: Date, isDue: (entry: Entry) => boolean): Promise<void> {
    const due = [...seen.values()].filter((entry) => entry.unwritten > 0 && isDue(entry));
    await Promise.all(
      due.map((entry) => {
        // Taken before it is written: whatever becomes of the write, nothing is written twice.
        const count = entry.unwritten;
        Object.assign(entry, { writtenAtMs: now.getTime(), unwritten: 0 });
        return entry.writeLater(count, now);
      }),
    );
  }

  return {
    count(key, now, writeLater) {
      const entry = seen.get(key);
      if (entry !== undefined && now.getTime() - entry.writtenAtMs < windowMs) {
        Object.assign(entry, { unwritten: entry.unwritten + 1, writeLater });
        return undefined;
      }
      seen.set(key, { writtenAtMs: now.getTime(), unwritten: 0, writeLater });
      return 1 + (entry?.unwritten ?? 0);
    },
    flush: (now) => write(now, ({ writtenAtMs }) => now.getTime() - writtenAtMs >= windowMs),
    stop: (now) => write(now, () => true),
  };
}
