import { describe, expect, test } from '@jest/globals';
import type { Scope } from '@tessera/kernel/scope';
import { capOf, effectiveScope, type Subject } from './subject.ts';

const [userId, account, project, other] = ['1', '2', '3', '4'].map((digit) => `00000000-0000-7000-8000-00000000000${digit}`);
const own = { tenant: 'accountProject', id: `${account}:${project}` } as const;
const tokenScope = { tenant: 'accountProjectUser', id: `${own.id}:${userId}` } as const;
function bearer(type: Subject['type'], more: Partial<Subject> = {}): Subject {
  return { type, userId: userId ?? '', tokenScope, ...more };
}
const elsewhere: Scope[] = [
  { tenant: 'organizationProject', id: own.id },
  { tenant: 'accountProject', id: `${account}:${other}` },
  { tenant: 'account', id: account ?? '' },
];

describe('effectiveScope', () => {
  test('is the scope of the request for a session, and of the token otherwise', () => {
    for (const scope of [own, ...elsewhere])
      expect(effectiveScope(bearer('session', { tokenScope: undefined }), scope)).toStrictEqual(scope);
    expect(effectiveScope(bearer('session', { tokenScope: undefined }), undefined)).toBeUndefined();
    for (const type of ['apiKey', 'projectApp'] as const) {
      for (const asked of [own, undefined]) expect({ ...effectiveScope(bearer(type), asked) }.id).toStrictEqual(own.id);
      for (const scope of elsewhere) expect(effectiveScope(bearer(type), scope)).toStrictEqualFor(`${type} ${scope.tenant}`, undefined);
      expect(effectiveScope(bearer(type, { tokenScope: undefined }), own)).toBeUndefined();
    }
  });

  test('is undefined for a token whose scope belongs to another user', () => {
    const ofAnother = { ...tokenScope, id: `${own.id}:${other}` };
    for (const asked of [own, undefined]) expect(effectiveScope(bearer('apiKey', { tokenScope: ofAnother }), asked)).toBeUndefined();
  });
});

test('only projectApp tokens are capped, and one without a list allows nothing', () => {
  const scopes = ['Doc:Read'];
  for (const type of ['session', 'apiKey'] as const) expect(capOf(bearer(type, { scopes }))).toBeUndefined();
  expect(capOf(bearer('projectApp', { scopes }))).toStrictEqual(scopes);
  for (const given of [[], undefined]) expect(capOf(bearer('projectApp', { scopes: given }))).toStrictEqual([]);
});
