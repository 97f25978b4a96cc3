/**
 * One product, two customers with equal content. Each names the scopes and ids of the other and of
 * the owner in every operation; the owner, its machine app and a key name those of the customers.
 * Nothing is shown or changed. Generated from the declarations, so that new operations are in it.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Answer, inScope, type ScopeValue } from '../../support/client.ts';
import { allOperations, callGraphql, callRest, type Declared } from '../../support/operations.ts';
import { createRobot } from '../../support/robot.ts';
import { requiredNames, sampleInput } from '../../support/sample.ts';
import { openStack } from '../../support/shared-stack.ts';
import { createOrganization, createPerson, createProject, dataOf, type Person, quietWebhook } from '../../support/world.ts';

const stack = await openStack();
const vendor = await createPerson(stack);
const product = await createProject(vendor, await createOrganization(vendor, 'Vendor'));
const projectId = product.id.slice(37);

async function make(path: string, body: object, { client, token }: Person, scope: ScopeValue) {
  return dataOf(await client.post(`/api/${path}`, { scope, ...body }, token));
}

/** One of everything that the scope may have, by the resource's name in permissions. */
async function fill(owner: Person, scope: ScopeValue, permissionId: string) {
  const group = await make('groups', { name: 'Original', permissionIds: [permissionId] }, owner, scope);
  const role = await make('roles', { name: 'Original', groupIds: [group.id] }, owner, scope);
  const tag = await make('tags', { name: 'Original', color: 'blue' }, owner, scope);
  const key = await make('api-keys', { name: 'Original', roleId: role.id }, owner, scope);
  const webhook = await make('webhooks', quietWebhook, owner, scope);
  const { clientId, clientSecret } = key;
  const { accessToken } = dataOf(await owner.client.post('/api/auth/token', { clientId, clientSecret, scope }));
  const ids: Readonly<Record<string, string>> = { Group: group.id, Role: role.id, Tag: tag.id, ApiKey: key.id, Webhook: webhook.id };
  return { ids, keyToken: String(accessToken) };
}

const resource = await make('resources', { name: 'Doc', slug: 'Doc', actions: ['Read'], createPermissions: true }, vendor, product);
const permissionId = String(resource.permissions[0].id);
const own = await fill(vendor, product, permissionId);
const app = await make('project-apps', { name: 'Original', redirectUris: ['https://app.example.com/'] }, vendor, product);
const ofVendor = {
  owner: vendor,
  scope: product,
  ids: { ...own.ids, Resource: resource.id, Permission: permissionId, ProjectApp: app.id },
};

async function customer(name: string) {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner, name);
  const grant = await make('project-grants', { organizationId: organization.id }, vendor, product);
  await make(`project-grants/${grant.id}/accept`, {}, owner, organization);
  const scope = { tenant: 'organizationProject', id: `${organization.id}:${projectId}` };
  const { ids, keyToken } = await fill(owner, scope, permissionId);
  const all: Readonly<Record<string, string>> = { ...ids, ProjectGrant: grant.id, OrganizationMember: owner.userId, User: owner.userId };
  return { owner, organization, scope, ids: all, keyToken };
}
const [acme, birch] = [await customer('Acme'), await customer('Birch')];

/** A machine app of the owner that holds every built-in action which an Owner holds. */
async function createAlmighty(): Promise<string> {
  const { permissions } = dataOf(await vendor.client.get(`/api/auth/permissions?${inScope(product)}`, vendor.token));
  const held = new Set(permissions.map((each: { resource: string; action: string }) => `${each.resource}:${each.action}`));
  const { items } = dataOf(await vendor.client.get(`/api/resources?${inScope(product, 'isBuiltIn=true&limit=100')}`, vendor.token));
  const permissionIds: string[] = [];
  for (const { id: resourceId, slug, actions } of items)
    for (const action of actions.filter((each: string) => held.has(`${slug}:${each}`)))
      permissionIds.push((await make('permissions', { name: `${slug} ${action}`, action, resourceId }, vendor, product)).id);
  expect(permissionIds.length).toBeGreaterThan(40);
  const group = await make('groups', { name: 'All', permissionIds }, vendor, product);
  const role = await make('roles', { name: 'All', groupIds: [group.id] }, vendor, product);
  const fields = { scope: product, name: 'Almighty', type: 'machine', roleId: role.id, actsInGrants: true };
  return (await createRobot(stack.url, vendor, product, fields)).token;
}
const almighty = await createAlmighty();

