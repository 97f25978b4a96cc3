/** Settings of places, tags on things, and the profile of people who can not sign in. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { heading, press, shareStack } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { choose, look, memberOf, pathOf, pick, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { createOrganization, createProject, dataOf } from '../../support/world.ts';

shareStack();

testUnless(skip)('an Owner renames an organization, keeps metadata, and deletes it by typing its name', async () => {
  const { owner } = await team();
  const scope = await createOrganization(owner, 'Old name');
  const { page, complaints } = await visit(owner, pathOf(scope, 'settings'));
  await heading(page, 'Settings');
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('New name');
  await page.getByLabel(/^Metadata/).fill('{ "plan": ');
  await press(page, 'Save');
  await page.getByText('Enter a JSON object.').waitFor();
  await page.getByLabel(/^Metadata/).fill('{ "plan": "gold" }');
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  const read = () => owner.client.get(`/api/organizations/${scope.id}?${inScope(scope)}`, owner.token);
  expect(dataOf(await read())).toMatchObject({ name: 'New name', metadata: { plan: 'gold' } });
  await name.fill('Newer name');
  await press(page, 'Save');
  await page.getByRole('button', { name: /Newer name/ }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await look(page, 'settings-organization');
  await press(page, 'Delete the organization');
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
  expect(await remove.isDisabled()).toBe(true);
  await page.getByLabel(/^Type/).fill('Newer name');
  await look(page, 'settings-delete');
  await remove.click();
  await heading(page, 'Hello Olga Owner');
  expect((await read()).status).toBeGreaterThanOrEqual(403);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a Viewer reads the settings, changes nothing, and leaves by typing the name', async () => {
  const all = await team();
  const viewer = await memberOf(all, 'Viewer');
  const { page, complaints } = await visit(viewer, pathOf(all.organization, 'settings'));
  await page.getByLabel('Name', { exact: true }).waitFor();
  expect(await page.getByLabel('Name', { exact: true }).getAttribute('readonly')).not.toBeNull();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Delete the organization' }).count()).toBe(0);
  await press(page, 'Leave the organization');
  await page.getByLabel(/^Type/).fill('Birch & Sons');
  await page.getByRole('dialog').getByRole('button', { name: 'Leave the organization' }).click();
  await heading(page, /^Hello/);
  const path = `/api/organization-members?${inScope(all.organization)}`;
  expect((await viewer.client.get(path, viewer.token)).status).toBe(403);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('tags are given to a project and a role, shown in the list, narrow it, and are taken away', async () => {
  const { owner, organization } = await team();
  const { client, token } = owner;
  const make = async (path: string, body: object) => dataOf(await client.post(path, { scope: organization, ...body }, token));
  const tag = await make('/api/tags', { name: 'Reviewed', color: 'green' });
  await make('/api/roles', { name: 'Auditor' });
  await createProject(owner, organization, 'Archive');
  const { page, complaints } = await visit(owner, pathOf(organization, 'roles'));
  await choose(page, 'Auditor', 'Tags');
  await pick(page, 'Tags', 'Reviewed');
  await page.keyboard.press('Escape');
  await pick(page, 'Primary tag', 'Reviewed');
  await look(page, 'tags-of-role');
  await press(page, 'Save');
  await page.getByRole('row').filter({ hasText: 'Auditor' }).getByText('Reviewed').waitFor();
  await pick(page, 'With the tag', 'Reviewed');
  await page.getByRole('row').filter({ hasText: 'Owner' }).waitFor({ state: 'detached' });
  await look(page, 'roles-of-tag');

  await page.getByRole('link', { name: 'Projects', exact: true }).click();
  await choose(page, 'Archive', 'Tags');
  await pick(page, 'Tags', 'Reviewed');
  await page.keyboard.press('Escape');
  await press(page, 'Save');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await choose(page, 'Archive', 'Tags');
  await page.getByRole('dialog').getByText('Reviewed').first().waitFor();
  const carrying = async () => dataOf(await client.get(`/api/projects?${inScope(organization, `tagIds=${tag.id}`)}`, token)).items.length;
  expect(await carrying()).toBe(1);
  await pick(page, 'Tags', 'Reviewed');
  await page.keyboard.press('Escape');
  await press(page, 'Save');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await carrying()).toBe(0);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('the profile of a person who can not sign in is edited in a project', async () => {
  const { owner, project } = await team();
  dataOf(await owner.client.post('/api/users', { scope: project, name: 'Quinn', roleIds: [] }, owner.token));
  const { page, complaints } = await visit(owner, pathOf(project, 'people'));
  await choose(page, 'Quinn', 'Edit profile');
  await page.getByLabel('Name', { exact: true }).fill('Quinn Query');
  await look(page, 'person-profile');
  await press(page, 'Save');
  await page.getByRole('cell', { name: 'Quinn Query' }).waitFor();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByLabel('Description').fill('Sells books');
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  await look(page, 'settings-project');
  expect(complaints).toStrictEqual([]);
});
