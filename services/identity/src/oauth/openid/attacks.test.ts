import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { until } from '../../../../../test/support/until.ts';
import { openBrowser, pathOf, type Visit, withParameter } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { callbackUri, openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const html = { accept: 'text/html' };

const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code,
  );

/** A browser that stands before the callback of an app, with a fresh code. */
async function arrived() {
  const app = await openid.makeClient();
  const person = await openid.person(app);
  const config = await openid.discover(app);
  const { url, checks } = await openid.request(config);
  const { location } = await openid.follow(person.browser, url);
  return { app, person, config, url, checks, location };
}

describe('authorization codes', () => {
  test('a code works once, and its reuse ends what it gave', async () => {
    const { config, checks, location, person } = await arrived();
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    expect(await refused(client.authorizationCodeGrant(config, location, checks))).toBe('invalid_grant');
    expect(await refused(client.fetchUserInfo(config, tokens.access_token, person.userId))).not.toBe('accepted');
  });

  test('of many uses at once one succeeds, at most', async () => {
    const { config, checks, location } = await arrived();
    const results = await Promise.all(Array.from({ length: 5 }, () => refused(client.authorizationCodeGrant(config, location, checks))));
    expect(results.filter((result) => result === 'accepted').length).toBeLessThanOrEqual(1);
  });

  test('a stolen code is useless without its verifier', async () => {
    const { config, checks, location } = await arrived();
    const other = { ...checks, pkceCodeVerifier: client.randomPKCECodeVerifier() };
    expect(await refused(client.authorizationCodeGrant(config, location, other))).toBe('invalid_grant');
  });

  test('a code is useless to another app, also of the same project', async () => {
    const { app, checks, location } = await arrived();
    const sibling = await openid.typed(await makeSibling(app), {});
    const config = await openid.discover(sibling);
    expect(await refused(client.authorizationCodeGrant(config, location, checks))).toBe('invalid_grant');
  });

  test('a code of one project is unknown in another, and the iss tells them apart', async () => {
    const { checks, location } = await arrived();
    const foreign = await openid.discover(await openid.makeClient());
    expect(await refused(client.authorizationCodeGrant(foreign, location, checks))).toBe('OAUTH_INVALID_RESPONSE');
    const injected = withParameter(location, 'iss', foreign.serverMetadata().issuer);
    expect(await refused(client.authorizationCodeGrant(foreign, injected, checks))).toBe('invalid_grant');
  });
});

async function makeSibling(app: Awaited<ReturnType<typeof openid.makeClient>>) {
  const other = await openid.makeClient();
  await service.database.query({ text: 'UPDATE project_apps SET scope_id = $2 WHERE id = $1' }, [other.id, app.scope.id]);
  return { ...other, scope: app.scope };
}

