/** Foreign clients sign a person in, in a real browser, by discovery alone. */
import { execFileSync } from 'node:child_process';
import { expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import type { Page } from 'playwright-core';
import { skip } from '../../support/browser/browser.ts';
import { heading, open, press, register, shareStack, signIn, signIns } from '../../support/browser/journey.ts';
import { testUnless } from '../../support/unless.ts';
import { freePort, noApache, startApache } from './openid-clients/apache.ts';
import { type ForeignProgram, startForeign } from './openid-clients/start.ts';

shareStack();

const python = '/usr/bin/python3';

function hasAuthlib(): boolean {
  try {
    execFileSync(python, ['-c', 'import authlib, requests'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const noAuthlib = skip || (!hasAuthlib() && 'NOT RUN with authlib: no python3-authlib here');

/** A person, and a web app of a new project that people may join. */
async function arranged(redirectUri: string, changes: object = {}) {
  const address = await register(await open());
  const shop = await signIns().createShop();
  const app: { clientId: string; clientSecret?: string } = await shop.createApp({ type: 'web', redirectUris: [redirectUri], ...changes });
  return { address, issuer: issuerOf(signIns().stack.url, shop.project), clientId: app.clientId, clientSecret: app.clientSecret ?? '' };
}

/** Signs in on the pages, from the app's address to the app's own page. */
async function signInThrough(url: string, address: string, begin: (page: Page) => Promise<void> = async () => undefined) {
  const visitor = await open();
  const { page } = visitor;
  await page.goto(url);
  await begin(page);
  await heading(page, 'Sign in to Shop');
  await signIn(page, address);
  await heading(page, 'Allow Shop?');
  await press(page, 'Allow');
  return visitor;
}

type Foreign = {
  readonly run: ForeignProgram;
  /** What its app in Tessera differs in. */
  readonly changes?: object;
  /** The path of its redirect URI. */
  readonly callback: string;
  /** What a person does in the app before it begins. */
  readonly begin?: (page: Page) => Promise<void>;
};

/** Each of these apps says 'Hello', signs out at `/leave`, and says 'Signed out' at `/bye`. */
async function signsInAndOut({ run, changes = {}, callback, begin = async () => undefined }: Foreign) {
  await using cleanup = new AsyncDisposableStack();
  const { url, configure } = await startForeign(cleanup, run);
  const bye = { postLogoutRedirectUris: [`${url}/bye`], ...changes };
  const { address, issuer, clientId, clientSecret } = await arranged(url + callback, bye);
  await configure({ issuer, clientId, clientSecret });
  const { page, complaints } = await signInThrough(url, address, begin);
  await heading(page, `Hello ${address}`);
  await page.goto(`${url}/leave`);
  await heading(page, 'Sign out of Tessera, too?');
  await press(page, 'Sign out of everything');
  await heading(page, 'Signed out');
  await page.goto(url);
  await begin(page);
  await heading(page, 'Sign in to Shop');
  expect(complaints).toStrictEqual([]);
}

testUnless(noAuthlib)('authlib signs a person in, and out', () => signsInAndOut({ run: [python, 'authlib_app.py'], callback: '/cb' }));

testUnless(skip)('oauth4webapi signs a person in, and out', () =>
  signsInAndOut({ run: [process.execPath, 'oauth4webapi_app.mjs'], callback: '/cb' }),
);

testUnless(skip)('Auth.js signs a person in, and out', () =>
  signsInAndOut({
    run: [process.execPath, 'authjs_app.mjs'],
    callback: '/auth/callback/tessera',
    begin: (page) => press(page, 'Sign in with Tessera'),
  }),
);

testUnless(skip)('Auth.js without PKCE signs a person in by a nonce, and out', () =>
  signsInAndOut({
    run: [process.execPath, 'authjs_app.mjs', '--without-pkce'],
    changes: { requirePkce: false },
    callback: '/auth/callback/tessera',
    begin: (page) => press(page, 'Sign in with Tessera'),
  }),
);

testUnless(skip)('passport-openidconnect signs a person in by a nonce, and out', () =>
  signsInAndOut({ run: [process.execPath, 'passport_app.mjs'], changes: { requirePkce: false }, callback: '/callback' }),
);

testUnless(noApache)('Apache with mod_auth_openidc signs a person in, and out', async () => {
  await using cleanup = new AsyncDisposableStack();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { address, ...client } = await arranged(`${url}/cb`, { postLogoutRedirectUris: [`${url}/bye/`] });
  await startApache(cleanup, { ...client, port, places: {} });

  const { page, complaints } = await signInThrough(`${url}/`, address);
  await heading(page, 'In Apache');
  const again = await page.goto(`${url}/`);
  expect(again?.headers()['x-user']).toBe(address);
  await page.goto(`${url}/cb?logout=${encodeURIComponent(`${url}/bye/`)}`);
  await heading(page, 'Sign out of Tessera, too?');
  await press(page, 'Sign out of everything');
  await heading(page, 'Signed out');
  const cookies = await page.context().cookies(url);
  expect(cookies.filter(({ name }) => name === 'mod_auth_openidc_session')).toStrictEqual([]);
  await page.goto(`${url}/`);
  await heading(page, 'Sign in to Shop');
  expect(complaints).toStrictEqual([]);
});
