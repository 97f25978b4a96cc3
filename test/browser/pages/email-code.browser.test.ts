/** Signing in by a code that is mailed, typed where it was requested, or by the mail’s link. */
import { expect } from '@jest/globals';
import { look, skip } from '../../support/browser/browser.ts';
import { at, heading, linkTo, open, press, register, shareStack, signIns } from '../../support/browser/journey.ts';
import { waitForMail } from '../../support/mail.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

testUnless(skip)('a code by mail signs in where it was requested, and its link in the same browser alone', async () => {
  const address = await register(await open());
  const { page, complaints } = await open();
  await page.goto(at('/auth/sign-in'));
  await heading(page, /^Sign in to /);
  await press(page, 'Send me a code instead');
  await page.getByText('Enter an email address').waitFor();
  await look(page, '90-sign-in-code');
  await page.getByLabel('Email address').fill(address);
  await press(page, 'Send me a code instead');
  await heading(page, 'Enter the code');
  const { data } = await waitForMail(signIns().stack.dataDir, address, 'sign-in-code');
  const code = String(data.code);
  await page.getByLabel('Code').fill(code === '000000' ? '111111' : '000000');
  await page.getByText('This code is wrong.').waitFor();
  await look(page, '91-code-wrong');
  // The sixth digit sends it.
  await page.getByLabel('Code').fill('');
  await page.getByLabel('Code').fill(code);
  await heading(page, 'Hello Ada Lovelace');

  const other = await open();
  await other.page.goto(at('/auth/sign-in'));
  await other.page.getByLabel('Email address').fill(address);
  await press(other.page, 'Send me a code instead');
  await heading(other.page, 'Enter the code');
  const link = await linkTo(address, 'sign-in-code', 1);
  // A mail scanner, and a browser that did not ask.
  expect((await fetch(link)).status).toBe(200);
  const third = await open();
  await third.page.goto(link);
  await press(third.page, 'Sign in');
  await third.page.getByText('No code can be entered here now').waitFor();
  await look(third.page, '92-code-link');
  await other.page.goto(link);
  await press(other.page, 'Sign in');
  await heading(other.page, 'Hello Ada Lovelace');
  expect(other.page.url()).not.toMatch(/code|email/);
  expect([complaints, other.complaints].flat()).toStrictEqual([]);
});
