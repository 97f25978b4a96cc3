import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import * as client from 'openid-client';
import { until, waitingForMe, waitingForOthers } from '../../../../../test/support/until.ts';
import { openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { type Ask, appUrl, claimsOf } from '../../testing/service.ts';

const secret = 'a secret of the dashboards, long enough';
const toolUri = 'https://grafana.example/login';
const service = await startOauth({
  SECURITY_FRONTEND_URL: 'http://tessera.test',
  OPENID_CLIENTS: 'grafana',
  GRAFANA_OPENID_SECRET: secret,
  GRAFANA_OPENID_REDIRECT_URIS: toolUri,
});
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));

const loopback = 'http://127.0.0.1:51234/callback';
const scope = 'openid email offline_access';
const platform = { id: '', clientId: 'tessera-cli', clientSecret: '', issuer: appUrl, roleId: '', scope: { tenant: 'system', id: '' } };

const person = () => openid.person(platform);
const discover = () => openid.discover(platform, client.None());
const discoverTool = () => openid.discover({ ...platform, clientId: 'grafana', clientSecret: secret });
const me = (token: string) => service.ask('GET', '/api/me', { token });

async function refused(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code ?? 'another error',
  );
}

async function signInByCode({ browser }: Awaited<ReturnType<typeof person>>) {
  const config = await discover();
  const { url, checks } = await openid.request(config, { redirect_uri: loopback, scope });
  const { location } = await openid.follow(browser, url);
  const grant = () => client.authorizationCodeGrant(config, location, checks);
  return { config, grant, location, checks };
}

async function signInByDevice({ browser }: Awaited<ReturnType<typeof person>>) {
  const config = await discover();
  const device = await client.initiateDeviceAuthorization(config, { scope });
  const { body } = await browser.post('/api/auth/device', { userCode: device.user_code });
  expect(body.data).toMatchObject({ prompt: 'device', app: { clientId: 'tessera-cli', name: 'Tessera CLI', project: null } });
  const answered = await browser.post(`/api/auth/interactions/${body.data.id}`, { action: 'consent' });
  expect((await browser.get(pathOf(answered.body.data.redirectTo))).location.search).toBe('?done=allowed');
  return { config, tokens: await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 }) };
}

