/** Sign-in to apps by OpenID Connect: a person in a real browser, and a foreign client. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import * as openid from 'openid-client';
import type { Page } from 'playwright-core';
import { look, skip } from '../../support/browser/browser.ts';
import {
  fillRegistration,
  follow,
  heading,
  linkTo,
  newAddress,
  open,
  password,
  press,
  register,
  shareStack,
  signIn,
  signIns,
} from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { dataOf } from '../../support/world.ts';

shareStack();

type Shop = Awaited<ReturnType<ReturnType<typeof signIns>['createShop']>>;
type WebApp = { readonly clientId: string; readonly clientSecret: string; readonly id: string };

function issuerOfShop({ project }: Shop): string {
  return issuerOf(signIns().stack.url, project);
}

async function createWebApp(shop: Shop, redirectUri: string, changes: object = {}): Promise<WebApp> {
  const app = { type: 'web', redirectUris: [redirectUri], scopes: ['order:read'], ...changes };
  return { clientSecret: '', ...(await shop.createApp(app)) };
}

/** An app on openid-client: `/` begins a sign-in, `/cb` ends it and shows who came. */
async function serveApp(cleanup: AsyncDisposableStack, scope: string) {
  const state: { config?: openid.Configuration; tokens?: openid.TokenEndpointResponse; verifier: string; state: string } = {
    verifier: openid.randomPKCECodeVerifier(),
    state: openid.randomState(),
  };
  const server = createServer((request, response) => {
    void answer(new URL(request.url ?? '/', url)).then(
      ({ location, text = '' }) =>
        response.writeHead(location === undefined ? 200 : 302, { 'content-type': 'text/html', ...(location && { location }) }).end(text),
      (error: Error) => response.writeHead(500, { 'content-type': 'text/html' }).end(`<h1>${error.message}</h1>`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirectUri = `${url}/cb`;

  async function answer(asked: URL): Promise<{ location?: string; text?: string }> {
    const { config } = state;
    if (config === undefined) throw new Error('not configured');
    if (asked.pathname === '/bye') return { text: '<h1>Bye</h1>' };
    if (asked.pathname === '/cb') {
      if (asked.searchParams.has('error')) return { text: `<h1>Refused: ${asked.searchParams.get('error')}</h1>` };
      state.tokens = await openid.authorizationCodeGrant(config, asked, { pkceCodeVerifier: state.verifier, expectedState: state.state });
      const { email } = await openid.fetchUserInfo(config, state.tokens.access_token, openid.skipSubjectCheck);
      return { text: `<h1>Hello ${email}</h1>` };
    }
    const challenge = await openid.calculatePKCECodeChallenge(state.verifier);
    const more = Object.fromEntries(asked.searchParams);
    const query = {
      redirect_uri: redirectUri,
      scope,
      state: state.state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...more,
    };
    return { location: openid.buildAuthorizationUrl(config, query).href };
  }

  async function configure(issuer: string, { clientId, clientSecret }: WebApp) {
    const options = { execute: [openid.allowInsecureRequests] };
    state.config = await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
    return state.config;
  }
  return { url, redirectUri, state, configure };
}

async function shownHeading(page: Page): Promise<string> {
  return page.getByRole('heading', { level: 1 }).innerText();
}

testUnless(skip)('who signs up for an app returns to it: by the mail alone, and in the tab that waits', async () => {
  await using cleanup = new AsyncDisposableStack();
  await register(await open()); // the first visitor of all is greeted instead
  const shop = await signIns().createShop();
  const app = await serveApp(cleanup, 'openid email');
  await app.configure(issuerOfShop(shop), await createWebApp(shop, app.redirectUri));

  for (const way of ['the mail alone', 'the tab that waits'] as const) {
    const { page, context, complaints } = await open();
    const address = newAddress();
    await page.goto(app.url);
    await heading(page, 'Sign in to Shop');
    await follow(page, 'Create account');
    await heading(page, 'Create your account for Shop');
    expect(await page.getByText('What is the account for?').count()).toBe(0);
    // What the app needs, and nothing else.
    const asked = page.locator('form').first().locator('input');
    expect(await Promise.all((await asked.all()).map((input) => input.getAttribute('autocomplete')))).toStrictEqual([
      ...(['name', 'username', 'new-password'] as const),
    ]);
    if (way === 'the mail alone') await look(page, '42-openid-sign-up');
    await fillRegistration(page, address);
    if (way === 'the mail alone') await page.goto('about:blank');
    const mailed = way === 'the mail alone' ? page : await context.newPage();
    const link = await linkTo(address, 'verify-email');
    await mailed.goto(link);
    expect(mailed.url()).not.toContain('token');
    await press(mailed, 'Confirm address');
    await heading(mailed, 'Your address is confirmed');
    if (way === 'the mail alone') {
      await page.getByRole('button', { name: 'Continue to Shop' }).waitFor();
      await look(page, '43-openid-signed-up');
      await press(page, 'Continue to Shop');
    }
    await heading(page, 'Allow Shop?');
    await press(page, 'Allow');
    await heading(page, `Hello ${address}`);
    await mailed.goto(link);
    await press(mailed, 'Confirm address');
    await expectWayToShop(mailed, app.url, 'This link no longer works');
    expect(complaints).toStrictEqual([]);
  }
});

/** The page names the app and leads to it, and to nothing of the platform. */
async function expectWayToShop(page: Page, url: string, title: string): Promise<void> {
  await heading(page, title);
  expect(await page.getByRole('link', { name: 'Open Shop' }).getAttribute('href')).toBe(url);
  // A name can be any; the host tells where the button leads.
  expect(await page.getByText(new URL(url).host, { exact: true }).count()).toBe(1);
  expect(await page.locator('a[href^="/console"], a[href^="/auth"], a[href="/"]').count()).toBe(0);
  expect(await page.getByRole('button', { name: /Continue as|^Sign in$/ }).count()).toBe(0);
}

testUnless(skip)(
  'who signs up for an app and opens the mail on another device confirms there, and goes on in the first browser alone',
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const shop = await signIns().createShop();
    const app = await serveApp(cleanup, 'openid email');
    await app.configure(issuerOfShop(shop), await createWebApp(shop, app.redirectUri));
    const [computer, phone, stranger] = [await open(), await open(), await open()];
    const address = newAddress();
    await computer.page.goto(app.url);
    await follow(computer.page, 'Create account');
    await fillRegistration(computer.page, address);
    const link = await linkTo(address, 'verify-email');
    const interaction = new URL(link).searchParams.get('interaction') ?? '';
    expect(interaction).not.toBe('');

    // Another browser gets nothing by the address in the mail, also when it is signed in.
    await register(stranger);
    const taken = await stranger.page.evaluate(`(async () => {
    const ask = (path, body, token) => fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data } = await (await ask('/api/auth/refresh', {})).json();
    const path = '/api/auth/interactions/${interaction}';
    const answers = [await ask(path, undefined, data.accessToken), await ask(path, { action: 'continue' }, data.accessToken)];
    return answers.map(({ status }) => status);
  })()`);
    expect(taken).toStrictEqual([404, 404]);

    await phone.page.goto(link);
    await heading(phone.page, 'Confirm your email address');
    await phone.page.getByLabel('Password', { exact: true }).fill(password);
    await press(phone.page, 'Confirm address');
    await expectWayToShop(phone.page, app.url, 'Your address is confirmed');
    await look(phone.page, '44-openid-confirmed-elsewhere');
    expect((await phone.context.cookies()).filter(({ name }) => /refresh/i.test(name))).toStrictEqual([]);

    // The window that waited goes on by itself.
    await heading(computer.page, 'Allow Shop?');
    await press(computer.page, 'Allow');
    await heading(computer.page, `Hello ${address}`);

    // A used link: on the phone, and where another person is signed in.
    for (const { page } of [phone, stranger]) {
      await page.goto(link);
      if (page === phone.page) await page.getByLabel('Password', { exact: true }).fill(password);
      await press(page, 'Confirm address');
      await expectWayToShop(page, app.url, 'This link no longer works');
    }
    await look(phone.page, '45-openid-used-link');
    await phone.page.getByRole('link', { name: 'Open Shop' }).click();
    await heading(phone.page, 'Sign in to Shop');
    for (const { complaints } of [computer, phone, stranger]) expect(complaints).toStrictEqual([]);
  },
);

testUnless(skip)('who forgot the password on the way to an app goes on to the app with the new one', async () => {
  await using cleanup = new AsyncDisposableStack();
  const address = await register(await open());
  const shop = await signIns().createShop();
  const app = await serveApp(cleanup, 'openid email');
  await app.configure(issuerOfShop(shop), await createWebApp(shop, app.redirectUri));
  const [computer, phone] = [await open(), await open()];
  const wanted = async (after: number) => {
    await computer.page.goto(app.url);
    await heading(computer.page, 'Sign in to Shop');
    await follow(computer.page, 'Forgot your password?');
    await computer.page.getByLabel('Email address').fill(address);
    await press(computer.page, 'Send the link');
    await heading(computer.page, 'Check your inbox');
    return linkTo(address, 'reset-password', after);
  };
  const choose = async (page: Page, link: string, secret: string) => {
    await page.goto(link);
    await page.getByLabel('New password').fill(secret);
    await press(page, 'Save new password');
  };
  const first = await wanted(0);
  await choose(phone.page, first, 'Another-Horse-43');
  await expectWayToShop(phone.page, app.url, 'Your password is changed');
  await choose(phone.page, first, 'Fourth-Horse-45');
  await heading(phone.page, 'This link no longer works');
  await follow(phone.page, 'Choose a new password');
  await phone.page.getByRole('link', { name: 'Open Shop' }).waitFor();

  await choose(computer.page, await wanted(1), 'Third-Horse-44');
  await heading(computer.page, 'Your password is changed');
  await press(computer.page, 'Continue to Shop');
  await signIn(computer.page, address, 'Third-Horse-44');
  await heading(computer.page, 'Allow Shop?');
  await press(computer.page, 'Allow');
  await heading(computer.page, `Hello ${address}`);
  for (const { complaints } of [computer, phone]) expect(complaints).toStrictEqual([]);
});

testUnless(skip)('openid-client: sign-in, consent once, refusal, and a withdrawn consent ends the tokens and is asked again', async () => {
  await using cleanup = new AsyncDisposableStack();
  const address = await register(await open());
  const shop = await signIns().createShop();
  const app = await serveApp(cleanup, 'openid email profile order:read');
  const registered = await createWebApp(shop, app.redirectUri);
  const config = await app.configure(issuerOfShop(shop), registered);
  const { page, context, complaints } = await open();

  await page.goto(app.url);
  await heading(page, 'Sign in to Shop');
  await look(page, '40-openid-sign-in');
  await signIn(page, address);
  await heading(page, 'Allow Shop?');
  for (const words of ['See your email address', 'Order: read']) await page.getByText(words).waitFor();
  await look(page, '41-openid-consent');
  await press(page, 'Refuse');
  await heading(page, 'Refused: access_denied');
  await page.goto(app.url);
  await heading(page, 'Allow Shop?');
  await press(page, 'Allow');
  await heading(page, `Hello ${address}`);
  // Signed in and remembered: no page in between.
  await page.goto(app.url);
  expect(await shownHeading(page)).toBe(`Hello ${address}`);
  const token = app.state.tokens?.access_token ?? '';
  expect((await openid.tokenIntrospection(config, token)).active).toBe(true);

  const { accessToken } = (await (await context.request.post(`${signIns().stack.url}/api/auth/refresh`, { data: {} })).json()).data;
  const headers = { authorization: `Bearer ${accessToken}` };
  const consents = (await (await context.request.get(`${signIns().stack.url}/api/me/consents`, { headers })).json()).data;
  expect(consents.items).toMatchObject([{ app: { name: 'Shop' }, scopes: ['email', 'openid', 'order:read', 'profile'] }]);
  const withdrawn = await context.request.delete(`${signIns().stack.url}/api/me/consents/${registered.clientId}`, { headers });
  expect(withdrawn.status()).toBe(200);
  expect((await openid.tokenIntrospection(config, token)).active).toBe(false);
  await page.goto(app.url);
  await heading(page, 'Allow Shop?');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an app that wants a fresh sign-in gets one, and an unknown interaction says what to do', async () => {
  await using cleanup = new AsyncDisposableStack();
  const address = await register(await open());
  const shop = await signIns().createShop();
  const app = await serveApp(cleanup, 'openid email');
  await app.configure(issuerOfShop(shop), await createWebApp(shop, app.redirectUri));
  const { page, complaints } = await open();
  await page.goto(app.url);
  await heading(page, 'Sign in to Shop');
  await signIn(page, address);
  await heading(page, 'Allow Shop?');
  await press(page, 'Allow');
  await heading(page, `Hello ${address}`);
  await page.goto(`${app.url}/?prompt=login`);
  await heading(page, 'Sign in to Shop');
  await press(page, 'Sign in again');
  await look(page, '42-openid-again');
  await signIn(page, address);
  await heading(page, `Hello ${address}`);
  await page.goto(`${signIns().stack.url}/auth/project/consent?interaction=unknown`);
  await page.getByText('This sign-in is over').waitFor();
  await look(page, '43-openid-over');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an app that signs out asks about the session, and gets the person back', async () => {
  await using cleanup = new AsyncDisposableStack();
  const address = await register(await open());
  const shop = await signIns().createShop();
  const app = await serveApp(cleanup, 'openid email');
  const bye = `${app.url}/bye`;
  const config = await app.configure(issuerOfShop(shop), await createWebApp(shop, app.redirectUri, { postLogoutRedirectUris: [bye] }));
  const { page, complaints } = await open();
  const enter = async () => {
    await page.goto(app.url);
    if ((await shownHeading(page)) === 'Sign in to Shop') await signIn(page, address);
    await page.getByRole('heading', { name: /^(Allow Shop|Hello )/ }).waitFor();
    if ((await shownHeading(page)) === 'Allow Shop?') await press(page, 'Allow');
    await heading(page, `Hello ${address}`);
  };
  const leave = async () => {
    const { id_token: hint = '', access_token: token = '' } = app.state.tokens ?? {};
    const url = openid.buildEndSessionUrl(config, { id_token_hint: hint, post_logout_redirect_uri: bye, state: 'mine' });
    await page.goto(url.href);
    await heading(page, 'Sign out of Tessera, too?');
    return token;
  };
  await enter();
  const first = await leave();
  await look(page, '46-logout-of-app');
  await press(page, 'Stay signed in');
  await page.waitForURL(`${bye}?state=mine`);
  expect((await openid.tokenIntrospection(config, first)).active).toBe(false);
  // The session is still there: no page in between.
  await page.goto(app.url);
  expect(await shownHeading(page)).toBe(`Hello ${address}`);
  const second = await leave();
  await press(page, 'Sign out of everything');
  await page.waitForURL(`${bye}?state=mine`);
  expect((await openid.tokenIntrospection(config, second)).active).toBe(false);
  await page.goto(app.url);
  await heading(page, 'Sign in to Shop');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('the page that signs out ends the session, and says so when there is none', async () => {
  const visitor = await open();
  const address = await register(visitor);
  const { page, complaints } = visitor;
  const logout = `${signIns().stack.url}/auth/logout`;
  await page.goto(`${signIns().stack.url}/auth/sign-in`);
  if ((await shownHeading(page)) === 'Sign in to Tessera' && (await page.getByLabel('Email address').count()) > 0)
    await signIn(page, address);
  await page.goto(logout);
  await heading(page, 'Sign out of Tessera?');
  await look(page, '44-logout');
  await press(page, 'Sign out of everything');
  await heading(page, 'You are signed out');
  await look(page, '45-logout-done');
  await page.goto(logout);
  await heading(page, 'You are signed out');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)(
  'a wrong redirect URI and a wrong client id are named on the page, and in the log with the address that was sent',
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const shop = await signIns().createShop();
    const app = await serveApp(cleanup, 'openid email');
    const { clientId } = await createWebApp(shop, app.redirectUri);
    const { page, complaints } = await open();
    const authorize = (changes: object) => {
      const query = {
        client_id: clientId,
        response_type: 'code',
        scope: 'openid',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      };
      return `${issuerOfShop(shop)}/oauth/authorize?${new URLSearchParams({ ...query, redirect_uri: app.redirectUri, ...changes })}`;
    };
    const wrong = 'http://127.0.0.1:9/callback';
    await page.goto(authorize({ redirect_uri: `${wrong}?token=secret` }));
    await page.getByText('asked to send you back to an address that is not registered for it').waitFor();
    await look(page, '48-wrong-redirect');
    await page.goto(authorize({ client_id: 'app_unknown' }));
    await page.getByText('is not known: its client id is wrong').waitFor();
    expect(await page.getByText('on our side').count()).toBe(0);

    const { client, token } = shop.owner;
    const log = `/api/audit-events?${inScope(shop.project, 'limit=100')}`;
    await until(async () => {
      const { items } = dataOf(await client.get(log, token));
      const found = items.find(({ detail }: { detail: { redirectUri?: string } }) => detail?.redirectUri !== undefined);
      if (found === undefined) return false;
      expect(found).toMatchObject({ detail: { name: 'Shop', redirectUri: wrong } });
      return true;
    });
    expect(complaints).toStrictEqual([]);
  },
);
