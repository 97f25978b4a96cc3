import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { inScope, type ScopeValue } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import {
  addMember,
  builtInRole,
  createOrganization,
  createPerson,
  createProject,
  dataOf,
  type Person,
  signToken,
} from '../support/world.ts';

/** Roles from their making to the decision, through the gateway and all services. */
const stack = await openStack();
const owner = await createPerson(stack);
const organization = await createOrganization(owner, `Authorization ${randomUUID()}`);
const project = await createProject(owner, organization);

async function make(path: string, body: object, scope: ScopeValue = project) {
  return dataOf(await owner.client.post(`/api/${path}`, { scope, ...body }, owner.token));
}
async function may(token: string, name: string, scope?: ScopeValue, headers: Readonly<Record<string, string>> = {}) {
  const [resource, action] = name.split(':');
  const body = { permission: { resource, action }, ...(scope ? { scope } : {}) };
  return dataOf(await owner.client.post('/api/auth/is-authorized', body, token, headers));
}
function join(role: string): Promise<Person> {
  return addMember(stack, owner, organization, role);
}

async function reader(name: string) {
  const slug = `${name}-${randomUUID().slice(0, 8)}`;
  const resource = await make('resources', { name, slug, actions: ['Read', 'Write'], createPermissions: true });
  const read = resource.permissions.find(({ action }: { action: string }) => action === 'Read');
  const group = await make('groups', { name: `${name} readers`, permissionIds: [read.id] });
  const role = await make('roles', { name: `${name} reader`, groupIds: [group.id] });
  return { slug, read, group, role };
}

