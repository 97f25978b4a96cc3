/** Clients that sign requests (RFC 7523), whose keys are fetched, or that push them (RFC 9126). */
import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import * as client from 'openid-client';
import { pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { type OpenidApp, openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';

const published: { keys: object[]; asked: number } = { keys: [], asked: 0 };
const keyServer = createServer((_request, response) => {
  published.asked += 1;
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: published.keys }));
});
await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
const place = keyServer.address();
const port = typeof place === 'object' && place !== null ? place.port : 0;
const frontend = { SECURITY_FRONTEND_URL: 'http://tessera.test' };
const [service, trusting] = await Promise.all([startOauth(frontend), startOauth({ ...frontend, WEBHOOK_ALLOW_PRIVATE: 'true' })]);
afterAll(async () => {
  await Promise.all([service.stop(), trusting.stop()]);
  keyServer.close();
});
const openid = openidOf(service, await projectsOf(service));
const trustingOpenid = openidOf(trusting, await projectsOf(trusting));

const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code,
  );

async function newKey() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: newId(), alg: 'ES256', use: 'sig' } };
}

async function signedApp() {
  const { privateKey, jwk } = await newKey();
  const columns = { token_endpoint_auth_method: 'private_key_jwt', jwks: JSON.stringify({ keys: [jwk] }) };
  return { app: await openid.makeClient(columns), privateKey, kid: jwk.kid };
}

function assertion(
  app: OpenidApp,
  key: CryptoKey | Uint8Array,
  changes: Readonly<Record<string, unknown>> = {},
  header: { kid?: string; alg?: string } = {},
) {
  const now = Math.floor(Date.now() / 1_000);
  const payload = { iss: app.clientId, sub: app.clientId, aud: app.issuer, jti: newId(), iat: now, exp: now + 60, ...changes };
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...header }).sign(key);
}

/** The status of a request that only an authenticated client may make. */
async function statusOf(app: OpenidApp, signed: string, more: Readonly<Record<string, string>> = {}) {
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const body = new URLSearchParams({ token: 'x', client_assertion_type: type, client_assertion: signed, ...more });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await service.ask('POST', pathOf(`${app.issuer}/oauth/introspect`), { headers, body: body.toString() });
  return answer.status === 200 ? 200 : answer.body.error;
}

