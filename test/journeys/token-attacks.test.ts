import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { apiKeyClaims, attacks, sessionClaims, sign } from '../../packages/verifier/test/attacks.ts';
import { type Answer, createClient, inScope } from '../support/client.ts';
import { sharedStack } from '../support/stack.ts';
import { stealKeys } from '../support/stolen-keys.ts';

/**
 * RFC 8725 section 2 through the gateway. The attacker has the real keys, so that each forgery has
 * exactly one fault. The honest tokens made in the same way are believed, or these tests would
 * prove nothing.
 */

function data({ status, body }: Answer) {
  expect(status < 300).toStrictEqualFor(body, true);
  return body.data;
}

const stack = await sharedStack();
const client = createClient(stack.url, `attacks ${randomUUID()}`);
const credentials = { provider: 'email', providerId: `${randomUUID()}@example.com`, providerData: { password: 'Correct-Horse7!' } };
const { accessToken, account } = data(await client.post('/api/auth/register', { name: 'Mallory', type: 'personal', ...credentials }));
const userId = data(await client.get('/api/me', accessToken)).user.id;
const project = data(await client.post('/api/projects', { scope: { tenant: 'account', id: account.id }, name: 'Target' }, accessToken));
const scope = { tenant: 'accountProject', id: `${account.id}:${project.id}` };
data(await client.post('/api/signing-keys/rotate', { scope }, accessToken));
const listPath = `/api/api-keys?${inScope(scope)}`;
const active = (await stealKeys(stack)).filter(({ status }) => status === 'active');
const system = active.find(({ tenant }) => tenant === 'system');
const ofProject = active.find(({ scopeId }) => scopeId === scope.id);
assert.ok(system && ofProject);
const target = {
  appUrl: stack.url,
  issuer: `${stack.url}/acc/${account.id}/prj/${project.id}`,
  nowSeconds: Math.floor(Date.now() / 1000),
  system,
  project: ofProject,
  userId,
  scope: { tenant: 'accountProjectUser', id: `${scope.id}:${userId}` },
};

describe('the gateway and the services behind it', () => {
  test('believe the honest tokens', async () => {
    expect((await client.get('/api/me', sign(target.system, sessionClaims(target)))).status).toBe(200);
    // 200 or 403, never 401: the key is known, and rbac decides what it may do without a role.
    expect((await client.get(listPath, sign(target.project, apiKeyClaims(target)))).status).not.toBe(401);
  });

  for (const { clause, name, forge } of attacks)
    test(`RFC 8725 ${clause}: refuse ${name}`, async () => {
      const token = forge(target);
      // The largest one does not get past the header limit of the gateway.
      const refused = token.length > 10_000 ? [401, 431] : [401];
      for (const path of ['/api/me', listPath]) {
        const { status, body } = await client.get(path, token);
        expect(refused.includes(status)).toStrictEqualFor(`${path}: ${status} ${JSON.stringify(body)}`, true);
      }
      if (token.length > 10_000) return;
      const { body } = await client.graphql('{ me { user { id } } }', {}, token);
      expect(body.errors?.[0].extensions.code).toStrictEqualFor(body, 'UNAUTHENTICATED');
    });
});
