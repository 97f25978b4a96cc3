import { afterAll, describe, expect, test } from '@jest/globals';
import { setPrimaryMethod } from '../../people/storage/authentication-methods.ts';
import { openBrowser } from '../../testing/browser.ts';
import { frontendUrl, providerEnv, providerUser, startOauth } from '../../testing/oauth.ts';
import { exchange, landing, loopback, platformOf, pressed, program, start } from '../../testing/platform.ts';
import { addMethod, appUrl, claimsOf, startIdentity } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { registeredAt, signIn } = platformOf(service);

describe('platform sign-in by provider', () => {
  test('register, then login: the same person, tokens only from the exchange [spec:signin.1 spec:oauth-state.1 spec:auth.4 spec:auth.5 spec:auth.6]', async () => {
    const user = providerUser();
    const browser = openBrowser(service);
    const end = await signIn(browser, user, '?action=register&accountType=organization');
    expect(end.origin + end.pathname).toBe(landing);
    expect([...end.searchParams.keys()]).toStrictEqual(['code']);
    const first = await exchange(browser, end.searchParams.get('code'));
    expect(first.status).toStrictEqualFor(first.body, 200);
    expect(Object.keys(first.body.data).sort()).toStrictEqual(['accessToken', 'accounts', 'refreshToken']);
    expect(first.body.data.accounts[0].type).toBe('organization');
    const claims = claimsOf(first.body.data.accessToken);
    expect([claims.type, claims.isVerified, claims.aud]).toStrictEqual(['session', true, appUrl]);
    expect(browser.cookies.get('refresh_token')).toBeTruthy();

    const again = await signIn(browser, user, '?action=login');
    const second = await exchange(browser, again.searchParams.get('code'));
    expect(claimsOf(second.body.data.accessToken).sub).toBe(claims.sub);
    const me = await service.ask('GET', '/api/me', { token: second.body.data.accessToken });
    expect([me.body.data.email, me.body.data.isVerified, me.body.data.user.name]).toStrictEqual([user.email, true, user.name]);
    const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: second.body.data.refreshToken } });
    expect(refreshed.status).toBe(200);
  });

  test('whose accounts are known signs in without tenancy', async () => {
    const user = providerUser();
    const { accounts } = await registeredAt(user);
    expect(accounts.length).toBe(1);
    service.peers.down.add('tenancy');
    try {
      const browser = openBrowser(service);
      const again = await exchange(browser, (await signIn(browser, user, '?action=login')).searchParams.get('code'));
      expect([again.status, again.body.data.accounts]).toStrictEqual([200, accounts]);
    } finally {
      service.peers.down.delete('tenancy');
    }
  });

  test('the request to the provider: code flow, PKCE S256, a state of 256 bits, a registered callback [spec:auth.4 spec:project-oauth.3]', async () => {
    const { location, headers } = await openBrowser(service).get(start);
    const query = Object.fromEntries(location.searchParams);
    expect(location.origin + location.pathname).toBe(`${service.provider.url}/authorize`);
    expect([query.response_type, query.code_challenge_method]).toStrictEqual(['code', 'S256']);
    expect(query.redirect_uri).toBe(`${appUrl}/api/auth/codehost/callback`);
    expect(Buffer.from(query.state ?? '', 'base64url').length).toBe(32);
    expect(Buffer.from(query.code_challenge ?? '', 'base64url').length).toBe(32);
    expect([headers['cache-control'], headers['referrer-policy']]).toStrictEqual(['no-store', 'no-referrer']);
    expect(String(headers['set-cookie'])).toMatch(/^oauth_flow=[\w-]{43}; Path=\/; Max-Age=660; HttpOnly; SameSite=Lax$/);
  });

  test('over https the cookie that binds the browser is Secure and host-only', async () => {
    await using cleanup = new AsyncDisposableStack();
    const secure = await startIdentity({ ...providerEnv(service.provider.url), APP_URL: 'https://tessera.test' });
    cleanup.defer(() => secure.stop());
    const { headers } = await secure.ask('GET', start);
    expect(String(headers['set-cookie'])).toMatch(/^__Host-oauth_flow=[\w-]{43}; Path=\/; Max-Age=660; HttpOnly; SameSite=Lax; Secure$/);
  });

  test('a command line gets a code at its loopback address, after a click on a page, and exchanges it without cookies, once [spec:auth.6]', async () => {
    const user = providerUser();
    await registeredAt(user);
    for (const redirect of ['http://127.0.0.1:4567/done?nonce=1', 'http://[::1]:9/x', 'http://localhost:65535/']) {
      const page = await signIn(openBrowser(service), user, loopback(redirect));
      const end = pressed(page);
      expect(end.origin + end.pathname).toBe(new URL(redirect).origin + new URL(redirect).pathname);
      if (redirect.includes('nonce')) expect(end.searchParams.get('nonce')).toBe('1');
      const cli = openBrowser(service, { userAgent: 'a command line' });
      const exchanged = await exchange(cli, end.searchParams.get('code'), {}, program);
      expect(exchanged.status).toStrictEqualFor(exchanged.body, 200);
      const twice = await exchange(cli, end.searchParams.get('code'), {}, program);
      expect([twice.status, twice.body.code]).toStrictEqual([400, 'BAD_USER_INPUT']);
    }
  });

  test('of 20 who exchange one code at the same moment one gets the session', async () => {
    const user = providerUser();
    await registeredAt(user);
    const browser = openBrowser(service);
    const code = (await signIn(browser, user)).searchParams.get('code');
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(browser, code)));
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, ...Array.from({ length: 19 }, () => 400)]);
  });

  test('a code of the frontend works only in the browser that began the flow, with and without Origin', async () => {
    const attacker = providerUser();
    await registeredAt(attacker);
    for (const headers of [{ origin: frontendUrl }, {}]) {
      const end = await signIn(openBrowser(service), attacker);
      const victim = openBrowser(service);
      const planted = await exchange(victim, end.searchParams.get('code'), headers);
      expect([planted.status, victim.cookies.size]).toStrictEqual([400, 0]);
    }
    const browser = openBrowser(service);
    const own = await signIn(browser, attacker);
    expect((await exchange(browser, own.searchParams.get('code'), { origin: frontendUrl })).status).toBe(200);
  });
});

