/**
 * Each screen that changed since 0.1.0, as it was and as it is: wide and narrow, light and dark, in
 * German and French. `SCREENS_WRITE=1 npm run test:deep -- test/deep/console/screens` writes
 * docs/screens.md. What was is in the folder that SCREENS_BEFORE names; this suite takes it too, on
 * the running stack of the older release that SCREENS_STACK names: its address and DATA_DIR.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { pictureFile, pngOf } from '../../../services/identity/src/testing/pictures.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { buildWeb } from '../../../tools/start/web.ts';
import { type OpenVisitor, openBrowser, skip } from '../../support/browser/browser.ts';
import { makeShop, type Shop, type Trade, trade } from '../../support/console/shop.ts';
import { pathOf } from '../../support/console/start.ts';
import { waitForMail } from '../../support/mail.ts';
import { startOwnStack } from '../../support/shared-stack.ts';
import { redirectUri } from '../../support/sign-in.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf, PASSWORD } from '../../support/world.ts';

const [olderUrl, olderDataDir] = (process.env['SCREENS_STACK'] ?? '').split(',');
const isOlder = olderUrl !== undefined && olderUrl !== '';
const beforeFolder = process.env['SCREENS_BEFORE'] ?? '';
const isWriting = process.env['SCREENS_WRITE'] === '1';
const document = join(repositoryFolder, 'docs', 'screens.md');
const sheets = join(repositoryFolder, 'docs', 'screens');
const mostBytes = 6_000_000;

type Look = { readonly name: string; readonly width: 1440 | 360; readonly theme: 'light' | 'dark'; readonly language: string };
const looks: readonly Look[] = [
  { name: 'wide-light', width: 1440, theme: 'light', language: 'en' },
  { name: 'wide-dark', width: 1440, theme: 'dark', language: 'en' },
  { name: 'narrow-light', width: 360, theme: 'light', language: 'en' },
  { name: 'narrow-dark', width: 360, theme: 'dark', language: 'en' },
  { name: 'narrow-german', width: 360, theme: 'light', language: 'de' },
  { name: 'narrow-french', width: 360, theme: 'light', language: 'fr' },
];

const spokenBefore = new Set(['en', 'de']);

type World = Shop & Partial<Trade> & { readonly appId: string; readonly clientId: string; readonly issuer: string };
type Screen = {
  readonly name: string;
  readonly title: string;
  readonly path: (world: World) => string;
  readonly isSignedOut?: true;
  /** There was no such screen in 0.1.0. */
  readonly isNew?: true;
  readonly before?: (page: Page) => Promise<unknown>;
};

const authorize = ({ issuer, clientId }: World, changes: Readonly<Record<string, string>> = {}) => {
  const asked = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid', state: 'state' };
  const proof = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
  return `${new URL(issuer).pathname}/oauth/authorize?${new URLSearchParams({ ...asked, ...proof, ...changes })}`;
};

