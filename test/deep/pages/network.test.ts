/** Several tabs, and a bad network. */
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { look, pictures, skip } from '../../support/browser/browser.ts';
import {
  at,
  fillRegistration,
  heading,
  linkTo,
  newAddress,
  open,
  openOwnMenu,
  password,
  press,
  signIn,
  startStackOnce,
} from '../../support/browser/journey.ts';
import { testUnless } from '../../support/unless.ts';

startStackOnce();

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
  await openOwnMenu(page);
  await press(page, 'Sign out');
  for (const tab of tabs) await heading(tab, 'Sign in to Tessera');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a slow or broken network is said in words, and the form stays', async () => {
  const { page, context, complaints } = await open();
  await page.goto(at('/auth/sign-in'));
  await heading(page, 'Sign in to Tessera');
  await context.setOffline(true);
  await signIn(page, 'ada@example.com');
  await page.getByText('The server cannot be reached').waitFor();
  await look(page, '31-offline');
  expect(await page.getByLabel('Email address').inputValue()).toBe('ada@example.com');
  await context.setOffline(false);
  for (const [path, name] of [
    ['/auth/verify-email', '32-verify-cut'],
    ['/auth/reset-password', '33-reset-cut'],
    ['/invitations/accept', '34-invitation-cut'],
    ['/invitations/accept?token=unknown', '35-invitation-unknown'],
    ['/grants/accept?token=unknown', '36-offer-unknown'],
    ['/auth/error?error=temporarily_unavailable', '36-error'],
    ['/auth/nowhere', '37-nowhere'],
  ] as const) {
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look(page, name);
  }
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('signed out in another tab, the console asks to sign in and comes back to the same place', async () => {
  const { page, context, complaints } = await open();
  await page.goto(at('/auth/register'));
  const address = newAddress();
  await fillRegistration(page, address);
  await page.goto(at('/console/me/sessions'));
  await heading(page, 'Where you are signed in');
  const another = await context.newPage();
  await another.goto(at('/console'));
  await openOwnMenu(another);
  await press(another, 'Sign out');
  await page.getByText('You were signed out').waitFor();
  await signIn(page, address);
  await heading(page, 'Where you are signed in');
  expect(page.url()).toBe(at('/console/me/sessions'));
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('on a slow network the pages show that they wait, and a second press sends nothing', async () => {
  const { page, context, complaints } = await open();
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  await debug.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 600,
    downloadThroughput: 60_000,
    uploadThroughput: 30_000,
  });
  const posts: string[] = [];
  context.on('request', (request) => {
    if (request.method() === 'POST' && !request.url().endsWith('/refresh')) posts.push(new URL(request.url()).pathname);
  });
  const twice = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).dblclick();
    await page.locator('button[data-loading]').waitFor();
  };
  const visit = page.goto(at('/auth/register'));
  await page.locator('.starting').waitFor();
  await page.screenshot({ path: join(pictures, '41-starting.png') });
  await visit;
  const address = newAddress();
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Email address').fill(address);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await twice('Create account');
  await heading(page, 'Check your inbox');
  await page.goto(await linkTo(address, 'verify-email'));
  await twice('Confirm address');
  await heading(page, 'Your address is confirmed');
  expect(posts).toStrictEqual(['/api/auth/register', '/api/auth/verify-email']);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an error page of a proxy is said in the language of the page, and the focus goes to it', async () => {
  const { page, complaints } = await open({ locale: 'de-DE' });
  await page.route('**/api/auth/login', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }));
  await page.goto(at('/auth/sign-in'));
  await page.getByLabel('E-Mail-Adresse').fill('ada@example.com');
  await page.getByLabel('Passwort', { exact: true }).fill(password);
  await press(page, 'Anmelden');
  await page.getByText('Der Server antwortet gerade nicht wie erwartet').waitFor();
  await expect(page.locator(':focus').getAttribute('role')).resolves.toBe('alert');
  await look(page, '42-bad-gateway');
  expect(complaints).toStrictEqual([]);
});
