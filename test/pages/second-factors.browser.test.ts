/** Second factors and passkeys in Chromium, with its virtual authenticator. */
import { expect } from '@jest/globals';
import { generateSync } from 'otplib';
import type { Page } from 'playwright-core';
import { testUnless } from '../../tools/testing/unless.ts';
import { skip } from './browser.ts';
import { at, heading, open, press, register, signIn, startStackOnce } from './journey.ts';

startStackOnce();

async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.goto(at('/auth/sign-in'));
  await heading(page, /Sign in to/);
}

/** The codes are shown once; the person says that they are kept. */
async function takeRecoveryCodes(page: Page): Promise<string[]> {
  const codes = page.getByRole('dialog').getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  const found = await codes.allInnerTexts();
  await press(page, 'I have kept them');
  return found;
}

testUnless(skip)('an app is enrolled with its secret, asked for at the next sign-in, and replaced by a recovery code', async () => {
  const visitor = await open();
  const { page, complaints } = visitor;
  const address = await register(visitor);
  await page.goto(at('/console/me/sign-in'));
  await press(page, 'Add an authenticator app');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  const secret = await page.getByLabel('Secret').innerText();
  const epoch = Math.floor(Date.now() / 1_000);
  await page.getByLabel('Code').fill(generateSync({ secret, epoch: epoch - 30 }));
  await press(page, 'Continue');
  const codes = await takeRecoveryCodes(page);
  expect(codes).toHaveLength(10);
  await page.getByText('10 left').waitFor();

  await signOut(page);
  await signIn(page, address);
  await heading(page, 'Confirm that it is you');
  await page.getByLabel('Code').fill('000000');
  await press(page, 'Continue');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code').fill(generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) }));
  await press(page, 'Continue');
  await page.waitForURL(/\/console/);

  await signOut(page);
  await signIn(page, address);
  await press(page, 'Use a recovery code');
  await page.getByLabel('Code').fill(codes[0] ?? '');
  await press(page, 'Continue');
  await page.waitForURL(/\/console/);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a passkey is added, signs in without a password, and is refused without user verification', async () => {
  const visitor = await open();
  const { page, context } = visitor;
  await register(visitor);
  const browser = await context.newCDPSession(page);
  await browser.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
  await page.goto(at('/console/me/sign-in'));
  await press(page, 'Add a passkey');
  expect(await takeRecoveryCodes(page)).toHaveLength(10);
  const { credentials } = await browser.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials.map(({ isResidentCredential }) => isResidentCredential)).toStrictEqual([true]);

  await signOut(page);
  await browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await press(page, 'Sign in with a passkey');
  await page.getByRole('alert').waitFor();
  await browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await press(page, 'Sign in with a passkey');
  await page.waitForURL(/\/console/);
});
