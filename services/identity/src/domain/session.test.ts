import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isVerified, judgeSpentToken, refreshExpiry, repeatWindowMs } from './session.ts';

const now = new Date('2026-01-01T00:00:10.000Z');
const spent = { spentAt: new Date(now.getTime() - repeatWindowMs), sameDevice: true, successorUnspent: true };

test('the directly preceding token of the same device answers again up to the window', () => {
  assert.equal(judgeSpentToken(spent, now), 'repeat');
  assert.equal(judgeSpentToken(spent, new Date(now.getTime() + 1)), 'reuse');
});

test('another device, or a token further back, is reuse', () => {
  assert.equal(judgeSpentToken({ ...spent, sameDevice: false }, now), 'reuse');
  assert.equal(judgeSpentToken({ ...spent, successorUnspent: false }, now), 'reuse');
});

test('a clock that runs behind the one that spent the token does not accuse anybody', () => {
  assert.equal(judgeSpentToken({ ...spent, spentAt: new Date(now.getTime() + 500) }, now), 'repeat');
});

test('a refresh token lives for whole days', () => {
  assert.equal(refreshExpiry(now, 30).toISOString(), '2026-01-31T00:00:10.000Z');
});

test('one proven address makes a person verified, none does not', () => {
  assert.equal(isVerified([]), false);
  assert.equal(isVerified([{ isVerified: false }]), false);
  assert.equal(isVerified([{ isVerified: false }, { isVerified: true }]), true);
});
