/** The whole console in German, and a list with 100,000 members. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { at, open, press, signIns, startStackOnce } from '../../support/browser/journey.ts';
import { measureScroll } from '../../support/console/frames.ts';
import { keepPicture } from '../../support/console/inspect.ts';
import { allScreens } from '../../support/console/screens.ts';
import { pathOf, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { createOrganization, PASSWORD } from '../../support/world.ts';
import { addMembers } from '../load/crowd.ts';

startStackOnce();

testUnless(skip)('every screen fits in German, narrow and wide', async () => {
  const all = await team();
  const { page, complaints, context } = await open({ locale: 'de' });
  await page.goto(at('/auth/sign-in?return_to=%2Fconsole'));
  await page.getByLabel('E-Mail-Adresse').fill(all.owner.email);
  await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
  await press(page, 'Anmelden');
  await page.waitForURL(at('/console'));
  for (const { name, path } of allScreens(all)) {
    await page.goto(at(path));
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect([name, await page.locator('html').getAttribute('lang')]).toStrictEqual([name, 'de']);
    await keepPicture(page, `${name}-german`);
  }
  await context.close();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a list of 100,000 members scrolls, searches and turns pages at 60 frames a second', async () => {
  const { owner } = await team();
  const organization = await createOrganization(owner, 'Crowd');
  const { adminDatabaseUrl } = signIns().stack;
  await addMembers({ adminDatabaseUrl }, { organizationId: organization.id }, 100_000);
  const { page, complaints, context } = await visit(owner, pathOf(organization, 'members'));
  await page.getByText('100,001 in total').waitFor();
  const budgetMs = 1_000 / 60;
  const first = await measureScroll(page, 120);
  expect(await page.locator('tbody tr').count()).toBe(25);
  await page.getByRole('button', { name: 'Page 4001' }).click();
  await page.waitForURL(/page=4001/);
  await page.getByRole('row').nth(1).waitFor();
  await page.getByRole('searchbox').fill('Lovelace');
  await page.waitForURL(/q=Lovelace/);
  await page
    .getByRole('cell', { name: /Lovelace/ })
    .first()
    .waitFor();
  const searched = await measureScroll(page, 120);
  for (const { cpuMsPerFrame, longest } of [first, searched]) {
    expect(cpuMsPerFrame).toBeLessThan(budgetMs);
    expect(longest).toBeLessThan(50);
  }
  await keepPicture(page, 'crowd');
  expect(complaints).toStrictEqual([]);
  await context.close();
});
