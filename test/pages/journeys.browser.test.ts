/** The journeys of people through the hosted pages, with pictures of every page. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { buildWeb } from '../../tools/start/web.ts';
import { testUnless } from '../../tools/testing/unless.ts';
import { waitForMail } from '../system/mail.ts';
import { redirectUri, startSignIn } from '../system/sign-in.ts';
import { look, type OpenVisitor, openBrowser, skip, type Visitor } from './browser.ts';

const password = 'Correct-Horse-42';
type SignIns = Awaited<ReturnType<typeof startSignIn>>;

const cleanup = new AsyncDisposableStack();
let signIns: SignIns;
let stack: SignIns['stack'];
let open: OpenVisitor;

beforeAll(async () => {
  if (skip) return;
  await buildWeb(() => undefined);
  signIns = await startSignIn();
  stack = signIns.stack;
  cleanup.defer(() => signIns.close());
  open = await openBrowser(cleanup);
});
afterAll(() => cleanup.disposeAsync());

function newAddress(): string {
  return `ada-${randomUUID().slice(0, 8)}@example.com`;
}
function at(path: string): string {
  return `${stack.url}${path}`;
}
async function linkTo(address: string, template: string, after = 0): Promise<string> {
  const { data } = await waitForMail(stack.dataDir, address, template, after);
  return String(data.url);
}
function heading(page: Page, name: string | RegExp) {
  return page.getByRole('heading', { name, level: 1 }).waitFor();
}
function press(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name, exact: typeof name === 'string' }).click();
}
function follow(page: Page, name: string | RegExp) {
  return page.getByRole('link', { name }).click();
}

async function fillRegistration(page: Page, address: string, name = 'Ada Lovelace') {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Email address').fill(address);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  await heading(page, 'Look into your mailbox');
}
async function signIn(page: Page, address: string, secret = password) {
  await page.getByLabel('Email address').fill(address);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await press(page, 'Sign in');
}
/** Registers, opens the link of the mail and presses its button. */
async function register({ page }: Visitor, name?: string): Promise<string> {
  const address = newAddress();
  await page.goto(at('/auth/register'));
  await fillRegistration(page, address, name);
  await page.goto(await linkTo(address, 'verify-email'));
  await press(page, 'Confirm address');
  await heading(page, 'Your address is confirmed');
  return address;
}

