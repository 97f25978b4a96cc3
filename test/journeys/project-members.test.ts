/** Members in a project: its roles and metadata, over REST and GraphQL, and what they decide. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { inScope } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import { addMember, createWorld, dataOf, type Person, type World } from '../support/world.ts';

const stack = await openStack();
let world: World;
let member: Person;
let roleId: string;
beforeAll(async () => {
  world = await createWorld(stack);
  member = await addMember(stack, world.owner, world.organization, 'Viewer');
  const { client, token } = world.owner;
  const make = async (path: string, body: object) =>
    String(dataOf(await client.post(`/api/${path}`, { scope: world.project, ...body }, token)).id);
  const resourceId = await make('resources', { name: 'Invoice', slug: 'member-invoice', actions: ['Approve', 'Read'] });
  const condition = { StringEquals: { 'member.metadata.level': 'gold' } };
  const permissionIds = [
    await make('permissions', { name: 'read', resourceId, action: 'Read' }),
    await make('permissions', { name: 'approve', resourceId, action: 'Approve', condition }),
  ];
  const groupId = await make('groups', { name: 'invoices', permissionIds });
  roleId = await make('roles', { name: 'Clerk', groupIds: [groupId] });
});

const updateDocument = 'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { id memberMetadata memberRole { name } } }';
const listDocument = `query ($input: UsersInput!) {
  users(input: $input) { users { id roles { name } memberRole { name } memberMetadata } } }`;

async function change(transport: 'rest' | 'graphql', more: object, by: Person = world.owner, id = member.userId): Promise<string> {
  const input = { scope: world.project, ...more };
  const answer =
    transport === 'rest'
      ? await by.client.patch(`/api/users/${id}`, input, by.token)
      : await by.client.graphql(updateDocument, { input: { ...input, id } }, by.token);
  return transport === 'rest' ? (answer.body.code ?? 'ok') : (answer.body.errors?.[0]?.extensions?.code ?? 'ok');
}

async function may(action: string): Promise<boolean> {
  const body = { permission: { resource: 'member-invoice', action }, scope: world.project };
  const headers = { 'cache-control': 'no-cache' };
  return dataOf(await member.client.call('POST', '/api/auth/is-authorized', { token: member.token, body, headers })).authorized;
}

async function listed(transport: 'rest' | 'graphql') {
  const { client, token } = world.owner;
  const items =
    transport === 'rest'
      ? dataOf(await client.get(`/api/users?${inScope(world.project, `ids=${member.userId},${world.owner.userId}`)}`, token)).items
      : (await client.graphql(listDocument, { input: { scope: world.project, ids: [member.userId, world.owner.userId] } }, token)).body.data
          .users.users;
  const found = items.find(({ id }: { id: string }) => id === member.userId);
  const roles = found?.roles.map(({ name }: { name: string }) => name);
  return { count: items.length, roles, memberRole: found?.memberRole?.name, metadata: found?.memberMetadata };
}

describe('a member in a project', () => {
  for (const transport of ['rest', 'graphql'] as const)
    test(`gets the project's roles and metadata, and conditions hold (${transport})`, async () => {
      expect(await listed(transport)).toStrictEqual({ count: 2, roles: [], memberRole: 'Viewer', metadata: {} });
      expect([await may('Read'), await may('Approve')]).toStrictEqual([false, false]);
      expect(await change(transport, { roleIds: [roleId] })).toBe('ok');
      expect([await may('Read'), await may('Approve')]).toStrictEqual([true, false]);
      expect(await change(transport, { memberMetadata: { level: 'gold' } })).toBe('ok');
      expect(await may('Approve')).toBe(true);
      expect(await listed(transport)).toStrictEqual({ count: 2, roles: ['Clerk'], memberRole: 'Viewer', metadata: { level: 'gold' } });
      expect(await change(transport, { memberMetadata: {} }, member)).toBe('FORBIDDEN');
      expect(await change(transport, { roleIds: [], memberMetadata: {} })).toBe('ok');
      expect([await may('Read'), await may('Approve')]).toStrictEqual([false, false]);
      expect(await listed(transport)).toStrictEqual({ count: 2, roles: [], memberRole: 'Viewer', metadata: {} });
    });

  test('is no user of the project, so the project cannot delete them', async () => {
    const { client, token } = world.owner;
    const answer = await client.call('DELETE', `/api/users/${member.userId}?${inScope(world.project)}`, { token });
    expect([answer.status, answer.body.code]).toStrictEqual([409, 'CONFLICT']);
  });

  test('leaves the organization and loses the project’s roles', async () => {
    expect(await change('rest', { roleIds: [roleId] })).toBe('ok');
    const left = await member.client.call('DELETE', `/api/organization-members/${member.userId}?${inScope(world.organization)}`, {
      token: member.token,
    });
    expect([left.body, left.status]).toStrictEqual([left.body, 200]);
    expect(await may('Read')).toBe(false);
    expect(await change('rest', { roleIds: [roleId] })).toBe('NOT_FOUND');
  });
});
