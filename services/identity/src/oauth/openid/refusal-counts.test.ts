import { expect, test } from '@jest/globals';
import { createRefusalCounts } from './refusal-counts.ts';

test('one row a minute and key, with the count of those that had none', () => {
  const counts = createRefusalCounts();
  expect(counts.count('app-1', 0)).toBe(1);
  for (let times = 0; times < 39; times += 1) expect(counts.count('app-1', 1_000 + times)).toBeUndefined();
  expect(counts.count('app-2', 1_000)).toBe(1);
  expect(counts.count('app-1', 60_000)).toBe(40);
  expect(counts.count('app-1', 60_001)).toBeUndefined();
  expect(counts.count('app-1', 130_000)).toBe(2);
});
