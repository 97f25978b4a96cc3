/** Recovery by mail of a person who has lost every factor. Its job runs every minute. */
import { expect } from '@jest/globals';
import { generateSync } from 'otplib';
import pg from 'pg';
import { look, skip } from '../../support/browser/browser.ts';
import {
  at,
  follow,
  heading,
  linkTo,
  open,
  press,
  register,
  signIn,
  signIns,
  signOut,
  startStackOnce,
  takeRecoveryCodes,
} from '../../support/browser/journey.ts';
import { mailsTo } from '../../support/mail.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';

startStackOnce();

/** As if the waiting time had passed. */
async function endWait(address: string): Promise<void> {
  const admin = new pg.Client({ connectionString: signIns().stack.adminDatabaseUrl });
  await using cleanup = new AsyncDisposableStack();
  await admin.connect();
  cleanup.defer(() => admin.end());
  const due = `UPDATE identity.account_recoveries SET started_at = now() - interval '72 hours', due_at = now(), next_mail_at = now()
    WHERE user_id IN (SELECT user_id FROM identity.authentication_methods WHERE email = $1)`;
  await admin.query(due, [address]);
}

testUnless(skip)('who has lost every factor recovers the account by mail, after the waiting time', async () => {
  const visitor = await open();
  const { page, complaints } = visitor;
  const address = await register(visitor);
  await page.goto(at('/console/me/sign-in'));
  await press(page, 'Add an authenticator app');
  const secret = await page.getByLabel('Secret').innerText();
  await page.getByLabel('Code').fill(generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) }));
  await takeRecoveryCodes(page);

  await signOut(page);
  await signIn(page, address);
  await heading(page, 'Confirm that it is you');
  await look(page, '60-second-factor');
  await press(page, 'I have lost all of these');
  await heading(page, 'Recover your account');
  await page.getByText('by mail, 3 days after you begin').waitFor();
  await look(page, '61-recovery');
  await press(page, 'Begin the recovery');
  await heading(page, 'The recovery has begun');
  await look(page, '62-recovery-begun');
  expect(await linkTo(address, 'recovery-started')).toContain('/auth/sign-in');

  await endWait(address);
  // The job runs every minute.
  const isTold = async () => (await mailsTo(signIns().stack.dataDir, address)).some(({ template }) => template === 'recovery-ready');
  await until(isTold, 90_000);
  const link = await linkTo(address, 'recovery-ready');
  await page.goto(link);
  await heading(page, 'Remove the second factors');
  expect(page.url()).not.toContain('token');
  await look(page, '63-recovery-finish');
  await press(page, 'Remove all of them');
  await heading(page, 'The second factors are removed');
  await look(page, '64-recovery-done');
  await follow(page, 'Sign in');
  await signIn(page, address);
  await page.waitForURL(/\/console/);

  await page.goto(link);
  await press(page, 'Remove all of them');
  await heading(page, 'This link no longer works');
  await look(page, '65-recovery-dead');
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(at('/auth/recovery'));
  await page.getByText('Where the second factor is asked for').waitFor();
  await look(page, '66-recovery-how');
  expect(complaints).toStrictEqual([]);
});
