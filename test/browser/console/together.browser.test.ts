/** Two people who edit the same thing: the second is told what the first has changed. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { heading, press, shareStack, signIn } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { choose, look, memberOf, pathOf, pick, type Team, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { createProject, dataOf, PASSWORD } from '../../support/world.ts';

shareStack();

/** Two people have the form of a project open; the first has saved a name and a description. */
async function bothEdit(all: Team, name: string) {
  const scope = await createProject(all.owner, all.organization, name);
  const id = scope.id.slice(scope.id.indexOf(':') + 1);
  const path = pathOf(all.organization, 'projects');
  const [first, second] = [await visit(all.owner, path), await visit(await memberOf(all, 'Admin'), path)];
  for (const { page } of [first, second]) {
    await choose(page, name, 'Edit');
    await page.getByLabel('Name', { exact: true }).waitFor();
  }
  await second.page.getByLabel('Name', { exact: true }).fill(`${name} of the second`);
  await first.page.getByLabel('Name', { exact: true }).fill(`${name} of the first`);
  await first.page.getByLabel('Description').fill('Written by the first');
  await press(first.page, 'Save');
  await first.page.getByRole('link', { name: `${name} of the first` }).waitFor();
  await press(second.page, 'Save');
  await second.page.getByRole('alert').getByText('This has changed meanwhile').waitFor();
  const { client, token } = all.owner;
  const read = async () => dataOf(await client.get(`/api/projects?${inScope(all.organization, `ids=${id}`)}`, token)).items[0];
  return { first, second, read };
}

testUnless(skip)('whoever saves second sees what changed, and saves theirs without losing the rest', async () => {
  const all = await team();
  const { first, second, read } = await bothEdit(all, 'Harbour');
  expect((await read()).name).toBe('Harbour of the first');
  const name = second.page.getByRole('alert').locator('dl').filter({ hasText: 'Name' });
  expect(await name.locator('dd').allInnerTexts()).toStrictEqual([
    expect.stringContaining('Harbour'),
    expect.stringContaining('Harbour of the first'),
    expect.stringContaining('Harbour of the second'),
  ]);
  await look(second.page, 'conflict');
  await press(second.page, 'Save mine');
  await second.page.getByRole('link', { name: 'Harbour of the second' }).waitFor();
  expect(await read()).toMatchObject({ name: 'Harbour of the second', description: 'Written by the first' });
  expect([...first.complaints, ...second.complaints]).toStrictEqual([]);
});

