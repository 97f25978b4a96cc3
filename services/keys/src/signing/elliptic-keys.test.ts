/** The ES256 half of a project's signing key. */
import { createPublicKey, verify } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { appUrl, signRequest, startTestStack } from '../testing/service.ts';

const stack = await startTestStack({ replicas: 2 });
const admin = await stack.database.connect();
afterAll(() => stack.stop());

type Scope = { tenant: string; id: string };
type Row = { kid: string; beside: string; status: string; private_key: Buffer | null };
async function rowsOf(scope: Scope): Promise<Row[]> {
  const text = `SELECT e.kid, e.beside, s.status, e.private_key FROM keys.elliptic_keys e JOIN keys.signing_keys s ON s.kid = e.beside
    WHERE s.scope_id = $1 ORDER BY s.created_at, s.kid`;
  return (await admin.query<Row>(text, [scope.id])).rows;
}

async function published(scope: Scope) {
  const { keys } = stack.client();
  return keys.listPublishedKeys({ scope }).finally(() => keys.close());
}

async function jwks(path: string, replica = 0) {
  const { json } = await stack.request('GET', path, { replica });
  return json['keys'] as unknown as Readonly<Record<string, string>>[];
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const rotate = (scope: Scope, token: string, compromised = false) =>
  stack.request('POST', '/api/signing-keys/rotate', { token, body: { scope, compromised } });

async function signIdToken(scope: Scope, kid: string, replica = 0) {
  const { keys } = stack.client(replica);
  const [parentId, projectId] = scope.id.split(':');
  const now = Math.floor(Date.now() / 1_000);
  const issuer = scope.tenant === 'system' ? appUrl : `${appUrl}/org/${parentId}/prj/${projectId}`;
  const signingInput = `${encoded({ alg: 'ES256', kid })}.${encoded({ iss: issuer, sub: newId(), aud: 'an-app', iat: now, exp: now + 300 })}`;
  const { signature } = await keys.signIdToken({ scope, signingInput }).finally(() => keys.close());
  return { signingInput, signature };
}

describe('the key of P-256 beside a project’s', () => {
  test('is made with it, published with it, and signs ID tokens that the published half verifies', async () => {
    const { scope, jwksPath } = await stack.project();
    const [active, next] = (await published(scope)).keys;
    expect([active?.status, next?.status]).toStrictEqual(['active', 'next']);
    const set = await jwks(jwksPath);
    expect(set.map(({ kid, alg }) => [kid, alg])).toStrictEqual([
      [active?.kid, 'RS256'],
      [active?.es256?.kid, 'ES256'],
      [next?.kid, 'RS256'],
      [next?.es256?.kid, 'ES256'],
    ]);
    const jwk = set.find(({ kid }) => kid === active?.es256?.kid) ?? {};
    expect(Object.keys(jwk).sort()).toStrictEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    const { signingInput, signature } = await signIdToken(scope, active?.es256?.kid ?? '');
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', Buffer.from(signingInput), key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  test('verifies no token that opens the API: no verifier of ours gets it', async () => {
    const { scope } = await stack.project();
    const [active] = (await published(scope)).keys;
    const { keys } = stack.client();
    await expect(keys.getVerificationKey({ kid: active?.es256?.kid ?? '' })).rejects.toMatchObject({ kind: 'not-found' });
    expect((await keys.getVerificationKeys({ kids: [active?.kid ?? ''] })).keys.map(({ es256 }) => es256)).toStrictEqual([undefined]);
    keys.close();
  });

  test('rotates with it: the one that was next signs, the old private half is gone, and the old kid signs no more', async () => {
    const { scope, token, jwksPath } = await stack.project();
    const [active, next] = (await published(scope)).keys;
    expect((await rotate(scope, token)).data['es256Kid']).toBe(next?.es256?.kid);
    await signIdToken(scope, next?.es256?.kid ?? '', 1);
    await expect(signIdToken(scope, active?.es256?.kid ?? '', 1)).rejects.toMatchObject({ kind: 'conflict' });
    const rows = await rowsOf(scope);
    expect(rows.map(({ status, private_key: key }) => [status, key === null]).sort()).toStrictEqual([
      ['active', false],
      ['next', false],
      ['rotated', true],
    ]);
    expect((await jwks(jwksPath)).map(({ kid }) => kid)).toContain(active?.es256?.kid);
  });

  test('is taken out of the JWKS with a compromised one', async () => {
    const { scope, token, jwksPath } = await stack.project();
    const [active] = (await published(scope)).keys;
    await rotate(scope, token, true);
    expect((await jwks(jwksPath)).map(({ kid }) => kid)).not.toContain(active?.es256?.kid);
  });

  test('is listed by its kid', async () => {
    const { scope, token } = await stack.project();
    const [active] = (await published(scope)).keys;
    const { data } = await stack.request('GET', `/api/signing-keys?scopeId=${scope.id}&tenant=${scope.tenant}`, { token });
    const items = data['items'] as unknown as { kid: string; es256Kid: string }[];
    expect(items.find(({ kid }) => kid === active?.kid)?.es256Kid).toBe(active?.es256?.kid);
  });
});

test('the system has none, and signs nothing by ES256', async () => {
  expect((await jwks('/.well-known/jwks.json')).map(({ alg }) => alg)).toStrictEqual(['RS256', 'RS256']);
  await expect(signIdToken({ tenant: 'system', id: '' }, newId())).rejects.toMatchObject({ kind: 'not-found' });
});

describe('keys from before, or by the release before', () => {
  test('get one each when an issuer asks for its keys, and two replicas at once make no second', async () => {
    const { scope, jwksPath } = await stack.project();
    await published(scope);
    await admin.query('DELETE FROM keys.elliptic_keys WHERE beside IN (SELECT kid FROM keys.signing_keys WHERE scope_id = $1)', [scope.id]);
    const clients = [stack.client(0).keys, stack.client(1).keys];
    await Promise.all([...clients, ...clients].map((keys) => keys.listPublishedKeys({ scope })));
    for (const keys of clients) keys.close();
    const rows = await rowsOf(scope);
    expect(rows.map(({ status }) => status).sort()).toStrictEqual(['active', 'next']);
    const active = rows.find(({ status }) => status === 'active');
    expect((await jwks(jwksPath)).map(({ kid }) => kid)).toContain(active?.kid);
    await signIdToken(scope, active?.kid ?? '');
  });

  test('a rotation by code that does not know them destroys the private half all the same', async () => {
    const { scope } = await stack.project();
    await published(scope);
    await admin.query(
      `UPDATE keys.signing_keys SET status = 'rotated', private_key = NULL, encryption_key_id = NULL, rotated_at = now(), retires_at = now()
       WHERE scope_id = $1 AND status = 'active'`,
      [scope.id],
    );
    const rotated = (await rowsOf(scope)).find(({ status }) => status === 'rotated');
    expect(rotated?.private_key).toBeNull();
  });
});

test('a token request is signed by RS256 as ever', async () => {
  const { scope } = await stack.project();
  const userId = newId();
  const { keys } = stack.client();
  const claims = { scope: { tenant: `${scope.tenant}User`, id: `${scope.id}:${userId}` } };
  const { token } = await keys
    .sign(signRequest(userId, { scope, type: 'apiKey', claimsJson: JSON.stringify(claims) }))
    .finally(() => keys.close());
  expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).alg).toBe('RS256');
});