testUnless(skip)('the first visitor is greeted, registers, confirms the address, uses the console, signs out and in again', async () => {
  const visitor = await open();
  const { page, complaints } = visitor;
  await page.goto(at('/'));
  await heading(page, 'Welcome to Tessera');
  await look(page, '01-first-visit');

  await press(page, 'Create account');
  await page.getByText('Enter your name.').waitFor();
  await expect(page.locator(':focus').getAttribute('name')).resolves.toBe('name');
  await page.getByLabel('Password', { exact: true }).fill('Abc1');
  await look(page, '02-register-faults');

  const address = newAddress();
  await fillRegistration(page, address);
  await look(page, '03-mailbox');
  await press(page, 'Continue without it for now');
  await page.getByText('Confirm your address').waitFor();
  await look(page, '04-console-unverified');

  const link = await linkTo(address, 'verify-email');
  await page.goto(link);
  await page.getByRole('button', { name: 'Confirm address' }).waitFor();
  expect(page.url()).toBe(at('/auth/verify-email'));
  await look(page, '05-verify');
  await page.reload(); // it spends nothing, and the tab still has the link
  await press(page, 'Confirm address');
  await heading(page, 'Your address is confirmed');
  await look(page, '06-verified');

  await page.goto(link);
  await press(page, 'Confirm address');
  await page.getByText('There is nothing left to do').waitFor();
  await look(page, '07-verify-again');
  await follow(page, /Continue as/);

  await heading(page, 'Hello Ada Lovelace');
  await page.getByLabel('Name of a new organization').fill('Acme');
  await page.getByRole('button', { name: 'Create', exact: true }).first().click();
  await page.getByText('acme', { exact: true }).waitFor();
  await look(page, '08-console');

  await press(page, 'Sign out');
  await heading(page, 'Sign in to Tessera');
  await look(page, '09-sign-in');
  await signIn(page, address, 'wrong');
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe(address);
  await look(page, '10-sign-in-refused');
  await signIn(page, address);
  await heading(page, 'Hello Ada Lovelace');
  await page.goto(at('/auth/sign-in'));
  await page.getByRole('button', { name: /Continue as/ }).waitFor();
  await look(page, '11-sign-in-already');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an address that is taken is said so at its field, and what was typed is kept', async () => {
  const address = await register(await open());
  const { page, complaints } = await open();
  await page.goto(at('/auth/register'));
  await page.getByLabel('Your name').fill('Grace');
  await page.getByLabel('Email address').fill(address);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  const field = page.getByLabel('Email address');
  await page.getByText('An account with this address exists already').waitFor();
  expect([await field.getAttribute('aria-invalid'), await field.inputValue()]).toStrictEqual(['true', address]);
  expect(await page.getByLabel('Your name').inputValue()).toBe('Grace');
  await look(page, '12-register-taken');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a forgotten password: mail, new password, sign-in; the link works once', async () => {
  const address = await register(await open());
  const { page, complaints } = await open();
  await page.goto(at('/auth/sign-in'));
  await page.getByLabel('Email address').fill(address);
  await follow(page, 'Forgot your password?');
  await look(page, '13-forgot');
  expect(await page.getByLabel('Email address').inputValue()).toBe(address);
  await press(page, 'Send the link');
  await heading(page, 'Look into your mailbox');
  await look(page, '14-forgot-sent');
  const link = await linkTo(address, 'reset-password');
  await page.goto(link);
  await page.getByLabel('New password').fill('short');
  await press(page, 'Save new password');
  await look(page, '15-reset-faults');
  await page.getByLabel('New password').fill('Another-Horse-43');
  await press(page, 'Save new password');
  await heading(page, 'Your password is changed');
  await look(page, '16-reset-done');
  await follow(page, 'Sign in');
  await signIn(page, address, 'Another-Horse-43');
  await heading(page, /^Hello/);
  await page.goto(link);
  await page.getByText(/You are signed in as/).waitFor();
  await look(page, '17-reset-signed-in');
  await page.getByLabel('New password').fill('Third-Horse-44');
  await press(page, 'Save new password');
  await heading(page, 'This link does not work any more');
  await look(page, '18-reset-dead');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an invitation: a new person registers and joins, a known one joins, another one is told', async () => {
  const owner = await open();
  await register(owner, 'Olga Owner');
  await follow(owner.page, /Continue as/);
  await owner.page.getByLabel('Name of a new organization').fill('Birch & Sons <b>');
  await owner.page.getByRole('button', { name: 'Create', exact: true }).first().click();
  await owner.page.getByText('Birch & Sons <b>').waitFor();
  const known = newAddress();
  const invite = (email: string) => inviteAs(owner.page, email);

  const stranger = newAddress();
  await invite(stranger);
  const newcomer = await open();
  const link = await linkTo(stranger, 'invitation');
  await newcomer.page.goto(link);
  await heading(newcomer.page, 'Join Birch & Sons <b>');
  expect(newcomer.page.url()).toBe(at('/invitations/accept'));
  await look(newcomer.page, '19-invitation');
  await press(newcomer.page, 'Accept invitation');
  await newcomer.page.getByLabel('Your name').fill('Nora New');
  await newcomer.page.getByLabel('Password', { exact: true }).fill(password);
  await look(newcomer.page, '20-invitation-register');
  await press(newcomer.page, 'Create account and join');
  await heading(newcomer.page, 'You are in');
  await look(newcomer.page, '21-invitation-done');
  await follow(newcomer.page, 'Continue');
  await heading(newcomer.page, 'Hello Nora New');
  await newcomer.page.goto(link);
  await heading(newcomer.page, 'This invitation is not open any more');
  await look(newcomer.page, '22-invitation-closed');

  const member = await open();
  await member.page.goto(at('/auth/register'));
  await fillRegistration(member.page, known, 'Kim Known');
  await member.page.goto(await linkTo(known, 'verify-email'));
  await press(member.page, 'Confirm address');
  await heading(member.page, 'Your address is confirmed');
  await invite(known);
  const second = await linkTo(known, 'invitation');

  await newcomer.page.goto(second);
  await press(newcomer.page, 'Accept invitation');
  await newcomer.page.getByText(/but the invitation is for/).waitFor();
  await look(newcomer.page, '23-invitation-someone-else');
  await press(newcomer.page, 'Sign out and go on');
  await newcomer.page.getByRole('button', { name: 'Accept invitation' }).waitFor();

  await member.page.goto(second);
  await press(member.page, 'Accept invitation');
  await heading(member.page, 'You are in');
  for (const { complaints } of [owner, newcomer, member]) expect(complaints).toStrictEqual([]);
});

