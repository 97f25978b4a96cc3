import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { appUrl, startTestStack } from './testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

describe('the first day', () => {
  test('a new service has an active and a next system key, both in the JWKS, without private members [spec:discovery.1 spec:discovery.6 spec:key-states.2 spec:service.5 spec:constants.5]', async () => {
    const { status, headers, json } = await stack.request('GET', '/.well-known/jwks.json');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    const keys = json['keys'] as unknown as Record<string, string>[];
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(Object.keys(key).sort()).toStrictEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  test('sessions name the platform, and verifiers get the key [spec:signing.1 spec:signing.4 spec:claims.3]', async () => {
    const { keys } = stack.client();
    const token = await stack.session(newId());
    const { kid = '' } = decodeProtectedHeader(token);
    const claims = decodeJwt(token);
    expect([claims.iss, claims.aud, claims['type'], claims['isVerified']]).toStrictEqual([appUrl, appUrl, 'session', true]);
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900);
    expect((await keys.getVerificationKey({ kid })).issuer).toBe(appUrl);
    await expect(keys.getVerificationKey({ kid: newId() })).rejects.toMatchObject({ kind: 'not-found' });
    keys.close();
  });
});

describe('JWKS', () => {
  test('the JWKS answers 304 for a known ETag', async () => {
    const { headers } = await stack.request('GET', '/.well-known/jwks.json');
    const etag = headers.get('etag') ?? '';
    for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await stack.request('GET', '/.well-known/jwks.json', { headers: { 'if-none-match': held } });
      expect(again.status).toStrictEqualFor(held, 304);
      expect([again.headers.get('etag'), again.headers.get('cache-control'), again.text]).toStrictEqual([etag, 'public, max-age=3600', '']);
    }
    expect((await stack.request('GET', '/.well-known/jwks.json', { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });

  test('the JWKS has the max-age of JWT_JWKS_MAX_AGE_SECONDS', async () => {
    stack.apps.push(await stack.start({ JWT_JWKS_MAX_AGE_SECONDS: '120' }));
    const { headers } = await stack.request('GET', '/.well-known/jwks.json', { replica: stack.apps.length - 1 });
    expect(headers.get('cache-control')).toBe('public, max-age=120');
  });

  test('the JWKS gets another ETag and is sent again after a rotation', async () => {
    const { scope, token, jwksPath } = await stack.project();
    const read = (etag: string) => stack.request('GET', jwksPath, { headers: { 'if-none-match': etag } });
    const etags = ['"x"'];
    for (const compromised of [undefined, false, true]) {
      if (compromised !== undefined) await stack.request('POST', '/api/signing-keys/rotate', { token, body: { scope, compromised } });
      const { status, headers } = await read(etags.at(-1) ?? '');
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      etags.push(headers.get('etag') ?? '');
    }
    expect(new Set(etags).size).toBe(4);
    for (const etag of etags.slice(1)) expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect((await read(etags.at(-1) ?? '')).status).toBe(304);
  });

  test('the JWKS of a project with keys is served while tenancy is down', async () => {
    const { scope, token, jwksPath } = await stack.project();
    const empty = await stack.project();
    await stack.request('POST', '/api/signing-keys/rotate', { token, body: { scope } });
    stack.peers.isDown = true;
    const { status, json } = await stack.request('GET', jwksPath);
    const without = await stack.request('GET', empty.jwksPath);
    stack.peers.isDown = false;
    expect([status, json['keys']?.['length'], without.status]).toStrictEqual([200, 4, 503]);
  });

  test('the JWKS of a project without keys is empty, and a 404 for a project that does not exist [spec:discovery.6]', async () => {
    const { jwksPath } = await stack.project();
    expect((await stack.request('GET', jwksPath)).json).toStrictEqual({ keys: [] });
    for (const path of [
      `/org/${newId()}/prj/${newId()}`,
      `/acc/${newId()}/prj/${newId()}`,
      '/org/x/prj/y',
      jwksPath.replace('/org/', '/acc/').replace('/.well-known/jwks.json', ''),
    ]) {
      const { status, json, headers } = await stack.request('GET', `${path}/.well-known/jwks.json`);
      expect([status, json['code']]).toStrictEqualFor(path, [404, 'NOT_FOUND']);
      // It may be there in a moment.
      expect(headers.get('cache-control') ?? '').not.toMatch(/public|max-age/);
    }
  });
});

describe('an API key', () => {
  test('an API key is created, exchanged, listed, revoked and then refused [spec:auth.7 spec:claims.2-8 spec:claims.10 spec:key-states.1 spec:rest.11]', async () => {
    const { scope, token, roleId, userId, userScope, issuer, jwksPath } = await stack.project();
    const created = await stack.request('POST', '/api/api-keys', { token, body: { scope, name: 'ci', roleId } });
    expect(created.status).toStrictEqualFor(created.text, 201);
    const { id, clientId, clientSecret } = created.data;
    expect(Buffer.from(String(clientSecret).slice(4), 'base64url').length).toBe(32);

    const credentials = { clientId, clientSecret, scope };
    const exchanged = await stack.request('POST', '/api/auth/token', { body: credentials });
    expect(exchanged.status).toStrictEqualFor(exchanged.text, 200);
    expect(exchanged.data['expiresIn']).toBe(900);
    const claims = decodeJwt(String(exchanged.data['accessToken']));
    const { iat, exp, ...others } = claims;
    expect(Number(exp) - Number(iat)).toBe(900);
    expect(others).toStrictEqual({ sub: userId, jti: id, iss: issuer, aud: appUrl, type: 'apiKey', scope: userScope, roleId });
    expect((await stack.request('GET', jwksPath)).json['keys']?.['length']).toBe(4);

    const listed = await stack.request('GET', `/api/api-keys?scopeId=${scope.id}&tenant=${scope.tenant}&relations=role`, { token });
    expect(listed.status).toStrictEqualFor(listed.text, 200);
    expect(listed.text).not.toContain(String(clientSecret));
    expect(listed.text).not.toContain('ecret');
    const [item = {}] = listed.data['items'] as unknown as Record<string, unknown>[];
    expect(typeof item['lastUsedAt']).toBe('string');
    expect((item['role'] as { id: string }).id).toBe(roleId);

    // The key's own token may list too: rbac decides, by its role.
    const apiToken = String(exchanged.data['accessToken']);
    const path = `/api/api-keys?scopeId=${scope.id}&tenant=${scope.tenant}`;
    expect((await stack.request('GET', path, { token: apiToken })).status).toBe(200);
    const revoked = await stack.request('POST', `/api/api-keys/${id}/revoke`, { token, body: { scope } });
    expect(revoked.status).toStrictEqualFor(revoked.text, 200);
    expect(revoked.data['isRevoked']).toBe(true);
    expect((await stack.request('GET', path, { token: apiToken })).status).toBe(401);
    const again = await stack.request('POST', '/api/auth/token', { body: credentials });
    expect(again.status).toBe(401);
  });

  test('an API key is created, exchanged and listed over GraphQL [spec:graphql.7]', async () => {
    const { scope, token, roleId } = await stack.project('accountProject');
    const graphql = (query: string, input: object) => stack.request('POST', '/graphql', { token, body: { query, variables: { input } } });
    const created = await graphql('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { id clientId clientSecret } }', {
      scope,
      name: 'ci',
      roleId,
    });
    expect(created.json['errors']).toStrictEqualFor(created.text, undefined);
    const { id, clientId, clientSecret } = created.data['createApiKey'] ?? {};
    const exchanged = await graphql('mutation ($input: ExchangeApiKeyInput!) { exchangeApiKey(input: $input) { accessToken expiresIn } }', {
      scope,
      clientId,
      clientSecret,
    });
    expect(exchanged.data['exchangeApiKey']?.['expiresIn']).toStrictEqualFor(exchanged.text, 900);
    const listed = await graphql(
      'query ($input: ApiKeysInput!) { apiKeys(input: $input) { apiKeys { id isRevoked role { id } } totalCount } }',
      { scope },
    );
    expect(listed.data['apiKeys']).toStrictEqual({ apiKeys: [{ id, isRevoked: false, role: { id: roleId } }], totalCount: 1 });
    const rotated = await graphql(
      'mutation ($input: RotateSigningKeyInput!) { rotateSigningKey(input: $input) { kid status scope { tenant id } } }',
      { scope },
    );
    expect(rotated.data['rotateSigningKey']?.['status']).toStrictEqualFor(rotated.text, 'active');
    const keys = await graphql('query ($input: SigningKeysInput!) { signingKeys(input: $input) { signingKeys { status } totalCount } }', {
      scope,
    });
    expect(keys.data['signingKeys']?.['totalCount']).toBe(3);
    const deleted = await graphql('mutation ($input: DeleteApiKeyInput!) { deleteApiKey(input: $input) { id deletedAt } }', { scope, id });
    expect(typeof deleted.data['deleteApiKey']?.['deletedAt']).toStrictEqualFor(deleted.text, 'string');
  });
});
