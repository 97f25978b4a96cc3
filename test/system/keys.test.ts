import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createVerifier, TokenRefused } from '@tessera/verifier';
import { until } from '../../tools/testing/until.ts';
import { type Answer, type Client, createClient, inScope, type ScopeValue } from './client.ts';
import { waitForMail } from './mail.ts';
import { openStack, type SystemStack } from './stack.ts';

const PASSWORD = 'Correct-Horse7!';

let stack: SystemStack;
let client: Client;
before(async () => {
  stack = await openStack();
  client = createClient(stack.url, `keys ${randomUUID()}`);
});
after(() => stack.close());

function data({ status, body }: Answer, expected = 200) {
  assert.equal(status, expected, JSON.stringify(body));
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
] as const) {
  describe(`an API key of a project of ${name}`, () => {
    it('lives from its creation to its revocation, and an outside verifier needs nothing but the JWKS [spec:discovery.2-6 spec:tokens.5 spec:signing.2-3]', async () => {
      const { token, scope, roleId, userId, issuer } = await make();
      const jwks = `${issuer.slice(stack.url.length)}/.well-known/jwks.json`;
      assert.deepEqual((await client.get(jwks)).body, { keys: [] });
      const created = data(await client.post('/api/api-keys', { scope, name: 'deploy', roleId }, token), 201);
      const credentials = { clientId: created.clientId, clientSecret: created.clientSecret, scope };
      const { accessToken, expiresIn } = data(await client.post('/api/auth/token', credentials));
      assert.equal(expiresIn, 900);

      const verifier = createVerifier({ issuers: [issuer], audience: stack.url, types: ['apiKey'] });
      const claims = await verifier.verify(accessToken);
      assert.deepEqual([claims.sub, claims.jti, claims.roleId], [userId, created.id, roleId]);
      const published = await client.get(jwks);
      assert.equal(published.headers['cache-control'], 'public, max-age=3600');
      assert.equal(published.body.keys.length, 2);
      const again = await client.get(jwks, undefined, { 'if-none-match': String(published.headers['etag']) });
      assert.equal(again.status, 304);
      await assert.rejects(createVerifier({ issuers: [stack.url], audience: stack.url }).verify(accessToken), TokenRefused);

      // The role has no permission yet: the key may do nothing, though its creator may do everything.
      assert.equal((await client.get(`/api/api-keys?${inScope(scope)}`, accessToken)).status, 403);
      const listed = data(await client.get(`/api/api-keys?${inScope(scope, 'relations=role')}`, token));
      assert.equal(listed.items[0].role.name, 'Robot');
      assert.equal(typeof listed.items[0].lastUsedAt, 'string');

      const rotated = data(await client.post('/api/signing-keys/rotate', { scope }, token), 201);
      assert.equal(rotated.status, 'active');
      await verifier.verify(accessToken);
      await verifier.verify(data(await client.post('/api/auth/token', credentials)).accessToken);

      data(await client.post(`/api/api-keys/${created.id}/revoke`, { scope }, token));
      await until(async () => (await client.get(`/api/api-keys?${inScope(scope)}`, accessToken)).status === 401);
      assert.equal((await client.post('/api/auth/token', credentials)).status, 401);
    });

    it('does the same over GraphQL, with its role from rbac [spec:graphql.7 spec:discovery.4]', async () => {
      const { token, scope, roleId } = await make();
      const field = async (query: string, input: object, bearer?: string) => {
        const { status, body } = await client.graphql(query, { input }, bearer);
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal(body.errors, undefined, JSON.stringify(body.errors));
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
      assert.equal(exchanged.expiresIn, 900);
      const listed = await field(
        'query ($input: ApiKeysInput!) { it: apiKeys(input: $input) { apiKeys { id name isRevoked role { id name } } totalCount } }',
        { scope },
        token,
      );
      assert.deepEqual(listed.apiKeys, [{ id: made.id, name: 'ci', isRevoked: false, role: { id: roleId, name: 'Robot' } }]);
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
      assert.equal(keys.signingKeys.find(({ status }: { status: string }) => status === 'active').kid, rotated.kid);
      await field('mutation ($input: RevokeApiKeyInput!) { it: revokeApiKey(input: $input) { isRevoked } }', { scope, id: made.id }, token);
      const refused = await client.graphql('mutation ($input: ExchangeApiKeyInput!) { exchangeApiKey(input: $input) { accessToken } }', {
        input: { clientId, clientSecret, scope },
      });
      assert.equal(refused.body.errors[0].extensions.code, 'UNAUTHENTICATED');
    });

    it('of a user acts as that user; with the project it ends', async () => {
      const { token, scope, userId, parent, projectId } = await make();
      const userScope = { tenant: `${scope.tenant}User`, id: `${scope.id}:${userId}` };
      const created = data(await client.post('/api/api-keys', { scope: userScope, name: 'mine' }, token), 201);
      const credentials = { clientId: created.clientId, clientSecret: created.clientSecret, scope: userScope };
      const { accessToken } = data(await client.post('/api/auth/token', credentials));
      assert.equal(JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString()).sub, userId);
      data(await client.delete(`/api/projects/${projectId}?${inScope(parent)}`, token));
      assert.equal((await client.post('/api/auth/token', credentials)).status, 401);
      const { body } = await client.post('/api/auth/is-authorized', { permission: { resource: 'User', action: 'Query' } }, accessToken);
      assert.equal(body.code, 'UNAUTHENTICATED', JSON.stringify(body));
    });
  });
}
