import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

describe('the scope in which a subject is asked about', () => {
  it('is the request’s for a session, and its token’s for all others', () => {
    for (const scope of [own, ...elsewhere]) assert.deepEqual(effectiveScope(bearer('session', { tokenScope: undefined }), scope), scope);
    assert.equal(effectiveScope(bearer('session', { tokenScope: undefined }), undefined), undefined);
    for (const type of ['apiKey', 'projectApp'] as const) {
      for (const asked of [own, undefined]) assert.deepEqual({ ...effectiveScope(bearer(type), asked) }.id, own.id);
      for (const scope of elsewhere) assert.equal(effectiveScope(bearer(type), scope), undefined, `${type} ${scope.tenant}`);
      assert.equal(effectiveScope(bearer(type, { tokenScope: undefined }), own), undefined);
    }
  });

  it('is none for a token whose scope is somebody else’s', () => {
    const ofAnother = { ...tokenScope, id: `${own.id}:${other}` };
    for (const asked of [own, undefined]) assert.equal(effectiveScope(bearer('apiKey', { tokenScope: ofAnother }), asked), undefined);
  });
});

it('only projectApp tokens are capped, and one without a list to nothing', () => {
  const scopes = ['Doc:Read'];
  for (const type of ['session', 'apiKey'] as const) assert.equal(capOf(bearer(type, { scopes })), undefined);
  assert.deepEqual(capOf(bearer('projectApp', { scopes })), scopes);
  for (const given of [[], undefined]) assert.deepEqual(capOf(bearer('projectApp', { scopes: given })), []);
});
