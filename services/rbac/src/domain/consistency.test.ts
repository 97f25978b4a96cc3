import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeConsistency, encodeConsistency } from './consistency.ts';

const nowMs = 1_800_000_000_000;
function moment(ms: number) {
  return Buffer.from(`at ${ms}`).toString('base64url');
}
const one = { tenant: 'organization', id: 'a', version: 7 };
const other = { tenant: 'account', id: 'b', version: 9 };

describe('a consistency token', () => {
  it('demands the version of each write that it names, however several were put into one header', () => {
    const [first, second] = [encodeConsistency(one), encodeConsistency(other)];
    for (const text of [`${first}.${second}`, `${first}, ${second}`, `${first},${second}`]) {
      assert.deepEqual(decodeConsistency(text, nowMs), { versions: [one, other], isFresh: false }, text);
    }
  });

  it('of a moment demands a fresh answer while memory may be older', () => {
    for (const at of [nowMs, nowMs - 29_000, nowMs + 29_000]) assert.equal(decodeConsistency(moment(at), nowMs).isFresh, true);
    for (const at of [nowMs - 31_000, nowMs + 31_000]) assert.equal(decodeConsistency(moment(at), nowMs).isFresh, false);
  });

  it('too long to be read demands a fresh answer rather than none', () => {
    const many = Array.from({ length: 200 }, () => encodeConsistency(one)).join('.');
    assert.deepEqual(decodeConsistency(many, nowMs), { versions: [], isFresh: true });
  });

  it('that is none demands nothing', () => {
    for (const text of [undefined, '', 'x', Buffer.from('a b c d').toString('base64url'), Buffer.from('a b 1e400').toString('base64url')]) {
      assert.deepEqual(decodeConsistency(text, nowMs), { versions: [], isFresh: false });
    }
  });
});