describe('a decision through the whole system', () => {
  test('follows a member from the invitation to the removal', async () => {
    const dev = await join('Dev');
    expect((await may(dev.token, 'Role:Create', organization)).authorized).toBe(true);
    expect((await may(dev.token, 'Role:Create', project)).authorized).toBe(true);
    expect((await may(dev.token, 'Organization:Update', organization)).reason).toBe('NO_MATCHING_PERMISSION_FOUND');
    const roleId = await builtInRole(owner, organization, 'Viewer');
    dataOf(await owner.client.patch(`/api/organization-members/${dev.userId}`, { scope: organization, roleId }, owner.token));
    expect((await may(dev.token, 'Role:Create', project)).authorized).toBe(false);
    expect((await may(dev.token, 'Role:Query', project)).authorized).toBe(true);
    dataOf(await owner.client.delete(`/api/organization-members/${dev.userId}?${inScope(organization)}`, owner.token));
    expect((await may(dev.token, 'Role:Query', project)).authorized).toBe(false);
    expect((await dev.client.get(`/api/roles?${inScope(organization)}`, dev.token)).status).toBe(403);
  });

  test('gives a project user what the project’s role gives, and takes it with the role', async () => {
    const { slug, role } = await reader('Report');
    const user = await make('users', { name: 'Rita Reader', roleIds: [role.id] });
    const token = await signToken(stack, { type: 'session', subject: user.id });
    const seen = await may(token, `${slug}:Read`, project);
    expect([seen.authorized, seen.matchedPermission.role.name, seen.matchedPermission.group.name]).toStrictEqual([
      true,
      'Report reader',
      'Report readers',
    ]);
    expect((await may(token, `${slug}:Write`, project)).authorized).toBe(false);
    expect((await may(token, 'Role:Query', organization)).authorized).toBe(false);
    const deleted = await owner.client.delete(`/api/roles/${role.id}?${inScope(project)}`, owner.token);
    const consistency = String(deleted.headers['x-consistency-token']);
    expect((await may(token, `${slug}:Read`, project, { 'x-consistency-token': consistency })).authorized).toBe(false);
  });

  test('lets keys of a project act by their role, and project apps within their cap', async () => {
    const { slug, role } = await reader('Invoice');
    const key = await make('api-keys', { name: 'robot', roleId: role.id });
    const exchanged = dataOf(
      await owner.client.post('/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret, scope: project }),
    );
    expect((await may(exchanged.accessToken, `${slug}:Read`)).authorized).toBe(true);
    expect((await may(exchanged.accessToken, 'Role:Query')).reason).toBe('NO_MATCHING_PERMISSION_FOUND');
    expect((await may(exchanged.accessToken, 'Role:Query', organization)).reason).toBe('INVALID_SCOPE');
    const app = await signToken(stack, { type: 'projectApp', subject: owner.userId, project, scopes: ['Role:Query'] });
    expect((await may(app, 'Role:Query')).authorized).toBe(true);
    expect((await may(app, 'Role:Create')).reason).toBe('SCOPE_NOT_GRANTED');
    const listed = dataOf(await owner.client.get('/api/auth/permissions', app));
    expect(listed.permissions.map(({ resource, action }: { resource: string; action: string }) => `${resource}:${action}`)).toStrictEqual([
      'Role:Query',
    ]);
  });

  test('is the same in GraphQL, one by one and in batches', async () => {
    const query = `query ($one: IsAuthorizedInput!, $many: IsAuthorizedManyInput!) {
      isAuthorized(input: $one) { authorized reason matchedPermission { role { name } } }
      isAuthorizedMany(input: $many) { decisions { authorized } }
    }`;
    const checks = ['Create', 'Fly'].map((action) => ({ permission: { resource: 'Role', action } }));
    const variables = { one: { permission: checks[0]?.permission, scope: organization }, many: { checks, scope: organization } };
    const { body } = await owner.client.graphql(query, variables, owner.token);
    expect(body.data).toStrictEqual({
      isAuthorized: { authorized: true, reason: 'PERMISSION_GRANTED_NO_CONDITION', matchedPermission: { role: { name: 'Owner' } } },
      isAuthorizedMany: { decisions: [{ authorized: true }, { authorized: false }] },
    });
  });

  test('reads metadata of users where a condition asks for it', async () => {
    const resource = await make('resources', { name: 'Vault', slug: `vault-${randomUUID().slice(0, 8)}`, actions: ['Open'] });
    const condition = { Equals: { 'user.metadata.team': 'red' } };
    const permission = await make('permissions', { name: 'open', action: 'Open', resourceId: resource.id, condition });
    const group = await make('groups', { name: 'openers', permissionIds: [permission.id] });
    const role = await make('roles', { name: 'Opener', groupIds: [group.id] });
    for (const team of ['red', 'blue']) {
      const user = await make('users', { name: team, metadata: { team }, roleIds: [role.id] });
      const token = await signToken(stack, { type: 'session', subject: user.id });
      expect((await may(token, `${resource.slug}:Open`, project)).authorized).toBe(team === 'red');
    }
  });
});

describe('the graph across services', () => {
  test('shows roles and groups of organizations, projects and users from their home', async () => {
    const { group, role } = await reader('Graph');
    const tag = await make('tags', { name: 'red', color: 'red' });
    const user = await make('users', { name: 'Gus', roleIds: [role.id], tagIds: [tag.id] });
    const query = `query ($account: OrganizationsInput!, $projects: ProjectsInput!, $users: UsersInput!, $roles: RolesInput!) {
      organizations(input: $account) { organizations { id roles { name } } }
      projects(input: $projects) { projects { id roles { name } groups { name } resources { isBuiltIn } } }
      users(input: $users) { users { name roles { name groups { name } } tags { name color } } }
      roles(input: $roles) { roles { name users { name } } }
    }`;
    const variables = {
      account: { scope: owner.account },
      projects: { scope: organization },
      users: { scope: project, ids: [user.id] },
      roles: { scope: project, ids: [role.id] },
    };
    const { body } = await owner.client.graphql(query, variables, owner.token);
    expect(body.errors).toBeUndefined();
    const own = body.data.organizations.organizations.find(({ id }: { id: string }) => id === organization.id);
    expect(own.roles.map(({ name }: { name: string }) => name)).toStrictEqual(['Admin', 'Dev', 'Owner', 'Provisioning', 'Viewer']);
    const [shown] = body.data.projects.projects;
    expect(shown.roles.some(({ name }: { name: string }) => name === role.name)).toBeTruthy();
    expect(shown.groups.some(({ name }: { name: string }) => name === group.name)).toBeTruthy();
    expect(body.data.users.users).toStrictEqual([
      { name: 'Gus', roles: [{ name: role.name, groups: [{ name: group.name }] }], tags: [{ name: 'red', color: 'red' }] },
    ]);
    expect(body.data.roles.roles).toStrictEqual([{ name: role.name, users: [{ name: 'Gus' }] }]);
  });

  test('refuses in another’s scope what is fine in one’s own', async () => {
    const stranger = await createPerson(stack);
    const query = 'query ($input: RolesInput!) { roles(input: $input) { totalCount } }';
    const { body } = await stranger.client.graphql(query, { input: { scope: organization } }, stranger.token);
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  test('passes the consistency token of a mutation back, and takes it with a question', async () => {
    const query = 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }';
    const made = await owner.client.graphql(query, { input: { scope: project, name: 'token' } }, owner.token);
    const token = String(made.headers['x-consistency-token']);
    expect(token).toMatch(/^[\w-]{20,}$/);
    expect((await may(owner.token, 'Role:Query', project, { 'x-consistency-token': token })).authorized).toBe(true);
  });
});
