import { describe, expect, test } from '@jest/globals';
import { type DomainLetter, type DomainState, isChallenge, letterDue, type Sight, stateUnseen } from './domain.ts';

const day = 24 * 60 * 60 * 1_000;
const start = new Date('2030-01-01T00:00:00Z');
const on = (days: number) => new Date(start.getTime() + days * day);
const verified: DomainState = { status: 'verified', seenAt: start.toISOString(), failingSince: null, problem: null };

/** A check on each of these days that does not see the record. */
function after(sights: readonly (readonly [number, Exclude<Sight, 'seen'>])[]): DomainState {
  return sights.reduce<DomainState>((state, [at, sight]) => stateUnseen(state, sight, on(at)), verified);
}

describe('a proven domain', () => {
  test('fails as soon as the record is absent, and is lost seven days after that', () => {
    expect(after([[1, 'missing']])).toMatchObject({ status: 'failing', problem: 'record_missing', failingSince: on(1).toISOString() });
    for (const [at, status] of [
      [2, 'failing'],
      [7.9, 'failing'],
      [8, 'lost'],
    ] as const)
      expect(
        after([
          [1, 'missing'],
          [at, 'differs'],
        ]).status,
      ).toStrictEqualFor(at, status);
  });

  test('keeps its state while the DNS says nothing, and is lost by an absence that was observed', () => {
    expect(after([[1, 'unknown']])).toStrictEqual({ ...verified, problem: 'dns_failed' });
    expect(
      after([
        [1, 'missing'],
        [9, 'unknown'],
      ]).status,
    ).toBe('failing');
  });

  test('that no check has seen for thirty days fails, whatever the DNS says', () => {
    expect(after([[29, 'unknown']]).status).toBe('verified');
    expect(after([[30, 'unknown']]).status).toBe('failing');
    expect(
      after([
        [30, 'unknown'],
        [36, 'unknown'],
      ]).status,
    ).toBe('failing');
    expect(
      after([
        [30, 'unknown'],
        [37, 'unknown'],
      ]).status,
    ).toBe('lost');
  });
});

test('a claim that proves nothing stays what it is', () => {
  for (const status of ['pending', 'lost'] as const)
    for (const sight of ['missing', 'differs', 'unknown'] as const)
      expect(stateUnseen({ ...verified, status, seenAt: null }, sight, on(99)).status).toStrictEqualFor([status, sight], status);
});

test('the Owners are told when a domain begins to fail, a day before it is lost, and when it is', () => {
  const failingSince = start.toISOString();
  const cases: readonly (readonly [DomainState['status'], DomainLetter | null, number, DomainLetter | undefined])[] = [
    ['verified', null, 1, undefined],
    ['failing', null, 0, 'failing'],
    ['failing', 'failing', 5.9, undefined],
    ['failing', 'failing', 6, 'reminded'],
    ['failing', 'reminded', 6.5, undefined],
    ['lost', 'reminded', 7, 'lost'],
    ['lost', null, 7, 'lost'],
    ['lost', 'lost', 8, undefined],
    ['pending', null, 8, undefined],
  ];
  for (const [status, told, at, expected] of cases)
    expect(letterDue({ status, told, toldAt: null, failingSince }, on(at))).toStrictEqualFor([status, told, at], expected);
});

test('the Owners are told of a new beginning once a day', () => {
  const [failing, toldAt] = [{ status: 'failing', failingSince: start.toISOString(), told: null } as const, start.toISOString()];
  expect([0.9, 1].map((at) => letterDue({ ...failing, toldAt }, on(at)))).toStrictEqual([undefined, 'failing']);
});

test('a record is the challenge itself, at most with space or quotes around it', () => {
  for (const text of ['tessera-domain=a', ' tessera-domain=a ', '"tessera-domain=a"'])
    expect(isChallenge(text, 'tessera-domain=a')).toStrictEqualFor(text, true);
  for (const text of ['tessera-domain=', 'tessera-domain=ab', 'x tessera-domain=a', 'TESSERA-DOMAIN=A', ''])
    expect(isChallenge(text, 'tessera-domain=a')).toStrictEqualFor(text, false);
});
