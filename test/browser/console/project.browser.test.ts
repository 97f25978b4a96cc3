/** A project in the console: what it protects, who may do what and why, and what programs use. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { skip } from '../../support/browser/browser.ts';
import { heading, press, shareStack } from '../../support/browser/journey.ts';
import { choose, look, memberOf, pathOf, pick, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';

shareStack();

testUnless(skip)('an Owner makes a resource, a permission with a condition, a group, a role, and gives it', async () => {
  const { owner, project } = await team();
  const { page, complaints } = await visit(owner, pathOf(project, 'resources'));
  await press(page, 'New resource');
  await page.getByLabel('Name', { exact: true }).fill('Invoice');
  await page.getByLabel('Short name').fill('invoice');
  for (const action of ['read', 'approve']) {
    await page.getByRole('combobox', { name: 'Actions' }).fill(action);
    await page.keyboard.press('Enter');
  }
  await look(page, 'resource-new');
  await page.getByLabel('Make a permission').uncheck();
  await press(page, 'Create');
  await page.getByRole('cell', { name: 'read, approve' }).waitFor();
  await look(page, 'resources');

  await page.getByRole('link', { name: 'Permissions', exact: true }).click();
  await page.getByText('There are no permissions yet.').waitFor();
  await look(page, 'permissions-empty');
  await press(page, 'New permission');
  await page.getByLabel('Name', { exact: true }).fill('Approve own invoices');
  await pick(page, 'Resource', 'Invoice');
  await pick(page, 'Action', 'approve');
  await page.getByLabel('Condition as JSON').fill('{ "Equal": {} }');
  await page.getByText("'Equal' is no operator").waitFor();
  await page.getByLabel('Condition as JSON').fill('');
  await page.getByRole('combobox', { name: 'Path' }).fill('resource.ownerId');
  await press(page, 'Add');
  await page.getByText('Try it against an example').click();
  await page.getByText('Yes: the condition holds.').waitFor();
  await pick(page, 'Path', 'context.ipAddress');
  await press(page, 'Add');
  await page.getByLabel('Example').fill(JSON.stringify({ context: { ipAddress: '192.0.2.1' } }));
  await page.getByText('No: the condition does not hold.').waitFor();
  await press(page, 'Show each comparison');
  await page.getByRole('table', { name: 'What was compared' }).getByText('context.ipAddress').waitFor();
  await look(page, 'permission-new');
  await page.getByLabel('Condition as JSON').fill('{ "Equals": { "resource.ownerId": "{{user.id}}" } }');
  await press(page, 'Create');
  await page.getByRole('cell', { name: 'Approve own invoices' }).waitFor();

  await page.getByRole('link', { name: 'Groups', exact: true }).click();
  await press(page, 'New group');
  await page.getByLabel('Name', { exact: true }).fill('Invoices');
  await pick(page, 'Permissions', 'Approve own invoices');
  await page.keyboard.press('Escape');
  await press(page, 'Create');
  await page.getByRole('cell', { name: 'Invoices', exact: true }).waitFor();

  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await press(page, 'New role');
  await page.getByLabel('Name', { exact: true }).fill('Accountant');
  await press(page, 'Create');
  await choose(page, 'Accountant', 'Edit');
  await pick(page, 'Add a group', 'Invoices');
  await page.getByText('+ Invoices').waitFor();
  await page.getByText('Concerns no one yet.').waitFor();
  await look(page, 'role-difference');
  await press(page, 'Save');
  await page.getByText('Who has it').waitFor();
  await page.getByText('resource.ownerId').waitFor();
  await look(page, 'role');

  await page.getByRole('link', { name: 'People', exact: true }).click();
  await choose(page, 'Olga Owner', 'Give roles');
  await pick(page, 'Project roles', 'Accountant');
  await page.keyboard.press('Escape');
  await press(page, 'Save');
  await page.getByRole('cell', { name: 'Accountant' }).waitFor();
  await page.getByRole('cell', { name: owner.email, exact: true }).waitFor();
  await look(page, 'people');

  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await pick(page, 'Resource', 'Invoice');
  await page.getByRole('combobox', { name: 'Action' }).fill('approve');
  await press(page, 'Ask');
  await page.getByText('its condition does not hold').waitFor();
  await page.getByLabel('The resource as conditions read it').fill(JSON.stringify({ ownerId: owner.userId }));
  await press(page, 'Ask');
  await page.getByText('and its condition holds').waitFor();
  await look(page, 'decisions');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('who makes a person is told that nobody can sign in as them, and led to an invitation', async () => {
  const { owner, project } = await team();
  const { page, complaints } = await visit(owner, pathOf(project, 'people'));
  await press(page, 'New person');
  await page.getByText('nobody can ever sign in as this person').waitFor();
  await look(page, 'person-new');
  await page.getByLabel('Name', { exact: true }).fill('Rita Record');
  await press(page, 'Create');
  // What the dialog says is true: there is no way to sign in, and none can be given.
  await page.getByRole('row').filter({ hasText: 'Rita Record' }).getByText('no sign-in').waitFor();
  await press(page, 'New person');
  await page.getByRole('link', { name: 'Invite them to the organization' }).click();
  await heading(page, 'Members');
  await page.getByRole('dialog').getByRole('button', { name: 'Send invitation' }).waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a draft of a role is kept while a group is made, and the group is offered then', async () => {
  const { owner, project } = await team();
  const { page, complaints } = await visit(owner, pathOf(project, 'roles'));
  await press(page, 'New role');
  await page.getByLabel('Name', { exact: true }).fill('Treasurer');
  await press(page, 'Create');
  await choose(page, 'Treasurer', 'Edit');
  await page.getByLabel('Description').fill('Pays bills');
  await page.getByRole('link', { name: 'Groups', exact: true }).click();
  await press(page, 'New group');
  await page.getByLabel('Name', { exact: true }).fill('Bills');
  await press(page, 'Create');
  await page.getByRole('cell', { name: 'Bills', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await choose(page, 'Treasurer', 'Edit');
  await pick(page, 'Add a group', 'Bills');
  expect(await page.getByLabel('Description').inputValue()).toBe('Pays bills');
  await press(page, 'Save');
  await page.getByText('Who has it').waitFor();
  await page.getByText('Pays bills').waitFor();
  expect(complaints).toStrictEqual([]);
});

/** Counts the clicks of a page from now on. */
async function countClicks(page: Page): Promise<() => Promise<unknown>> {
  await page.evaluate(
    "window.clicks = 0; addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail > 0) window.clicks += 1; }, true)",
  );
  return () => page.evaluate('window.clicks');
}

