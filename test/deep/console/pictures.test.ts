/** Pictures: decisions and sign-ins over time, keys, the structure of an organization. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { heading, press, startStackOnce } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { look, memberOf, pathOf, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { dataOf } from '../../support/world.ts';

startStackOnce();

testUnless(skip)('an Owner sees the structure of the organization and what was decided in a project', async () => {
  const all = await team();
  const { owner, organization, project } = all;
  await memberOf(all, 'Viewer');
  for (const action of ['Create', 'Query', 'Dance']) {
    const question = { scope: project, permission: { resource: 'Role', action } };
    dataOf(await owner.client.post('/api/auth/is-authorized', question, owner.token));
  }
  const counted = async () =>
    dataOf(await owner.client.get(`/api/decision-counts?${inScope(project, 'period=day')}`, owner.token)).counts.at(-1);
  await until(async () => (await counted()).refused === 1);

  const { page, complaints } = await visit(owner, pathOf(organization));
  await heading(page, 'Birch & Sons');
  const structure = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Structure' }) });
  await structure.getByRole('link', { name: 'Web shop' }).waitFor();
  await structure.getByText('Test Person').waitFor();
  await look(page, 'pictures-organization');
  await structure.getByRole('link', { name: 'Web shop' }).click();
  await heading(page, 'Web shop');
  const decisions = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Decisions over time' }) });
  const sum = decisions.locator('.bars-sum');
  await sum.waitFor();
  expect(await sum.textContent()).toMatch(/^Allowed: \d+Refused: 1$/);
  await decisions.getByText('Show as a table').click();
  expect(await decisions.getByRole('row').count()).toBe(25);
  await decisions.getByText('Show as a table').click();
  await page.getByText('Nobody signed in to an app').waitFor();
  await decisions.getByText('7 days').click();
  await until(async () => (await decisions.getByRole('row', { includeHidden: true }).count()) === 8);
  await look(page, 'pictures-project');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a full month is drawn, and a picture whose numbers do not come says so and tries again', async () => {
  const { owner, project } = await team();
  const { page, complaints } = await visit(owner, '/console');
  let isBroken = true;
  await page.route('**/api/decision-counts?*', (route) =>
    isBroken ? route.fulfill({ status: 500, json: { error: 'Something broke.', code: 'INTERNAL_SERVER_ERROR' } }) : route.continue(),
  );
  await page.route('**/api/sign-in-counts?*', (route) => {
    const start = Date.UTC(2026, 0, 1);
    const counts = Array.from({ length: 30 }, (_, day) => ({
      at: new Date(start + day * 86_400_000).toISOString(),
      signedIn: 40 + ((day * 37) % 60),
      refused: (day * 13) % 9,
    }));
    return route.fulfill({ json: { success: true, data: { unit: 'day', counts } } });
  });
  await page.goto(new URL(pathOf(project), page.url()).href);
  await page.getByText('Something broke.').waitFor();
  await page.locator('.bars-sum').getByText('Signed in: ').waitFor();
  await look(page, 'pictures-broken');
  isBroken = false;
  await press(page, 'Try again');
  await page.locator('.bars-sum').getByText('Allowed: ').waitFor();
  await page.goto(new URL(pathOf(project, 'signing-keys'), page.url()).href);
  for (let turn = 0; turn < 2; turn += 1) {
    await press(page, 'Rotate');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.getByText('Keys over time').waitFor();
  await look(page, 'pictures-keys');
  expect(complaints).toStrictEqual([]);
});
