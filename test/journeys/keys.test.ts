import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createVerifier, TokenRefused } from '../../packages/verifier/src/index.ts';
import { type Answer, createClient, inScope, type ScopeValue } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'Correct-Horse7!';

const stack = await openStack();
const client = createClient(stack.url, `keys ${randomUUID()}`);

function data({ status, body }: Answer, expected = 200) {
  expect(status).toStrictEqualFor(body, expected);
  return body.data;
}

/** A verified person with an organization of theirs. */
async function owner(type: 'personal' | 'organization') {
  const email = `${randomUUID()}@example.com`;
  const credentials = { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
  const registered = data(await client.post('/api/auth/register', { name: 'Grace', type, ...credentials }), 201);
  const mail = await waitForMail(stack.dataDir, email);
  data(await client.post('/api/auth/verify-email', { token: mail.data.token }));
  const { accessToken } = data(await client.post('/api/auth/login', credentials));
  const userId = data(await client.get('/api/me', accessToken)).user.id;
  return { token: String(accessToken), accountId: String(registered.account.id), userId: String(userId) };
}

async function organizationProject() {
  const person = await owner('organization');
  const account = { tenant: 'account', id: person.accountId };
  const organization = data(await client.post('/api/organizations', { scope: account, name: `Org ${randomUUID()}` }, person.token), 201);
  const parent = { tenant: 'organization', id: String(organization.id) };
  return project(person, parent, 'organizationProject', 'org');
}

async function personalProject() {
  const person = await owner('personal');
  return project(person, { tenant: 'account', id: person.accountId }, 'accountProject', 'acc');
}

async function project(person: Awaited<ReturnType<typeof owner>>, parent: ScopeValue, tenant: string, path: string) {
  const { id } = data(await client.post('/api/projects', { scope: parent, name: `Project ${randomUUID()}` }, person.token), 201);
  const scope = { tenant, id: `${parent.id}:${id}` };
  const role = data(await client.post('/api/roles', { scope, name: 'Robot' }, person.token), 201);
  return {
    ...person,
    scope,
    projectId: String(id),
    parent,
    roleId: String(role.id),
    issuer: `${stack.url}/${path}/${parent.id}/prj/${id}`,
  };
}

for (const [name, make] of [
  ['an organization', organizationProject],
  ['a personal account', personalProject],
] as const)
  describe(`an API key of a project of ${name}`, () => {
    test('lives from its creation to its revocation, and an outside verifier needs nothing but the JWKS [spec:discovery.2-6 spec:tokens.5 spec:signing.2-3]', async () => {
      const { token, scope, roleId, userId, issuer } = await make();
      const jwks = `${issuer.slice(stack.url.length)}/.well-known/jwks.json`;
      expect((await client.get(jwks)).body).toStrictEqual({ keys: [] });
      const created = data(await client.post('/api/api-keys', { scope, name: 'deploy', roleId }, token), 201);
      const credentials = { clientId: created.clientId, clientSecret: created.clientSecret, scope };
      const { accessToken, expiresIn } = data(await client.post('/api/auth/token', credentials));
      expect(expiresIn).toBe(900);

      const verifier = createVerifier({ issuers: [issuer], audience: stack.url, types: ['apiKey'] });
      const claims = await verifier.verify(accessToken);
      expect([claims.sub, claims.jti, claims.roleId]).toStrictEqual([userId, created.id, roleId]);
      const published = await client.get(jwks);
      expect(published.headers['cache-control']).toBe('public, max-age=3600');
      expect(published.body.keys.length).toBe(4);
      const again = await client.get(jwks, undefined, { 'if-none-match': String(published.headers['etag']) });
      expect(again.status).toBe(304);
      await expect(createVerifier({ issuers: [stack.url], audience: stack.url }).verify(accessToken)).rejects.toThrow(TokenRefused);

      // The role has no permission yet, so the key may do nothing although its creator may do
      // everything.
      expect((await client.get(`/api/api-keys?${inScope(scope)}`, accessToken)).status).toBe(403);
      const listed = data(await client.get(`/api/api-keys?${inScope(scope, 'relations=role')}`, token));
      expect(listed.items[0].role.name).toBe('Robot');
      expect(typeof listed.items[0].lastUsedAt).toBe('string');

      const rotated = data(await client.post('/api/signing-keys/rotate', { scope }, token), 201);
      expect(rotated.status).toBe('active');
      await verifier.verify(accessToken);
      await verifier.verify(data(await client.post('/api/auth/token', credentials)).accessToken);

      data(await client.post(`/api/api-keys/${created.id}/revoke`, { scope }, token));
      await until(async () => (await client.get(`/api/api-keys?${inScope(scope)}`, accessToken)).status === 401);
      expect((await client.post('/api/auth/token', credentials)).status).toBe(401);
    });

    test('does the same over GraphQL, with its role from rbac [spec:graphql.7 spec:discovery.4]', async () => {
      const { token, scope, roleId } = await make();
      const field = async (query: string, input: object, bearer?: string) => {
        const { status, body } = await client.graphql(query, { input }, bearer);
        expect(status).toStrictEqualFor(body, 200);
        expect(body.errors).toBeUndefined();
        return body.data.it;
      };
      const made = await field(
        'mutation ($input: CreateApiKeyInput!) { it: createApiKey(input: $input) { id clientId clientSecret } }',
        { scope, name: 'ci', roleId },
        token,
      );
      const { clientId, clientSecret } = made;
      const exchanged = await field(
        'mutation ($input: ExchangeApiKeyInput!) { it: exchangeApiKey(input: $input) { accessToken expiresIn } }',
        { clientId, clientSecret, scope },
      );
      expect(exchanged.expiresIn).toBe(900);
      const listed = await field(
        'query ($input: ApiKeysInput!) { it: apiKeys(input: $input) { apiKeys { id name isRevoked role { id name } } totalCount } }',
        { scope },
        token,
      );
      expect(listed.apiKeys).toStrictEqual([{ id: made.id, name: 'ci', isRevoked: false, role: { id: roleId, name: 'Robot' } }]);
      const rotated = await field(
        'mutation ($input: RotateSigningKeyInput!) { it: rotateSigningKey(input: $input) { kid } }',
        { scope },
        token,
      );
      const keys = await field(
        'query ($input: SigningKeysInput!) { it: signingKeys(input: $input) { signingKeys { kid status } } }',
        { scope },
        token,
      );
      expect(keys.signingKeys.find(({ status }: { status: string }) => status === 'active').kid).toBe(rotated.kid);
      await field('mutation ($input: RevokeApiKeyInput!) { it: revokeApiKey(input: $input) { isRevoked } }', { scope, id: made.id }, token);
      const refused = await client.graphql('mutation ($input: ExchangeApiKeyInput!) { exchangeApiKey(input: $input) { accessToken } }', {
        input: { clientId, clientSecret, scope },
      });
      expect(refused.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    });

    test('of a user acts as that user; with the project it ends', async () => {
      const { token, scope, userId, parent, projectId } = await make();
      const userScope = { tenant: `${scope.tenant}User`, id: `${scope.id}:${userId}` };
      const created = data(await client.post('/api/api-keys', { scope: userScope, name: 'mine' }, token), 201);
      const credentials = { clientId: created.clientId, clientSecret: created.clientSecret, scope: userScope };
      const { accessToken } = data(await client.post('/api/auth/token', credentials));
      expect(JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString()).sub).toBe(userId);
      data(await client.delete(`/api/projects/${projectId}?${inScope(parent)}`, token));
      expect((await client.post('/api/auth/token', credentials)).status).toBe(401);
      const { body } = await client.post('/api/auth/is-authorized', { permission: { resource: 'User', action: 'Query' } }, accessToken);
      expect(body.code).toStrictEqualFor(body, 'UNAUTHENTICATED');
    });
  });
