import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeUser } from '../../../test/fake-provider/provider.ts';
import { type Browser, openBrowser, pathOf, withParameter } from './browser.ts';
import { frontendUrl, type OauthService, providerEnv, providerUser, startOauth } from './oauth.ts';
import { appUrl, claimsOf, goodPassword, registered, startIdentity } from './service.ts';

const start = '/api/auth/codehost';
const landing = `${frontendUrl}/auth/callback`;

let service: OauthService;
before(async () => {
  service = await startOauth();
});
after(async () => service.stop());

/** Goes to the provider, signs in there and comes back: where the browser ends up. */
async function signIn(browser: Browser, user: FakeUser, query = ''): Promise<URL> {
  const { location, status, body } = await browser.get(`${start}${query}`);
  assert.equal(status, 302, JSON.stringify(body));
  const back = await service.provider.approve(location.href, user);
  return (await browser.get(pathOf(back))).location;
}

const exchange = (browser: Browser, code: string | null, headers = {}) => browser.post('/api/auth/cli-callback', { code }, headers);

async function registeredAt(user: FakeUser) {
  const browser = openBrowser(service);
  const end = await signIn(browser, user, '?action=register');
  const { status, body } = await exchange(browser, end.searchParams.get('code'));
  assert.equal(status, 200, JSON.stringify(body));
  return { ...body.data, userId: String(claimsOf(body.data.accessToken).sub) };
}

describe('platform sign-in by provider', () => {
  test('register, then login: the same person, tokens only from the exchange [spec:signin.1 spec:oauth-state.1 spec:auth.4 spec:auth.5 spec:auth.6]', async () => {
    const user = providerUser();
    const browser = openBrowser(service);
    const end = await signIn(browser, user, '?action=register&accountType=organization');
    assert.equal(end.origin + end.pathname, landing);
    assert.deepEqual([...end.searchParams.keys()], ['code']);
    const first = await exchange(browser, end.searchParams.get('code'));
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.deepEqual(Object.keys(first.body.data).sort(), ['accessToken', 'accounts', 'refreshToken']);
    assert.equal(first.body.data.accounts[0].type, 'organization');
    const claims = claimsOf(first.body.data.accessToken);
    assert.deepEqual([claims.type, claims.isVerified, claims.aud], ['session', true, appUrl]);
    assert.ok(browser.cookies.get('refresh_token'));

    const again = await signIn(browser, user, '?action=login');
    const second = await exchange(browser, again.searchParams.get('code'));
    assert.equal(claimsOf(second.body.data.accessToken).sub, claims.sub);
    const me = await service.ask('GET', '/api/me', { token: second.body.data.accessToken });
    assert.deepEqual([me.body.data.email, me.body.data.isVerified, me.body.data.user.name], [user.email, true, user.name]);
    const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: second.body.data.refreshToken } });
    assert.equal(refreshed.status, 200);
  });

  test('the request to the provider: code flow, PKCE S256, a state of 256 bits, a registered callback [spec:auth.4 spec:project-oauth.3]', async () => {
    const { location, headers } = await openBrowser(service).get(start);
    const query = Object.fromEntries(location.searchParams);
    assert.equal(location.origin + location.pathname, `${service.provider.url}/authorize`);
    assert.deepEqual([query.response_type, query.code_challenge_method], ['code', 'S256']);
    assert.equal(query.redirect_uri, `${appUrl}/api/auth/codehost/callback`);
    assert.equal(Buffer.from(query.state ?? '', 'base64url').length, 32);
    assert.equal(Buffer.from(query.code_challenge ?? '', 'base64url').length, 32);
    assert.deepEqual([headers['cache-control'], headers['referrer-policy']], ['no-store', 'no-referrer']);
    assert.match(String(headers['set-cookie']), /^oauth_flow=[\w-]{43}; Path=\/; Max-Age=660; HttpOnly; SameSite=Lax$/);
  });

  test('over https the cookie that binds the browser is Secure and host-only', async (t) => {
    const secure = await startIdentity({ ...providerEnv(service.provider.url), APP_URL: 'https://tessera.test' });
    t.after(() => secure.stop());
    const { headers } = await secure.ask('GET', start);
    assert.match(String(headers['set-cookie']), /^__Host-oauth_flow=[\w-]{43}; Path=\/; Max-Age=660; HttpOnly; SameSite=Lax; Secure$/);
  });

  test('a command line gets a code at its loopback address and exchanges it without cookies, once [spec:auth.6]', async () => {
    const user = providerUser();
    await registeredAt(user);
    for (const redirect of ['http://127.0.0.1:4567/done?nonce=1', 'http://[::1]:9/x', 'http://localhost:65535/']) {
      const end = await signIn(openBrowser(service), user, `?redirect=${encodeURIComponent(redirect)}`);
      assert.equal(end.origin + end.pathname, new URL(redirect).origin + new URL(redirect).pathname);
      if (redirect.includes('nonce')) assert.equal(end.searchParams.get('nonce'), '1');
      const cli = openBrowser(service, { userAgent: 'a command line' });
      const exchanged = await exchange(cli, end.searchParams.get('code'));
      assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body));
      const twice = await exchange(cli, end.searchParams.get('code'));
      assert.deepEqual([twice.status, twice.body.code], [400, 'BAD_USER_INPUT']);
    }
  });

  test('of 20 who exchange one code at the same moment one gets the session', async () => {
    const user = providerUser();
    await registeredAt(user);
    const end = await signIn(openBrowser(service), user);
    const code = end.searchParams.get('code');
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(openBrowser(service), code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 400)]);
  });

  test('a code that came by a link signs nobody in: in a browser it is good for the browser that began', async () => {
    const attacker = providerUser();
    await registeredAt(attacker);
    const end = await signIn(openBrowser(service), attacker);
    const victim = openBrowser(service);
    const planted = await exchange(victim, end.searchParams.get('code'), { origin: frontendUrl });
    assert.deepEqual([planted.status, victim.cookies.size], [400, 0]);
    const browser = openBrowser(service);
    const own = await signIn(browser, attacker);
    assert.equal((await exchange(browser, own.searchParams.get('code'), { origin: frontendUrl })).status, 200);
  });
});

