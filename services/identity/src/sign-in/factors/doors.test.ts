/** Every way in that a first factor opens, tried by a person who has a second one. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { setPrimaryMethod } from '../../people/storage/authentication-methods.ts';
import { type Browser, openBrowser, pathOf } from '../../testing/browser.ts';
import { codeOf, firstFactor, secondFactor, withTotp } from '../../testing/factors.ts';
import { frontendUrl, providerUser, startOauth } from '../../testing/oauth.ts';
import { exchange, loopback, platformOf, program, start } from '../../testing/platform.ts';
import { fragmentOf, projectsOf, refused, requestOf } from '../../testing/project.ts';
import { addMethod, claimsOf, goodPassword, login, registered } from '../../testing/service.ts';

const service = await startOauth();
const { signIn, registeredAt } = platformOf(service);
const { linkIn, makeApp, member, requestLink } = await projectsOf(service);

/** A person of the provider with an authenticator app. */
async function providerPerson() {
  const user = providerUser();
  const tokens = await registeredAt(user);
  return { user, ...(await withTotp(service, { ...tokens, email: user.email })) };
}

/** Makes the last proof of a session older than operations that ask for a fresh one accept. */
async function age(accessToken: string): Promise<void> {
  const text = `UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE id = $1`;
  await service.database.query(sql(text), [claimsOf(accessToken)['jti']]);
}

/** What the page of the second factor gets in its fragment. */
function waitingIn(location: URL): { token: string; methods: string } {
  expect(location.origin + location.pathname).toBe(`${frontendUrl}/auth/second-factor`);
  const { token = '', methods = '' } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return { token, methods };
}

