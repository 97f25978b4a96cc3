import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { inScope, type ScopeValue } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import { addMember, createOrganization, createPerson, createProject, dataOf, type Person } from '../support/world.ts';

/** One product, two customers and one person of both, through the gateway and all services. */
const stack = await openStack();
const vendor = await createPerson(stack);
const product = await createProject(vendor, await createOrganization(vendor, 'Vendor'));
const projectId = product.id.slice(37);
const slug = `Doc-${randomUUID().slice(0, 8)}`;

async function make(path: string, body: object, { client, token } = vendor, scope: ScopeValue = product) {
  return dataOf(await client.post(`/api/${path}`, { scope, ...body }, token));
}
const resource = await make('resources', { name: 'Doc', slug, actions: ['Read', 'Write'], createPermissions: true });
const idOf = (action: string): string => resource.permissions.find((each: { action: string }) => each.action === action).id;
const readers = await make('groups', { name: 'readers', permissionIds: [idOf('Read')] });
const reader = await make('roles', { name: 'Reader', groupIds: [readers.id] });
await make('users', { name: 'Of the vendor alone', roleIds: [reader.id] });

async function customer(name: string, by?: Person) {
  const owner = by ?? (await createPerson(stack));
  const organization = await createOrganization(owner, name);
  const grant = await make('project-grants', { organizationId: organization.id });
  dataOf(await owner.client.post(`/api/project-grants/${grant.id}/accept`, { scope: organization }, owner.token));
  const scope = { tenant: 'organizationProject', id: `${organization.id}:${projectId}` };
  return { owner, organization, grant, scope };
}
async function may({ client, token }: Pick<Person, 'client' | 'token'>, action: string, scope: ScopeValue): Promise<string> {
  const body = { permission: { resource: slug, action }, scope };
  return dataOf(await client.post('/api/auth/is-authorized', body, token)).reason;
}
const granted = 'PERMISSION_GRANTED_NO_CONDITION';
const none = 'NO_MATCHING_PERMISSION_FOUND';

test('a customer gives the roles of the product to its own people, and everybody else has nothing there', async () => {
  const [acme, birch] = [await customer('Acme'), await customer('Birch')];
  const both = await addMember(stack, acme.owner, acme.organization, 'Viewer');
  const { client, token } = acme.owner;
  const { items, totalCount } = dataOf(await client.get(`/api/users?${inScope(acme.scope)}`, token));
  expect([totalCount, items.map(({ id }: { id: string }) => id).sort()]).toStrictEqual([2, [acme.owner.userId, both.userId].sort()]);
  expect(await may(both, 'Read', acme.scope)).toBe(none);
  const give = (userId: string, roleIds: readonly string[], { owner, scope } = acme) =>
    owner.client.patch(`/api/users/${userId}`, { scope, roleIds }, owner.token);
  dataOf(await give(both.userId, [reader.id]));
  expect(await may(both, 'Read', acme.scope)).toBe(granted);
  for (const [person, scope] of [
    [both, birch.scope],
    [both, product],
    [acme.owner, acme.scope],
    [vendor, acme.scope],
    [birch.owner, acme.scope],
  ] as const)
    expect([none, 'INVALID_SCOPE']).toContain(await may(person, 'Read', scope));
  expect((await give(birch.owner.userId, [reader.id])).status).toBe(404);
  for (const person of [vendor, birch.owner])
    for (const path of ['users', 'roles', 'audit-events'])
      expect((await person.client.get(`/api/${path}?${inScope(acme.scope)}`, person.token)).status).toBe(403);

  const people = dataOf(await vendor.client.get(`/api/project-grants/${acme.grant.id}/members?${inScope(product)}`, vendor.token));
  expect(people).toMatchObject({ totalCount: 1, members: [{ userId: both.userId, email: both.email, roles: [{ name: 'Reader' }] }] });
  const [listed] = dataOf(await client.get(`/api/project-grants?${inScope(acme.organization)}`, token)).items;
  expect(listed).toMatchObject({ status: 'active', memberCount: 1, roles: [{ name: 'Reader' }], project: { name: 'Web' } });
});

