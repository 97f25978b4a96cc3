/** An organization as a reader would have one: for pictures of the console. */
import { inScope, type ScopeValue } from '../client.ts';
import { waitForMail } from '../mail.ts';
import type { SystemStack } from '../shared-stack.ts';
import { until } from '../until.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../world.ts';

type Stack = Pick<SystemStack, 'url' | 'dataDir'>;

export type Shop = {
  readonly owner: Person;
  readonly organization: ScopeValue;
  readonly project: ScopeValue;
  readonly roleId: string;
  readonly permissionId: string;
  readonly personId: string;
  readonly memberId: string;
};

export async function makeShop(stack: Stack): Promise<Shop> {
  const owner = await createPerson(stack, { name: 'Olga Owner', email: 'olga@birch.example' });
  const post = async (path: string, body: object) => dataOf(await owner.client.post(path, body, owner.token));
  const organization = await createOrganization(owner, 'Birch & Sons');
  const project = await createProject(owner, organization, 'Web shop');
  const members: Person[] = [];
  for (const [name, role] of [
    ['Ada Lovelace', 'Admin'],
    ['Grace Hopper', 'Dev'],
    ['Vera Viewer', 'Viewer'],
  ] as const) {
    const email = `${name.split(' ')[0]?.toLowerCase()}@birch.example`;
    const person = await createPerson(stack, { name, email });
    await post('/api/organization-invitations/invite', {
      scope: organization,
      email,
      roleId: await builtInRole(owner, organization, role),
    });
    const { data } = await waitForMail(stack.dataDir, email, 'invitation');
    dataOf(await person.client.post('/api/organization-invitations/accept', { token: data.token }, person.token));
    members.push(person);
  }
  const actions = ['read', 'approve'];
  const resource = await post('/api/resources', { scope: project, name: 'Invoice', slug: 'invoice', actions });
  const permission = async (name: string, action: string, condition: object | null) =>
    (await post('/api/permissions', { scope: project, resourceId: resource.id, name, action, condition })).id;
  const approve = await permission('Approve own invoices', 'approve', { Equals: { 'resource.ownerId': '{{user.id}}' } });
  const permissionIds = [await permission('Read invoices', 'read', null), approve];
  const group = await post('/api/groups', { scope: project, name: 'Invoices', permissionIds });
  await post('/api/groups', { scope: project, name: 'Reports', permissionIds: [permissionIds[0]] });
  const role = await post('/api/roles', { scope: project, name: 'Accountant', groupIds: [group.id] });
  const roleIds = [role.id];
  dataOf(await owner.client.patch(`/api/users/${owner.userId}`, { scope: project, roleIds }, owner.token));
  const emil = await post('/api/users', { scope: project, name: 'Emil Example', roleIds });
  for (let turn = 0; turn < 2; turn += 1) await post('/api/signing-keys/rotate', { scope: project });
  for (const action of ['read', 'approve', 'delete', 'read', 'read'])
    await post('/api/auth/is-authorized', { scope: project, permission: { resource: 'invoice', action } });
  await until(async () => {
    const counted = await owner.client.get(`/api/decision-counts?${inScope(project, 'period=day')}`, owner.token);
    return dataOf(counted).counts.some(({ refused }: { refused: number }) => refused > 0);
  });
  return { owner, organization, project, roleId: role.id, permissionId: approve, personId: emil.id, memberId: members[0]?.userId ?? '' };
}

export type Trade = { readonly grantId: string; readonly offerId: string };

/** Another organization that uses the shop's project, and offers one of its own. */
export async function trade(stack: Stack, { owner, organization, project, roleId }: Shop): Promise<Trade> {
  const cora = await createPerson(stack, { name: 'Cora Carrier', email: 'cora@cedar.example' });
  const cedar = await createOrganization(cora, 'Cedar Freight');
  const terms = { maxMembers: 25, metadata: { plan: 'pro' } };
  const grant = { scope: project, organizationId: cedar.id, ...terms };
  const { id: grantId } = dataOf(await owner.client.post('/api/project-grants', grant, owner.token));
  dataOf(await cora.client.post(`/api/project-grants/${grantId}/accept`, { scope: cedar }, cora.token));
  const scope = { tenant: 'organizationProject', id: `${cedar.id}:${project.id.slice(37)}` };
  dataOf(await cora.client.patch(`/api/users/${cora.userId}`, { scope, roleIds: [roleId] }, cora.token));
  const planner = await createProject(cora, cedar, 'Route planner');
  dataOf(await cora.client.post('/api/roles', { scope: planner, name: 'Dispatcher' }, cora.token));
  const offer = { scope: planner, organizationId: organization.id, metadata: { seats: 10 } };
  const { id: offerId } = dataOf(await cora.client.post('/api/project-grants', offer, cora.token));
  return { grantId: String(grantId), offerId: String(offerId) };
}