describe('doors', () => {
  afterAll(async () => service.stop());

  test('sign-in at a provider: the exchange of the code gives no tokens and no cookie, until the code of the app comes', async () => {
    const { user, secret } = await providerPerson();
    for (const isProgram of [false, true]) {
      const browser = openBrowser(service, { userAgent: 'second device' });
      const end = await signIn(browser, user, isProgram ? loopback('http://127.0.0.1:4567/done') : '');
      const answer = await exchange(browser, end.searchParams.get('code'), {}, isProgram ? program : {});
      expect(Object.keys(answer.body.data)).toStrictEqual(['secondFactor']);
      expect(browser.cookies.has('refresh_token')).toBe(false);
      expect((await exchange(browser, end.searchParams.get('code'))).status).toBe(400);
      const { token } = answer.body.data.secondFactor;
      expect((await secondFactor(service, { token, method: 'totp', code: '000000' })).status).toBe(401);
      const { status, body } = await secondFactor(service, { token, method: 'totp', code: codeOf(secret, isProgram ? 1 : 0) });
      expect([status, claimsOf(body.data.accessToken)]).toMatchObject([200, { acr: 'aal2', amr: ['fed', 'otp', 'mfa'] }]);
    }
  });

  describe('an app of a project', () => {
    type App = Awaited<ReturnType<typeof makeApp>>;
    type Way = (browser: Browser, app: App, person: Awaited<ReturnType<typeof providerPerson>>) => Promise<URL>;
    const ways: Record<string, Way> = {
      'the fragment flow': async (browser, app, { user }) => {
        const { location } = await browser.get(requestOf(app, { provider: 'codehost' }));
        return (await browser.get(pathOf(await service.provider.approve(location.href, user)))).location;
      },
      'a magic link': async (browser, app, { email }) => {
        await requestLink(app, email);
        return (await browser.get(pathOf(await linkIn(email, 2)))).location;
      },
    };
    for (const [name, way] of Object.entries(ways))
      test(`${name}: no token reaches the app before the second factor, which is good once`, async () => {
        const [app, browser] = [await makeApp(), openBrowser(service)];
        const person = await providerPerson();
        member(app, person.userId);
        const { token, methods } = waitingIn(await way(browser, app, person));
        expect(methods.split(',').toSorted()).toStrictEqual(['recoveryCode', 'totp']);
        expect((await secondFactor(service, { token, method: 'totp', code: '000000' })).status).toBe(401);
        const code = codeOf(person.secret);
        const answers = await Promise.all([1, 2, 3].map(() => secondFactor(service, { token, method: 'totp', code })));
        const right = answers.filter(({ status }) => status === 200);
        expect(right).toHaveLength(1);
        expect(Object.keys(right[0]?.body.data)).toStrictEqual(['redirectTo']);
        const landed = await browser.get(pathOf(right[0]?.body.data.redirectTo));
        expect(claimsOf(String(fragmentOf(landed)['access_token']))['sub']).toBe(person.userId);
        expect((await browser.get(pathOf(right[0]?.body.data.redirectTo))).status).toBe(400);
      });
  });

  test('a sign-in to an app that began at a provider ends in no other browser, also with the right code', async () => {
    const [app, browser, person] = [await makeApp(), openBrowser(service), await providerPerson()];
    member(app, person.userId);
    const { location } = await browser.get(requestOf(app, { provider: 'codehost' }));
    const { token } = waitingIn((await browser.get(pathOf(await service.provider.approve(location.href, person.user)))).location);
    const { body } = await secondFactor(service, { token, method: 'totp', code: codeOf(person.secret) });
    const elsewhere = await openBrowser(service).get(pathOf(body.data.redirectTo));
    expect([elsewhere.status, elsewhere.headers.location]).toStrictEqual([400, undefined]);
  });

  test('a sign-in to an app whose way to sign in is removed after the factor gives no token', async () => {
    const [app, browser, person] = [await makeApp(), openBrowser(service), await providerPerson()];
    member(app, person.userId);
    const { location } = await browser.get(requestOf(app, { provider: 'codehost' }));
    const { token } = waitingIn((await browser.get(pathOf(await service.provider.approve(location.href, person.user)))).location);
    const { body } = await secondFactor(service, { token, method: 'totp', code: codeOf(person.secret) });
    const own = { token: person.accessToken };
    const [method] = (await service.ask('GET', '/api/me/authentication-methods', own)).body.data.items;
    const primary = await addMethod(service, person.userId, 'other');
    await service.database.transaction((tx) => setPrimaryMethod(tx, person.userId, primary, new Date()));
    expect((await service.ask('DELETE', `/api/me/authentication-methods/${method.id}`, own)).status).toBe(200);
    expect(fragmentOf(await browser.get(pathOf(body.data.redirectTo)))).toStrictEqual(refused);
  });

  test('a sign-in to an app whose way to sign in is removed at this moment gives no token without the factor', async () => {
    const [app, browser, person] = [await makeApp(), openBrowser(service), await providerPerson()];
    member(app, person.userId);
    const { location } = await browser.get(requestOf(app, { provider: 'codehost' }));
    const back = pathOf(await service.provider.approve(location.href, person.user));
    const on = (text: string) => service.database.query(sql(text));
    // Gone right after the sign-in has found it; another one is the primary method.
    const primary = await addMethod(service, person.userId, 'other');
    await service.database.transaction((tx) => setPrimaryMethod(tx, person.userId, primary, new Date()));
    await on(`CREATE FUNCTION remove_method() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN DELETE FROM authentication_methods WHERE id = NEW.id; RETURN NULL; END'`);
    await on(`CREATE CONSTRAINT TRIGGER remove_method AFTER UPDATE ON authentication_methods INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.user_id = '${person.userId}') EXECUTE FUNCTION remove_method()`);
    const landed = await browser.get(back);
    await on('DROP TRIGGER remove_method ON authentication_methods');
    expect(fragmentOf(landed)).toStrictEqual(refused);
  });

  test('another address at the provider is not taken over before the second factor: the owner is told of a recovery', async () => {
    const { user, refreshToken } = await providerPerson();
    const thief = { ...user, email: `thief.${newId()}@example.com` };
    const browser = openBrowser(service, { userAgent: 'second device' });
    const { body } = await exchange(browser, (await signIn(browser, thief)).searchParams.get('code'));
    const { token } = body.data.secondFactor;
    expect((await service.ask('POST', '/api/auth/recovery', { body: { token } })).status).toBe(200);
    expect((await service.mails(String(user.email), 2)).map(({ template }) => template)).toContain('recovery-started');
    expect(await service.mails(thief.email, 0)).toStrictEqual([]);
    // A person who is signed in takes it over by connecting the provider again.
    const own = openBrowser(service);
    own.cookies.set('refresh_token', refreshToken);
    expect((await signIn(own, thief, '?action=connect')).searchParams.get('connected')).toBe('codehost');
    const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken } });
    const me = await service.ask('GET', '/api/me', { token: refreshed.body.data.accessToken });
    expect(me.body.data.email).toBe(thief.email);
  });

  test('GraphQL: a batch of documents and many aliases give no tokens', async () => {
    const { email } = await withTotp(service);
    const input = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
    const fields = Array.from({ length: 5 }, (_, at) => `a${at}: login(input: $input) { accessToken refreshToken }`).join(' ');
    const { body, cookie } = await service.graphql(`mutation($input: LoginInput!) { ${fields} }`, { input });
    const none = { accessToken: null, refreshToken: null };
    expect(body.data).toStrictEqual({ a0: none, a1: none, a2: none, a3: none, a4: none });
    const one = { query: 'mutation($input: LoginInput!) { login(input: $input) { accessToken } }', variables: { input } };
    const batch = await service.ask('POST', '/graphql', { body: [one, one] });
    expect([batch.status, cookie, batch.cookie]).toStrictEqual([400, undefined, undefined]);
  });

  test('of 30 aliases with a wrong code five are judged, and the token has ended', async () => {
    const { email, secret } = await withTotp(service);
    const { token } = await firstFactor(service, email);
    const input = { token, method: 'totp', code: '000000' };
    const fields = Array.from({ length: 30 }, (_, at) => `a${at}: completeSecondFactor(input: $input) { accessToken }`).join(' ');
    await service.graphql(`mutation($input: CompleteSecondFactorInput!) { ${fields} }`, { input });
    const [{ count } = { count: 0 }] = await service.database.query<{ count: number }>(
      sql('SELECT count(*)::int AS count FROM wrong_proofs p JOIN authentication_methods m ON m.user_id = p.user_id WHERE m.email = $1'),
      [email],
    );
    expect(count).toBe(5);
    expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret) })).status).toBe(400);
  });

  test('a refresh raises nothing: a session from before the factor has ended, one of aal2 stays so', async () => {
    const person = await registered(service);
    const before = (await login(service, person.email, { userAgent: 'from before' })).body.data;
    const { refreshToken } = await withTotp(service, person);
    const ended = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: before.refreshToken }, userAgent: 'from before' });
    expect(ended.status).toBe(401);
    const kept = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken } });
    expect(claimsOf(kept.body.data.accessToken)).toMatchObject({ acr: 'aal2' });
  });

  describe('a provider confirms', () => {
    const confirmAt = async (browser: Browser, user: ReturnType<typeof providerUser>) =>
      (await signIn(browser, user, '?action=confirm')).searchParams.get('confirmation');
    async function browserOf(user: ReturnType<typeof providerUser>) {
      const browser = openBrowser(service);
      const end = await signIn(browser, user, '?action=register');
      const { body } = await exchange(browser, end.searchParams.get('code'));
      return { browser, accessToken: String(body.data.accessToken) };
    }

    test('a stale session becomes fresh, with a code that is good once and for this session alone', async () => {
      const user = providerUser();
      const { browser, accessToken } = await browserOf(user);
      await age(accessToken);
      const code = await confirmAt(browser, user);
      const other = await registered(service);
      const confirm = (token: string) => service.ask('POST', '/api/auth/confirm', { token, body: { method: 'provider', code } });
      expect((await confirm(other.accessToken)).status).toBe(400);
      expect((await confirm(accessToken)).status).toBe(400);
      const second = await confirmAt(browser, user);
      const fresh = await service.ask('POST', '/api/auth/confirm', { token: accessToken, body: { method: 'provider', code: second } });
      expect([fresh.status, claimsOf(fresh.body.data.accessToken)['amr']]).toStrictEqual([200, ['fed']]);
      // It signs in nowhere.
      const third = await confirmAt(browser, user);
      expect((await exchange(openBrowser(service), third)).status).toBe(400);
    });

    test('another identity at the provider is refused, and with a factor enrolled the provider alone does not confirm', async () => {
      const user = providerUser();
      const { browser, accessToken } = await browserOf(user);
      const refused = await signIn(browser, providerUser(), '?action=confirm');
      expect(Object.fromEntries(refused.searchParams)).toStrictEqual({ error: 'access_denied' });
      const { sub } = claimsOf(accessToken);
      await withTotp(service, { email: String(user.email), userId: String(sub), accessToken, refreshToken: '' });
      const code = await confirmAt(browser, user);
      const answer = await service.ask('POST', '/api/auth/confirm', { token: accessToken, body: { method: 'provider', code } });
      expect([answer.status, answer.body.code]).toStrictEqual([403, 'SECOND_FACTOR_REQUIRED']);
    });
  });

  test('connecting a provider needs a fresh sign-in', async () => {
    const person = await registered(service);
    await age(person.accessToken);
    const refreshed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: person.refreshToken } });
    const token = refreshed.body.data.accessToken;
    const { status, body } = await service.ask('GET', `${start}?action=connect`, { token });
    expect([status, body.code]).toStrictEqual([403, 'FRESH_SIGN_IN_REQUIRED']);
    const confirmed = await service.ask('POST', '/api/auth/confirm', { token, body: { method: 'password', password: goodPassword } });
    const fresh = await service.ask('GET', `${start}?action=connect`, { token: confirmed.body.data.accessToken });
    expect(fresh.status).toBe(302);
  });
});