describe('linking and accounts', () => {
  test('an address verified on both sides links; the person can then sign in either way [spec:methods.9]', async () => {
    const { email, userId } = await registered(service);
    const user = providerUser({ email });
    const browser = openBrowser(service);
    const end = await signIn(browser, user, '?action=login');
    const { body } = await exchange(browser, end.searchParams.get('code'));
    assert.equal(claimsOf(body.data.accessToken).sub, userId);
    const methods = await service.ask('GET', '/api/me/authentication-methods', { token: body.data.accessToken });
    const shown = methods.body.data.items.map((method: Record<string, unknown>) => [
      method.provider,
      method.isPrimary,
      'providerData' in method,
    ]);
    assert.deepEqual(shown, [
      ['email', true, false],
      ['codehost', false, false],
    ]);
    const password = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
    assert.equal((await service.ask('POST', '/api/auth/login', { body: password })).status, 200);
    const notice = (await service.mails(email, 2)).find(({ template }) => template === 'method-added');
    assert.equal(notice?.data.provider, 'codehost', 'the owner hears of it');
    const audited = (await service.auditOf('authentication-method.created')).filter(({ actor_id }) => actor_id === userId);
    assert.deepEqual(
      audited.map(({ detail }) => detail.provider),
      ['codehost'],
    );
  });

  test('pre-hijacking: an address that the other side has not verified never links', async () => {
    const squatter = await registered(service, { verified: false });
    const owner = providerUser({ email: squatter.email });
    const login = await signIn(openBrowser(service), owner, '?action=login');
    assert.equal(login.searchParams.get('error'), 'account_not_found');
    const own = await registeredAt(owner);
    assert.notEqual(own.userId, squatter.userId);

    const victim = await registered(service);
    const impostor = providerUser({ email: victim.email, verified: false });
    const claimed = await signIn(openBrowser(service), impostor, '?action=login');
    assert.equal(claimed.searchParams.get('error'), 'account_not_found');
    const made = await registeredAt(impostor);
    assert.notEqual(made.userId, victim.userId);
    assert.equal(claimsOf(made.accessToken).isVerified, false);
  });

  test('an address that only folds into another one is not that one: the Kelvin sign is no k', async () => {
    const kim = await registered(service, { name: 'kim' });
    const impostor = providerUser({ email: kim.email.replace('k', '\u212a') });
    const login = await signIn(openBrowser(service), impostor, '?action=login');
    assert.equal(login.searchParams.get('error'), 'account_not_found');
  });

  test('an address that the provider verifies later counts from the next sign-in, and stays verified', async () => {
    const user = providerUser({ verified: false });
    await registeredAt(user);
    for (const verified of [true, false]) {
      const browser = openBrowser(service);
      const end = await signIn(browser, { ...user, verified });
      const { body } = await exchange(browser, end.searchParams.get('code'));
      assert.equal(claimsOf(body.data.accessToken).isVerified, true);
    }
  });

  test('login makes nobody; register takes nobody twice', async () => {
    const user = providerUser();
    const login = await signIn(openBrowser(service), user, '?action=login');
    assert.deepEqual(
      [login.href, await service.auditOf('oauth.login').then((rows) => rows.at(-1)?.code)],
      [`${landing}?error=account_not_found`, 'account_not_found'],
    );
    await registeredAt(user);
    assert.equal((await signIn(openBrowser(service), user, '?action=register')).searchParams.get('error'), 'account_exists');
    const { email } = await registered(service);
    const sameAddress = await signIn(openBrowser(service), providerUser({ email }), '?action=register');
    assert.equal(sameAddress.searchParams.get('error'), 'account_exists');
  });

  test('ten registrations of one identity at once make one person', async () => {
    const user = providerUser();
    const ends = await Promise.all(Array.from({ length: 10 }, () => signIn(openBrowser(service), user, '?action=register')));
    assert.equal(ends.filter((end) => end.searchParams.has('code')).length, 1);
    assert.equal(ends.filter((end) => end.searchParams.get('error') === 'account_exists').length, 9);
  });

  test('who was deleted comes back neither by login nor by register', async () => {
    const user = providerUser();
    const { userId } = await registeredAt(user);
    await service.deliver('accounts.closed', { userId, hard: false });
    for (const action of ['login', 'register']) {
      const end = await signIn(openBrowser(service), user, `?action=${action}`);
      assert.match(String(end.searchParams.get('error')), /^account_(not_found|exists)$/);
    }
  });

  test('a provider without an address signs in too, unverified', async () => {
    const { accessToken } = await registeredAt(providerUser({ email: null, verified: false }));
    assert.equal(claimsOf(accessToken).isVerified, false);
  });
});

