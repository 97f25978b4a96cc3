import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { appUrl, startTestStack, type TestStack } from './testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

describe('the first day', () => {
  it('has a system key and its successor, both in the JWKS, without private members [spec:discovery.1 spec:discovery.6 spec:key-states.2 spec:service.5 spec:constants.5]', async () => {
    const { status, headers, json } = await stack.request('GET', '/.well-known/jwks.json');
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'public, max-age=3600');
    const keys = json['keys'] as unknown as Record<string, string>[];
    assert.equal(keys.length, 2);
    for (const key of keys) assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('signs sessions that name the platform, and tells the key to verifiers [spec:signing.1 spec:signing.4 spec:claims.3]', async () => {
    const { keys } = stack.client();
    const token = await stack.session(newId());
    const { kid = '' } = decodeProtectedHeader(token);
    const claims = decodeJwt(token);
    assert.deepEqual([claims.iss, claims.aud, claims['type'], claims['isVerified']], [appUrl, appUrl, 'session', true]);
    assert.equal(Number(claims.exp) - Number(claims.iat), 900);
    assert.equal((await keys.getVerificationKey({ kid })).issuer, appUrl);
    await assert.rejects(keys.getVerificationKey({ kid: newId() }), { kind: 'not-found' });
    keys.close();
  });
});

describe('JWKS', () => {
  it('answers 304 to whoever holds it already', async () => {
    const { headers } = await stack.request('GET', '/.well-known/jwks.json');
    const etag = headers.get('etag') ?? '';
    for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await stack.request('GET', '/.well-known/jwks.json', { headers: { 'if-none-match': held } });
      assert.equal(again.status, 304, held);
      assert.deepEqual([again.headers.get('etag'), again.headers.get('cache-control'), again.text], [etag, 'public, max-age=3600', '']);
    }
    assert.equal((await stack.request('GET', '/.well-known/jwks.json', { headers: { 'if-none-match': '"x"' } })).status, 200);
  });

  it('may be kept as long as JWT_JWKS_MAX_AGE_SECONDS says', async () => {
    stack.apps.push(await stack.start({ JWT_JWKS_MAX_AGE_SECONDS: '120' }));
    const { headers } = await stack.request('GET', '/.well-known/jwks.json', { replica: stack.apps.length - 1 });
    assert.equal(headers.get('cache-control'), 'public, max-age=120');
  });

  it('has another ETag once its keys are others, and is then sent whole', async () => {
    const { scope, token, jwksPath } = await stack.project();
    const read = (etag: string) => stack.request('GET', jwksPath, { headers: { 'if-none-match': etag } });
    const etags = ['"x"'];
    for (const compromised of [undefined, false, true]) {
      if (compromised !== undefined) await stack.request('POST', '/api/signing-keys/rotate', { token, body: { scope, compromised } });
      const { status, headers } = await read(etags.at(-1) ?? '');
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      etags.push(headers.get('etag') ?? '');
    }
    assert.equal(new Set(etags).size, 4);
    for (const etag of etags.slice(1)) assert.match(etag, /^"[\w-]{27}"$/);
    assert.equal((await read(etags.at(-1) ?? '')).status, 304);
  });

  it('of a project with keys can be read while tenancy is away', async () => {
    const { scope, token, jwksPath } = await stack.project();
    const empty = await stack.project();
    await stack.request('POST', '/api/signing-keys/rotate', { token, body: { scope } });
    stack.peers.isDown = true;
    const { status, json } = await stack.request('GET', jwksPath);
    const without = await stack.request('GET', empty.jwksPath);
    stack.peers.isDown = false;
    assert.deepEqual([status, json['keys']?.['length'], without.status], [200, 2, 503]);
  });

  it('of a project without keys is empty; of a project that does not exist it is 404 [spec:discovery.6]', async () => {
    const { jwksPath } = await stack.project();
    assert.deepEqual((await stack.request('GET', jwksPath)).json, { keys: [] });
    for (const path of [
      `/org/${newId()}/prj/${newId()}`,
      `/acc/${newId()}/prj/${newId()}`,
      '/org/x/prj/y',
      jwksPath.replace('/org/', '/acc/').replace('/.well-known/jwks.json', ''),
    ]) {
      const { status, json, headers } = await stack.request('GET', `${path}/.well-known/jwks.json`);
      assert.deepEqual([status, json['code']], [404, 'NOT_FOUND'], path);
      assert.doesNotMatch(headers.get('cache-control') ?? '', /public|max-age/, 'it may be there in a moment');
    }
  });
});

