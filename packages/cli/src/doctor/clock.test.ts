import { expect, test } from '@jest/globals';
import { clockFinding, skewSeconds } from './clock.ts';

const now = 1_800_000_000_000;
const asked = { askedMs: now, answeredMs: now + 200, resolutionMs: 0 };

test('what the way to the other clock may explain is no skew', () => {
  expect(skewSeconds({ ...asked, atMs: now + 100 })).toBe(0);
  expect(skewSeconds({ ...asked, atMs: now - 900, resolutionMs: 1_000 })).toBe(0);
});

test('a skew has its sign, and above five seconds it is an error, because tokens are refused', () => {
  expect(skewSeconds({ ...asked, atMs: now + 10_200 })).toBe(10);
  expect(skewSeconds({ ...asked, atMs: now - 10_000 })).toBe(-10);
  const levels = [0, 3_000, -3_000, 9_000, -9_000].map((by) => clockFinding('redis', { ...asked, atMs: now + by }).level);
  expect(levels).toStrictEqual(['ok', 'note', 'note', 'error', 'error']);
});