const screens: readonly Screen[] = [
  { name: 'app-sign-in', title: 'Sign-in of an app', path: (world) => authorize(world), isSignedOut: true },
  {
    name: 'app-sign-up',
    title: 'Sign-up of an app',
    path: (world) => authorize(world),
    isSignedOut: true,
    before: async (page) => {
      await page.locator('a[href*="/auth/register"]').click();
      await page.locator('input[autocomplete="new-password"]').waitFor();
    },
  },
  {
    name: 'wrong-address',
    title: 'A redirect URI that is not registered',
    path: (world) => authorize(world, { redirect_uri: 'http://127.0.0.1:9/callback' }),
    isSignedOut: true,
  },
  { name: 'sign-in', title: 'Sign-in', path: () => '/auth/sign-in', isSignedOut: true },
  { name: 'recovery', title: 'A lost second factor', path: () => '/auth/recovery', isSignedOut: true },
  { name: 'home', title: 'The first page', path: () => '/console' },
  { name: 'first-steps', title: 'First steps', path: () => '/console/first-steps' },
  { name: 'organization', title: 'An organization', path: ({ organization }) => pathOf(organization) },
  { name: 'project', title: 'A project', path: ({ project }) => pathOf(project) },
  { name: 'members', title: 'Members and invitations', path: ({ organization }) => pathOf(organization, 'members') },
  { name: 'invite', title: 'Invite', path: ({ organization }) => `${pathOf(organization, 'members')}?do=invite` },
  {
    name: 'member',
    title: 'The page of a person',
    path: ({ organization, memberId }) => pathOf(organization, `members/${memberId}`),
    isNew: true,
  },
  { name: 'people', title: 'People of a project', path: ({ project }) => pathOf(project, 'people') },
  { name: 'new-person', title: 'New person', path: ({ project }) => `${pathOf(project, 'people')}?do=create` },
  { name: 'roles', title: 'Roles', path: ({ organization }) => pathOf(organization, 'roles') },
  { name: 'role', title: 'A role', path: ({ project, roleId }) => pathOf(project, `roles/${roleId}`) },
  { name: 'new-role', title: 'New role', path: ({ project }) => `${pathOf(project, 'roles')}?do=create` },
  { name: 'role-editor', title: 'The role editor', path: ({ project, roleId }) => `${pathOf(project, `roles/${roleId}`)}?do=edit` },
  {
    name: 'decisions',
    title: 'Decisions',
    path: ({ project, personId }) => `${pathOf(project, 'decisions')}?about=user:${personId}`,
  },
  { name: 'apps', title: 'Apps', path: ({ project }) => pathOf(project, 'apps') },
  { name: 'app', title: 'An app', path: ({ project, appId }) => pathOf(project, `apps/${appId}`) },
  { name: 'keys', title: 'API keys', path: ({ project }) => pathOf(project, 'keys') },
  { name: 'audit', title: 'The audit log', path: ({ organization }) => pathOf(organization, 'audit') },
  {
    name: 'finder',
    title: 'Ctrl-K',
    path: ({ project }) => pathOf(project),
    before: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').or(page.getByRole('dialog').locator('input')).first().fill('new a');
    },
  },
  { name: 'settings', title: 'Settings of an organization', path: ({ organization }) => pathOf(organization, 'settings') },
  { name: 'sign-in-ways', title: 'Your ways to sign in', path: () => '/console/me/sign-in' },
  { name: 'profile', title: 'Your profile', path: () => '/console/me' },
  { name: 'customers', title: 'Customers of a project', path: ({ project }) => pathOf(project, 'customers'), isNew: true },
  { name: 'customer', title: 'A customer', path: ({ project, grantId }) => pathOf(project, `customers/${grantId}`), isNew: true },
  { name: 'applications', title: 'Applications', path: ({ organization }) => pathOf(organization, 'applications'), isNew: true },
  { name: 'branding', title: 'Branding', path: ({ project }) => pathOf(project, 'branding'), isNew: true },
  { name: 'mail-texts', title: 'Mail texts', path: ({ organization }) => pathOf(organization, 'mail-texts'), isNew: true },
  { name: 'domains', title: 'Domains', path: ({ organization }) => pathOf(organization, 'domains'), isNew: true },
  {
    name: 'new-connection',
    title: 'New connection',
    path: ({ organization }) => `${pathOf(organization, 'connections')}?do=create`,
    isNew: true,
  },
  { name: 'directory', title: 'A directory', path: ({ organization }) => pathOf(organization, 'directory'), isNew: true },
  {
    name: 'service-accounts',
    title: 'Service accounts',
    path: ({ organization }) => pathOf(organization, 'service-accounts'),
    isNew: true,
  },
  { name: 'security', title: 'What an organization demands', path: ({ organization }) => pathOf(organization, 'security') },
];

const cleanup = new AsyncDisposableStack();
let stack: { readonly url: string; readonly dataDir: string };
let open: OpenVisitor;
beforeAll(async () => {
  if (skip) return;
  open = await openBrowser(cleanup);
  if (isOlder) {
    stack = { url: olderUrl, dataDir: olderDataDir ?? '' };
    return;
  }
  await buildWeb(() => undefined);
  const own = await startOwnStack();
  cleanup.defer(own.close);
  stack = own;
});
afterAll(() => cleanup.disposeAsync());

testUnless(skip)('every screen that changed opens without a complaint, and is not wider than the window, in every look', async () => {
  const world = await makeWorld();
  const folder = isOlder ? beforeFolder : join(repositoryFolder, 'coverage', 'screens');
  mkdirSync(folder, { recursive: true });
  const { page, complaints } = await open();
  await page.goto(`${stack.url}/auth/sign-in?return_to=/console`);
  await page.getByLabel('Email address').fill(world.owner.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`${stack.url}/console`);
  const guest = await open();
  const wanted = screens.filter(({ isNew }) => !(isOlder && isNew));
  const tooWide: string[] = [];
  for (const screen of wanted)
    for (const look of looks.filter(({ language }) => !isOlder || spokenBefore.has(language))) {
      const on = screen.isSignedOut ? guest.page : page;
      const name = `${screen.name}-${look.name}`;
      await show(on, screen, look, world);
      await on.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
      if ((await on.evaluate('document.documentElement.scrollWidth - innerWidth')) !== 0) tooWide.push(name);
    }
  await takeMail(page, folder);
  if (isOlder) return;
  expect(tooWide).toStrictEqual([]);
  expect([...complaints, ...guest.complaints]).toStrictEqual([]);
  if (isWriting) await write(page, folder);
  const written = readFileSync(document, 'utf8');
  const shown = [...screens, mailScreen];
  expect(shown.filter(({ name, title }) => !written.includes(`![${title}](screens/${name}.jpg)`))).toStrictEqual([]);
  expect(shown.reduce((sum, { name }) => sum + statSync(join(sheets, `${name}.jpg`)).size, 0)).toBeLessThan(mostBytes);
});

