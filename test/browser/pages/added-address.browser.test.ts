/** The link in the mail for an address that was added to an account. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look, skip } from '../../support/browser/browser.ts';
import {
  answerProvider,
  at,
  follow,
  heading,
  linkTo,
  newAddress,
  open,
  password,
  press,
  register,
  shareStack,
  signIns,
} from '../../support/browser/journey.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

testUnless(skip)('an added address is confirmed by its owner only: others are told, and keep the link until they sign in', async () => {
  const other = await open();
  await register(other);
  const owner = await open();
  const user = signIns().newUser();
  await owner.page.goto(at('/auth/register'));
  await atProvider(owner.page, user.name, String(user.email));
  const added = newAddress();
  await addAddress(owner.page, added);
  const link = await linkTo(added, 'verify-added-address');

  await other.page.goto(link);
  await press(other.page, 'Confirm address');
  await other.page.getByText('added to another account').waitFor();
  await expect(other.page.getByText('leaves you signed in').count()).resolves.toBe(0);
  await look(other.page, '38-added-other-person');
  await press(other.page, 'Use another account');
  await heading(other.page, 'Sign in to Tessera');

  const { page, complaints } = await open();
  await page.goto(link);
  await page.getByText('Enter the password that you chose').waitFor();
  await look(page, '39-added-signed-out');
  await press(page, 'Sign in and confirm');
  await heading(page, 'Sign in to Tessera');
  await atProvider(page, user.name, String(user.email));
  await page.getByRole('button', { name: 'Confirm address' }).waitFor();

  await page.goto(at('/auth/verify-email?token=unknown'));
  await press(page, 'Confirm address');
  await heading(page, 'This link no longer works');
  await page.getByText('Enter your address to get a new link').waitFor();
  await look(page, '40-added-dead-link');

  await page.goto(link);
  await press(page, 'Confirm address');
  await heading(page, 'Your address is confirmed');
  await follow(page, /Continue as/);
  await heading(page, `Hello ${user.name}`);
  await page.goBack();
  await page.getByText('There is nothing left to do').waitFor();
  await expect(page.getByText('The link is not complete').count()).resolves.toBe(0);
  for (const complaint of [complaints, other.complaints, owner.complaints]) expect(complaint).toStrictEqual([]);
});

async function atProvider(page: Page, name: string, email: string): Promise<void> {
  await follow(page, 'Continue with Codehost');
  await Promise.all([page.waitForURL(/\/(console|auth\/verify-email)$/), answerProvider(page, name, email)]);
}

/** The console has no page for it yet, so a script of the page sends the request. */
async function addAddress(page: Page, email: string): Promise<void> {
  const script = `(async () => {
    const post = async (path, body, token) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
      const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer.data;
    };
    const { accessToken } = await post('/api/auth/refresh', {});
    const method = { provider: 'email', providerId: '${email}', providerData: { password: '${password}' } };
    await post('/api/me/authentication-methods', method, accessToken);
  })()`;
  await page.evaluate(script);
}
