/** Tokens that are bound to a key of the client (DPoP, RFC 9449). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as client from 'openid-client';
import { pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { type OpenidApp, openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const scope = 'openid offline_access order:read';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const makeKey = async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  return { ...pair, thumbprint: await calculateJwkThumbprint(await exportJWK(pair.publicKey)) };
};
type Key = Awaited<ReturnType<typeof makeKey>>;

/** The tokens of a sign-in whose token request had a proof of this key. */
async function bound(columns: Readonly<Record<string, unknown>> = {}, key?: Key) {
  const app = await openid.makeClient(columns, { scopes: ['order:read'] });
  const person = await openid.person(app);
  service.peers.permissions.set(person.userId, ['order:read']);
  const isPublic = columns['token_endpoint_auth_method'] === 'none';
  const config = await openid.discover(app, isPublic ? client.None() : undefined);
  const proven = key ?? (await makeKey());
  const DPoP = client.getDPoPHandle(config, proven);
  const { url, checks } = await openid.request(config, { scope });
  const { location } = await openid.follow(person.browser, url);
  const tokens = await client.authorizationCodeGrant(config, location, checks, undefined, { DPoP });
  return { app, person, config, key: proven, DPoP, tokens };
}

async function proofOf(
  { publicKey, privateKey }: Key,
  app: OpenidApp,
  changes: { readonly iat?: number; readonly jti?: string; readonly htu?: string } = {},
) {
  const { htu = `${app.issuer}/oauth/token`, iat = Math.floor(Date.now() / 1_000), jti = crypto.randomUUID() } = changes;
  const jwk = await exportJWK(publicKey);
  return new SignJWT({ htm: 'POST', htu, iat, jti }).setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk }).sign(privateKey);
}

const refresh = (app: OpenidApp, token: string, dpop?: string) =>
  service.ask('POST', pathOf(`${app.issuer}/oauth/token`), {
    headers: {
      ...form,
      authorization: `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}`,
      ...(dpop === undefined ? {} : { dpop }),
    },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }).toString(),
  });

const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code,
  );

describe('a bound token', () => {
  test('says its key, and so does introspection; the one after it is bound to its own proof', async () => {
    const { app, config, key, DPoP, tokens } = await bound();
    expect([tokens.token_type, claimsOf(tokens.access_token)['cnf']]).toStrictEqual(['dpop', { jkt: key.thumbprint }]);
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      cnf: { jkt: key.thumbprint },
      token_type: 'DPoP',
    });
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
    expect(claimsOf(next.access_token)['cnf']).toStrictEqual({ jkt: key.thumbprint });
    expect((await refresh(app, next.refresh_token ?? '')).body.token_type).toBe('Bearer');
  });

  test('is refused as Bearer at every door, with the challenge, and taken with the proven key', async () => {
    const { app, person, key, tokens } = await bound();
    const authorization = `Bearer ${tokens.access_token}`;
    const doors = [
      `${app.issuer}/oauth/userinfo`,
      `http://tessera.test/api/project-apps?scopeId=${app.scope.id}&tenant=${app.scope.tenant}`,
    ];
    for (const door of doors) {
      const answer = await service.ask('GET', pathOf(door), { headers: { authorization } });
      expect([door, answer.status, String(answer.headers['www-authenticate']).split(' ')[0]]).toStrictEqual([door, 401, 'DPoP']);
      const other = await service.ask('GET', pathOf(door), { headers: { authorization, 'x-tessera-proven-key': 'k'.repeat(43) } });
      expect([door, other.status]).toStrictEqual([door, 401]);
      const proven = await service.ask('GET', pathOf(door), { headers: { authorization, 'x-tessera-proven-key': key.thumbprint } });
      expect([door, proven.status]).toStrictEqual([door, 200]);
    }
    expect(person.userId).toBe(claimsOf(tokens.access_token)['sub']);
  });

  test('of a machine app is bound as well', async () => {
    const roleId = '01900000-0000-7000-8000-000000000001';
    const app = await openid.makeClient(
      {
        type: 'machine',
        grant_types: ['client_credentials'],
        role_id: roleId,
        scopes: [],
        redirect_uris: [],
        dpop_bound_access_tokens: true,
      },
      {},
    );
    const config = await openid.discover(app);
    const key = await makeKey();
    const tokens = await client.clientCredentialsGrant(config, {}, { DPoP: client.getDPoPHandle(config, key) });
    expect(claimsOf(tokens.access_token)['cnf']).toStrictEqual({ jkt: key.thumbprint });
    expect((await client.tokenIntrospection(config, tokens.access_token))['cnf']).toStrictEqual({ jkt: key.thumbprint });
    expect(await refused(client.clientCredentialsGrant(config))).toBe('invalid_grant');
  });
});

