import { expect, test } from '@jest/globals';
import { claimFault, metadataPath } from './claims.ts';

const faultOfName = (name: string) => claimFault({ name, source: 'roles' });
const faultOfSource = (source: string) => claimFault({ name: 'plan', source });

test.each([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'scope',
  'scp',
  'scopes',
  'client_id',
  'act',
  'may_act',
  'cnf',
  'azp',
  'nonce',
  'at_hash',
  'c_hash',
  'auth_time',
  'acr',
  'amr',
  'sid',
  'active',
  'token_type',
  'username',
  'email',
  'email_verified',
  'name',
  'preferred_username',
  'phone_number',
  '_claim_names',
  '_claim_sources',
  'org_id',
  'org_slug',
  'type',
  'roleId',
  'isVerified',
  'support',
  'tessera',
  'tessera_role',
  'Tessera.x',
  'ISS',
  'Email',
  'SUB',
])('the name %s is reserved, in any case of its letters', (name) => {
  expect(faultOfName(name)).toMatch(/^(reserved|shape)$/);
});

test.each([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  '',
  ' plan',
  'plan\n',
  'plаn',
  '1plan',
  '_plan',
  'a b',
  'http://example.com/plan',
  'https://user@example.com/plan',
  'https://example.com/plan?x',
  'x'.repeat(101),
  'pl"an',
  'a\0',
])('%j is no name of a claim', (name) => {
  expect(faultOfName(name)).toBeDefined();
});

test.each(['plan', 'roles', 'groups', 'given_name', 'cost-center', 'acme.plan', 'https://acme.example/claims/plan', 'locale'])(
  '%s is a name of a claim',
  (name) => {
    expect(faultOfName(name)).toBeUndefined();
  },
);

test.each([
  'email',
  'user.email',
  'user.id',
  'user.metadata',
  'user.metadata.',
  'user.metadata.a..b',
  'user.metadata.a.b.c.d.e.f',
  'grant.roles',
  'user.metadata.__proto__',
  'user.metadata.constructor.name',
  'grant.metadata.a.prototype',
  'organization.metadata.x',
  'role.metadata.x',
  'member.metadata.a[0]',
  'user.metadata.{{x}}',
  'ROLES',
  'organization.name ',
  'user.metadata.a\n',
])('%j is no source', (source) => {
  expect(faultOfSource(source)).toBe('source');
});

test('a source names the keys of the metadata that it reads', () => {
  expect(metadataPath('member.metadata.office.city')).toStrictEqual({ of: 'member', keys: ['office', 'city'] });
  expect(metadataPath('roles')).toBeUndefined();
  for (const source of ['roles', 'organization.name', 'organization.slug', 'user.name', 'user.metadata.a', 'grant.metadata.plan.seats'])
    expect(faultOfSource(source)).toBeUndefined();
});
