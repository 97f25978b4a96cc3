/** The dialog that asks a person to prove that it is still them, over any screen of the console. */
import { expect } from '@jest/globals';
import { generateSync } from 'otplib';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { skip } from '../../support/browser/browser.ts';
import { answerProvider, at, follow, heading, open, press, shareStack, signIns } from '../../support/browser/journey.ts';
import { look, memberOf, pathOf, pick, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { createPerson, dataOf, PASSWORD, type Person } from '../../support/world.ts';

shareStack();

async function query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
  const admin = new pg.Client({ connectionString: signIns().stack.adminDatabaseUrl });
  await using cleanup = new AsyncDisposableStack();
  await admin.connect();
  cleanup.defer(() => admin.end());
  return await admin.query(text, [...values]);
}

/** As if the person had signed in a while ago; the page gets a token that says so. */
async function grow({ userId }: Pick<Person, 'userId'>, page: Page): Promise<void> {
  await query(`UPDATE identity.sessions SET authenticated_at = now() - interval '1 hour' WHERE user_id = $1`, [userId]);
  await page.reload();
}
const dialog = (page: Page) => page.getByRole('dialog').filter({ hasText: 'Confirm that it is you' });

testUnless(skip)(
  'an old sign-in: the password is asked for, a wrong one counts once, and the change is made without typing again',
  async () => {
    const person = await createPerson(signIns().stack, { name: 'Ada Lovelace' });
    const { page } = await visit(person, '/console/me/sign-in');
    await grow(person, page);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('Another-Horse-43');
    await press(page, 'Change password');
    const asked = dialog(page);
    await asked.getByLabel('Password', { exact: true }).fill('Wrong-Horse-41');
    await asked.getByRole('button', { name: 'Continue' }).click();
    await asked.getByRole('alert').filter({ hasText: 'This password is wrong.' }).waitFor();
    await look(page, 'prove-identity');
    const wrong = await query('SELECT FROM identity.wrong_proofs WHERE user_id = $1', [person.userId]);
    expect(wrong.rowCount).toBe(1);
    await asked.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await asked.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Your password has been changed.').waitFor();
    expect(await asked.count()).toBe(0);
  },
);

testUnless(skip)('closing the dialog leaves the refusal and what was typed; the next try asks again', async () => {
  const { owner, project } = await team();
  const { page } = await visit(owner, pathOf(project, 'keys'));
  await grow(owner, page);
  await press(page, 'New API key');
  const form = page.getByRole('dialog').filter({ hasText: 'New API key' });
  await form.getByLabel('Name', { exact: true }).fill('Nightly export');
  await pick(page, 'Role', 'Viewer');
  await form.getByRole('button', { name: 'Create' }).click();
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await form.getByRole('alert').waitFor();
  expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('Nightly export');
  await form.getByRole('button', { name: 'Create' }).click();
  await dialog(page).getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog(page).getByRole('button', { name: 'Continue' }).click();
  await page.getByText('clientSecret').waitFor();
});

testUnless(skip)('an organization that demands a second factor says how to set one up', async () => {
  const members = await team();
  const { owner, organization } = members;
  const viewer = await memberOf(members, 'Viewer');
  const token = (await enrol(owner)).accessToken;
  const security = { requireSecondFactor: true };
  dataOf(await owner.client.patch(`/api/organizations/${organization.id}`, { scope: organization, security }, token));
  const { page } = await visit(viewer, pathOf(organization, 'roles'));
  await page.getByRole('dialog').getByText('This needs a sign-in with a second factor').waitFor();
  await look(page, 'factor-needed');
  await page.getByRole('link', { name: 'Set up a second factor' }).click();
  await heading(page, 'Ways to sign in');
});

testUnless(skip)('a person without a password proves it at the provider, in a window beside the screen', async () => {
  const { page, complaints, name, email } = await asksForProvider();
  expect(await dialog(page).getByLabel('Password', { exact: true }).count()).toBe(0);
  const popup = await openProvider(page);
  const closed = popup.waitForEvent('close');
  await answerProvider(popup, name, email);
  await closed;
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  expect(await dialog(page).count()).toBe(0);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('another person at the provider proves nothing', async () => {
  const { page } = await asksForProvider();
  const other = signIns().newUser();
  const popup = await openProvider(page);
  await answerProvider(popup, other.name, String(other.email));
  await popup.getByText('you signed in there as somebody else').waitFor();
  await look(popup, 'prove-identity-other');
  expect(await dialog(page).getByRole('button', { name: 'Confirm at Codehost' }).isVisible()).toBe(true);
});

/** A person who signs in by a provider only did so a while ago, and adds a factor. */
async function asksForProvider() {
  const { page, complaints } = await open();
  const { name, email } = signIns().newUser();
  await page.goto(at('/auth/register?return_to=/console/me/sign-in'));
  await follow(page, 'Continue with Codehost');
  await answerProvider(page, name, String(email));
  await heading(page, 'Ways to sign in');
  const { rows } = await query('SELECT user_id FROM identity.authentication_methods WHERE email = $1', [email]);
  await grow({ userId: rows[0].user_id }, page);
  await press(page, 'Add an authenticator app');
  return { page, complaints, name, email: String(email) };
}

async function openProvider(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await dialog(page).getByRole('button', { name: 'Confirm at Codehost' }).click();
  return await opened;
}

/** An authenticator app, by the API; the code of this step is left. */
async function enrol({ client, token, refreshToken }: Person): Promise<{ accessToken: string }> {
  const { factor, secret } = dataOf(await client.post('/api/me/second-factors/totp', {}, token));
  const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) - 30 });
  dataOf(await client.post(`/api/me/second-factors/${factor.id}/confirm`, { code }, token));
  return dataOf(await client.post('/api/auth/refresh', { refreshToken }));
}