describe('dpopBoundAccessTokens', () => {
  test('refuses a token request without a proof', async () => {
    const { app, tokens } = await bound({ dpop_bound_access_tokens: true });
    expect((await refresh(app, tokens.refresh_token ?? '')).body.error).toBe('invalid_grant');
  });

  test('is a field of apps with a type, and switching it on ends the tokens from before', async () => {
    const app = await openid.makeClient({}, { scopes: ['order:read'] });
    const person = await openid.person(app);
    const { config, tokens } = await openid.signIn(app, person.browser, { scope });
    const changed = await service.ask('PATCH', `/api/project-apps/${app.id}`, {
      token: openid.owner.accessToken,
      body: { scope: app.scope, dpopBoundAccessTokens: true },
    });
    expect([changed.status, changed.body.data?.dpopBoundAccessTokens]).toStrictEqual([200, true]);
    expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
    const untyped = await service.ask('POST', '/api/project-apps', {
      token: openid.owner.accessToken,
      body: { scope: app.scope, name: 'x', redirectUris: ['https://client.example/callback'], dpopBoundAccessTokens: true },
    });
    expect([untyped.status, untyped.body.extensions?.field]).toStrictEqual([400, 'dpopBoundAccessTokens']);
  });
});

describe('a proof', () => {
  test('works once, also for requests at the same time, which other replicas may get', async () => {
    const { app, key, tokens } = await bound();
    const proof = await proofOf(key, app);
    const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(app, tokens.refresh_token ?? '', proof)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('is of this minute, of this address and of this key', async () => {
    const { app, key, tokens } = await bound({ type: 'spa', token_endpoint_auth_method: 'none' });
    const now = Math.floor(Date.now() / 1_000);
    const cases = {
      'of two minutes ago': await proofOf(key, app, { iat: now - 120 }),
      'of the future': await proofOf(key, app, { iat: now + 120 }),
      'for another endpoint': await proofOf(key, app, { htu: `${app.issuer}/oauth/par` }),
      'for another host': await proofOf(key, app, { htu: 'https://evil.example/oauth/token' }),
      'of another key': await proofOf(await makeKey(), app),
      'of no key': 'proof',
    };
    for (const [name, dpop] of Object.entries(cases)) {
      const answer = await service.ask('POST', pathOf(`${app.issuer}/oauth/token`), {
        headers: { ...form, dpop },
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: tokens.refresh_token ?? '',
          client_id: app.clientId,
        }).toString(),
      });
      expect([name, answer.status, answer.body.error]).toStrictEqual([
        name,
        400,
        name === 'of another key' ? 'invalid_grant' : 'invalid_dpop_proof',
      ]);
    }
  });

  test('that authorize names by dpop_jkt is the only one that redeems the code', async () => {
    const app = await openid.makeClient({}, { scopes: ['order:read'] });
    const person = await openid.person(app);
    const config = await openid.discover(app);
    const key = await makeKey();
    const { url, checks } = await openid.request(config, { scope, dpop_jkt: key.thumbprint });
    const { location } = await openid.follow(person.browser, url);
    const DPoP = client.getDPoPHandle(config, await makeKey());
    expect(await refused(client.authorizationCodeGrant(config, location, checks, undefined, { DPoP }))).toBe('invalid_grant');
  });
});