testUnless(skip)('whoever saves second takes over what the first wrote, and goes on from there', async () => {
  const { second, read } = await bothEdit(await team(), 'Canal');
  await press(second.page, 'Take over theirs');
  expect(await second.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Canal of the first');
  expect(await second.page.getByLabel('Description').inputValue()).toBe('Written by the first');
  await second.page.getByLabel('Name', { exact: true }).fill('Canal of both');
  await press(second.page, 'Save');
  await second.page.getByRole('link', { name: 'Canal of both' }).waitFor();
  expect(await read()).toMatchObject({ name: 'Canal of both', description: 'Written by the first' });
});

/** A role that a person has, with a group that another role has too. */
async function sharedGroup({ owner, project }: Team) {
  const make = async (path: string, body: object) => dataOf(await owner.client.post(path, { scope: project, ...body }, owner.token)).id;
  const resourceId = await make('/api/resources', { name: 'Invoice', slug: 'invoice', actions: ['read', 'pay', 'send'] });
  const permission = (action: string) => make('/api/permissions', { name: `Invoice ${action}`, resourceId, action });
  const [read, pay] = [await permission('read'), await permission('pay'), await permission('send')];
  const invoices = await make('/api/groups', { name: 'Invoices', permissionIds: [read, pay] });
  const reports = await make('/api/groups', { name: 'Reports', permissionIds: [] });
  const roleId = await make('/api/roles', { name: 'Accountant', groupIds: [invoices] });
  const auditor = await make('/api/roles', { name: 'Auditor', groupIds: [invoices] });
  await make('/api/users', { name: 'Emil Example', roleIds: [roleId] });
  await make('/api/users', { name: 'Aurel Auditor', roleIds: [auditor] });
  const groups = async () => {
    const listed = await owner.client.get(`/api/groups?${inScope(project, 'relations=permissions&sortField=name')}`, owner.token);
    return dataOf(listed).items.map(({ name, permissions }: { name: string; permissions: { name: string }[] }) => [
      name,
      ...permissions.map((one) => one.name.slice('Invoice '.length)).sort(),
    ]);
  };
  return { roleId, invoices, reports, groups };
}

testUnless(skip)(
  'a role is changed with its groups at once: named, counted, kept over a sign-in, and compared with another change',
  async () => {
    const all = await team();
    const { owner, project } = all;
    const { roleId, invoices, groups } = await sharedGroup(all);
    const path = pathOf(project, `roles/${roleId}`);
    const { page, context, complaints } = await visit(owner, path);
    await heading(page, 'Accountant');
    await page.getByText('Emil Example').waitFor();
    await press(page, 'Edit');
    await page.getByText('Also in the roles Auditor').waitFor();
    await page.getByText('Nothing is changed yet.').waitFor();
    await press(page, 'Remove Invoice pay');
    const changes = page.getByRole('region', { name: 'What changes' });
    await changes.getByText('Concerns 2 people').waitFor();
    await pick(page, 'Add a group', 'Reports');
    await pick(page, 'Add a permission to Reports', 'Invoice read');
    await page.getByLabel('Name', { exact: true }).fill('Bookkeeper');
    expect(await changes.getByRole('listitem').allInnerTexts()).toStrictEqual(['+ Reports', '− Invoice pay', '+ Invoice read']);
    await look(page, 'role-editor');

    await context.clearCookies();
    await page.reload();
    await heading(page, 'Sign in to Tessera');
    await signIn(page, owner.email, PASSWORD);
    await heading(page, 'Accountant');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Bookkeeper');
    expect(await changes.getByRole('listitem').allInnerTexts()).toStrictEqual(['+ Reports', '− Invoice pay', '+ Invoice read']);

    // Another person changes one of its groups, and the name of the role.
    const listed = await owner.client.get(`/api/permissions?${inScope(project, 'search=Invoice%20send')}`, owner.token);
    const permissionIds = [dataOf(listed).items[0].id];
    dataOf(await owner.client.patch(`/api/groups/${invoices}`, { scope: project, permissionIds }, owner.token));
    dataOf(await owner.client.patch(`/api/roles/${roleId}`, { scope: project, name: 'Clerk' }, owner.token));
    await press(page, 'Save');
    const conflict = page.getByRole('alert').filter({ hasText: 'This has changed meanwhile' });
    await conflict.getByText('Permissions of Invoices').waitFor();
    expect(await conflict.locator('dl').count()).toBe(2);
    expect(await groups()).toStrictEqual([['Invoices', 'send'], ['Reports']]);
    await look(page, 'role-conflict');
    await press(page, 'Save mine');
    await heading(page, 'Bookkeeper');
    expect(await groups()).toStrictEqual([
      ['Invoices', 'read'],
      ['Reports', 'read'],
    ]);
    const role = await owner.client.get(`/api/roles?${inScope(project, `ids=${roleId}&relations=groups`)}`, owner.token);
    const given = dataOf(role).items[0];
    expect([given.name, given.groups.map(({ name }: { name: string }) => name).sort()]).toStrictEqual([
      'Bookkeeper',
      ['Invoices', 'Reports'],
    ]);
    expect(complaints).toStrictEqual([]);
  },
);

testUnless(skip)('when one part of a role is refused, the part before it is saved and no longer shown as a change', async () => {
  const all = await team();
  const { owner, project } = all;
  const make = async (path: string, body: object) => dataOf(await owner.client.post(path, { scope: project, ...body }, owner.token)).id;
  const resourceId = await make('/api/resources', { name: 'Letter', slug: 'letter', actions: ['read'], createPermissions: false });
  await make('/api/permissions', { name: 'Letter read', resourceId, action: 'read' });
  const letters = await make('/api/groups', { name: 'Letters', permissionIds: [] });
  const roleId = await make('/api/roles', { name: 'Postman', groupIds: [letters] });
  const { page } = await visit(owner, pathOf(project, `roles/${roleId}`));
  await press(page, 'Edit');
  await pick(page, 'Add a permission to Letters', 'Letter read');
  const changes = page.getByRole('region', { name: 'What changes' });
  const counted = Promise.withResolvers<void>();
  await page.route(/relations=users/, async (route) => {
    await counted.promise;
    await route.continue();
  });
  await page.getByLabel('Name', { exact: true }).fill('x'.repeat(1_000));
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const place = await save.boundingBox();
  counted.resolve();
  await changes.getByText('Concerns no one yet.').waitFor();
  // It stays under the pointer of a person who reaches for it meanwhile.
  expect(await save.boundingBox()).toStrictEqual(place);
  await save.click();
  await changes.getByText('+ Letter read').waitFor({ state: 'detached' });
  await page.locator('input[name="name"][aria-invalid="true"]').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Letter carrier');
  await press(page, 'Save');
  await heading(page, 'Letter carrier');
  await page.getByText('Letter read').first().waitFor();
});
