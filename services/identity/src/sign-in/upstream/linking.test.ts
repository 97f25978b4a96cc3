import { afterAll, describe, expect, test } from '@jest/globals';
import type { FakeUser } from '../../../../../test/support/fake-provider/provider.ts';
import { type Browser, openBrowser, pathOf } from '../../testing/browser.ts';
import { frontendUrl, providerUser, startOauth } from '../../testing/oauth.ts';
import { exchange, landing, platformOf, start } from '../../testing/platform.ts';
import { type Ask, claimsOf, goodPassword, registered } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { registeredAt, signIn } = platformOf(service);

describe('linking and accounts', () => {
  test('an address verified on both sides links; the person can then sign in either way [spec:methods.9]', async () => {
    const { email, userId } = await registered(service);
    const user = providerUser({ email });
    const browser = openBrowser(service);
    const end = await signIn(browser, user, '?action=login');
    const { body } = await exchange(browser, end.searchParams.get('code'));
    expect(claimsOf(body.data.accessToken).sub).toBe(userId);
    const methods = await service.ask('GET', '/api/me/authentication-methods', { token: body.data.accessToken });
    const shown = methods.body.data.items.map((method: Record<string, unknown>) => [
      method.provider,
      method.isPrimary,
      'providerData' in method,
    ]);
    expect(shown).toStrictEqual([
      ['email', true, false],
      ['codehost', false, false],
    ]);
    const password = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
    expect((await service.ask('POST', '/api/auth/login', { body: password })).status).toBe(200);
    const notice = (await service.mails(email, 2)).find(({ template }) => template === 'method-added');
    // The owner hears of it.
    expect(notice?.data.provider).toBe('codehost');
    const audited = (await service.auditOf('authentication-method.created')).filter(({ actor_id }) => actor_id === userId);
    expect(audited.map(({ detail }) => detail.provider)).toStrictEqual(['codehost']);
  });

  test('pre-hijacking: an address that the other side has not verified never links', async () => {
    const squatter = await registered(service, { verified: false });
    const owner = providerUser({ email: squatter.email });
    const login = await signIn(openBrowser(service), owner, '?action=login');
    expect(login.searchParams.get('error')).toBe('account_not_found');
    const own = await registeredAt(owner);
    expect(own.userId).not.toBe(squatter.userId);

    const victim = await registered(service);
    const impostor = providerUser({ email: victim.email, verified: false });
    const claimed = await signIn(openBrowser(service), impostor, '?action=login');
    expect(claimed.searchParams.get('error')).toBe('account_not_found');
    const made = await registeredAt(impostor);
    expect(made.userId).not.toBe(victim.userId);
    expect(claimsOf(made.accessToken).isVerified).toBe(false);
  });

  test('an address that only folds into another one is not that one: the Kelvin sign is no k', async () => {
    const kim = await registered(service, { name: 'kim' });
    const impostor = providerUser({ email: kim.email.replace('k', '\u212a') });
    const login = await signIn(openBrowser(service), impostor, '?action=login');
    expect(login.searchParams.get('error')).toBe('account_not_found');
  });

  test('an address that the provider verifies later counts from the next sign-in, and stays verified', async () => {
    const user = providerUser({ verified: false });
    const { userId } = await registeredAt(user);
    for (const verified of [true, false]) {
      const browser = openBrowser(service);
      const end = await signIn(browser, { ...user, verified });
      const { body } = await exchange(browser, end.searchParams.get('code'));
      expect(claimsOf(body.data.accessToken).isVerified).toBe(true);
    }
    const told = service.peers.events.filter(({ event }) => event.type === 'user.updated' && event.key === userId);
    // The others hear of it once.
    expect(told.map(({ event }) => JSON.parse(event.payloadJson).isVerified)).toStrictEqual([true]);
  });

  test('an address that the provider only claims does not take the place of one that it has proven', async () => {
    const user = providerUser();
    const { accessToken: token } = await registeredAt(user);
    await signIn(openBrowser(service), { ...user, email: `other.${user.email}`, verified: false });
    const me = await service.ask('GET', '/api/me', { token });
    expect(me.body.data.email).toBe(user.email);
  });

  test('a second identity of one provider with the same proven address does not come in beside the first', async () => {
    const first = providerUser();
    await registeredAt(first);
    const second = providerUser({ email: first.email });
    expect((await signIn(openBrowser(service), second, '?action=login')).searchParams.get('error')).toBe('method_exists');
    expect((await signIn(openBrowser(service), second, '?action=register')).searchParams.get('error')).toBe('account_exists');
  });

  test('login creates no person, and register refuses a known one', async () => {
    const user = providerUser();
    const login = await signIn(openBrowser(service), user, '?action=login');
    expect([login.href, await service.auditOf('oauth.login').then((rows) => rows.at(-1)?.code)]).toStrictEqual([
      `${landing}?error=account_not_found`,
      'account_not_found',
    ]);
    await registeredAt(user);
    expect((await signIn(openBrowser(service), user, '?action=register')).searchParams.get('error')).toBe('account_exists');
    const { email } = await registered(service);
    const sameAddress = await signIn(openBrowser(service), providerUser({ email }), '?action=register');
    expect(sameAddress.searchParams.get('error')).toBe('account_exists');
  });

  test('ten registrations of one identity at once make one person', async () => {
    const user = providerUser();
    const ends = await Promise.all(Array.from({ length: 10 }, () => signIn(openBrowser(service), user, '?action=register')));
    expect(ends.filter((end) => end.searchParams.has('code'))).toHaveLength(1);
    expect(ends.filter((end) => end.searchParams.get('error') === 'account_exists')).toHaveLength(9);
  });

  test('who was deleted comes back neither by login nor by register', async () => {
    const user = providerUser();
    const { userId } = await registeredAt(user);
    await service.deliver('accounts.closed', { userId, hard: false });
    for (const action of ['login', 'register']) {
      const end = await signIn(openBrowser(service), user, `?action=${action}`);
      expect(String(end.searchParams.get('error'))).toMatch(/^account_(not_found|exists)$/);
    }
  });

  test('a provider without an address signs in too, unverified', async () => {
    const { accessToken } = await registeredAt(providerUser({ email: null, verified: false }));
    expect(claimsOf(accessToken).isVerified).toBe(false);
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
    expect(end.href).toBe(`${landing}?connected=codehost`);
    const browser = openBrowser(service);
    const signedIn = await signIn(browser, user);
    const { body } = await exchange(browser, signedIn.searchParams.get('code'));
    expect(claimsOf(body.data.accessToken).sub).toBe(person.userId);
    const notice = (await service.mails(person.email, 2)).find(({ template }) => template === 'method-added');
    // The owner hears of it.
    expect(notice?.data.provider).toBe('codehost');

    const other = await registered(service);
    const byCookie = openBrowser(service);
    byCookie.cookies.set('refresh_token', other.refreshToken);
    const visit = await connect(byCookie);
    const connected = await byCookie.get(pathOf(await service.provider.approve(visit.location.href, providerUser())));
    expect(connected.location.searchParams.get('connected')).toBe('codehost');
    const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: other.refreshToken } });
    // The cookie was looked at, not spent.
    expect(refreshed.status).toBe(200);
  });

  test('a password that is added is told to the owner, at the address that the provider vouches for', async () => {
    const user = providerUser();
    const browser = openBrowser(service);
    const end = await signIn(browser, user, '?action=register');
    const { body } = await exchange(browser, end.searchParams.get('code'));
    const method = { provider: 'email', providerId: `added.${user.email}`, providerData: { password: goodPassword } };
    const added = await service.ask('POST', '/api/me/authentication-methods', { body: method, token: body.data.accessToken });
    expect(added.status).toBe(201);
    const [notice, ...more] = await service.mails(user.email ?? '');
    expect([notice?.template, notice?.data.provider, more.length]).toStrictEqual(['method-added', 'email', 0]);
    expect((await service.mails(method.providerId)).map(({ template }) => template)).toStrictEqual(['verify-added-address']);
  });

  test('connect refuses anonymous and unverified callers, a spent cookie and a page of another site', async () => {
    expect((await connect(openBrowser(service))).status).toBe(401);
    expect((await connect(openBrowser(service), { authorization: 'Bearer nonsense' })).status).toBe(401);
    const unverified = await registered(service, { verified: false });
    const refused = await connect(openBrowser(service), { authorization: `Bearer ${unverified.accessToken}` });
    expect([refused.status, refused.body.code]).toStrictEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
    const byCookie = openBrowser(service);
    byCookie.cookies.set('refresh_token', unverified.refreshToken);
    expect((await connect(byCookie)).body.code).toBe('EMAIL_VERIFICATION_REQUIRED');

    const person = await registered(service);
    const browser = openBrowser(service);
    browser.cookies.set('refresh_token', person.refreshToken);
    expect((await connect(browser, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    // A neighbour that sends no referrer.
    expect((await connect(browser, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    // A link in a mail.
    expect((await connect(browser, { 'sec-fetch-site': 'none' })).status).toBe(403);
    expect((await connect(browser, { 'sec-fetch-site': 'same-origin' })).status).toBe(302);
    expect((await connect(browser, { referer: 'https://evil.example/page' })).status).toBe(403);
    expect((await connect(browser, { 'sec-fetch-site': 'cross-site', referer: `${frontendUrl}/settings` })).status).toBe(302);
    const planted = `refresh_token=${(await registered(service)).refreshToken}; refresh_token=${person.refreshToken}`;
    // A neighbour’s cookie beside one’s own.
    expect((await connect(openBrowser(service), { cookie: planted })).status).toBe(401);
    await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: person.refreshToken } });
    expect((await connect(browser)).status).toBe(401);
  });

  test('a copied refresh cookie connects and confirms from the device that holds the session only, and a refresh moves it', async () => {
    const person = await registered(service);
    const begin = async (device: Ask, cookie: string, action: string) => {
      const browser = openBrowser(service, device);
      browser.cookies.set('refresh_token', cookie);
      return (await browser.get(`${start}?action=${action}`)).status;
    };
    const moved = { ip: '192.0.2.78' };
    for (const action of ['connect', 'confirm']) {
      expect(await begin({}, person.refreshToken, action)).toBe(302);
      expect(await begin({ userAgent: 'another device' }, person.refreshToken, action)).toBe(401);
      expect(await begin(moved, person.refreshToken, action)).toBe(401);
    }
    const refreshed = await service.ask('POST', '/api/auth/refresh', { ...moved, body: { refreshToken: person.refreshToken } });
    const { refreshToken } = refreshed.body.data;
    for (const action of ['connect', 'confirm']) {
      expect(await begin(moved, refreshToken, action)).toBe(302);
      expect(await begin({}, refreshToken, action)).toBe(401);
    }
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
    expect((await add(taken)).searchParams.get('error')).toBe('identity_taken');
    const own = providerUser();
    expect((await add(own)).searchParams.get('connected')).toBe('codehost');
    expect((await add(own)).searchParams.get('connected')).toBe('codehost');
    expect((await add(providerUser())).searchParams.get('error')).toBe('method_exists');
  });

  test('a session that ended on the way adds nothing', async () => {
    const person = await registered(service);
    const browser = openBrowser(service);
    const { location } = await connect(browser, { authorization: `Bearer ${person.accessToken}` });
    const back = await service.provider.approve(location.href, providerUser());
    await service.ask('POST', '/api/me/logout', { token: person.accessToken });
    expect((await browser.get(pathOf(back))).location.searchParams.get('error')).toBe('session_ended');
  });
});