testUnless(skip)('a role for a new resource is made and given to a person by eight clicks on one screen', async () => {
  const { owner, project } = await team();
  const { page, complaints } = await visit(owner, pathOf(project));
  await heading(page, 'Web shop');
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await press(page, 'New role');
  await page.getByLabel('Name', { exact: true }).fill('Storekeeper');
  await press(page, 'New resource');
  await page.getByLabel('Name of the resource').fill('Parcel');
  for (const action of ['read', 'send']) {
    await page.getByRole('combobox', { name: 'Actions' }).fill(action);
    await page.keyboard.press('Enter');
  }
  await press(page, 'Make the resource');
  await page.getByLabel('Parcel: read').check();
  await pick(page, 'Give it to', 'Olga Owner');
  await look(page, 'role-new');
  await press(page, 'Create');
  await page.getByRole('cell', { name: 'Storekeeper' }).waitFor();
  expect(await clicks()).toBe(8);
  const decision = { scope: project, permission: { resource: 'parcel', action: 'read' } };
  const answer = await owner.client.post('/api/auth/is-authorized', decision, owner.token);
  expect(answer.body.data.authorized).toBe(true);

  await page.getByRole('link', { name: 'Storekeeper' }).click();
  await page.getByRole('main').getByText(owner.email).waitFor();
  await page.getByRole('table', { name: 'What the role gives' }).getByText('read').waitFor();
  await press(page, 'Edit');
  await page.getByLabel('Parcel: read').uncheck();
  await page.getByLabel('Parcel: send').check();
  await page.getByText('+ Parcel: send').waitFor();
  await page.getByText('Concerns one person: Olga Owner').waitFor();
  await look(page, 'role-ticks');
  await press(page, 'Save');
  await page.getByText('Who has it').waitFor();
  await page.getByRole('table', { name: 'What the role gives' }).getByText('send').waitFor();
  expect((await owner.client.post('/api/auth/is-authorized', decision, owner.token)).body.data.authorized).toBe(false);
  await look(page, 'role-own');

  await page.getByRole('link', { name: 'Groups', exact: true }).click();
  const group = page.getByRole('row').filter({ hasText: 'of one role' });
  expect(await group.getByRole('button', { name: 'Actions' }).count()).toBe(0);
  await group.getByRole('link', { name: 'of one role' }).click();
  await heading(page, 'Storekeeper');

  // Ctrl-K finds it, and the form of a new one, by the keyboard alone.
  await page.waitForLoadState('networkidle');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: 'Search places' });
  await search.pressSequentially('parcel', { delay: 20 });
  await page.getByRole('option', { name: /Parcel.*Resource/ }).waitFor();
  await page.waitForLoadState('networkidle');
  // One pause asks once, a few kinds: the places when it opens, then what matches.
  expect(requests.length).toBeLessThan(16);
  await look(page, 'finder-things');
  await page.keyboard.press('Enter');
  await heading(page, 'Resources');
  await page.getByRole('cell', { name: 'Parcel', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await search.fill('create a role');
  await page.getByRole('option', { name: /New role/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New role' }).waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a built-in role says in words what it gives', async () => {
  const all = await team();
  const viewer = await memberOf(all, 'Viewer');
  const { page, complaints } = await visit(viewer, pathOf(all.organization, 'roles'));
  await page.getByRole('link', { name: 'Dev', exact: true }).click();
  await heading(page, 'Dev');
  await page.getByText('Builds: projects, resources, roles, apps and keys.').waitFor();
  const row = page.getByRole('table', { name: 'What the role gives' }).getByRole('row').filter({ hasText: 'API keys' });
  expect(await row.innerText()).toMatch(/delete\s+only of one’s own/);
  await look(page, 'role-built-in');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an Owner makes and revokes an API key, makes a tag, and rotates the signing key', async () => {
  const { owner, project } = await team();
  const { page, complaints } = await visit(owner, pathOf(project, 'keys'));
  await press(page, 'New API key');
  await page.getByLabel('Name', { exact: true }).fill('Nightly job');
  await pick(page, 'Role', 'Viewer');
  await press(page, 'Create');
  await page.getByText('clientSecret').waitFor();
  expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await look(page, 'key-secret');
  await page.getByLabel('I have kept it').check();
  await press(page, 'Done');
  await look(page, 'keys');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search places' }).fill('nightly');
  await page.getByRole('option', { name: /Nightly job.*API key/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await choose(page, 'Nightly job', 'Use over time');
  await page.getByRole('dialog', { name: 'Nightly job' }).getByText('The key was not used in this time.').waitFor();
  await look(page, 'key-use');
  await page.keyboard.press('Escape');
  await choose(page, 'Nightly job', 'Revoke');
  await page.getByLabel(/^Type/).fill('Nightly job');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('cell', { name: 'revoked' }).waitFor();

  await page.getByRole('link', { name: 'Signing keys', exact: true }).click();
  await page.getByText('There are no keys yet.').waitFor();
  await press(page, 'Rotate');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('active', { exact: true }).waitFor();
  await look(page, 'signing-keys');

  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  await press(page, 'New tag');
  await page.getByLabel('Name', { exact: true }).fill('Finance');
  await press(page, 'Create');
  await page.getByRole('cell', { name: 'Finance' }).waitFor();
  await look(page, 'tags');
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await heading(page, 'Web shop');
  await look(page, 'project');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a Viewer sees a project without a way to change it, and no signing keys', async () => {
  const all = await team();
  const viewer = await memberOf(all, 'Viewer');
  const { page, complaints } = await visit(viewer, pathOf(all.project, 'signing-keys'));
  await heading(page, 'You may not see this');
  await look(page, 'not-allowed');
  for (const [area, make] of [
    ['Resources', 'New resource'],
    ['Roles', 'New role'],
    ['API keys', 'New API key'],
    ['People', 'New person'],
  ] as const) {
    await page.getByRole('link', { name: area, exact: true }).click();
    await heading(page, area);
    expect([area, await page.getByRole('button', { name: make }).count()]).toStrictEqual([area, 0]);
  }
  expect(await page.getByRole('link', { name: 'Apps', exact: true }).count()).toBe(0);
  expect(complaints).toStrictEqual([]);
});