describe('private_key_jwt', () => {
  test('signs a person in, by openid-client', async () => {
    const { app, privateKey, kid } = await signedApp();
    const { browser, userId } = await openid.person(app);
    const config = await openid.discover(app, client.PrivateKeyJwt({ key: privateKey, kid }));
    const { url, checks } = await openid.request(config);
    const { location } = await openid.follow(browser, url);
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    expect(tokens.claims()?.sub).toBe(userId);
    expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(true);
  });

  test('an assertion works once, also of many uses at once', async () => {
    const { app, privateKey } = await signedApp();
    const signed = await assertion(app, privateKey);
    expect([await statusOf(app, signed), await statusOf(app, signed)]).toStrictEqual([200, 'invalid_client']);
    const another = await assertion(app, privateKey);
    const results = await Promise.all(Array.from({ length: 6 }, () => statusOf(app, another)));
    expect(results.filter((result) => result === 200)).toHaveLength(1);
  });

  const hour = 3_600;
  const now = () => Math.floor(Date.now() / 1_000);
  const faults: Readonly<Record<string, (app: OpenidApp, key: CryptoKey) => Promise<string> | string>> = {
    'of another key': async (app) => assertion(app, (await newKey()).privateKey),
    expired: (app, key) => assertion(app, key, { exp: now() - hour }),
    'good for years': (app, key) => assertion(app, key, { exp: now() + 10_000 * hour }),
    'without an end': (app, key) => assertion(app, key, { exp: undefined }),
    'without an id': (app, key) => assertion(app, key, { jti: undefined }),
    'for another issuer': async (app, key) => assertion(app, key, { aud: (await openid.makeClient()).issuer }),
    'for the issuer and somebody else': (app, key) => assertion(app, key, { aud: [app.issuer, 'https://evil.example'] }),
    'for the issuer in a list': (app, key) => assertion(app, key, { aud: [app.issuer] }),
    'for the token endpoint': (app, key) => assertion(app, key, { aud: `${app.issuer}/oauth/token` }),
    'of another client': (app, key) => assertion(app, key, { iss: 'app_other' }),
    'signed with the text in the place of a secret': (app) =>
      assertion(app, new TextEncoder().encode('kept as digests only'.padEnd(32)), {}, { alg: 'HS256' }),
    unsigned: (app) => new UnsecuredJWT({ iss: app.clientId, sub: app.clientId, aud: app.issuer, jti: newId(), exp: now() + 60 }).encode(),
  };
  for (const [name, sign] of Object.entries(faults)) {
    test(`an assertion ${name} authenticates no client`, async () => {
      const { app, privateKey } = await signedApp();
      expect(await statusOf(app, await sign(app, privateKey))).toBe('invalid_client');
    });
  }

  test('a client that signs has no secret, and one with a secret does not sign', async () => {
    const { app, privateKey } = await signedApp();
    const bySecret = await openid.discover(app, client.ClientSecretBasic(app.clientSecret));
    await expect(client.tokenIntrospection(bySecret, 'x')).rejects.toMatchObject({ status: 401 });
    const web = await openid.makeClient();
    expect(await statusOf(web, await assertion(web, privateKey))).toBe('invalid_client');
    const signed = await assertion(app, privateKey);
    expect(await statusOf(app, signed, { client_secret: app.clientSecret })).toBe('invalid_request');
    expect(await statusOf(app, signed, { client_id: web.clientId })).toBe('invalid_request');
  });
});

describe('jwksUri', () => {
  const columnsOf = (address: string) => ({ token_endpoint_auth_method: 'private_key_jwt', jwks: null, jwks_uri: address });

  test('the keys are fetched, and kept for a minute', async () => {
    const { privateKey, jwk } = await newKey();
    published.keys = [jwk];
    const app = await trustingOpenid.makeClient(columnsOf(`http://127.0.0.1:${port}/keys`));
    const config = await trustingOpenid.discover(app, client.PrivateKeyJwt({ key: privateKey, kid: jwk.kid }));
    const before = published.asked;
    for (let time = 0; time < 2; time += 1) expect((await client.tokenIntrospection(config, 'x')).active).toBe(false);
    expect(published.asked).toBe(before + 1);
  });

  test('a private address is never asked', async () => {
    const { privateKey, jwk } = await newKey();
    published.keys = [jwk];
    const before = published.asked;
    for (const address of [`https://127.0.0.1:${port}/keys`, `http://127.0.0.1:${port}/keys`, `https://localhost:${port}/keys`]) {
      const app = await openid.makeClient(columnsOf(address));
      const config = await openid.discover(app, client.PrivateKeyJwt({ key: privateKey, kid: jwk.kid }));
      expect(await refused(client.tokenIntrospection(config, 'x'))).toStrictEqualFor(address, 'invalid_client');
    }
    expect(published.asked).toBe(before);
  });

  for (const [name, keys] of Object.entries({
    'keys that are larger than a megabyte': Array.from({ length: 2_000 }, () => ({ kty: 'EC', pad: 'x'.repeat(1_000) })),
    'no keys': [],
  })) {
    test(`${name} authenticate no client`, async () => {
      const { privateKey, jwk } = await newKey();
      published.keys = keys;
      const app = await trustingOpenid.makeClient(columnsOf(`http://127.0.0.1:${port}/${newId()}`));
      const config = await trustingOpenid.discover(app, client.PrivateKeyJwt({ key: privateKey, kid: jwk.kid }));
      expect(await refused(client.tokenIntrospection(config, 'x'))).toBe('invalid_client');
    });
  }
});