describe('what happens between the callback and the exchange', () => {
  const ends = {
    'the person is deleted': (userId: string) => service.deliver('accounts.closed', { userId, hard: false }),
    'the method is removed': async (userId: string) => {
      const other = await addMethod(service, userId, 'acme');
      await service.database.transaction((tx) => setPrimaryMethod(tx, userId, other, new Date()));
      await service.database.query({ text: `DELETE FROM authentication_methods WHERE user_id = $1 AND provider = 'codehost'` }, [userId]);
    },
  };
  for (const [what, happens] of Object.entries(ends))
    test(`${what}: the code is refused`, async () => {
      const user = providerUser();
      const { userId } = await registeredAt(user);
      const browser = openBrowser(service);
      const end = await signIn(browser, user);
      await happens(userId);
      const { status, body } = await exchange(browser, end.searchParams.get('code'));
      expect([status, body.code]).toStrictEqual([400, 'BAD_USER_INPUT']);
    });
});

describe('secrets', () => {
  test('tokens of the provider, states and codes are in no table, and in no answer', async () => {
    const user = providerUser();
    const { accessToken } = await registeredAt(user);
    const me = await service.ask('GET', '/api/me/export', { token: accessToken });
    const [{ rows = '' } = {}] = await service.database.query<{ rows: string }>({
      text: `SELECT (SELECT coalesce(string_agg(m::text, ' '), '') FROM authentication_methods m) ||
        (SELECT coalesce(string_agg(a::text, ' '), '') FROM audit_log a) || (SELECT coalesce(string_agg(o::text, ' '), '') FROM outbox o) AS rows`,
    });
    expect(service.provider.tokens.length).toBeGreaterThan(0);
    expect(rows.length).toBeGreaterThan(0);
    for (const token of service.provider.tokens) expect(rows.includes(token) || JSON.stringify(me.body).includes(token)).toBe(false);
  });
});
