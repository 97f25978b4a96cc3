/** What an organization demands of sessions, and who does not meet it yet. */
import { expect } from '@jest/globals';
import { generateSync } from 'otplib';
import { skip } from '../../support/browser/browser.ts';
import { heading, press, shareStack, signIn } from '../../support/browser/journey.ts';
import { look, memberOf, pathOf, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf } from '../../support/world.ts';

shareStack();

testUnless(skip)('an Owner sees who has no second factor, sets one up when asked, and demands it', async () => {
  const members = await team();
  const { owner, organization } = members;
  await memberOf(members, 'Viewer');
  const { page } = await visit(owner, pathOf(organization, 'security'));
  await heading(page, 'Security');
  const without = page.getByRole('list', { name: 'Members without a second factor' }).getByRole('listitem');
  await without.first().waitFor();
  expect(await without.count()).toBe(2);
  await page.getByLabel('Longest age of a sign-in, in minutes').fill('600');
  await page.getByLabel('Demand a second factor of everybody').check();
  await press(page, 'Save');
  await page.getByRole('dialog').getByText('This needs a sign-in with a second factor').waitFor();
  await press(page, 'Close');

  // A new factor ends this session; what was typed is still there after the sign-in.
  const { factor, secret } = dataOf(await owner.client.post('/api/me/second-factors/totp', {}, owner.token));
  const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) - 30 });
  dataOf(await owner.client.post(`/api/me/second-factors/${factor.id}/confirm`, { code }, owner.token));
  await page.reload();
  await signIn(page, owner.email);
  await page.getByLabel('Code').fill(generateSync({ secret }));
  await press(page, 'Continue');
  await heading(page, 'Security');
  expect(await page.getByLabel('Demand a second factor of everybody').isChecked()).toBe(true);
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  await page.getByRole('list', { name: 'Members without a second factor' }).getByRole('listitem').first().waitFor();
  await look(page, 'security');
});
