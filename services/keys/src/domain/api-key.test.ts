import { describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { type ApiKey, isUsable, timeOf, tokenLifetimeSeconds } from './api-key.ts';

const now = new Date('2030-01-01T00:00:00.000Z');
function keyOf(changes: Partial<ApiKey>): ApiKey {
  return {
    id: newId(),
    clientId: newId(),
    name: 'key',
    description: null,
    roleId: null,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    revokedBy: null,
    createdBy: newId(),
    createdAt: '',
    updatedAt: '',
    deletedAt: null,
    accountId: null,
    organizationId: newId(),
    projectId: newId(),
    userId: null,
    parentKeyId: null,
    ...changes,
  };
}

describe('a key', () => {
  test('a key can be exchanged until its expiry, and not at that moment', () => {
    expect(isUsable(keyOf({}), now)).toBe(true);
    expect(isUsable(keyOf({ expiresAt: '2030-01-01T00:00:00.001Z' }), now)).toBe(true);
    expect(isUsable(keyOf({ expiresAt: '2030-01-01T00:00:00.000Z' }), now)).toBe(false);
    expect(isUsable(keyOf({ expiresAt: '2029-12-31T23:59:59.999Z' }), now)).toBe(false);
    expect(isUsable(keyOf({ revokedAt: '2029-12-31T23:59:59.999Z' }), now)).toBe(false);
    expect(isUsable(keyOf({ deletedAt: '2029-12-31T23:59:59.999Z' }), now)).toBe(false);
  });

  test('the lifetime of a token has whole seconds and ends no later than its key', () => {
    expect(tokenLifetimeSeconds(keyOf({}), now, 900)).toBe(900);
    for (const [expiresAt, seconds] of [
      ['2030-01-01T00:15:00.001Z', 900],
      ['2030-01-01T00:14:59.999Z', 899],
      ['2030-01-01T00:00:01.000Z', 1],
      ['2030-01-01T00:00:00.999Z', 0],
    ] as const)
      expect(tokenLifetimeSeconds(keyOf({ expiresAt }), now, 900)).toStrictEqualFor(expiresAt, seconds);
  });
});

describe('a time', () => {
  test('timeOf accepts a time with its zone, to the minute or finer', () => {
    for (const [text, time] of [
      ['2030-01-01T00:00Z', '2030-01-01T00:00:00.000Z'],
      ['2030-01-01T00:00:00+02:00', '2029-12-31T22:00:00.000Z'],
      ['2028-02-29T12:00:00.123456789Z', '2028-02-29T12:00:00.123Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ] as const)
      expect(timeOf(text)?.toISOString()).toStrictEqualFor(text, time);
  });

  test('timeOf refuses a day that does not exist and a year of more than four digits', () => {
    for (const text of [
      '2030-02-30T00:00:00Z',
      '2030-02-29T00:00:00Z',
      '2030-04-31T00:00:00+02:00',
      '2030-13-01T00:00:00Z',
      '2030-01-00T00:00:00Z',
      '9999-12-31T23:59:59-01:00',
      '+010000-01-01T00:00:00Z',
      '2030-01-01T25:00:00Z',
      '2030-01-01T00:00:00+99:99',
      '2030-01-01',
      '2030-01-01T00:00:00',
      '2030-01-01 00:00:00Z',
      'tomorrow',
      '',
      '1893456000',
    ])
      expect(timeOf(text)).toStrictEqualFor(text, undefined);
  });
});