test('nothing in the scope of a grant reaches what is the owner’s', async () => {
  const { owner, scope } = await customer('Cedar');
  const { client, token } = owner;
  const key = await make('api-keys', { name: 'Vendor', roleId: reader.id });
  for (const [path, body] of [
    ['project-apps', { name: 'Mine', redirectUris: ['https://app.example.com/'] }],
    ['resources', { name: 'Mine', slug: 'mine', actions: ['Read'] }],
    ['permissions', { name: 'mine', action: 'Write', resourceId: resource.id }],
    ['users', { name: 'Mine', roleIds: [] }],
    ['project-grants', { organizationId: scope.id.slice(0, 36) }],
  ] as const)
    expect([path, (await client.post(`/api/${path}`, { scope, ...body }, token)).status]).toStrictEqual([path, 403]);
  for (const path of ['project-apps', 'signing-keys', 'project-grants'])
    expect([path, (await client.get(`/api/${path}?${inScope(scope)}`, token)).status]).toStrictEqual([path, 403]);
  expect((await client.delete(`/api/api-keys/${key.id}?${inScope(scope)}`, token)).status).toBe(404);
  for (const path of [`roles/${reader.id}`, `groups/${readers.id}`, `resources/${resource.id}`])
    expect([path, (await client.delete(`/api/${path}?${inScope(scope)}`, token)).status]).toStrictEqual([path, 403]);
  const exchanged = await client.post('/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret, scope });
  expect([400, 401, 403]).toContain(exchanged.status);
  expect(dataOf(await vendor.client.get(`/api/roles?${inScope(product)}`, vendor.token)).totalCount).toBe(1);
});

test('what was given is refused as soon as the grant is suspended, ended or left, or the member leaves', async () => {
  const birch = await customer('Dogwood');
  const member = await addMember(stack, birch.owner, birch.organization, 'Viewer');
  dataOf(await birch.owner.client.patch(`/api/users/${member.userId}`, { scope: birch.scope, roleIds: [reader.id] }, birch.owner.token));
  const byOwner = async (step: string) =>
    dataOf(await vendor.client.post(`/api/project-grants/${birch.grant.id}/${step}`, { scope: product }, vendor.token));
  expect(await may(member, 'Read', birch.scope)).toBe(granted);
  await byOwner('suspend');
  expect(await may(member, 'Read', birch.scope)).toBe('GRANT_SUSPENDED');
  const refused = await birch.owner.client.get(`/api/roles?${inScope(birch.scope)}`, birch.owner.token);
  expect([refused.status, refused.body.extensions.reason]).toStrictEqual([403, 'grant_suspended']);
  await byOwner('resume');
  expect(await may(member, 'Read', birch.scope)).toBe(granted);
  const { client, token } = birch.owner;
  dataOf(await client.delete(`/api/organization-members/${member.userId}?${inScope(birch.organization)}`, token));
  expect(await may(member, 'Read', birch.scope)).toBe(none);
  dataOf(await client.post(`/api/project-grants/${birch.grant.id}/leave`, { scope: birch.organization }, token));
  const left = await client.get(`/api/roles?${inScope(birch.scope)}`, token);
  expect([left.status, left.body.extensions.reason]).toStrictEqual([403, 'grant_ended']);
});

test('one session acts in the place that each request names, and takes nothing from one to another', async () => {
  const acme = await customer('Elm');
  const { owner } = acme;
  const birch = await customer('Fir', owner);
  const writers = await make('groups', { name: 'writers', permissionIds: [idOf('Write')] });
  const writer = await make('roles', { name: 'Writer', groupIds: [writers.id] });
  for (const [{ scope }, roleIds] of [
    [acme, [reader.id]],
    [birch, [writer.id]],
  ] as const)
    dataOf(await owner.client.patch(`/api/users/${owner.userId}`, { scope, roleIds }, owner.token));
  const questions = [
    ['Read', acme.scope, granted],
    ['Write', acme.scope, none],
    ['Read', birch.scope, none],
    ['Write', birch.scope, granted],
    ['Read', product, none],
    ['Read', acme.organization, none],
  ] as const;
  // One after the other and all at once: a session remembers no place.
  const answers = async (token: string, asked = [...questions, ...questions]) =>
    Promise.all(asked.map(([action, scope]) => may({ client: owner.client, token }, action, scope)));
  const expected = [...questions, ...questions].map(([, , reason]) => reason);
  expect(await answers(owner.token)).toStrictEqual(expected);
  for (const [action, scope, reason] of questions)
    expect([action, scope, await may(owner, action, scope)]).toStrictEqual([action, scope, reason]);
  const listed = async ({ scope }: typeof acme, token: string) => {
    const { permissions } = dataOf(await owner.client.get(`/api/auth/permissions?${inScope(scope)}`, token));
    return permissions.flatMap((one: { resource: string; action: string }) => (one.resource === slug ? [one.action] : []));
  };
  expect([await listed(acme, owner.token), await listed(birch, owner.token)]).toStrictEqual([['Read'], ['Write']]);

  const { accessToken } = dataOf(await owner.client.post('/api/auth/refresh', { refreshToken: owner.refreshToken }));
  expect(await answers(accessToken)).toStrictEqual(expected);
  dataOf(await vendor.client.post(`/api/project-grants/${birch.grant.id}/suspend`, { scope: product }, vendor.token));
  const after = questions.map(([, scope, reason]) => (scope === birch.scope && reason === granted ? 'GRANT_SUSPENDED' : reason));
  expect(await answers(accessToken, [...questions])).toStrictEqual(after);
});
