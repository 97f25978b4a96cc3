import { expect, test } from '@jest/globals';
import { createRequestCounts } from './request-counts.ts';

const at = (ms: number) => new Date(ms);

function recorded() {
  const rows: (readonly [string, number, number])[] = [];
  const writeLater = (key: string) => async (count: number, now: Date) => void rows.push([key, count, now.getTime()]);
  return { rows, writeLater };
}

test('one row a minute and key, with the count of those that had none', () => {
  const counts = createRequestCounts();
  const { writeLater } = recorded();
  const count = (key: string, ms: number) => counts.count(key, at(ms), writeLater(key));
  expect(count('app-1', 0)).toBe(1);
  for (let times = 0; times < 39; times += 1) expect(count('app-1', 1_000 + times)).toBeUndefined();
  expect(count('app-2', 1_000)).toBe(1);
  expect(count('app-1', 60_000)).toBe(40);
  expect(count('app-1', 60_001)).toBeUndefined();
  expect(count('app-1', 130_000)).toBe(2);
});

test('what was counted is written when its minute is over, also when no request follows, and once', async () => {
  const counts = createRequestCounts();
  const { rows, writeLater } = recorded();
  for (const ms of [0, 10, 20]) counts.count('app-1', at(ms), writeLater('app-1'));
  counts.count('app-2', at(0), writeLater('app-2'));
  await counts.flush(at(59_999));
  expect(rows).toStrictEqual([]);
  await Promise.all([counts.flush(at(60_000)), counts.flush(at(60_000))]);
  expect(rows).toStrictEqual([['app-1', 2, 60_000]]);
  // The minute begins anew with the row: a request right after it gets none of its own.
  expect(counts.count('app-1', at(60_001), writeLater('app-1'))).toBeUndefined();
  await counts.flush(at(120_001));
  expect(rows).toStrictEqual([
    ['app-1', 2, 60_000],
    ['app-1', 1, 120_001],
  ]);
});

test('a row that could not be written is not written twice', async () => {
  const counts = createRequestCounts();
  let attempts = 0;
  const fails = async () => {
    attempts += 1;
    throw new Error('the database is away');
  };
  for (const ms of [0, 1]) counts.count('app-1', at(ms), fails);
  await expect(counts.flush(at(60_000))).rejects.toThrow('away');
  await counts.flush(at(120_000));
  expect(attempts).toBe(1);
});

test('a stop writes what is left', async () => {
  const counts = createRequestCounts();
  const { rows, writeLater } = recorded();
  for (const ms of [0, 1]) counts.count('app-1', at(ms), writeLater('app-1'));
  await counts.stop(at(2));
  await counts.stop(at(3));
  expect(rows).toStrictEqual([['app-1', 1, 2]]);
});
