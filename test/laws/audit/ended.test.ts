/** The log of a deleted organization, with rbac's own decisions (decision 019). */
import { expect, test } from '@jest/globals';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { openStack } from '../../support/shared-stack.ts';
import { addMember, createOrganization, createPerson, createProject, dataOf, type Person } from '../../support/world.ts';

const stack = await openStack();

/** What the account of a person reads of an organization and its projects. */
async function read({ client, account, token }: Person, organization: ScopeValue): Promise<string[]> {
  const { items } = dataOf(await client.get(`/api/audit-events?${inScope(account, 'limit=100')}`, token));
  const own = items.filter(({ scope }: { scope: ScopeValue | null }) => scope?.id.startsWith(organization.id));
  return own.map(({ action }: { action: string }) => action);
}

test('who could read it until the end reads it in the own account; who deletes it with that right alone does not', async () => {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner);
  const make = async (path: string, body: object): Promise<string> =>
    dataOf(await owner.client.post(path, { scope: organization, ...body }, owner.token)).id;
  const found = dataOf(await owner.client.get(`/api/resources?${inScope(organization, 'search=Organization&limit=100')}`, owner.token));
  const resourceId = found.items.find(({ name }: { name: string }) => name === 'Organization').id;
  const permission = await make('/api/permissions', { resourceId, action: 'Delete', name: 'End it' });
  const group = await make('/api/groups', { name: 'Ending', permissionIds: [permission] });
  const roleId = await make('/api/roles', { name: 'Ender', groupIds: [group] });
  const admin = await addMember(stack, owner, organization, 'Admin');
  const [viewer, ender, removed] = [
    await addMember(stack, owner, organization, 'Viewer'),
    await addMember(stack, owner, organization, 'Viewer'),
    await addMember(stack, owner, organization, 'Admin'),
  ];
  dataOf(await owner.client.patch(`/api/organization-members/${ender.userId}`, { scope: organization, roleId }, owner.token));
  dataOf(await owner.client.delete(`/api/organization-members/${removed.userId}?${inScope(organization)}`, owner.token));
  await createProject(owner, organization);
  expect((await ender.client.get(`/api/audit-events?${inScope(organization)}`, ender.token)).status).toBe(403);
  dataOf(await ender.client.delete(`/api/organizations/${organization.id}?${inScope(organization)}`, ender.token));
  for (const reader of [owner, admin])
    expect(await read(reader, organization)).toEqual(expect.arrayContaining(['organization.deleted', 'role.created', 'project.created']));
  for (const other of [viewer, ender, removed]) expect(await read(other, organization)).toStrictEqual([]);
  const file = await owner.client.get(`/api/audit-events/export?${inScope(owner.account, 'format=ndjson')}`, owner.token);
  expect([file.status, JSON.stringify(file.body).includes('organization.deleted')]).toStrictEqual([200, true]);
});