describe('connect', () => {
  const connect = (browser: Browser, headers: Readonly<Record<string, string>> = {}) => browser.get(`${start}?action=connect`, headers);

  test('with a bearer token or the refresh cookie of a verified person [spec:oauth-state.1 spec:methods.10]', async () => {
    const person = await registered(service);
    const byToken = openBrowser(service);
    const { location } = await connect(byToken, { authorization: `Bearer ${person.accessToken}` });
    const user = providerUser();
    const end = (await byToken.get(pathOf(await service.provider.approve(location.href, user)))).location;
    assert.equal(end.href, `${landing}?connected=codehost`);
    const signedIn = await signIn(openBrowser(service), user);
    const { body } = await exchange(openBrowser(service), signedIn.searchParams.get('code'));
    assert.equal(claimsOf(body.data.accessToken).sub, person.userId);
    const notice = (await service.mails(person.email, 2)).find(({ template }) => template === 'method-added');
    assert.equal(notice?.data.provider, 'codehost', 'the owner hears of it');

    const other = await registered(service);
    const byCookie = openBrowser(service);
    byCookie.cookies.set('refresh_token', other.refreshToken);
    const visit = await connect(byCookie);
    const connected = await byCookie.get(pathOf(await service.provider.approve(visit.location.href, providerUser())));
    assert.equal(connected.location.searchParams.get('connected'), 'codehost');
    const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: other.refreshToken } });
    assert.equal(refreshed.status, 200, 'the cookie was looked at, not spent');
  });

  test('a password that is added is told to the owner, at the address that the provider vouches for', async () => {
    const user = providerUser();
    const end = await signIn(openBrowser(service), user, '?action=register');
    const { body } = await exchange(openBrowser(service), end.searchParams.get('code'));
    const method = { provider: 'email', providerId: `added.${user.email}`, providerData: { password: goodPassword } };
    const added = await service.ask('POST', '/api/me/authentication-methods', { body: method, token: body.data.accessToken });
    assert.equal(added.status, 201);
    const [notice, ...more] = await service.mails(user.email ?? '');
    assert.deepEqual([notice?.template, notice?.data.provider, more.length], ['method-added', 'email', 0]);
    assert.deepEqual(
      (await service.mails(method.providerId)).map(({ template }) => template),
      ['verify-email'],
    );
  });

  test('refused: nobody, an unverified person, a spent cookie, a page of another site', async () => {
    assert.equal((await connect(openBrowser(service))).status, 401);
    assert.equal((await connect(openBrowser(service), { authorization: 'Bearer nonsense' })).status, 401);
    const unverified = await registered(service, { verified: false });
    const refused = await connect(openBrowser(service), { authorization: `Bearer ${unverified.accessToken}` });
    assert.deepEqual([refused.status, refused.body.code], [403, 'EMAIL_VERIFICATION_REQUIRED']);

    const person = await registered(service);
    const browser = openBrowser(service);
    browser.cookies.set('refresh_token', person.refreshToken);
    assert.equal((await connect(browser, { 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await connect(browser, { 'sec-fetch-site': 'same-site' })).status, 403, 'a neighbour that sends no referrer');
    assert.equal((await connect(browser, { referer: 'https://evil.example/page' })).status, 403);
    assert.equal((await connect(browser, { 'sec-fetch-site': 'cross-site', referer: `${frontendUrl}/settings` })).status, 302);
    const planted = `refresh_token=${(await registered(service)).refreshToken}; refresh_token=${person.refreshToken}`;
    assert.equal((await connect(openBrowser(service), { cookie: planted })).status, 401, 'a neighbour’s cookie beside one’s own');
    await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: person.refreshToken } });
    assert.equal((await connect(browser)).status, 401);
  });

  test('an identity belongs to one person, and a person has one of a provider [spec:methods.9 spec:methods.10]', async () => {
    const taken = providerUser();
    await registeredAt(taken);
    const person = await registered(service);
    const add = async (user: FakeUser) => {
      const browser = openBrowser(service);
      const { location } = await connect(browser, { authorization: `Bearer ${person.accessToken}` });
      return (await browser.get(pathOf(await service.provider.approve(location.href, user)))).location;
    };
    assert.equal((await add(taken)).searchParams.get('error'), 'identity_taken');
    const own = providerUser();
    assert.equal((await add(own)).searchParams.get('connected'), 'codehost');
    assert.equal((await add(own)).searchParams.get('connected'), 'codehost');
    assert.equal((await add(providerUser())).searchParams.get('error'), 'method_exists');
  });

  test('a session that ended on the way adds nothing', async () => {
    const person = await registered(service);
    const browser = openBrowser(service);
    const { location } = await connect(browser, { authorization: `Bearer ${person.accessToken}` });
    const back = await service.provider.approve(location.href, providerUser());
    await service.ask('POST', '/api/me/logout', { token: person.accessToken });
    assert.equal((await browser.get(pathOf(back))).location.searchParams.get('error'), 'session_ended');
  });
});

