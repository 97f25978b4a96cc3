/** The decisions screen: what others may do and why, who may do something, and oneself only. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { at, press, shareStack } from '../../support/browser/journey.ts';
import { look, memberOf, pathOf, pick, type Team, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf } from '../../support/world.ts';

shareStack();

/** A resource of the project, whose approval is given under a condition to one person. */
async function invoices({ owner, project }: Team) {
  const make = async (path: string, body: object) => dataOf(await owner.client.post(path, { scope: project, ...body }, owner.token)).id;
  const resourceId = await make('/api/resources', { name: 'Invoice', slug: 'invoice', actions: ['read', 'approve'] });
  const condition = { Equals: { 'resource.ownerId': '{{user.id}}' } };
  const permissionIds = [await make('/api/permissions', { name: 'Approve own invoices', resourceId, action: 'approve', condition })];
  const groupIds = [await make('/api/groups', { name: 'Invoices', permissionIds })];
  const roleIds = [await make('/api/roles', { name: 'Accountant', groupIds })];
  const emil = await make('/api/users', { name: 'Emil Example', roleIds });
  await make('/api/users', { name: 'Nina Nothing', roleIds: [] });
  await make('/api/api-keys', { name: 'Nightly job', roleId: roleIds[0] });
  return { emil };
}

testUnless(skip)('an Owner asks about another person, compares two, and finds who may do it; a Viewer asks about oneself', async () => {
  const all = await team();
  const { emil } = await invoices(all);
  const viewer = await memberOf(all, 'Viewer');
  const { page, complaints } = await visit(all.owner, pathOf(all.project, 'decisions'));
  await pick(page, 'About', 'A person');
  await press(page, 'Ask');
  await page.getByText('Choose who it is about.').waitFor();
  await page.getByRole('combobox', { name: 'Person' }).fill('Test Person');
  await page.getByRole('option', { name: `Test Person (${viewer.email})` }).waitFor();
  await page.getByRole('combobox', { name: 'Person' }).fill('Emil');
  await pick(page, 'Person', 'Emil Example (no sign-in)');
  await heading2('Everything that Emil Example (no sign-in) may do here');
  await page.getByText('approve (condition not met)').waitFor();
  await page.reload();
  await heading2('Everything that Emil Example (no sign-in) may do here');
  await pick(page, 'Resource', 'Invoice');
  await pick(page, 'Action', 'approve');
  await page.getByLabel('The resource as conditions read it').fill('{ "ownerId": "another" }');
  await press(page, 'Ask');
  const answer = page.getByRole('article', { name: 'Emil Example (no sign-in)' });
  await answer.getByRole('heading', { name: 'No', exact: true }).waitFor();
  await answer.getByText('The condition of “Approve own invoices” in Accountant must be met.').waitFor();
  const compared = answer.getByRole('row').filter({ hasText: 'resource.ownerId' });
  expect(await compared.getByRole('cell').allTextContents()).toStrictEqual([
    'resource.ownerId',
    '"another"',
    `Equals "${emil}"`,
    'No, this stands in the way',
  ]);
  await look(page, 'decisions-no');

  await page.getByLabel('The resource as conditions read it').fill(JSON.stringify({ ownerId: emil }));
  await press(page, 'Compare with another');
  await page.getByRole('combobox', { name: 'Person' }).last().click();
  await page.getByRole('option', { name: 'Nina Nothing' }).click();
  await press(page, 'Ask');
  await answer.getByRole('heading', { name: 'Yes', exact: true }).waitFor();
  const other = page.getByRole('article', { name: 'Nina Nothing' });
  await other.getByRole('heading', { name: 'No', exact: true }).waitFor();
  await other.getByText('Give the role Accountant.').waitFor();
  await heading2('Everything that Nina Nothing (no sign-in) may do here');
  await look(page, 'decisions-compare');

  await press(page, 'Who may do this?');
  const who = page.getByRole('region', { name: 'Who may do this?' });
  await who.getByRole('button', { name: 'Emil Example (no sign-in)' }).waitFor();
  expect(await who.getByRole('button', { name: 'Nina Nothing' }).count()).toBe(0);
  await pick(page, 'Kind', 'API keys');
  await who.getByText('None of them may do it.').waitFor();
  await look(page, 'decisions-who');
  await pick(page, 'About', 'An API key');
  await pick(page, 'API key', 'Nightly job');
  await press(page, 'Ask');
  const key = page.getByRole('article', { name: 'Nightly job' });
  await key.getByText('The condition is not met').waitFor();
  expect(complaints).toStrictEqual([]);

  // The address of an Owner, sent to a person who may ask about themselves only.
  const own = await visit(viewer, pathOf(all.project, 'decisions'));
  await own.page.goto(at(`${pathOf(all.project, 'decisions')}?about=user:${emil}`));
  await pick(own.page, 'Resource', 'Invoice');
  await own.page.getByRole('combobox', { name: 'Action' }).fill('approve');
  await press(own.page, 'Ask');
  await own.page.getByRole('article', { name: 'You' }).getByRole('heading', { name: 'No', exact: true }).waitFor();
  for (const absent of [own.page.getByLabel('About'), own.page.getByRole('button', { name: /Compare|Who may/ })])
    expect(await absent.count()).toBe(0);
  await own.page.locator('button[data-loading]').waitFor({ state: 'detached' });
  await look(own.page, 'decisions-oneself');
  const { project: scope } = all;
  const permission = { resource: 'invoice', action: 'approve' };
  const refused = await viewer.client.post(
    '/api/auth/is-authorized',
    { scope, permission, subject: { type: 'user', id: emil } },
    viewer.token,
  );
  expect(refused.status).toBe(403);
  expect(own.complaints).toStrictEqual([]);

  function heading2(name: string) {
    return page.getByRole('heading', { name, level: 2 }).waitFor();
  }
});
