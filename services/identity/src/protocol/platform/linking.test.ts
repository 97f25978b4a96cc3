import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { FakeUser } from '../../../../../test/fake-provider/provider.ts';
import { type Browser, openBrowser, pathOf } from '../../testing/browser.ts';
import { frontendUrl, providerUser, startOauth } from '../../testing/oauth.ts';
import { exchange, landing, platformOf, start } from '../../testing/platform.ts';
import { claimsOf, goodPassword, registered } from '../../testing/service.ts';

const service = await startOauth();
after(() => service.stop());
const { registeredAt, signIn } = platformOf(service);

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
    const { userId } = await registeredAt(user);
    for (const verified of [true, false]) {
      const browser = openBrowser(service);
      const end = await signIn(browser, { ...user, verified });
      const { body } = await exchange(browser, end.searchParams.get('code'));
      assert.equal(claimsOf(body.data.accessToken).isVerified, true);
    }
    const told = service.peers.events.filter(({ event }) => event.type === 'user.updated' && event.key === userId);
    assert.deepEqual(
      told.map(({ event }) => JSON.parse(event.payloadJson).isVerified),
      [true],
      'the others hear of it once',
    );
  });

  test('an address that the provider only claims does not take the place of one that it has proven', async () => {
    const user = providerUser();
    const { accessToken: token } = await registeredAt(user);
    await signIn(openBrowser(service), { ...user, email: `other.${user.email}`, verified: false });
    const me = await service.ask('GET', '/api/me', { token });
    assert.equal(me.body.data.email, user.email);
  });

  test('a second identity of one provider with the same proven address does not come in beside the first', async () => {
    const first = providerUser();
    await registeredAt(first);
    const second = providerUser({ email: first.email });
    assert.equal((await signIn(openBrowser(service), second, '?action=login')).searchParams.get('error'), 'method_exists');
    assert.equal((await signIn(openBrowser(service), second, '?action=register')).searchParams.get('error'), 'account_exists');
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
    const byCookie = openBrowser(service);
    byCookie.cookies.set('refresh_token', unverified.refreshToken);
    assert.equal((await connect(byCookie)).body.code, 'EMAIL_VERIFICATION_REQUIRED');

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