describe('pushed authorization requests', () => {
  async function pushed(parameters: Readonly<Record<string, string>> = {}) {
    const app = await openid.makeClient();
    const person = await openid.person(app);
    const config = await openid.discover(app);
    const { url: plain, checks } = await openid.request(config, parameters);
    const url = await client.buildAuthorizationUrlWithPAR(config, plain.searchParams);
    return { app, person, config, url, checks };
  }

  test('sign a person in; the address in the browser says nothing but the client', async () => {
    const { app, person, config, url, checks } = await pushed();
    expect([...url.searchParams.keys()].toSorted()).toStrictEqual(['client_id', 'request_uri']);
    const { location } = await openid.follow(person.browser, url);
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    expect([tokens.claims()?.sub, tokens.claims()?.aud]).toStrictEqual([person.userId, app.clientId]);
  });

  test('offline_access gives a refresh token, with the remembered consent', async () => {
    const { person, config, url, checks } = await pushed({ scope: 'openid offline_access' });
    const { location } = await openid.follow(person.browser, url);
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    expect(tokens.refresh_token).not.toBeUndefined();
    const again = await openid.request(config, { scope: 'openid offline_access', prompt: 'none' });
    const second = await openid.follow(person.browser, await client.buildAuthorizationUrlWithPAR(config, again.url.searchParams));
    expect((await client.authorizationCodeGrant(config, second.location, again.checks)).refresh_token).not.toBeUndefined();
  });

  test('a pushed request belongs to its client and its project, and works once', async () => {
    const { person, url } = await pushed();
    const other = await openid.makeClient();
    const html = { accept: 'text/html' };
    const foreign = new URL(url);
    foreign.searchParams.set('client_id', other.clientId);
    expect((await person.browser.get(pathOf(foreign), html)).location.pathname).toBe('/auth/error');
    const elsewhere = `${pathOf(`${other.issuer}/oauth/authorize`)}?${foreign.searchParams}`;
    expect((await person.browser.get(elsewhere, html)).location.pathname).toBe('/auth/error');
    expect((await openid.follow(person.browser, url)).location.searchParams.has('code')).toBe(true);
    expect((await person.browser.get(pathOf(url), html)).location.pathname).toBe('/auth/error');
  });

  test('what would be refused in the browser is refused when it is pushed, and an unknown client, too', async () => {
    const { config, app } = await pushed();
    const { url } = await openid.request(config);
    const changes: readonly (readonly [string, string, string])[] = [
      ['redirect_uri', 'https://attacker.example/callback', 'invalid_request'],
      ['code_challenge_method', 'plain', 'invalid_request'],
      ['response_type', 'token', 'unsupported_response_type'],
      ['request_uri', 'urn:ietf:params:oauth:request_uri:x', 'invalid_request'],
      ['request', 'e30.e30.', 'request_not_supported'],
    ];
    for (const [name, value, error] of changes) {
      const parameters = new URLSearchParams(url.searchParams);
      parameters.set(name, value);
      const answer = await refused(client.buildAuthorizationUrlWithPAR(config, parameters));
      expect([name, answer === 'accepted' ? answer : 'refused']).toStrictEqualFor({ answer, error }, [name, 'refused']);
    }
    const free = await openid.discover(await openid.makeClient({ require_pkce: false }));
    const { url: asked } = await openid.request(free);
    for (const name of ['code_challenge', 'code_challenge_method', 'nonce']) asked.searchParams.delete(name);
    expect(await refused(client.buildAuthorizationUrlWithPAR(free, asked.searchParams))).toBe('invalid_request');
    const wrong = await openid.discover({ ...app, clientSecret: 'x'.repeat(43) });
    expect(await refused(client.buildAuthorizationUrlWithPAR(wrong, url.searchParams))).toBe('invalid_client');
  });
});