describe('requests that are changed', () => {
  const changes: Readonly<Record<string, readonly [string, string | undefined]>> = {
    'another redirect URI': ['redirect_uri', 'https://attacker.example/callback'],
    'a redirect URI with more behind it': ['redirect_uri', `${callbackUri}/more`],
    'a redirect URI with a query': ['redirect_uri', `${callbackUri}?a=b`],
    'a redirect URI in other letters': ['redirect_uri', callbackUri.toUpperCase()],
    'a redirect URI with user info': ['redirect_uri', 'https://client.example@attacker.example/callback'],
    'no redirect URI': ['redirect_uri', undefined],
    'an unknown client': ['client_id', 'app_unknown'],
  };
  for (const [name, [parameter, value]] of Object.entries(changes)) {
    test(`${name}: the person gets a page, and nothing goes to any app`, async () => {
      const app = await openid.makeClient();
      const { browser } = await openid.person(app);
      const { url } = await openid.request(await openid.discover(app));
      const { location } = await browser.get(pathOf(withParameter(url, parameter, value)), html);
      expect(location.pathname).toBe('/auth/error');
    });
  }

  const refusedRequests: Readonly<Record<string, readonly [string, string | undefined]>> = {
    'no PKCE challenge': ['code_challenge', undefined],
    'a plain PKCE challenge': ['code_challenge_method', 'plain'],
    'the implicit flow': ['response_type', 'token'],
    'a hybrid flow': ['response_type', 'code id_token'],
  };
  for (const [name, [parameter, value]] of Object.entries(refusedRequests)) {
    test(`${name} is refused, at the app's own address`, async () => {
      const app = await openid.makeClient();
      const { browser } = await openid.person(app);
      const { url } = await openid.request(await openid.discover(app));
      const { location } = await browser.get(pathOf(withParameter(url, parameter, value)), html);
      const answer = new URLSearchParams(location.search || location.hash.slice(1));
      expect(location.origin).toBe(new URL(callbackUri).origin);
      expect(answer.get('error')).not.toBeNull();
      expect(answer.get('code') ?? answer.get('access_token') ?? answer.get('id_token')).toBeNull();
    });
  }

  const withoutChallenge = (url: URL, changes: Readonly<Record<string, string | undefined>>) =>
    Object.entries({ code_challenge: undefined, code_challenge_method: undefined, ...changes }).reduce(
      (changed, [name, value]) => withParameter(changed, name, value),
      url,
    );
  const begin = async (requirePkce: boolean, changes: Readonly<Record<string, string | undefined>>) => {
    const app = await openid.makeClient({ require_pkce: requirePkce });
    const { browser } = await openid.person(app);
    const config = await openid.discover(app);
    const { url, checks } = await openid.request(config);
    return { config, checks, visit: await openid.follow(browser, withoutChallenge(url, changes)) };
  };

  test('an app that needs no PKCE signs in with a nonce', async () => {
    const { config, checks, visit } = await begin(false, {});
    expect([visit.status, visit.location.searchParams.has('code')]).toStrictEqual([303, true]);
    const { expectedState, expectedNonce } = checks;
    const tokens = await client.authorizationCodeGrant(config, visit.location, { expectedState, expectedNonce });
    expect(tokens.claims()).toMatchObject({ nonce: expectedNonce });
  });

  test('a verifier without a challenge is refused, so that no challenge can be cut out of a request', async () => {
    const { config, checks, visit } = await begin(false, {});
    await expect(client.authorizationCodeGrant(config, visit.location, checks)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test.each([
    ['the app needs PKCE', true, {}],
    ['there is no nonce', false, { nonce: undefined }],
    ['the nonce is empty', false, { nonce: '' }],
    ['no ID token would return the nonce', false, { scope: 'email' }],
    ['the challenge is plain', false, { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }],
  ])('a request without PKCE is refused when %s', async (_why, requirePkce, changes) => {
    const { visit } = await begin(requirePkce, changes);
    const { searchParams } = visit.location;
    expect([searchParams.get('error'), searchParams.has('code')]).toStrictEqual(['invalid_request', false]);
  });

  test('a scope that the app has not is never granted', async () => {
    const app = await openid.makeClient();
    const { browser, userId } = await openid.person(app);
    service.peers.permissions.set(userId, ['invoice:pay', 'order:read']);
    const { tokens } = await openid.signIn(app, browser, { scope: 'openid order:read invoice:pay' });
    expect(tokens.scope?.split(' ').toSorted()).toStrictEqual(['openid', 'order:read']);
  });

  test('a code challenge cannot be dropped at the token endpoint', async () => {
    const { app, location } = await arrived();
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: location.searchParams.get('code') ?? '',
      redirect_uri: callbackUri,
    });
    const authorization = `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    const answer = await service.ask('POST', pathOf(`${app.issuer}/oauth/token`), { headers, body: body.toString() });
    expect([answer.status, answer.body.error]).toStrictEqual([400, 'invalid_grant']);
  });
});

describe('other clients, browsers and people', () => {
  test('a wrong secret, and none, authenticate no client', async () => {
    const app = await openid.makeClient();
    const wrong = await openid.discover({ ...app, clientSecret: randomBytes(32).toString('base64url') });
    expect(await refused(client.tokenIntrospection(wrong, 'x'))).toBe('invalid_client');
    const none = await openid.discover(app, client.None());
    expect(await refused(client.tokenIntrospection(none, 'x'))).toBe('invalid_client');
  });

  test('an interaction belongs to the browser that began it', async () => {
    const app = await openid.makeClient();
    const [victim, attacker] = [await openid.person(app), await openid.person(app)];
    const { url } = await openid.request(await openid.discover(app));
    const { location } = await attacker.browser.get(pathOf(url));
    const path = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
    expect((await victim.browser.get(path)).status).toBe(404);
    expect((await victim.browser.post(path, { action: 'consent' })).status).toBe(404);
    expect((await attacker.browser.get(path)).status).toBe(200);
  });

  // RFC 8252 sections 7.3, 8.6: any program may listen there, and may know the client id.
  test('another program on the device that claims the redirect of a native app is asked about each time, and gets nothing elsewhere', async () => {
    const native = { type: 'native', token_endpoint_auth_method: 'none' };
    const app = await openid.makeClient(native, { redirectUris: ['http://127.0.0.1/callback'] });
    const { browser } = await openid.person(app);
    const config = await openid.discover(app, client.None());
    const at = (redirect: string, more: object = {}) => openid.request(config, { redirect_uri: redirect, ...more });
    const { url, checks } = await at('http://127.0.0.1:54321/callback');
    const { location } = await openid.follow(browser, url);
    expect(location.origin).toBe('http://127.0.0.1:54321');
    await client.authorizationCodeGrant(config, location, checks);
    // What the person allowed the true one.
    const silent = await at('http://127.0.0.1:54322/callback', { prompt: 'none' });
    expect((await browser.get(pathOf(silent.url))).location.searchParams.get('error')).toBe('interaction_required');
    const second = await browser.get(pathOf((await at('http://127.0.0.1:54322/callback')).url));
    const asked = await browser.get(`/api/auth/interactions/${second.location.searchParams.get('interaction')}`);
    expect(asked.body.data.prompt).toBe('consent');
    for (const redirect of [
      'http://127.0.0.1:54321/other',
      'http://localhost:54321/callback',
      'http://[::1]:54321/callback',
      'https://127.0.0.1:54321/callback',
      'http://127.0.0.1.attacker.example/callback',
      'http://attacker.example@127.0.0.1/callback',
    ]) {
      const { location: shown } = await browser.get(pathOf((await at(redirect)).url), html);
      expect([redirect, shown.pathname]).toStrictEqual([redirect, '/auth/error']);
    }
  });

  test('another site cannot answer for the person', async () => {
    const app = await openid.makeClient();
    const { browser } = await openid.person(app);
    const { url } = await openid.request(await openid.discover(app));
    const { location } = await browser.get(pathOf(url));
    const path = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
    expect((await browser.post(path, { action: 'consent' }, { origin: 'https://attacker.example' })).status).toBe(403);
  });

  test('consent cannot be skipped by going back without an answer', async () => {
    const app = await openid.makeClient();
    const { browser } = await openid.person(app);
    const { url } = await openid.request(await openid.discover(app));
    const first = await browser.get(pathOf(url));
    expect(first.location.pathname).toBe('/auth/project/consent');
    const path = `/api/auth/interactions/${first.location.searchParams.get('interaction')}`;
    expect((await browser.post(path, { action: 'continue' })).status).toBe(400);
    expect((await browser.post(path, { action: 'consent', scopes: ['openid', 'order:write'] })).status).toBe(400);
    const resumed = [...browser.cookies.keys()].filter((name) => name.endsWith('_resume'));
    expect(resumed).toHaveLength(1);
  });

  test('a person who is not of the project cannot sign in, unless the app takes new people', async () => {
    const app = await openid.makeClient();
    const stranger = await openid.person({ ...app, scope: { ...app.scope, id: 'elsewhere' } });
    const { url } = await openid.request(await openid.discover(app));
    const { location } = await openid.follow(stranger.browser, url);
    expect(location.searchParams.get('error')).toBe('access_denied');
    const open = await openid.makeClient({}, { allowSignUp: true });
    const { tokens } = await openid.signIn(open, stranger.browser);
    expect(tokens.claims()?.sub).toBe(stranger.userId);
  });

  test('a person whom an app does not let in joins its project by no step without a session', async () => {
    for (const changes of [{ require_second_factor: true }, { enabled_providers: ['codehost'] }]) {
      const app = await openid.makeClient(changes, { allowSignUp: true });
      const { browser, userId, refreshToken } = await openid.person({ ...app, scope: { ...app.scope, id: 'elsewhere' } });
      const answer = ({ location }: Visit, action: string) =>
        browser.post(`/api/auth/interactions/${location.searchParams.get('interaction')}`, { action });
      const { url } = await openid.request(await openid.discover(app));
      browser.cookies.delete('refresh_token');
      const asked = await browser.get(pathOf(url));
      browser.cookies.set('refresh_token', refreshToken);
      const { body } = await answer(asked, 'continue');
      browser.cookies.delete('refresh_token');
      const resumed = await browser.get(pathOf(body.data.redirectTo));
      browser.cookies.set('refresh_token', refreshToken);
      const { status } = await answer(resumed, 'consent');
      expect([resumed.location.pathname, status]).toStrictEqualFor(changes, ['/auth/sign-in', 400]);
      expect(service.peers.people.get(app.scope.id)?.has(userId) ?? false).toStrictEqualFor(changes, false);
    }
  });

  test('the session that was asked gives the consent, and no other one of the browser', async () => {
    const app = await openid.makeClient({ require_second_factor: true }, { allowSignUp: true });
    const elsewhere = { ...app, scope: { ...app.scope, id: 'elsewhere' } };
    const [strong, weak] = [await openid.person(elsewhere, 'one browser'), await openid.person(elsewhere, 'one browser')];
    await service.database.query({ text: `UPDATE sessions SET acr = 'aal2' WHERE user_id = $1` }, [strong.userId]);
    const { url } = await openid.request(await openid.discover(app));
    const { location } = await strong.browser.get(pathOf(url));
    expect(location.pathname).toBe('/auth/project/consent');
    const path = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
    strong.browser.cookies.set('refresh_token', weak.refreshToken);
    expect((await strong.browser.post(path, { action: 'consent' })).status).toBe(404);
    expect(service.peers.people.get(app.scope.id)?.has(weak.userId) ?? false).toBe(false);
    strong.browser.cookies.set('refresh_token', strong.refreshToken);
    expect((await strong.browser.post(path, { action: 'consent' })).status).toBe(200);
  });

  test('a browser without a session is sent to the sign-in page, and prompt=none back to the app', async () => {
    const app = await openid.makeClient();
    const { url } = await openid.request(await openid.discover(app));
    expect((await openBrowser(service).get(pathOf(url))).location.pathname).toBe('/auth/sign-in');
    const { location } = await openBrowser(service).get(pathOf(withParameter(url, 'prompt', 'none')));
    expect(location.searchParams.get('error')).toBe('login_required');
  });

  test('an app that demands a second factor, or another way to sign in, gets nobody who has it not', async () => {
    for (const changes of [{ require_second_factor: true }, { enabled_providers: ['codehost'] }]) {
      const app = await openid.makeClient(changes);
      const { browser } = await openid.person(app);
      const { url } = await openid.request(await openid.discover(app));
      expect((await browser.get(pathOf(url))).location.pathname).toBe('/auth/sign-in');
    }
  });

  test('the ID token and the id of an access token open nothing', async () => {
    const { config, checks, location, person } = await arrived();
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    const jti = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString()).jti;
    for (const token of [tokens.id_token ?? '', jti]) {
      expect(await refused(client.fetchUserInfo(config, token, person.userId))).not.toBe('accepted');
      expect((await client.tokenIntrospection(config, token)).active).toBe(false);
      expect((await service.ask('GET', '/api/me', { token })).status).toBe(401);
    }
  });

  test('an access token of one project is nothing at another', async () => {
    const { config, checks, location, person } = await arrived();
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    const foreign = await openid.discover(await openid.makeClient());
    expect(await refused(client.fetchUserInfo(foreign, tokens.access_token, person.userId))).not.toBe('accepted');
    expect((await client.tokenIntrospection(foreign, tokens.access_token)).active).toBe(false);
  });

  test('discovery lists what works, and nothing else', async () => {
    const app = await openid.makeClient();
    const { body } = await service.ask('GET', pathOf(`${app.issuer}/.well-known/openid-configuration`));
    expect(body).toMatchObject({
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access', 'order:read', 'order:write'],
      subject_types_supported: ['public'],
    });
    const others = ['device_code', 'token-exchange'].map((name) => `urn:ietf:params:oauth:grant-type:${name}`);
    const grants = ['authorization_code', 'client_credentials', 'refresh_token', ...others];
    expect([...body.grant_types_supported].toSorted()).toStrictEqual(grants);
    expect(body.device_authorization_endpoint).toBe(`${app.issuer}/oauth/device`);
    expect(body).not.toHaveProperty('registration_endpoint');
    const metadata = await service.ask('GET', `/.well-known/oauth-authorization-server${pathOf(app.issuer)}`);
    expect(metadata.body).toStrictEqual(body);
  });

  test('the addresses in discovery come from configuration, whatever the headers say', async () => {
    const app = await openid.makeClient();
    const headers = { host: 'attacker.example', 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'https' };
    const { body } = await service.ask('GET', pathOf(`${app.issuer}/.well-known/openid-configuration`), { headers });
    expect(body.issuer).toBe(app.issuer);
    for (const [name, value] of Object.entries(body)) if (name.endsWith('_endpoint')) expect(value).toMatch(`${app.issuer}/oauth/`);
    expect(body.jwks_uri).toBe(`${app.issuer}/.well-known/jwks.json`);
  });
});

test('anonymous refusals of a client leave one audit row a minute', async () => {
  const app = await openid.makeClient();
  const path = pathOf(`${app.issuer}/oauth/token`);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'x',
    client_id: app.clientId,
    client_secret: 'wrong',
  }).toString();
  for (let times = 0; times < 10; times += 1) expect((await service.ask('POST', path, { headers, body })).status).toBe(401);
  const rows = () => service.database.query({ text: "SELECT id FROM audit_log WHERE target_id = $1 AND outcome = 'refused'" }, [app.id]);
  await until(async () => (await rows()).length > 0);
  expect(await rows()).toHaveLength(1);
  const proven = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'x',
    client_id: app.clientId,
    client_secret: app.clientSecret,
  });
  await service.ask('POST', path, { headers, body: proven.toString() });
  await until(async () => (await rows()).length === 2);
});
