import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../../../tools/stack/repository.ts';
import { type Credential, elevatable, heldByBuiltIn, rotationOf, stateOf, wrongNetwork } from './account.ts';

const now = Date.parse('2026-11-26T12:00:00Z');
const secret = (id: string, more: Partial<Credential> = {}): Credential => ({
  id,
  type: 'secret',
  lastFour: id,
  jwks: null,
  jwksUri: null,
  issuer: null,
  audience: null,
  claims: null,
  createdBy: 'p',
  createdAt: '2026-11-01T00:00:00Z',
  expiresAt: null,
  lastUsedAt: null,
  lastUsedFrom: null,
  ...more,
});
const past = { expiresAt: '2026-11-26T11:59:59Z' };

test('a service account gets tokens only with a credential that has not expired, and while it is not suspended', () => {
  expect(stateOf({ isSuspended: false, credentials: [] }, now)).toBe('bare');
  expect(stateOf({ isSuspended: false, credentials: [secret('a', past)] }, now)).toBe('expired');
  expect(stateOf({ isSuspended: false, credentials: [secret('a', past), secret('b')] }, now)).toBe('active');
  expect(stateOf({ isSuspended: true, credentials: [secret('b')] }, now)).toBe('suspended');
});

test('a rotation goes from one secret to the newest, and is done once the machine has used it', () => {
  expect(rotationOf([])).toBeUndefined();
  expect(rotationOf([secret('a')])).toMatchObject({ first: { id: 'a' }, isSwitched: false });
  expect(rotationOf([secret('a'), secret('b')])).toMatchObject({ first: { id: 'a' }, next: { id: 'b' }, isSwitched: false });
  const used = secret('b', { lastUsedAt: '2026-11-26T11:00:00Z' });
  expect(rotationOf([secret('a'), used])).toMatchObject({ next: { id: 'b' }, isSwitched: true });
});

test('networks are addresses, or addresses with a length', () => {
  expect(wrongNetwork(['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'])).toBeUndefined();
  for (const wrong of ['203.0.113.0/33', 'example.com', '203.0.113', '::1/129']) expect(wrongNetwork(['::1', wrong])).toBe(wrong);
});

test('what the built-in roles hold is what docs/permissions.md says', () => {
  const lines = readFileSync(join(repositoryFolder, 'docs', 'permissions.md'), 'utf8').split('\n');
  for (const operation of elevatable) {
    const [, , ...held] = (lines.find((line) => line.startsWith(`| \`${operation}\``)) ?? '').split('|').map((cell) => cell.trim());
    expect([operation, [2, 3, 4].map((rank) => heldByBuiltIn(operation, rank))]).toStrictEqual([
      operation,
      held.slice(1, 4).map((cell) => cell !== ''),
    ]);
  }
});
