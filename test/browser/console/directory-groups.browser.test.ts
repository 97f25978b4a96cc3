/** What a directory's groups give, and members who are taken back from it, in the console. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, press, shareStack, signIns } from '../../support/browser/journey.ts';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { look, memberOf, pathOf, pick, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { createOrganization, createPerson, createProject, dataOf, type Person } from '../../support/world.ts';

shareStack();

const urn = 'urn:ietf:params:scim';

/** A directory of the organization, which speaks SCIM by a token of its own. */
async function directoryOf(owner: Person, organization: ScopeValue) {
  const { items } = dataOf(await owner.client.get(`/api/roles?${inScope(organization)}`, owner.token));
  const role = items.find(({ name }: { name: string }) => name === 'Provisioning');
  const body = { scope: organization, name: 'Entra', roleIds: [role.id] };
  const account = dataOf(await owner.client.post('/api/service-accounts', body, owner.token));
  const secret = { scope: organization, type: 'directory' };
  const { clientSecret } = dataOf(await owner.client.post(`/api/service-accounts/${account.id}/credentials`, secret, owner.token));
  return async (method: string, path: string, body: object) => {
    const response = await fetch(at(`/scim/v2/${organization.id}${path}`), {
      method,
      headers: { authorization: `Bearer ${clientSecret}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBeLessThan(300);
    const answer: { readonly id: string } = response.status === 204 ? { id: '' } : JSON.parse(await response.text());
    return answer;
  };
}

/** Another organization's project, which this one uses by a grant, with one role. */
async function useProject(owner: Person, organization: ScopeValue): Promise<ScopeValue> {
  const vendor = await createPerson(signIns().stack, { name: 'Vera Vendor' });
  const project = await createProject(vendor, await createOrganization(vendor, 'Vendor'), 'Invoices');
  const make = async (path: string, body: object) =>
    dataOf(await vendor.client.post(`/api/${path}`, { scope: project, ...body }, vendor.token));
  const resource = await make('resources', { name: 'invoice', slug: 'invoice', actions: ['read'], createPermissions: true });
  const readers = await make('groups', { name: 'Readers', permissionIds: resource.permissions.map(({ id }: { id: string }) => id) });
  await make('roles', { name: 'Clerk', groupIds: [readers.id] });
  const grant = await make('project-grants', { organizationId: organization.id });
  dataOf(await owner.client.post(`/api/project-grants/${grant.id}/accept`, { scope: organization }, owner.token));
  return { tenant: 'organizationProject', id: `${organization.id}:${project.id.slice(37)}` };
}

testUnless(skip)(
  'an Owner maps a group to roles, here and where a project is used, and takes a member back from the directory',
  async () => {
    const all = await team();
    const { owner, organization } = all;
    const [ada, ben] = [await memberOf(all, 'Viewer'), await memberOf(all, 'Viewer')];
    const send = await directoryOf(owner, organization);
    const grant = await useProject(owner, organization);
    const rows = [];
    for (const { email } of [ada, ben])
      rows.push(await send('POST', '/Users', { schemas: [`${urn}:schemas:core:2.0:User`], userName: email, displayName: 'From Entra' }));
    await send('POST', '/Users', { schemas: [`${urn}:schemas:core:2.0:User`], userName: 'guest@elsewhere.example' });
    const members = rows.map(({ id }) => ({ value: id }));
    await send('POST', '/Groups', { schemas: [`${urn}:schemas:core:2.0:Group`], displayName: 'Engineers', members });
    const groupIn = async (scope: ScopeValue) => {
      const { items } = dataOf(await owner.client.get(`/api/directory-groups?${inScope(scope)}`, owner.token));
      return items[0];
    };
    await until(async () => (await groupIn(organization))?.memberCount === 2);
    const rolesOf = async (person: Person, scope: ScopeValue): Promise<string[]> => {
      const asked = `/api/directory-roles?${inScope(scope, `userId=${person.userId}`)}`;
      return dataOf(await owner.client.get(asked, owner.token)).items.map(({ name }: { name: string }) => name);
    };

    const { page, complaints } = await visit(owner, pathOf(organization, 'directory-groups'));
    await heading(page, 'Directory groups');
    const map = async (role: string, picture: string) => {
      await page.getByRole('button', { name: 'Engineers' }).click();
      const dialog = page.getByRole('dialog');
      await page.getByRole('combobox', { name: 'Roles', exact: true }).click();
      await page.getByRole('option', { name: role, exact: true }).click();
      await page.keyboard.press('Escape');
      await dialog.getByText('2 people gain a role, 0 lose one.').waitFor();
      expect(await dialog.getByRole('table').getByRole('row').count()).toBe(3);
      await look(page, picture);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: role }).waitFor();
    };
    await map('Dev', 'directory-group-preview');
    expect(await rolesOf(ada, organization)).toStrictEqual(['Dev']);
    await pick(page, 'Roles in', 'Invoices');
    await page.getByRole('cell', { name: 'nothing' }).waitFor();
    await map('Clerk', 'directory-group-preview-grant');
    expect([await rolesOf(ada, grant), await rolesOf(ada, organization)]).toStrictEqual([['Clerk'], ['Dev']]);
    await look(page, 'directory-groups');

    await page.goto(at(pathOf(organization, 'directory-people')));
    await page.getByRole('cell', { name: 'guest@elsewhere.example' }).waitFor();
    await look(page, 'directory-people');
    await page.getByRole('link', { name: ada.email }).click();
    await page.getByText('Managed by the directory').waitFor();
    await page.getByText('Clerk (Invoices): from Engineers').waitFor();
    await look(page, 'directory-member');
    await press(page, 'Detach from the directory');
    await page
      .getByRole('dialog')
      .getByText(/they stay in/)
      .waitFor();
    await look(page, 'directory-detach');
    await page.getByRole('dialog').getByRole('button', { name: 'Detach from the directory' }).click();
    await page.getByText('Detached since').waitFor();
    const off = { schemas: [`${urn}:api:messages:2.0:PatchOp`], Operations: [{ op: 'replace', path: 'active', value: false }] };
    for (const { id } of rows) await send('PATCH', `/Users/${id}`, off);
    const memberIds = async () =>
      dataOf(await owner.client.get(`/api/organization-members?${inScope(organization)}`, owner.token)).items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await memberIds()).toStrictEqual(expect.arrayContaining([ada.userId]));
    expect(await memberIds()).not.toContain(ben.userId);
    await page.reload();
    await page.getByText('switched off').waitFor();
    await look(page, 'directory-detached');
    await press(page, 'Give back to the directory');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/ends their membership at once/).waitFor();
    await look(page, 'directory-attach');
    await dialog.getByRole('textbox').fill(await page.getByRole('heading', { level: 1 }).innerText());
    await dialog.getByRole('button', { name: 'Give back to the directory' }).click();
    await dialog.waitFor({ state: 'detached' });
    await until(async () => !(await memberIds()).includes(ada.userId));
    expect(complaints).toStrictEqual([]);
  },
);