describe('an API key', () => {
  it('is created, exchanged, listed, revoked and refused [spec:auth.7 spec:claims.2-8 spec:claims.10 spec:key-states.1 spec:rest.11]', async () => {
    const { scope, token, roleId, userId, userScope, issuer, jwksPath } = await stack.project();
    const created = await stack.request('POST', '/api/api-keys', { token, body: { scope, name: 'ci', roleId } });
    assert.equal(created.status, 201, created.text);
    const { id, clientId, clientSecret } = created.data;
    assert.ok(Buffer.from(String(clientSecret).slice(4), 'base64url').length === 32);

    const credentials = { clientId, clientSecret, scope };
    const exchanged = await stack.request('POST', '/api/auth/token', { body: credentials });
    assert.equal(exchanged.status, 200, exchanged.text);
    assert.equal(exchanged.data['expiresIn'], 900);
    const claims = decodeJwt(String(exchanged.data['accessToken']));
    const { iat, exp, ...others } = claims;
    assert.equal(Number(exp) - Number(iat), 900);
    assert.deepEqual(others, { sub: userId, jti: id, iss: issuer, aud: appUrl, type: 'apiKey', scope: userScope, roleId });
    assert.equal((await stack.request('GET', jwksPath)).json['keys']?.['length'], 2);

    const listed = await stack.request('GET', `/api/api-keys?scopeId=${scope.id}&tenant=${scope.tenant}&relations=role`, { token });
    assert.equal(listed.status, 200, listed.text);
    assert.ok(!listed.text.includes(String(clientSecret)) && !listed.text.includes('ecret'));
    const [item = {}] = listed.data['items'] as unknown as Record<string, unknown>[];
    assert.equal(typeof item['lastUsedAt'], 'string');
    assert.equal((item['role'] as { id: string }).id, roleId);

    // The key's own token may list too: rbac decides, by its role.
    const apiToken = String(exchanged.data['accessToken']);
    const path = `/api/api-keys?scopeId=${scope.id}&tenant=${scope.tenant}`;
    assert.equal((await stack.request('GET', path, { token: apiToken })).status, 200);
    const revoked = await stack.request('POST', `/api/api-keys/${id}/revoke`, { token, body: { scope } });
    assert.equal(revoked.status, 200, revoked.text);
    assert.equal(revoked.data['isRevoked'], true);
    assert.equal((await stack.request('GET', path, { token: apiToken })).status, 401);
    const again = await stack.request('POST', '/api/auth/token', { body: credentials });
    assert.equal(again.status, 401);
  });

  it('works over GraphQL alike [spec:graphql.7]', async () => {
    const { scope, token, roleId } = await stack.project('accountProject');
    const graphql = (query: string, input: object) => stack.request('POST', '/graphql', { token, body: { query, variables: { input } } });
    const created = await graphql('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { id clientId clientSecret } }', {
      scope,
      name: 'ci',
      roleId,
    });
    assert.equal(created.json['errors'], undefined, created.text);
    const { id, clientId, clientSecret } = created.data['createApiKey'] ?? {};
    const exchanged = await graphql('mutation ($input: ExchangeApiKeyInput!) { exchangeApiKey(input: $input) { accessToken expiresIn } }', {
      scope,
      clientId,
      clientSecret,
    });
    assert.equal(exchanged.data['exchangeApiKey']?.['expiresIn'], 900, exchanged.text);
    const listed = await graphql(
      'query ($input: ApiKeysInput!) { apiKeys(input: $input) { apiKeys { id isRevoked role { id } } totalCount } }',
      { scope },
    );
    assert.deepEqual(listed.data['apiKeys'], { apiKeys: [{ id, isRevoked: false, role: { id: roleId } }], totalCount: 1 });
    const rotated = await graphql(
      'mutation ($input: RotateSigningKeyInput!) { rotateSigningKey(input: $input) { kid status scope { tenant id } } }',
      { scope },
    );
    assert.equal(rotated.data['rotateSigningKey']?.['status'], 'active', rotated.text);
    const keys = await graphql('query ($input: SigningKeysInput!) { signingKeys(input: $input) { signingKeys { status } totalCount } }', {
      scope,
    });
    assert.equal(keys.data['signingKeys']?.['totalCount'], 3);
    const deleted = await graphql('mutation ($input: DeleteApiKeyInput!) { deleteApiKey(input: $input) { id deletedAt } }', { scope, id });
    assert.equal(typeof deleted.data['deleteApiKey']?.['deletedAt'], 'string', deleted.text);
  });
});
