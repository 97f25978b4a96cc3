/** What people do on the pages, on a stack that the file of a test starts once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import type { Page } from 'playwright-core';
import { buildWeb } from '../../../tools/start/web.ts';
import { waitForMail } from '../mail.ts';
import { openSignIn, startSignIn } from '../sign-in.ts';
import { type OpenVisitor, openBrowser, skip, type Visitor } from './browser.ts';

export const password = 'Correct-Horse-42';
type SignIns = Awaited<ReturnType<typeof openSignIn>>;

const cleanup = new AsyncDisposableStack();
let started: { readonly signIns: SignIns; readonly open: OpenVisitor } | undefined;

function running() {
  if (started === undefined) throw new Error('The stack has not started');
  return started;
}
export function signIns(): SignIns {
  return running().signIns;
}
export const open: OpenVisitor = (options) => running().open(options);

/** Opens a browser before the tests of a file, on the stack that all share: none is alone. */
export function shareStack(): void {
  begin(openSignIn);
}

/** Starts a stack of the file's own, and a browser, before its tests, and stops them after. */
export function startStackOnce(options: Parameters<typeof startSignIn>[0] = {}): void {
  begin(async () => {
    await buildWeb(() => undefined);
    const { close, ...signIns } = await startSignIn(options);
    cleanup.defer(close);
    return signIns;
  });
}

function begin(openStack: () => Promise<SignIns>): void {
  beforeAll(async () => {
    if (!skip) started = { signIns: await openStack(), open: await openBrowser(cleanup) };
  });
  afterAll(() => cleanup.disposeAsync());
}

export function newAddress(): string {
  return `ada-${randomUUID().slice(0, 8)}@example.com`;
}
export function at(path: string): string {
  return `${signIns().stack.url}${path}`;
}
export async function linkTo(address: string, template: string, after = 0): Promise<string> {
  const { data } = await waitForMail(signIns().stack.dataDir, address, template, after);
  return String(data.url);
}
export function heading(page: Page, name: string | RegExp) {
  return page.getByRole('heading', { name, level: 1 }).waitFor();
}
export function press(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name, exact: typeof name === 'string' }).click();
}
/** Where the console has the profile, the language, the theme and the way out. */
export async function openOwnMenu(page: Page): Promise<void> {
  await press(page, /^Your account/);
  await page.getByRole('dialog', { name: /^Your account/ }).waitFor();
}

export function follow(page: Page, name: string | RegExp) {
  return page.getByRole('link', { name }).click();
}

/** Says at the fake provider who signs in. */
export async function answerProvider(page: Page, name: string, email: string): Promise<void> {
  await page.getByRole('heading', { name: 'Fake provider' }).waitFor();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email').fill(email);
  await press(page, 'Sign in');
}

export async function fillRegistration(page: Page, address: string, name = 'Ada Lovelace') {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Email address').fill(address);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Create account');
  await heading(page, 'Check your inbox');
}
export async function signIn(page: Page, address: string, secret = password) {
  await page.getByLabel('Email address').fill(address);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await press(page, 'Sign in');
}
/** Registers, opens the link of the mail and presses its button. */
export async function register({ page }: Visitor, name?: string): Promise<string> {
  const address = newAddress();
  await page.goto(at('/auth/register'));
  await fillRegistration(page, address, name);
  await page.goto(await linkTo(address, 'verify-email'));
  await press(page, 'Confirm address');
  await heading(page, 'Your address is confirmed');
  return address;
}

/** Leaves the page first, and quiet: an answer on its way would set the session's cookie again. */
export async function signOut(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.goto('about:blank');
  await page.context().clearCookies();
  await page.goto(at('/auth/sign-in'));
  await heading(page, /Sign in to/);
}

/** The codes are shown once; the person says that they are kept. */
export async function takeRecoveryCodes(page: Page): Promise<string[]> {
  const codes = page.getByRole('dialog').getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  const found = await codes.allInnerTexts();
  await press(page, 'I have kept them');
  return found;
}
