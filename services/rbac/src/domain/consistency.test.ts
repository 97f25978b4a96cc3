import { describe, expect, test } from '@jest/globals';
import { decodeConsistency, encodeConsistency } from './consistency.ts';

const nowMs = 1_800_000_000_000;
function moment(ms: number) {
  return Buffer.from(`at ${ms}`).toString('base64url');
}
const one = { tenant: 'organization', id: 'a', version: 7 };
const other = { tenant: 'account', id: 'b', version: 9 };

describe('a consistency token', () => {
  test('a token demands each version that it names, for every way to join several', () => {
    const [first, second] = [encodeConsistency(one), encodeConsistency(other)];
    for (const text of [`${first}.${second}`, `${first}, ${second}`, `${first},${second}`])
      expect(decodeConsistency(text, nowMs)).toStrictEqualFor(text, { versions: [one, other], isFresh: false });
  });

  test('a token with a time demands a fresh answer while caches may be older', () => {
    for (const at of [nowMs, nowMs - 29_000, nowMs + 29_000]) expect(decodeConsistency(moment(at), nowMs).isFresh).toBe(true);
    for (const at of [nowMs - 31_000, nowMs + 31_000]) expect(decodeConsistency(moment(at), nowMs).isFresh).toBe(false);
  });

  test('a token that is too long demands a fresh answer', () => {
    const many = Array.from({ length: 200 }, () => encodeConsistency(one)).join('.');
    expect(decodeConsistency(many, nowMs)).toStrictEqual({ versions: [], isFresh: true });
  });

  test('a malformed token demands nothing', () => {
    for (const text of [undefined, '', 'x', Buffer.from('a b c d').toString('base64url'), Buffer.from('a b 1e400').toString('base64url')])
      expect(decodeConsistency(text, nowMs)).toStrictEqual({ versions: [], isFresh: false });
  });
});