describe('each parameter tampered', () => {
  const invalid = `${landing}?error=invalid_state`;

  async function underWay(query = '') {
    const user = providerUser();
    await registeredAt(user);
    const browser = openBrowser(service);
    const { location } = await browser.get(`${start}${query}`);
    return { browser, authorization: location, back: await service.provider.approve(location.href, user), user };
  }

  test('state: missing, unknown, twice, replayed, of another browser [spec:signin.1 spec:oauth-state.1]', async () => {
    const { browser, back } = await underWay('?redirect=http://127.0.0.1:4567/');
    assert.equal((await browser.get(pathOf(withParameter(back, 'state')))).location.href, invalid);
    assert.equal((await browser.get(pathOf(withParameter(back, 'state', 'A'.repeat(43))))).location.href, invalid);
    assert.equal((await browser.get(`${pathOf(back)}&state=x`)).location.href, invalid);
    assert.equal((await browser.get(pathOf(back))).location.port, '4567');
    assert.equal((await browser.get(pathOf(back))).location.href, invalid);

    const stolen = await underWay('?redirect=http://127.0.0.1:4567/');
    assert.equal((await openBrowser(service).get(pathOf(stolen.back))).location.href, invalid, 'login CSRF');
    assert.equal((await stolen.browser.get(pathOf(stolen.back))).location.href, invalid, 'and the flow is over');
    const refusals = await service.auditOf('oauth.callback');
    assert.deepEqual(new Set(refusals.map(({ code }) => code)), new Set(['invalid_state']));
    assert.ok(refusals.some(({ detail }) => detail.reason === 'browser'));
  });

  test('state: too old', async (t) => {
    const hasty = await startOauth({ OAUTH_STATE_TTL_SECONDS: '1' });
    t.after(() => hasty.stop());
    const browser = openBrowser(hasty);
    const { location } = await browser.get(start);
    const back = await hasty.provider.approve(location.href, providerUser());
    await sleep(1_100);
    const end = await browser.get(pathOf(back));
    assert.equal(end.location.href, invalid);
  });

  test('one-time code: too old', async (t) => {
    const hasty = await startOauth({ OAUTH_CODE_TTL_SECONDS: '1' });
    t.after(() => hasty.stop());
    const browser = openBrowser(hasty);
    const { location } = await browser.get(`${start}?action=register`);
    const end = await browser.get(pathOf(await hasty.provider.approve(location.href, providerUser())));
    await sleep(1_100);
    const late = await exchange(browser, end.location.searchParams.get('code'));
    assert.equal(late.status, 400);
  });

  test('code: missing, unknown, replayed, of another flow (PKCE)', async () => {
    const error = async (browser: Browser, back: string | URL) => (await browser.get(pathOf(back))).location.searchParams.get('error');
    const missing = await underWay();
    assert.equal(await error(missing.browser, withParameter(missing.back, 'code')), 'access_denied');
    const unknown = await underWay();
    assert.equal(await error(unknown.browser, withParameter(unknown.back, 'code', 'unknown')), 'access_denied');

    const used = await underWay();
    assert.equal(await error(used.browser, used.back), null);
    const next = await used.browser.get(start);
    const replay = withParameter(used.back, 'state', next.location.searchParams.get('state') ?? '');
    assert.equal(await error(used.browser, replay), 'access_denied');

    const attacker = await underWay();
    const victim = await underWay();
    const injected = withParameter(victim.back, 'code', new URL(attacker.back).searchParams.get('code') ?? '');
    assert.equal(await error(victim.browser, injected), 'access_denied', 'a code is bound to the verifier of its own flow');
  });

  test('iss: of another provider (mix-up); the answer of a provider that says no, or breaks', async () => {
    const end = async (change: (back: URL) => URL) => {
      const { browser, back } = await underWay();
      return (await browser.get(pathOf(change(new URL(back))))).location.searchParams.get('error');
    };
    assert.equal(await end((back) => withParameter(back, 'iss', 'https://evil.example')), 'access_denied');
    assert.equal(await end((back) => withParameter(back, 'iss')), null);
    assert.equal(await end((back) => withParameter(back, 'error', 'access_denied')), 'access_denied');
    assert.equal(await end((back) => withParameter(back, 'id_token', 'x.y.z')), 'access_denied');
    const { browser, back } = await underWay();
    service.provider.failWith(503);
    const broken = await browser.get(pathOf(back)).finally(() => service.provider.failWith(undefined));
    assert.equal(broken.location.searchParams.get('error'), 'temporarily_unavailable');
  });

  test('PKCE: a request that lost its challenge is refused by the provider, never sent on without', async () => {
    const { location } = await openBrowser(service).get(start);
    await assert.rejects(service.provider.approve(withParameter(location, 'code_challenge').href, providerUser()), /PKCE/);
    await assert.rejects(service.provider.approve(withParameter(location, 'code_challenge_method', 'plain').href, providerUser()), /PKCE/);
  });

  test('a command line may bind its code to a verifier of its own; without it the code is worth nothing', async () => {
    const user = providerUser();
    await registeredAt(user);
    const codeVerifier = 'a verifier of the command line, 43 characters or more';
    const query = `?redirect=http://127.0.0.1:4567/&codeChallenge=${createHash('sha256').update(codeVerifier).digest('base64url')}`;
    for (const [given, status] of [
      [{}, 400],
      [{ codeVerifier: 'x'.repeat(43) }, 400],
      [{ codeVerifier }, 200],
    ] as const) {
      const code = (await signIn(openBrowser(service), user, query)).searchParams.get('code');
      assert.equal((await openBrowser(service).post('/api/auth/cli-callback', { code, ...given })).status, status);
    }
    assert.equal((await openBrowser(service).get(`${start}?codeChallenge=short`)).status, 400);
  });

  test('provider swapped: the state of one is worth nothing at another', async (t) => {
    const two = await startOauth({ OAUTH_PROVIDERS: 'acme', ...providerEnv(service.provider.url, 'ACME'), ACME_PROFILE: 'openid' });
    t.after(() => two.stop());
    const browser = openBrowser(two);
    const { location } = await browser.get('/api/auth/acme');
    const back = await two.provider.approve(location.href, providerUser());
    const swapped = new URL(back);
    swapped.pathname = '/api/auth/codehost/callback';
    const end = await browser.get(pathOf(swapped));
    assert.equal(new URL(back).pathname, '/api/auth/acme/callback');
    assert.equal(end.location.href, invalid);
  });

  const notOurs = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    `${frontendUrl}.evil.example/`,
    `${frontendUrl}@evil.example/`,
    'https://app.example.com:8443/',
    'http://app.example.com/',
    'http://127.0.0.1.evil.example/',
    'http://user:pw@127.0.0.1/',
    'http://localhost.evil.example/',
    'http://169.254.169.254/',
    'https://127.0.0.1/',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://127.0.0.1/#fragment',
    'http://127.0.0.1\t.evil.example/',
    'relative',
  ];
  for (const redirect of notOurs) {
    test(`no open redirect: ${JSON.stringify(redirect)}`, async () => {
      const { status, body, headers } = await openBrowser(service).get(`${start}?redirect=${encodeURIComponent(redirect)}`);
      assert.deepEqual([status, body.code, body.extensions.field, headers.location], [400, 'VALIDATION_ERROR', 'redirect', undefined]);
    });
  }

  test('a page of the frontend is a landing; other parameters are refused', async () => {
    const user = providerUser();
    await registeredAt(user);
    const end = await signIn(openBrowser(service), user, '?redirect=/settings%3Ftab%3Dlogin');
    assert.equal(end.origin + end.pathname + end.searchParams.get('tab'), `${frontendUrl}/settingslogin`);
    for (const query of ['?action=admin', '?accountType=root', '?unknown=1', '?action=login&action=connect']) {
      assert.equal((await openBrowser(service).get(start + query)).status, 400, query);
    }
  });

  test('HEAD takes nothing', async () => {
    const { browser, back } = await underWay();
    assert.equal((await service.ask('HEAD', pathOf(back))).status, 404);
    assert.ok((await browser.get(pathOf(back))).location.searchParams.has('code'));
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
    assert.ok(service.provider.tokens.length > 0 && rows.length > 0);
    for (const token of service.provider.tokens) assert.equal(rows.includes(token) || JSON.stringify(me.body).includes(token), false);
  });
});

