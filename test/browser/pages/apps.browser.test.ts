/** Sign-in at a provider, and to the app of a project. */
import { expect } from '@jest/globals';
import { look, skip } from '../../support/browser/browser.ts';
import { at, follow, heading, linkTo, open, openOwnMenu, press, register, shareStack, signIns } from '../../support/browser/journey.ts';
import { redirectUri } from '../../support/sign-in.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

testUnless(skip)('sign-in at a provider registers, signs in, ends on the page one came from, and says what went wrong', async () => {
  await register(await open()); // the first visitor of all is greeted instead
  const user = signIns().newUser();
  const visitor = await open();
  const { page, complaints } = visitor;
  await page.goto(at('/auth/sign-in?return_to=/console?from=app'));
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
  expect(page.url()).toBe(at('/console?from=app'));
  await openOwnMenu(page);
  await press(page, 'Sign out');
  await heading(page, 'Sign in to Tessera');
  await atProvider('Continue with Codehost', 'Refuse');
  await page.getByText('cancelled or refused').waitFor();
  expect(page.url()).not.toContain('code=');
  await follow(page, 'Back to sign-in');
  await atProvider('Continue with Codehost');
  await heading(page, `Hello ${user.name}`);
  await page.goBack();
  expect(page.url()).not.toContain('/auth/callback');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('sign-in to an app by a link in a mail; opening the link spends nothing', async () => {
  const person = { email: await register(await open()) };
  const app = await (await signIns().createShop()).createApp({ scopes: ['order:read'] });
  const { page, complaints } = await open();
  const query = new URLSearchParams({ client_id: app.clientId, redirect_uri: redirectUri, provider: 'email', state: 'of the app' });
  await page.goto(at(`/api/auth/project/authorize?${query}`));
  await heading(page, /^Sign in to /);
  await look(page, '25-app');
  await page.getByLabel('Email address').fill(person.email);
  await press(page, 'Send the link');
  await heading(page, 'Check your inbox');
  await look(page, '26-app-sent');
  const link = await linkTo(person.email, 'magic-link');
  for (let scan = 0; scan < 2; scan++) expect((await fetch(link)).status).toBe(200);
  await page.goto(link);
  await page.getByRole('button', { name: /^Sign in to / }).waitFor();
  expect(page.url()).not.toMatch(/token|state/);
  await look(page, '27-app-from-mail');
  const spent: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/auth/project/callback')) spent.push(request.method());
  });
  await page.getByRole('button', { name: /^Sign in to / }).dblclick();
  await page.getByRole('heading', { name: 'The app' }).waitFor();
  expect(spent).toStrictEqual(['GET']);
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
  const app = await (await signIns().createShop()).createApp();
  const user = signIns().newUser();
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
