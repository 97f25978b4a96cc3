/** Second factors and passkeys in Chromium, with its virtual authenticator. */
import { expect } from '@jest/globals';
import { generateSync } from 'otplib';
import type { BrowserContext, Page } from 'playwright-core';
import { skip } from '../../support/browser/browser.ts';
import {
  at,
  heading,
  open,
  press,
  register,
  shareStack,
  signIn,
  signIns,
  signOut,
  takeRecoveryCodes,
} from '../../support/browser/journey.ts';
import { waitForMail } from '../../support/mail.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

testUnless(skip)('an app is enrolled with its secret, asked for at the next sign-in, and replaced by a recovery code', async () => {
  const visitor = await open();
  const { page, complaints } = visitor;
  const address = await register(visitor);
  await page.goto(at('/console/me/sign-in'));
  await press(page, 'Add an authenticator app');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  const secret = await page.getByLabel('Secret').innerText();
  const epoch = Math.floor(Date.now() / 1_000);
  // The dialog waits for the code: it is typed without a click.
  await page.keyboard.type(generateSync({ secret, epoch: epoch - 30 }));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await press(page, 'Copy all');
  await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  const codes = await takeRecoveryCodes(page);
  expect(codes).toHaveLength(10);
  expect(copied).toBe(`${codes.join('\n')}\n`);
  await page.getByText('10 left').waitFor();
  await press(page, 'Make new ones');
  await page.getByRole('dialog').getByText('stop working at once').waitFor();
  await press(page, 'Cancel');

  await signOut(page);
  await signIn(page, address);
  await heading(page, 'Confirm that it is you');
  let tries = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/auth/second-factor')) tries += 1;
  });
  // The sixth digit sends it, once: what was refused waits for another code.
  await page.getByLabel('Code').pressSequentially('000000');
  await page.getByRole('alert').filter({ hasText: 'Enter the one that your authenticator app shows now.' }).waitFor();
  expect(tries).toBe(1);
  await page.getByLabel('Code').fill(generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) }));
  await page.waitForURL(/\/console/);

  await signOut(page);
  await signIn(page, address);
  await press(page, 'Use a recovery code');
  await page.getByLabel('Code').fill('XXXXX-XXXXX');
  await press(page, 'Continue');
  await page.getByRole('alert').filter({ hasText: 'This recovery code is wrong' }).waitFor();
  await page.getByLabel('Code').fill(codes[0] ?? '');
  await press(page, 'Continue');
  await page.waitForURL(/\/console/);
  expect(complaints).toStrictEqual([]);
});

/** Chromium's virtual authenticators, which verify the person unless told otherwise. */
async function authenticatorsOf(page: Page, context: BrowserContext) {
  const browser = await context.newCDPSession(page);
  await browser.send('WebAuthn.enable');
  const common = { protocol: 'ctap2', hasResidentKey: true, hasUserVerification: true, isUserVerified: true } as const;
  const add = async (transport: 'internal' | 'usb') => {
    const options = { ...common, transport, automaticPresenceSimulation: true };
    return (await browser.send('WebAuthn.addVirtualAuthenticator', { options })).authenticatorId;
  };
  const setPresent = (authenticatorId: string, enabled: boolean) =>
    browser.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  return { browser, add, setPresent };
}

testUnless(skip)('a passkey is added, signs in without a password, and is refused without user verification', async () => {
  const visitor = await open();
  const { page, context } = visitor;
  await register(visitor);
  const { browser, add } = await authenticatorsOf(page, context);
  const authenticatorId = await add('internal');
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

testUnless(skip)('of two passkeys each signs in, alone and after the password, until it is removed', async () => {
  const visitor = await open();
  const { page, context, complaints } = visitor;
  const address = await register(visitor);
  const { browser, add, setPresent } = await authenticatorsOf(page, context);
  const laptop = await add('internal');
  await page.goto(at('/console/me/sign-in'));
  await press(page, 'Add a passkey');
  await takeRecoveryCodes(page);
  await setPresent(laptop, false);
  const stick = await add('usb');
  await press(page, 'Add a passkey');
  const removals = page.getByRole('button', { name: /^Remove Passkey/ });
  await removals.nth(1).waitFor();
  for (const authenticatorId of [laptop, stick])
    expect((await browser.send('WebAuthn.getCredentials', { authenticatorId })).credentials).toHaveLength(1);

  const byPassword = async () => {
    await signIn(page, address);
    await heading(page, 'Confirm that it is you');
    await press(page, 'Use a passkey');
  };
  for (const [used, other] of [
    [laptop, stick],
    [stick, laptop],
  ] as const) {
    await setPresent(other, false);
    await setPresent(used, true);
    for (const way of [() => press(page, 'Sign in with a passkey'), byPassword]) {
      await signOut(page);
      await way();
      await page.waitForURL(/\/console/);
    }
  }
  await page.goto(at('/console/me/sign-in'));
  await removals.first().click();
  await press(page, 'Cancel');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await removals.count()).toBe(2);
  await removals.first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await removals.nth(1).waitFor({ state: 'detached' });
  const outcomes: string[] = [];
  for (const [used, other] of [
    [laptop, stick],
    [stick, laptop],
  ] as const) {
    await setPresent(other, false);
    await setPresent(used, true);
    await signOut(page);
    await press(page, 'Sign in with a passkey');
    const refused = page.getByRole('alert').waitFor();
    const signedIn = page.waitForURL(/\/console/);
    outcomes.push(await Promise.any([refused.then(() => 'refused'), signedIn.then(() => 'signed in')]));
  }
  expect(outcomes.toSorted()).toStrictEqual(['refused', 'signed in']);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a passkey whose counter goes back is refused and told by mail; the true one still signs in', async () => {
  const visitor = await open();
  const { page, context, complaints } = visitor;
  const address = await register(visitor);
  const { browser, add } = await authenticatorsOf(page, context);
  const authenticatorId = await add('internal');
  await page.goto(at('/console/me/sign-in'));
  await press(page, 'Add a passkey');
  await takeRecoveryCodes(page);
  await signOut(page);
  await press(page, 'Sign in with a passkey');
  await page.waitForURL(/\/console/);
  await signOut(page);

  const credential = (await browser.send('WebAuthn.getCredentials', { authenticatorId })).credentials[0];
  if (credential === undefined) throw new Error('The authenticator has no passkey');
  const { credentialId, signCount } = credential;
  expect(signCount).toBeGreaterThan(1);
  const replaceWith = async (count: number) => {
    await browser.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    await browser.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: count } });
  };
  await replaceWith(0);
  await press(page, 'Sign in with a passkey');
  await page.getByRole('alert').waitFor();
  expect(page.url()).toContain('/auth/sign-in');
  await waitForMail(signIns().stack.dataDir, address, 'passkey-copied');

  await replaceWith(signCount);
  await press(page, 'Sign in with a passkey');
  await page.waitForURL(/\/console/);
  expect(complaints).toStrictEqual([]);
});
