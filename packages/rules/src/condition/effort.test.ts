import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../../../services/rbac/src/domain/decision.ts';
import { compileRights } from '../../../../services/rbac/src/domain/rights.ts';
import { isInRange } from './address-range.ts';
import type { Json } from './condition.ts';
import { includesText } from './text-search.ts';

const role = { id: 'r', name: 'r', description: null, metadata: {}, isBuiltIn: false, rank: null };
const group = { id: 'g', name: 'g', description: null, metadata: {} };

/** Each condition stands in a permission of its own for the same action. */
function decideBy(conditions: readonly Json[], target: Readonly<Record<string, Json>>) {
  const permission = { name: 'p', resource: 'Doc', action: 'Read' };
  const paths = conditions.map((condition, at) => ({ role, group, permission: { ...permission, id: `${1_000 + at}`, condition } }));
  const question = { resource: 'Doc', action: 'Read', userId: 'me', target, nowMs: 0 };
  const begin = performance.now();
  const { reason } = decide(compileRights([role], paths), question);
  return { reason, ms: performance.now() - begin };
}
const list = (length: number) => Array.from({ length }, (_, index) => index);
const oneOf = (comparisons: readonly Json[]): Json => ({ Or: comparisons });

describe('a condition that would keep others waiting is not met', () => {
  const hostile: Record<string, readonly [condition: Json, target: Readonly<Record<string, Json>>]> = {
    'a long list, again and again': [oneOf(list(140).map(() => ({ Contains: { 'resource.list': 'x' } }))), { list: list(200_000) }],
    'equal objects with many keys': [
      oneOf(list(140).map(() => ({ NotEquals: { 'resource.one': '{{resource.other}}' } }))),
      {
        one: Object.fromEntries(list(50_000).map((at) => [`a${at}`, 0])),
        other: Object.fromEntries(list(50_000).map((at) => [`a${at}`, 0])),
      },
    ],
    'windows of time without number': [
      oneOf(list(140).map((at) => ({ TimeWithin: { 'context.time': `{{resource.w${at}}}` } }))),
      Object.fromEntries(list(140).map((at) => [`w${at}`, { days: list(1_000).map(() => 'Mon') }])),
    ],
  };
  for (const [name, [condition, target]] of Object.entries(hostile))
    test(name, () => {
      const { reason, ms } = decideBy(
        Array.from({ length: 60 }, () => condition),
        target,
      );
      expect([reason, ms < 2_000]).toStrictEqual(['PERMISSION_FOUND_CONDITION_NOT_MET', true]);
    });

  test('and takes nothing from another one', () => {
    const costly = hostile['a long list, again and again'];
    const target = { ...costly?.[1], ownerId: 'me' };
    const { reason } = decideBy([costly?.[0] ?? null, { Equals: { 'resource.ownerId': '{{user.id}}' } }], target);
    expect(reason).toBe('PERMISSION_GRANTED_CONDITION_MET');
  });

  test('while a thousand items and a page of text are nothing', () => {
    const target = { list: list(1_000), text: `${'a'.repeat(5_000)}needle` };
    const both = { And: [{ Contains: { 'resource.list': 999 } }, { Contains: { 'resource.text': 'needle' } }] };
    expect(decideBy([both], target).reason).toBe('PERMISSION_GRANTED_CONDITION_MET');
  });
});

test('a part of a text is found as the engine finds it', () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });
  fc.assert(
    fc.property(letters(6), letters(6), letters(6), fc.nat(400), (before, part, after, times) => {
      const text = before + part.repeat(times) + after;
      const long = (part + after).repeat(300);
      return includesText(text, long) === text.includes(long) && includesText(text + long, long) === (text + long).includes(long);
    }),
    { numRuns: 200 },
  );
});

test('a text that the engine would search for minutes is searched at once', () => {
  const part = `${'a'.repeat(50)}b${'a'.repeat(300_000)}`;
  const begin = performance.now();
  expect(includesText('a'.repeat(700_000), part)).toBe(false);
  expect(includesText(`${'a'.repeat(300_000)}${part}`, part)).toBe(true);
  expect(performance.now() - begin).toBeLessThan(2_000);
});

test('a text that is longer than any address is in no range', () => {
  expect(isInRange('1:'.repeat(400_000), '::/0')).toBe(false);
  expect(isInRange('ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255', 'ffff::/16')).toBe(true);
});
