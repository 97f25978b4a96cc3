import { expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { acceptIdToken } from './id-token-request.ts';

const appUrl = 'https://id.example.com';
const [parent, project, kid, userId] = [newId(), newId(), newId(), newId()];
const scope = { tenant: 'organizationProject', id: `${parent}:${project}` } as const;
const rules = { appUrl, longestLifetimeSeconds: 900 };
const header = { alg: 'RS256', kid };
const claims = {
  iss: `${appUrl}/org/${parent}/prj/${project}`,
  sub: userId,
  aud: 'a client',
  iat: 1_000,
  exp: 1_900,
  nonce: 'n',
  acr: 'aal1',
};

function accepted(changedHeader: object = {}, changedClaims: object = {}) {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return acceptIdToken(scope, `${part({ ...header, ...changedHeader })}.${part({ ...claims, ...changedClaims })}`, rules);
}

test('an ID token of the issuer is accepted', () => expect(accepted()).toStrictEqual({ kid, alg: 'RS256', usedScope: undefined }));

test('an ID token names the organization that was chosen: the project’s own, or one that uses it', () => {
  expect(accepted({}, { org_id: parent, org_slug: 'globex' }).usedScope).toBeUndefined();
  const customer = newId();
  expect(accepted({}, { org_id: customer, org_slug: 'acme' }).usedScope).toStrictEqual({ ...scope, id: `${customer}:${project}` });
});

test('a logout token is accepted', () => {
  const { nonce: _, acr: __, ...rest } = claims;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { ...rest, jti: 'one', sid: 's', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } };
  expect(acceptIdToken(scope, `${part({ ...header, typ: 'logout+jwt' })}.${part(payload)}`, rules).kid).toBe(kid);
});

const refusals: Readonly<Record<string, readonly [object, object]>> = {
  'a type': [{}, { type: 'session' }],
  'a tenant scope': [{}, { scope: { tenant: 'organizationProjectUser', id: `${parent}:${project}:${userId}` } }],
  'a list of scopes': [{}, { scopes: ['order:read'] }],
  'a verified address of the platform': [{}, { isVerified: true }],
  'a role': [{}, { roleId: newId() }],
  'an organization that is no id': [{}, { org_id: 'acme' }],
  'the slug of an organization without its id': [{}, { org_slug: 'acme' }],
  'another issuer': [{}, { iss: appUrl }],
  'the platform as its audience': [{}, { aud: appUrl }],
  'many audiences': [{}, { aud: ['a', 'b'] }],
  'no end': [{}, { exp: undefined }],
  'a long life': [{}, { exp: 2_000 }],
  'another algorithm': [{ alg: 'none' }, {}],
  'the typ of our access tokens': [{ typ: 'JWT' }, {}],
  'a key of its own': [{ jwk: {} }, {}],
  'the events of a logout token, but no such typ': [{}, { events: {} }],
};

for (const [name, [changedHeader, changedClaims]] of Object.entries(refusals)) {
  test(`a signing input with ${name} is refused`, () => expect(() => accepted(changedHeader, changedClaims)).toThrow());
}