/** What an owner sees of a scope, links and all. */
async function portrait({ owner, scope }: { readonly owner: Person; readonly scope: ScopeValue }) {
  const lists = {
    roles: 'groups,tags',
    groups: 'permissions,tags',
    permissions: '',
    resources: '',
    tags: '',
    'api-keys': 'role',
    webhooks: '',
  };
  return Promise.all(
    Object.entries(lists).map(async ([path, relations]) => {
      const more = relations === '' ? 'limit=100' : `limit=100&relations=${relations}`;
      return dataOf(await owner.client.get(`/api/${path}?${inScope(scope, more)}`, owner.token)).items;
    }),
  );
}
const portraits = () => Promise.all([acme, birch, ofVendor].map(portrait));
const untouched = await portraits();
afterAll(async () => expect(await portraits()).toStrictEqual(untouched));

const operations = allOperations.filter(
  ({ access, scopes }) => access.permission !== undefined && scopes !== 'none' && scopes.includes('organizationProject'),
);

async function call(operation: Declared, special: object, token: string): Promise<readonly Answer[]> {
  const input = sampleInput(operation, { name: 'Taken over', color: 'red', ...special });
  return [
    ...('method' in operation.rest ? [await callRest(vendor.client, operation, input, token)] : []),
    ...('field' in operation.graphql ? [await callGraphql(vendor.client, operation, input, token)] : []),
  ];
}
const codeOf = ({ body }: Answer): unknown => body?.code ?? body?.errors?.[0]?.extensions?.code;
const resourceOf = ({ access }: Declared): string => (access.permission ?? '').split(':')[0] ?? '';

function assertSilent(answer: Answer, ids: Readonly<Record<string, string>>): void {
  const text = JSON.stringify(answer.body);
  for (const id of Object.values(ids)) expect(!text.includes(id)).toStrictEqualFor(`${id} is in ${text.slice(0, 600)}`, true);
}

/** What the owner's machine app may do in a customer's scope: it serves the customer. */
const served = ['Role:Query', 'Group:Query', 'Permission:Query', 'Resource:Query', 'Decision:Evaluate'];

const foreign = [
  { name: 'another customer', token: birch.owner.token, scope: acme.scope, ids: acme.ids, may: [] },
  { name: 'the key of another customer', token: birch.keyToken, scope: acme.scope, ids: acme.ids, may: [] },
  { name: 'the owner', token: vendor.token, scope: acme.scope, ids: acme.ids, may: [] },
  { name: 'a key of the owner', token: own.keyToken, scope: acme.scope, ids: acme.ids, may: [] },
  { name: 'the owner’s machine app', token: almighty, scope: acme.scope, ids: acme.ids, may: served },
  { name: 'a customer in the product', token: acme.owner.token, scope: product, ids: ofVendor.ids, may: [] },
  { name: 'the key of a customer in the product', token: acme.keyToken, scope: product, ids: ofVendor.ids, may: [] },
] as const;

for (const { name, token, scope, ids, may } of foreign)
  describe(`${name} is refused by every operation in the scope, and shown nothing`, () => {
    const refused = operations.filter(({ access }) => !(may as readonly string[]).includes(access.permission ?? ''));
    test.each(refused.map((operation) => [operation.name, operation] as const))('%s', async (_name, operation) => {
      const id = (ids as Readonly<Record<string, string>>)[resourceOf(operation)];
      for (const answer of await call(operation, { scope, ...(id ? { id, userId: id } : {}) }, token)) {
        expect(codeOf(answer)).toStrictEqualFor(JSON.stringify(answer.body), 'FORBIDDEN');
        assertSilent(answer, Object.fromEntries(Object.entries(ids).filter(([resourceName]) => resourceName !== 'User')));
      }
    });
  });

describe('in its own scope a customer reaches nothing of another customer or of the owner by its id', () => {
  const addressed = operations.filter((operation) => requiredNames(operation).some((name) => name === 'id' || name === 'userId'));
  for (const [whose, ids] of [
    ['another customer', birch.ids],
    ['the owner', ofVendor.ids],
  ] as const)
    test.each(addressed.map((operation) => [operation.name, operation] as const))(`${whose}: %s`, async (_name, operation) => {
      const id = (ids as Readonly<Record<string, string>>)[resourceOf(operation)];
      if (id === undefined) return;
      for (const answer of await call(operation, { scope: acme.scope, id, userId: id }, acme.owner.token))
        expect(['FORBIDDEN', 'NOT_FOUND']).toContain(codeOf(answer));
    });
});
