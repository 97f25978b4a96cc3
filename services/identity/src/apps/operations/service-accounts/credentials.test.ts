import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { exportJWK } from 'jose';
import { newIssuerKey } from '../../../testing/outer-issuer.ts';
import { appUrl, startIdentity } from '../../../testing/service.ts';
import { serviceAccountsOf } from '../../../testing/service-accounts.ts';

const service = await startIdentity();
afterAll(() => service.stop());
const { ask } = service;
const { makeWorld, auditOf } = serviceAccountsOf(service);
const [world, key] = await Promise.all([makeWorld(), newIssuerKey()]);
const privateJwk = await exportJWK(key.privateKey);
const jwks = { keys: [key.jwk] };
const trust = { type: 'trust', issuer: 'https://token.actions.githubusercontent.com', audience: appUrl, claims: { repository_id: '74' } };
type Fields = Readonly<Record<string, unknown>>;

const makeCredential = async (id: string, fields: Fields) => {
  const { status, body } = await world.credential(id, fields);
  expect(status).toStrictEqualFor(body, 201);
  return body.data;
};

describe('a credential', () => {
  test.each<[what: string, fields: Fields, field: string]>([
    ['keys without keys', { type: 'jwks' }, 'jwks'],
    ['keys twice', { type: 'jwks', jwks, jwksUri: 'https://client.example/keys' }, 'jwks'],
    ['a private key', { type: 'jwks', jwks: { keys: [privateJwk] } }, 'jwks.keys.0'],
    ['a shared key', { type: 'jwks', jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }, 'jwks.keys.0'],
    ['two keys of one id', { type: 'jwks', jwks: { keys: [key.jwk, key.jwk] } }, 'jwks.keys.1'],
    ['a key of 20 kB', { type: 'jwks', jwks: { keys: [{ ...key.jwk, x5c: ['x'.repeat(20_000)] }] } }, 'jwks'],
    ['an issuer of keys', { type: 'jwks', jwks, issuer: 'https://client.example' }, 'issuer'],
    ['keys of a secret', { type: 'secret', jwks }, 'jwks'],
    ['trust without an issuer', { ...trust, issuer: undefined }, 'issuer'],
    ['trust without an audience', { ...trust, audience: undefined }, 'audience'],
    ['trust without claims', { ...trust, claims: undefined }, 'claims'],
    ['trust in everybody', { ...trust, claims: {} }, 'claims'],
    ['trust in all of GitHub', { ...trust, claims: { sub: 'repo:*' } }, 'claims.sub'],
    ['trust in ourselves', { ...trust, issuer: appUrl }, 'issuer'],
    ['trust in an issuer with a query', { ...trust, issuer: `${trust.issuer}?x` }, 'issuer'],
    ['trust in an issuer with a user', { ...trust, issuer: 'https://ada@issuer.example' }, 'issuer'],
  ])('%s is refused', async (_what, fields, field) => {
    const { id } = await world.make();
    const { status, body } = await world.credential(id, fields);
    expect([status, body.extensions?.field]).toStrictEqual([400, field]);
  });

  test('at a private address is refused', async () => {
    const { id } = await world.make();
    const refused: readonly (readonly [Fields, string])[] = [
      [{ type: 'jwks', jwksUri: 'http://client.example/keys' }, 'jwksUri'],
      [{ type: 'jwks', jwksUri: 'https://10.0.0.7/keys' }, 'jwksUri'],
      [{ type: 'jwks', jwksUri: 'https://[fd00::1]/keys' }, 'jwksUri'],
      [{ ...trust, issuer: 'http://issuer.example' }, 'issuer'],
      [{ ...trust, issuer: 'http://127.0.0.1:4000' }, 'issuer'],
      [{ ...trust, issuer: 'https://127.0.0.1:6443' }, 'issuer'],
      [{ ...trust, issuer: 'https://2130706433' }, 'issuer'],
      [{ ...trust, issuer: 'https://169.254.169.254' }, 'issuer'],
    ];
    for (const [fields, field] of refused) {
      const { status, body } = await world.credential(id, fields);
      expect([fields, status, body.extensions?.field]).toStrictEqual([fields, 400, field]);
    }
    expect((await world.credential(id, trust)).status).toBe(201);
  });

  test('of each type counts among four, also when they are made at once', async () => {
    const { id } = await world.make();
    const kinds = [{ type: 'secret' }, { type: 'jwks', jwks }, trust];
    const made = await Promise.all([...kinds, ...kinds].map((fields) => world.credential(id, fields)));
    expect(made.map(({ status }) => status).toSorted()).toStrictEqual([201, 201, 201, 201, 409, 409]);
  });

  test('shows what is trusted, and no secret', async () => {
    const { id } = await world.make();
    const made = await makeCredential(id, { type: 'jwks', jwks: { keys: [{ ...key.jwk, x5u: 'https://client.example' }] } });
    expect(made).not.toHaveProperty('clientSecret');
    const { n, e, kid, alg } = key.jwk;
    expect(made).toMatchObject({ type: 'jwks', lastFour: null, jwks: { keys: [{ kty: 'RSA', n, e, kid, alg }] }, issuer: null });
    await makeCredential(id, trust);
    const { body } = await world.get(id);
    expect(body.data.credentials.map(({ type, claims }: { type: string; claims: unknown }) => [type, claims])).toStrictEqual([
      ['jwks', null],
      ['trust', trust.claims],
    ]);
    expect(await auditOf(id, 'service-account.credential-created')).toMatchObject([
      { detail: { type: 'jwks', keys: [kid] } },
      { detail: { type: 'trust', issuer: trust.issuer, audience: appUrl, claims: trust.claims } },
    ]);
  });

  test('of an account with elevated operations is made by somebody who has just signed in', async () => {
    const elevated = await world.make({ elevated: ['ApiKey:Create'] });
    await service.database.query(sql(`UPDATE sessions SET authenticated_at = now() - interval '20 minutes' WHERE user_id = $1`), [
      world.owner.userId,
    ]);
    const { body } = await ask('POST', '/api/auth/refresh', { body: { refreshToken: world.owner.refreshToken } });
    for (const fields of [trust, { type: 'jwks', jwks }])
      expect((await world.credential(elevated.id, fields, body.data.accessToken)).body.code).toBe('FRESH_SIGN_IN_REQUIRED');
  });
});