async function show(page: Page, { path, before }: Screen, { width, theme, language }: Look, world: World): Promise<void> {
  await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  // A new page has no storage yet, and the first look is English.
  if (page.url() !== 'about:blank') await page.evaluate(`localStorage.setItem('tessera-language', '${language}')`);
  await page.goto(`${stack.url}${path(world)}`);
  await page.waitForLoadState('networkidle');
  await before?.(page);
  await page.waitForTimeout(300);
}

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><circle cx="128" cy="128" r="120" fill="#7a1f5c"/><path d="M96 200V60l64 70-64 70z" fill="#f6f1ea"/></svg>';
const mailScreen: Pick<Screen, 'name' | 'title' | 'isNew'> = { name: 'mail', title: 'The mail of an invitation' };

async function takeMail(page: Page, folder: string): Promise<void> {
  const { html } = await waitForMail(stack.dataDir, 'ada@birch.example', 'invitation');
  for (const look of looks.filter(({ language }) => language === 'en')) {
    await page.setViewportSize({ width: look.width, height: look.width === 360 ? 740 : 900 });
    await page.emulateMedia({ colorScheme: look.theme });
    await page.goto('about:blank');
    await page.setContent(html);
    await page.screenshot({ path: join(folder, `mail-${look.name}.png`) });
  }
}

async function makeWorld(): Promise<World> {
  const shop = await makeShop(stack);
  const { owner, organization, project, roleId } = shop;
  const post = async (path: string, body: object) => dataOf(await owner.client.post(path, body, owner.token));
  const asked = { scope: project, name: 'Birch portal', redirectUris: [redirectUri], allowSignUp: true, signUpRoleId: roleId };
  const app = await post('/api/project-apps', { ...asked, type: 'web', scopes: [] });
  await post('/api/api-keys', { scope: project, name: 'nightly', roleId });
  const world = {
    ...shop,
    appId: String(app.id),
    clientId: String(app.clientId),
    issuer: `${stack.url}${pathOf(project).replace('/console', '')}`,
  };
  if (isOlder) return world;
  const face = { name: 'Birch', colors: { primary: '#7a1f5c', background: '#f6f1ea' } };
  const logo = pictureFile(await pngOf(mark));
  const branding = { scope: project, ...face, logo };
  dataOf(await owner.client.call('PUT', '/api/branding', { token: owner.token, body: branding }));
  await post('/api/service-accounts', { scope: organization, name: 'Nightly export', roleIds: [] });
  await post('/api/domains', { scope: organization, domain: 'birch.example' });
  return { ...world, ...(await trade(stack, shop)) };
}

/** One picture for each screen: above as it was, below as it is. */
async function write(page: Page, folder: string): Promise<void> {
  mkdirSync(sheets, { recursive: true });
  for (const screen of [...screens, mailScreen]) {
    const rows = [screen.isNew ? '' : beforeFolder, folder].map((from) => pictureRow(from, screen.name));
    await page.setViewportSize({ width: 1_400, height: 300 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setContent(`<body style="margin:0;background:#9aa0a6;width:max-content">${rows.join('')}</body>`);
    const path = join(sheets, `${screen.name}.jpg`);
    await page.locator('body').screenshot({ path, type: 'jpeg', quality: 62 });
  }
  writeFileSync(document, render());
}

function pictureRow(folder: string, name: string): string {
  const paths = folder === '' ? [] : looks.map((look) => join(folder, `${name}-${look.name}.png`)).filter(existsSync);
  const images = paths.map(
    (path) => `<img height="300" style="margin:4px" src="data:image/png;base64,${readFileSync(path).toString('base64')}">`,
  );
  return images.length === 0 ? '' : `<div style="white-space:nowrap">${images.join('')}</div>`;
}

function render(): string {
  return [
    '# Screens, before and after',
    '',
    '<!-- Written with its pictures by `SCREENS_WRITE=1 npm run test:deep -- test/deep/console/screens`. -->',
    '',
    'The upper row of each picture is 0.1.0, the lower one the next release; a single row is a screen that 0.1.0 did not have. From the left: 1440 wide in light and dark, 360 wide in light and dark, then',
    'in German and in French, where there was French. The same people and things are on both.',
    ...[...screens, mailScreen].flatMap(({ name, title }) => ['', `## ${title}`, '', `![${title}](screens/${name}.jpg)`]),
    '',
  ].join('\n');
}