/** The console has no page for it yet, so a script of the page sends the request. */
async function inviteAs(page: Page, email: string): Promise<void> {
  const script = `(async () => {
    const ask = async (method, path, body, token) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
      const response = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const answer = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer.data;
    };
    const { accessToken } = await ask('POST', '/api/auth/refresh', {});
    const { accounts } = await ask('GET', '/api/me', undefined, accessToken);
    const scopeOf = (tenant, id) => 'tenant=' + tenant + '&scopeId=' + id;
    const { items: [organization] } = await ask('GET', '/api/organizations?' + scopeOf('account', accounts[0].id), undefined, accessToken);
    const roles = await ask('GET', '/api/roles?' + scopeOf('organization', organization.id), undefined, accessToken);
    const roleId = roles.items.find(({ name }) => /Viewer/.test(name)).id;
    const scope = { tenant: 'organization', id: organization.id };
    await ask('POST', '/api/organization-invitations/invite', { scope, email: '${email}', roleId }, accessToken);
  })()`;
  await page.evaluate(script);
}

testUnless(skip)('sign-in at a provider registers, signs in, ends on the page one came from, and says what went wrong', async () => {
  const user = signIns.newUser();
  const visitor = await open();
  const { page, complaints } = visitor;
  await page.goto(at('/auth/sign-in?return_to=/console/somewhere'));
  const atProvider = async (name: string, button = 'Sign in') => {
    await follow(page, name);
    await page.getByRole('heading', { name: 'Fake provider' }).waitFor();
    await page.getByLabel('Name').fill(user.name);
    await page.getByLabel('Email').fill(String(user.email));
    await page.getByRole('button', { name: button }).click();
  };
  await atProvider('Continue with Codehost');
  await page.getByText('There is no account for this sign-in yet').waitFor();
  await look(page, '24-provider-unknown');
  await atProvider('Create account with Codehost');
  await heading(page, `Hello ${user.name}`);
  expect(page.url()).toBe(at('/console/somewhere'));
  await press(page, 'Sign out');
  await heading(page, 'Sign in to Tessera');
  await atProvider('Continue with Codehost', 'Refuse');
  await page.getByText('cancelled or refused').waitFor();
  expect(page.url()).not.toContain('code=');
  await follow(page, 'Back to sign-in');
  await atProvider('Continue with Codehost');
  await heading(page, `Hello ${user.name}`);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('sign-in to an app by a link in a mail; opening the link spends nothing', async () => {
  const person = { email: await register(await open()) };
  const app = await (await signIns.createShop()).createApp({ scopes: ['order:read'] });
  const { page, complaints } = await open();
  const query = new URLSearchParams({ client_id: app.clientId, redirect_uri: redirectUri, provider: 'email', state: 'of the app' });
  await page.goto(at(`/api/auth/project/authorize?${query}`));
  await heading(page, /^Sign in to /);
  await look(page, '25-app');
  await page.getByLabel('Email address').fill(person.email);
  await press(page, 'Send the link');
  await heading(page, 'Look into your mailbox');
  await look(page, '26-app-sent');
  const link = await linkTo(person.email, 'magic-link');
  for (let scan = 0; scan < 2; scan++) expect((await fetch(link)).status).toBe(200);
  await page.goto(link);
  await page.getByRole('button', { name: /^Sign in to / }).waitFor();
  expect(page.url()).not.toMatch(/token|state/);
  await look(page, '27-app-from-mail');
  await press(page, /^Sign in to /);
  await page.getByRole('heading', { name: 'The app' }).waitFor();
  const fragment = new URLSearchParams(new URL(page.url()).hash.slice(1));
  expect([fragment.get('state'), fragment.get('token_type')]).toStrictEqual(['of the app', 'Bearer']);
  await page.goto(link);
  await press(page, /^Sign in to /);
  await heading(page, 'That did not work');
  await look(page, '28-app-link-again');
  await page.goto(at('/auth/project/email?client_id=unknown'));
  await page.getByText('The app that sent you here is not known').waitFor();
  await look(page, '29-app-unknown');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('sign-in to an app by a provider ends in the app', async () => {
  const app = await (await signIns.createShop()).createApp();
  const user = signIns.newUser();
  const { page, complaints } = await open();
  const query = new URLSearchParams({ client_id: app.clientId, redirect_uri: redirectUri, provider: 'email', state: 'mine' });
  await page.goto(at(`/api/auth/project/authorize?${query}`));
  await follow(page, 'Continue with Codehost');
  await page.getByLabel('Name').fill(user.name);
  await page.getByLabel('Email').fill(String(user.email));
  await press(page, 'Sign in');
  await page.getByRole('heading', { name: 'The app' }).waitFor();
  expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('state')).toBe('mine');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('two tabs refresh once, and sign out together', async () => {
  const { page, context, complaints } = await open();
  await page.goto(at('/auth/register'));
  await fillRegistration(page, newAddress());
  let refreshes = 0;
  context.on('request', (request) => {
    if (request.url().endsWith('/api/auth/refresh')) refreshes++;
  });
  const tabs = [page, await context.newPage(), await context.newPage()];
  await Promise.all(tabs.map((tab) => tab.goto(at('/console'))));
  await Promise.all(tabs.map((tab) => heading(tab, /^Hello/)));
  expect(refreshes).toBeLessThanOrEqual(1);
  await press(page, 'Sign out');
  for (const tab of tabs) await heading(tab, 'Sign in to Tessera');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('the keyboard alone is enough, in German, without an account', async () => {
  const address = await register(await open());
  const { page, complaints } = await open({ locale: 'de-DE' });
  await page.goto(at('/auth/sign-in?return_to=https://evil.example/'));
  await heading(page, 'Bei Tessera anmelden');
  await look(page, '30-german');
  await page.keyboard.press('Tab');
  await page.keyboard.type(address);
  await page.keyboard.press('Tab');
  await page.keyboard.type('falsch');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Passwort').waitFor();
  await page.getByLabel('Passwort', { exact: true }).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await heading(page, /^Hallo/);
  expect(page.url()).toBe(at('/console'));
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a slow or broken network is said in words, and the form stays', async () => {
  const { page, context, complaints } = await open();
  await page.goto(at('/auth/sign-in'));
  await heading(page, 'Sign in to Tessera');
  await context.setOffline(true);
  await signIn(page, 'ada@example.com');
  await page.getByText('The server can not be reached').waitFor();
  await look(page, '31-offline');
  expect(await page.getByLabel('Email address').inputValue()).toBe('ada@example.com');
  await context.setOffline(false);
  for (const [path, name] of [
    ['/auth/verify-email', '32-verify-cut'],
    ['/auth/reset-password', '33-reset-cut'],
    ['/invitations/accept', '34-invitation-cut'],
    ['/invitations/accept?token=unknown', '35-invitation-unknown'],
    ['/auth/error?error=temporarily_unavailable', '36-error'],
    ['/auth/nowhere', '37-nowhere'],
  ] as const) {
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look(page, name);
  }
  expect(complaints).toStrictEqual([]);
});

test('the first page is less than 200 kB compressed, the console less than 400 kB, and their files never change', async () => {
  if (skip) return;
  for (const [path, most] of [
    ['/auth/sign-in', 200_000],
    ['/console', 400_000],
  ] as const) {
    const response = await fetch(at(path));
    const document = await response.text();
    expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self'; style-src 'self';/);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(document).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
    let bytes = 0;
    for (const [, file = ''] of document.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      const asset = await fetch(at(file), { headers: { 'accept-encoding': 'br' } });
      expect([asset.status, asset.headers.get('cache-control')]).toStrictEqual([200, 'public, max-age=31536000, immutable']);
      bytes += (await compressedSize(at(file))) ?? 0;
    }
    console.info(`${path}: ${bytes} bytes compressed`);
    expect(bytes).toBeLessThan(most);
  }
});

/** As sent over the wire: fetch would show the size after unpacking. */
async function compressedSize(url: string): Promise<number> {
  const { request } = await import('undici');
  const { body } = await request(url, { headers: { 'accept-encoding': 'br' } });
  return (await body.arrayBuffer()).byteLength;
}