describe('configuration', () => {
  const refused = async (env: Readonly<Record<string, string>>, fault: RegExp) =>
    assert.rejects(() => startIdentity({ ...providerEnv(service.provider.url), ...env }), fault);

  test('half a group, an insecure address, a callback outside the base: each is named [spec:project-oauth.3]', async () => {
    await assert.rejects(() => startIdentity({ CODEHOST_CLIENT_ID: 'only this' }), /CODEHOST_CLIENT_SECRET is missing/);
    await refused({ CODEHOST_TOKEN_URL: 'http://provider.example/token' }, /CODEHOST_TOKEN_URL must begin with https/);
    await refused({ CODEHOST_CALLBACK_URL: 'https://elsewhere.example/api/auth/x' }, /CODEHOST_CALLBACK_URL must lie below/);
    await refused({ CODEHOST_PROJECT_CALLBACK_URL: `${appUrl}/api/authentic` }, /CODEHOST_PROJECT_CALLBACK_URL must lie below/);
    await refused({ OAUTH_PROVIDERS: 'acme' }, /ACME_CLIENT_ID is missing/);
    await refused({ OAUTH_PROVIDERS: 'login' }, /OAUTH_PROVIDERS holds a name/);
  });

  test('without a provider there is no such endpoint', async (t) => {
    const bare = await startIdentity();
    t.after(() => bare.stop());
    const { status, body } = await bare.ask('GET', start);
    assert.deepEqual([status, body.code], [404, 'NOT_FOUND']);
  });

  test('another provider (OpenID Connect) needs only configuration', async (t) => {
    const env = {
      OAUTH_PROVIDERS: 'acme',
      ...providerEnv(service.provider.url, 'ACME'),
      ACME_API_URL: `${service.provider.url}/api/userinfo`,
    };
    const two = await startOauth({ ...env, ACME_PROFILE: 'openid', ACME_CLIENT_AUTHENTICATION: 'basic' });
    t.after(() => two.stop());
    const browser = openBrowser(two);
    const { location } = await browser.get('/api/auth/acme?action=register');
    assert.equal(location.searchParams.get('scope'), 'openid email profile');
    const user = providerUser();
    const end = await browser.get(pathOf(await service.provider.approve(location.href, user)));
    const { body } = await exchange(browser, end.location.searchParams.get('code'));
    const me = await two.ask('GET', '/api/me', { token: body.data.accessToken });
    assert.deepEqual([me.body.data.email, me.body.data.isVerified], [user.email, true]);

    service.provider.nameInIdToken('somebody else');
    const other = await browser.get('/api/auth/acme');
    const back = await service.provider.approve(other.location.href, user);
    const mixed = await browser.get(pathOf(back)).finally(() => service.provider.nameInIdToken(undefined));
    assert.equal(mixed.location.searchParams.get('error'), 'access_denied');
  });
});