describe('the issuer of the platform', () => {
  test('says in both forms of discovery what it serves', async () => {
    const { body } = await service.ask('GET', '/.well-known/openid-configuration');
    expect(body).toMatchObject({ issuer: appUrl, scopes_supported: ['openid', 'profile', 'email', 'offline_access'] });
    expect(body.device_authorization_endpoint).toBe(`${appUrl}/oauth/device`);
    expect(body.jwks_uri).toBe(`${appUrl}/.well-known/jwks.json`);
    // Of service accounts.
    expect(body.grant_types_supported).toContain('client_credentials');
    expect(body.backchannel_logout_supported).not.toBe(true);
    expect((await service.ask('GET', '/.well-known/oauth-authorization-server')).body).toStrictEqual(body);
  });

  test('the command line signs in with a device code, and gets a session of its own', async () => {
    const ada = await person();
    const { config, tokens } = await signInByDevice(ada);
    expect(tokens.claims()).toMatchObject({ iss: appUrl, sub: ada.userId, aud: 'tessera-cli', email: ada.email });
    const claims = claimsOf(tokens.access_token);
    expect(claims).toMatchObject({ iss: appUrl, aud: appUrl, sub: ada.userId, type: 'session', acr: 'aal1', amr: ['pwd'] });
    expect(claims.jti).not.toBe(claimsOf(ada.accessToken).jti);
    expect((await me(tokens.access_token)).status).toBe(200);
    const { body } = await service.ask('GET', '/api/me/sessions', { token: tokens.access_token });
    const own = body.data.items.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    expect(own).toMatchObject({ id: claims.jti, userAgent: expect.stringMatching(/^Tessera CLI/) });

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(claimsOf(refreshed.access_token).jti).toBe(claims.jti);
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    expect((await client.fetchUserInfo(config, refreshed.access_token, ada.userId)).email).toBe(ada.email);
  });

  test('the command line signs in at a loopback address with any port, and always asks', async () => {
    const ada = await person();
    const { grant } = await signInByCode(ada);
    expect((await me((await grant()).access_token)).status).toBe(200);
    const again = await openid.request(await discover(), { redirect_uri: 'http://[::1]:4000/callback', scope, prompt: 'none' });
    expect((await ada.browser.get(pathOf(again.url))).location.searchParams.get('error')).toBe('interaction_required');
    const { url } = await openid.request(await discover(), { redirect_uri: loopback, scope });
    expect((await ada.browser.get(pathOf(url))).location.pathname).toBe('/auth/project/consent');
    const elsewhere = withParameter(url, 'redirect_uri', 'http://attacker.example/callback');
    expect((await ada.browser.get(pathOf(elsewhere), { accept: 'text/html' })).location.pathname).toBe('/auth/error');
  });

  test('there is no client that gets a session without a question', async () => {
    const ada = await person();
    const config = await discover();
    const { url } = await openid.request(config, { redirect_uri: `${appUrl}/console`, scope });
    const asConsole = withParameter(url, 'client_id', 'tessera-console');
    const { location } = await ada.browser.get(pathOf(asConsole), { accept: 'text/html' });
    expect([location.pathname, location.searchParams.has('code')]).toStrictEqual(['/auth/error', false]);
  });

  test('a copied refresh cookie counts from the device that holds the session only, and a refresh moves it', async () => {
    const ada = await person();
    const { url } = await openid.request(await discover(), { redirect_uri: loopback, scope });
    const pageFor = async (device: Ask, cookie: string | undefined) => {
      const browser = openBrowser(service, device);
      browser.cookies.set('refresh_token', cookie ?? '');
      const { location } = await browser.get(pathOf(url));
      const { body } = await browser.get(`/api/auth/interactions/${location.searchParams.get('interaction')}`);
      return [location.pathname, body.data.account?.email];
    };
    const thief = { userAgent: 'another device' };
    const moved = { userAgent: ada.userAgent, ip: '192.0.2.77' };
    const asked = ['/auth/project/consent', ada.email];
    const unknown = ['/auth/sign-in', undefined];
    expect(await pageFor({ userAgent: ada.userAgent }, ada.refreshToken)).toStrictEqual(asked);
    expect(await pageFor(thief, ada.refreshToken)).toStrictEqual(unknown);
    expect(await pageFor(moved, ada.refreshToken)).toStrictEqual(unknown);
    // The browser has another address: its page refreshes, and it holds the session from there.
    const refreshed = await service.ask('POST', '/api/auth/refresh', { ...moved, body: { refreshToken: ada.refreshToken } });
    const { refreshToken } = refreshed.body.data;
    expect(await pageFor(moved, refreshToken)).toStrictEqual(asked);
    expect(await pageFor({ userAgent: ada.userAgent }, refreshToken)).toStrictEqual(unknown);
    expect(await pageFor(thief, refreshToken)).toStrictEqual(unknown);
  });

  test('a session that an organization’s provider has opened grants no program a session', async () => {
    const ada = await person();
    const amr = (methods: string) =>
      service.database.query({ text: `UPDATE sessions SET amr = '${methods}' WHERE user_id = $1` }, [ada.userId]);
    await amr('["fed", "org"]');
    const config = await discover();
    const { url } = await openid.request(config, { redirect_uri: loopback, scope });
    const { location } = await ada.browser.get(pathOf(url));
    const id = location.searchParams.get('interaction');
    expect((await ada.browser.get(`/api/auth/interactions/${id}`)).body.data).toMatchObject({ reasons: ['opens_session'] });
    expect((await ada.browser.post(`/api/auth/interactions/${id}`, { action: 'continue' })).status).toBe(403);
    await amr('["pwd"]');
    expect((await ada.browser.post(`/api/auth/interactions/${id}`, { action: 'continue' })).status).toBe(200);
  });

  test('a session for a program needs a proof of the last ten minutes, says what it gives, and is told by mail', async () => {
    const ada = await person();
    await service.database.query({ text: `UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1` }, [
      ada.userId,
    ]);
    const config = await discover();
    const { url } = await openid.request(config, { redirect_uri: loopback, scope });
    const { location } = await ada.browser.get(pathOf(url));
    const id = location.searchParams.get('interaction');
    const { body: shown } = await ada.browser.get(`/api/auth/interactions/${id}`);
    expect(shown.data).toMatchObject({ prompt: 'sign_in', reasons: ['opens_session'], opensSession: true });
    const stale = await ada.browser.post(`/api/auth/interactions/${id}`, { action: 'continue' });
    expect([stale.status, stale.body.translationKey]).toStrictEqual([403, 'errors.openid.freshSignIn']);
    const device = await client.initiateDeviceAuthorization(config, { scope });
    const entered = await ada.browser.post('/api/auth/device', { userCode: device.user_code });
    expect(entered.body.data).toMatchObject({ prompt: 'sign_in', reasons: ['opens_session'], opensSession: true });
    await service.database.query({ text: 'UPDATE sessions SET authenticated_at = now() WHERE user_id = $1' }, [ada.userId]);
    await signInByDevice(ada);
    const mails = await service.mails(ada.email, 2);
    expect(mails.find(({ template }) => template === 'program-signed-in')?.data).toMatchObject({ program: 'Tessera CLI' });
  });

  test('what the browser has just proven makes no session of a program fresh', async () => {
    const ada = await person();
    const { tokens } = await signInByDevice(ada);
    expect(claimsOf(tokens.access_token)).toMatchObject({ auth_time: 0, amr: ['pwd'] });
    const enroll = (token: string) => service.ask('POST', '/api/me/passkeys/options', { token, body: {} });
    expect((await enroll(tokens.access_token)).body.code).toBe('FRESH_SIGN_IN_REQUIRED');
    expect((await enroll(ada.accessToken)).status).toBe(200);
  });

  test('a tool of the operator learns who signed in, and gets nothing that opens the API', async () => {
    const ada = await person();
    const config = await discoverTool();
    const { url, checks } = await openid.request(config, { redirect_uri: toolUri, scope });
    const { location } = await ada.browser.get(pathOf(url));
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    expect(tokens.claims()).toMatchObject({ iss: appUrl, sub: ada.userId, aud: 'grafana' });
    expect((await client.fetchUserInfo(config, tokens.access_token, ada.userId)).email).toBe(ada.email);
    for (const token of [tokens.access_token, tokens.id_token ?? '', tokens.refresh_token ?? ''])
      expect((await me(token)).status).toBe(401);
    expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(true);
    await client.tokenRevocation(config, tokens.access_token);
    expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
    expect(await refused(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_grant');
  });
});

describe('ends and attacks at the issuer of the platform', () => {
  test('the end of its session, by logout, by another device or by the password, ends the command line', async () => {
    const ada = await person();
    for (const end of ['logout', 'revocation'] as const) {
      const { config, tokens } = await signInByDevice(ada);
      const { jti } = claimsOf(tokens.access_token);
      if (end === 'logout') await service.ask('POST', '/api/me/logout', { token: tokens.access_token });
      else await service.ask('DELETE', `/api/me/sessions/${jti}`, { token: ada.accessToken });
      expect((await me(tokens.access_token)).status).toBe(401);
      expect(await refused(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_grant');
    }
    expect((await me(ada.accessToken)).status).toBe(200);
  });

  test('the revocation endpoint ends the session, and only that one', async () => {
    const ada = await person();
    const [first, second] = [await signInByDevice(ada), await signInByDevice(await person())];
    await client.tokenRevocation(first.config, first.tokens.refresh_token ?? '');
    expect((await me(first.tokens.access_token)).status).toBe(401);
    expect((await me(second.tokens.access_token)).status).toBe(200);
    expect((await me(ada.accessToken)).status).toBe(200);
  });

  test('a spent refresh token, and a code that is used twice, end the session', async () => {
    const ada = await person();
    const { config, tokens } = await signInByDevice(ada);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await service.database.query({ text: "UPDATE openid_artifacts SET consumed_at = consumed_at - interval '11 seconds'" });
    expect(await refused(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_grant');
    expect((await me(refreshed.access_token)).status).toBe(401);
    const { grant } = await signInByCode(ada);
    const { access_token: token } = await grant();
    expect(await refused(grant())).toBe('invalid_grant');
    expect((await me(token)).status).toBe(401);
    expect((await me(ada.accessToken)).status).toBe(200);
  });

  test('of many uses of a code at once none leaves a session', async () => {
    const ada = await person();
    const { grant } = await signInByCode(ada);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, grant));
    const tokens = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.access_token] : []));
    expect(tokens.length).toBeLessThanOrEqual(1);
    for (const token of tokens) expect((await me(token)).status).toBe(401);
  });

  test('a code that is used again while its session opens leaves none', async () => {
    const ada = await person();
    const earlier = await (await signInByCode(ada)).grant();
    const { grant } = await signInByCode(ada);
    const outcomes: Promise<string>[] = [];
    const tokens: string[] = [];
    await service.database.transaction(async (tx) => {
      // The same program gets the same session: the first use waits for it, and holds the grant.
      await tx.query(sql('SELECT id FROM sessions WHERE id = $1 FOR UPDATE'), [String(claimsOf(earlier.access_token).jti)]);
      outcomes.push(refused(grant().then(({ access_token: token }) => tokens.push(token))));
      await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
      outcomes.push(refused(grant()));
      await until(async () => (await tx.query(sql(waitingForOthers))).length > 0);
    });
    const [first, second] = await Promise.all(outcomes);
    expect([first === 'accepted' || first === 'invalid_grant', second]).toStrictEqual([true, 'invalid_grant']);
    for (const token of tokens) expect((await me(token)).status).toBe(401);
  });

  test('a session that ended before the code was spent gives nothing', async () => {
    const ada = await person();
    const { grant } = await signInByCode(ada);
    await service.ask('POST', '/api/me/logout', { token: ada.accessToken });
    expect(await refused(grant())).toBe('invalid_grant');
  });

  test('clients of projects, session tokens and wrong secrets are nothing here', async () => {
    const app = await openid.makeClient();
    const foreign = await openid.discover({ ...platform, clientId: app.clientId, clientSecret: app.clientSecret });
    expect(await refused(client.refreshTokenGrant(foreign, 'x'))).toBe('invalid_client');
    const wrong = await openid.discover({ ...platform, clientId: 'grafana', clientSecret: 'wrong' });
    expect(await refused(client.tokenIntrospection(wrong, 'x'))).toBe('invalid_client');
    const ada = await person();
    const tool = await discoverTool();
    expect((await client.tokenIntrospection(tool, ada.accessToken)).active).toBe(false);
    expect(await refused(client.fetchUserInfo(tool, ada.accessToken, ada.userId))).not.toBe('accepted');
    const { tokens } = await signInByDevice(ada);
    expect((await client.tokenIntrospection(tool, tokens.access_token)).active).toBe(false);
    expect(await refused(client.clientCredentialsGrant(tool))).not.toBe('accepted');
  });

  test('refusals are audited with the client', async () => {
    const wrong = await openid.discover({ ...platform, clientId: 'tessera-cli' }, client.None());
    expect(await refused(client.refreshTokenGrant(wrong, 'x'))).toBe('invalid_grant');
    expect(await service.auditOf('openid.token')).toContainEqual(expect.objectContaining({ outcome: 'ok' }));
  });
});
