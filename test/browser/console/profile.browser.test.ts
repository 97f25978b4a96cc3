/** One's own profile in the console: name, password, sessions, export, deletion. */
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import * as openid from 'openid-client';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, openOwnMenu, press, shareStack, signIns } from '../../support/browser/journey.ts';
import { look, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { createPerson, PASSWORD } from '../../support/world.ts';

shareStack();

testUnless(skip)('a person renames themselves, changes the password, ends a session, exports, and deletes the account', async () => {
  // Without another account the first one would be asked for after the deletion.
  await createPerson(signIns().stack, { name: 'Grace Hopper' });
  const person = await createPerson(signIns().stack, { name: 'Ada Lovelace' });
  const { page, complaints } = await visit(person, '/console/me');
  await heading(page, 'Profile');
  await page.getByLabel('Your name').fill('Ada King');
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  await look(page, 'profile');

  await page.getByRole('link', { name: 'Ways to sign in' }).click();
  await page.getByLabel('Current password').fill('Wrong-Horse-41');
  await page.getByLabel('New password').fill('Another-Horse-43');
  await press(page, 'Change password');
  await page.locator('input[name="currentPassword"][aria-invalid="true"]').waitFor();
  await look(page, 'sign-in');
  await page.getByLabel('Current password').fill(PASSWORD);
  await press(page, 'Change password');
  await page.getByText('Your password has been changed.').waitFor();

  const login = { provider: 'email', providerId: person.email, providerData: { password: 'Another-Horse-43' } };
  await person.client.post('/api/auth/login', login);
  await page.getByRole('link', { name: 'Where you are signed in' }).click();
  await page.getByRole('cell', { name: 'This device' }).waitFor();
  await look(page, 'sessions');
  await press(page, 'Sign out there');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out there' }).click();
  await page.getByText('The session has ended.').waitFor();

  await page.getByRole('link', { name: 'Your data' }).click();
  const download = page.waitForEvent('download');
  await press(page, 'Download');
  const saved = JSON.parse(readFileSync(await (await download).path(), 'utf8'));
  expect(saved.user.name).toBe('Ada King');
  await look(page, 'data');
  await press(page, 'Delete account');
  await page.getByLabel(/^Type/).fill(person.email);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
  await heading(page, 'Sign in to Tessera');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a session of a program says what allowed it, and a sign-out offers to end it', async () => {
  const { stack } = signIns();
  const person = await createPerson(stack, { name: 'Ada Lovelace' });
  const { page, complaints } = await visit(person, '/console/me/sessions');
  await page.getByRole('cell', { name: 'This device' }).waitFor();
  const config = await openid.discovery(new URL(stack.url), 'tessera-cli', undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  });
  const device = await openid.initiateDeviceAuthorization(config, { scope: 'openid offline_access' });
  await page.goto(at(`/auth/device?user_code=${device.user_code}`));
  await press(page, 'Continue');
  await press(page, 'Allow');
  await heading(page, 'Your device is signed in');
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
  await page.goto(at('/console/me/sessions'));
  await page.getByText(/^Allowed by Chrome/).waitFor();
  await look(page, 'sessions-granted');
  await page.goto(at('/auth/logout'));
  await page.getByLabel('Also sign out the program that you allowed here').check();
  await look(page, 'logout-granted');
  await page.goto(at('/console/me/sessions'));
  await openOwnMenu(page);
  await press(page, 'Sign out');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Also sign out the program that was allowed there').check();
  await look(page, 'sign-out');
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in to Tessera');
  expect((await person.client.get('/api/me', tokens.access_token)).status).toBe(401);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)(
  'who signs in in another window of the same kind of browser is told in the first one, and a new visitor is not',
  async () => {
    const person = await createPerson(signIns().stack, { name: 'Ada Lovelace' });
    const { page: first } = await visit(person);
    await heading(first, 'Hello Ada Lovelace');
    const { page: second } = await visit(person);
    await heading(second, 'Hello Ada Lovelace');
    await first.reload();
    await first.getByText('after a sign-in in another window of a browser like this one').waitFor();
    await look(first, 'signed-out-here');
    await openOwnMenu(second);
    await press(second, 'Sign out');
    await heading(second, 'Sign in to Tessera');
    await second.goto(at('/console'));
    await heading(second, 'Sign in to Tessera');
    expect(await second.getByText('You were signed out here').count()).toBe(0);
  },
);

testUnless(skip)('without a network the console says so and stays, and goes on when there is one', async () => {
  const person = await createPerson(signIns().stack, { name: 'Ada Lovelace' });
  const { page, context } = await visit(person, '/console/me');
  await heading(page, 'Profile');
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Acting for you' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await press(page, 'Try again');
  await page.locator('button[data-loading]').waitFor({ state: 'detached' });
  await page.getByText('The server cannot be reached').waitFor();
  await context.setOffline(false);
  await press(page, 'Try again');
  await heading(page, 'Acting for you');
});

testUnless(skip)('an address that leads nowhere says so and leads back', async () => {
  const person = await createPerson(signIns().stack, { name: 'Ada Lovelace' });
  const { page, complaints } = await visit(person, '/console/nowhere/at/all');
  await heading(page, 'There is no such page');
  await look(page, 'missing');
  await page.getByRole('link', { name: 'Back to start' }).click();
  await page.waitForURL(at('/console'));
  await page.goto(at('/console/org/00000000-0000-4000-8000-000000000000'));
  await heading(page, 'You may not see this');
  expect(complaints).toStrictEqual([]);
});
