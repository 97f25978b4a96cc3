import { expect, test } from '@jest/globals';
import { isVerified, judgeSpentToken, refreshExpiry, repeatWindowMs } from './session.ts';

const now = new Date('2026-01-01T00:00:10.000Z');
const spent = { spentAt: new Date(now.getTime() - repeatWindowMs), sameDevice: true, successorUnspent: true };

test('the directly preceding token of the same device answers again up to the window', () => {
  expect(judgeSpentToken(spent, now)).toBe('repeat');
  expect(judgeSpentToken(spent, new Date(now.getTime() + 1))).toBe('reuse');
});

test('another device, or a token further back, is reuse', () => {
  expect(judgeSpentToken({ ...spent, sameDevice: false }, now)).toBe('reuse');
  expect(judgeSpentToken({ ...spent, successorUnspent: false }, now)).toBe('reuse');
});

test('a clock behind the one that spent the token does not make a repeat a reuse', () =>
  expect(judgeSpentToken({ ...spent, spentAt: new Date(now.getTime() + 500) }, now)).toBe('repeat'));

test('a refresh token lives for whole days', () => expect(refreshExpiry(now, 30).toISOString()).toBe('2026-01-31T00:00:10.000Z'));

test('one proven address makes a person verified, none does not', () => {
  expect(isVerified([])).toBe(false);
  expect(isVerified([{ isVerified: false }])).toBe(false);
  expect(isVerified([{ isVerified: false }, { isVerified: true }])).toBe(true);
});
