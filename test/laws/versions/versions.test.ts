/**
 * Every PATCH and whatever else takes If-Match, over REST and GraphQL: a change that was made for
 * an older version is refused and changes nothing, one for the current version works, and so does
 * one that names none.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { isVersioned } from '@tessera/kernel/operation';
import { generateSync } from 'otplib';
import pg from 'pg';
import { grant } from '../../../tools/platform/administrators.ts';
import { type Answer, inScope, type ScopeValue } from '../../support/client.ts';
import { exampleInput, resourceOf } from '../../support/examples.ts';
import { allOperations, callGraphqlSelecting, type Declared } from '../../support/operations.ts';
import { restRequest } from '../../support/rest-request.ts';
import { openStack } from '../../support/shared-stack.ts';
import {
  addMember,
  builtInRole,
  createOrganization,
  createPerson,
  createProject,
  createWorld,
  dataOf,
  type Person,
  quietWebhook,
  tellOfGroup,
  type World,
} from '../../support/world.ts';

type Json = Readonly<Record<string, unknown>>;
type Thing = {
  readonly caller: Person;
  readonly read: () => Promise<Json>;
  readonly change: (number: number) => Json;
};

const stack = await openStack();
const admin = new pg.Client({ connectionString: stack.adminDatabaseUrl });
const identity = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
await Promise.all([admin.connect(), identity.connect()]);
afterAll(() => Promise.all([admin.end(), identity.end()]));
const world = await createWorld(stack);

/** A new thing of the world, read from its list. */
async function listed(collection: string, scope: ScopeValue, body: Json, change: Thing['change']): Promise<Thing> {
  const caller = world.owner;
  const { id } = dataOf(await caller.client.post(`/api/${collection}`, { scope, ...body }, caller.token));
  const read = async () => dataOf(await caller.client.get(`/api/${collection}?${inScope(scope, `ids=${id}`)}`, caller.token)).items[0];
  return { caller, read, change: (number) => ({ scope, id, ...change(number) }) };
}

async function mine(path: string, pick: (data: { items: Json[] } & Json) => Json, change: (person: Person) => Thing['change']) {
  const caller = await createPerson(stack);
  const read = async () => pick(dataOf(await caller.client.get(path, caller.token)));
  return { caller, read, change: change(caller) };
}

const named = (number: number) => ({ name: `Name ${number}` });

const things: Readonly<Record<string, (world: World) => Promise<Thing>>> = {
  updateRole: ({ organization }) => listed('roles', organization, { name: randomUUID() }, () => ({ groupIds: [] })),
  updateGroup: ({ organization, ids }) =>
    listed('groups', organization, { name: randomUUID() }, () => ({ permissionIds: [ids['Permission']] })),
  updateServiceAccount: ({ organization }) => listed('service-accounts', organization, { name: randomUUID(), roleIds: [] }, named),
  updateWebhook: ({ organization }) => listed('webhooks', organization, quietWebhook, (number) => ({ description: `${number}` })),
  updateProject: ({ organization }) => listed('projects', organization, { name: randomUUID() }, (number) => ({ metadata: { number } })),
  updateUser: ({ project }) =>
    listed('users', project, { name: randomUUID(), roleIds: [] }, (number) => ({
      ...named(number),
      memberMetadata: { number },
      roleIds: [],
    })),
  async updateProjectGrant({ owner, project }) {
    const { id: organizationId } = await createOrganization(owner, randomUUID());
    return listed('project-grants', project, { organizationId }, (maxMembers) => ({ maxMembers }));
  },
  async updateOrganization({ owner }) {
    const scope = await createOrganization(owner, randomUUID());
    const read = async () => dataOf(await owner.client.get(`/api/organizations/${scope.id}?${inScope(scope)}`, owner.token));
    return { caller: owner, read, change: (number) => ({ scope, id: scope.id, ...named(number) }) };
  },
  async updateOrganizationMember({ owner, organization: scope }) {
    const { userId } = await addMember(stack, owner, scope, 'Dev');
    const roleIds = [await builtInRole(owner, scope, 'Viewer'), await builtInRole(owner, scope, 'Dev')];
    const path = `/api/organization-members?${inScope(scope, `ids=${userId}`)}`;
    const read = async () => dataOf(await owner.client.get(path, owner.token)).items[0];
    return { caller: owner, read, change: (number) => ({ scope, userId, roleId: roleIds[number % 2], metadata: { number } }) };
  },
  async updateDirectoryGroup({ owner, organization: scope }) {
    const id = await tellOfGroup(stack, scope.id);
    const roleIds = [await builtInRole(owner, scope, 'Viewer'), await builtInRole(owner, scope, 'Dev')];
    const path = `/api/directory-groups?${inScope(scope, 'limit=100')}`;
    const read = async () =>
      dataOf(await owner.client.get(path, owner.token)).items.find((group: { readonly id: string }) => group.id === id);
    return { caller: owner, read, change: (number) => ({ scope, id, roleIds: [roleIds[number % 2]] }) };
  },
  updateMe: () =>
    mine(
      '/api/me',
      ({ user }) => user as Json,
      () => named,
    ),
  async updateTenantQuotas({ owner }) {
    const caller = await createPerson(stack);
    await grant(identity, caller.email);
    const { id } = await createOrganization(owner, randomUUID());
    const read = async () => dataOf(await caller.client.get(`/api/platform/tenants?ids=${id}`, caller.token)).items[0];
    return { caller, read, change: (number) => ({ id, quotas: { members: 100 + number } }) };
  },
  async updatePlatformServiceAccount() {
    const caller = await createPerson(stack);
    await grant(identity, caller.email);
    const place = '/api/platform/service-accounts';
    const { id } = dataOf(await caller.client.post(place, { name: randomUUID() }, caller.token));
    const read = async () => dataOf(await caller.client.get(`${place}/${id}`, caller.token));
    return { caller, read, change: (number) => ({ id, ...named(number) }) };
  },
  async updateSecondFactor() {
    const caller = await createPerson(stack);
    const { factor, secret } = dataOf(await caller.client.post('/api/me/second-factors/totp', {}, caller.token));
    dataOf(await caller.client.post(`/api/me/second-factors/${factor.id}/confirm`, { code: generateSync({ secret }) }, caller.token));
    const { accessToken: token } = dataOf(await caller.client.post('/api/auth/refresh', { refreshToken: caller.refreshToken }));
    const read = async () =>
      dataOf(await caller.client.get('/api/me/second-factors', token)).items.find(({ id }: { id: string }) => id === factor.id);
    return { caller: { ...caller, token }, read, change: (number) => ({ id: factor.id, ...named(number) }) };
  },
  async updateClientDocuments({ owner }) {
    const scope = await createProject(owner, await createOrganization(owner, randomUUID()));
    const read = async () => dataOf(await owner.client.get(`/api/client-documents?${inScope(scope)}`, owner.token));
    const change = (number: number) => ({ scope, clientDomains: [`mcp${number}.example.com`], clientScopes: [] });
    dataOf(await owner.client.call('PUT', '/api/client-documents', { body: change(0), token: owner.token }));
    return { caller: owner, read, change };
  },
  async updateBranding({ owner }) {
    const scope = await createOrganization(owner, randomUUID());
    const read = async () => dataOf(await owner.client.get(`/api/branding?${inScope(scope)}`, owner.token));
    const change = (number: number) => ({ scope, name: `Brand ${number}` });
    dataOf(await owner.client.call('PUT', '/api/branding', { body: change(0), token: owner.token }));
    return { caller: owner, read, change };
  },
  async updateMailText({ owner }) {
    const scope = await createOrganization(owner, randomUUID());
    const place = '/api/mail-texts/verify-email/en';
    const read = async () => dataOf(await owner.client.get(`${place}?${inScope(scope)}`, owner.token));
    const text = (number: number) => ({ subject: `Confirm ${number}`, body: 'Welcome.\n\n{{link}}\n\nSee you.' });
    dataOf(await owner.client.call('PUT', place, { body: { scope, ...text(0) }, token: owner.token }));
    return { caller: owner, read, change: (number) => ({ scope, template: 'verify-email', language: 'en', ...text(number) }) };
  },
  async setMyPrimaryAuthenticationMethod() {
    const id = newId();
    const path = '/api/me/authentication-methods';
    const thing = await mine(
      path,
      ({ items }) => items.find((method) => method['id'] === id) ?? {},
      () => () => ({ id }),
    );
    await admin.query(
      `INSERT INTO identity.authentication_methods (id, user_id, provider, provider_id, is_verified, is_primary, created_at, updated_at)
       VALUES ($1::uuid, $2, 'codehost', $1::text, true, false, now() - interval '1 day', now() - interval '1 day')`,
      [id, thing.caller.userId],
    );
    return thing;
  },
};

const changes = allOperations.filter(isVersioned);
const long = '"1999-12-31T00:00:00.000Z"';

function tagOf({ version, updatedAt }: Json): string {
  return `"${String(version ?? updatedAt)}"`;
}

async function send(operation: Declared, { caller, change }: Thing, number: number, ifMatch?: string): Promise<Answer> {
  const { method, path, body } = restRequest(operation, change(number));
  const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch };
  return caller.client.call(method, path, { token: caller.token, body, headers });
}

function assertStale({ status, body }: Answer): void {
  expect([status, body.code, body.translationKey]).toStrictEqual([412, 'PRECONDITION_FAILED', 'errors.changedMeanwhile']);
}

/** A new thing, made and changed as the declarations of its operations describe. */
function described(operation: Declared): Promise<Thing> {
  const creation = `${resourceOf(operation)}:Create`;
  const creating = allOperations.find(({ access, rest }) => access.permission === creation && 'method' in rest && rest.method === 'POST');
  if (creating === undefined || !('path' in creating.rest))
    throw new Error(`PATCH ${operation.name} needs a case here: no operation creates what it changes`);
  const { scope, slug: _, ...body } = exampleInput(creating, world);
  const { scope: _scope, id: _id, ...change } = exampleInput(operation, world);
  const collection = creating.rest.path.replace('/api/', '');
  return listed(collection, scope as ScopeValue, { ...body, name: randomUUID() }, (number) => ({ ...change, ...named(number) }));
}

async function make(operation: Declared): Promise<Thing> {
  return things[operation.name]?.(world) ?? described(operation);
}

for (const operation of changes)
  describe(operation.name, () => {
    test('refuses a change of an older version, and nothing changes', async () => {
      const thing = await make(operation);
      const before = await thing.read();
      assertStale(await send(operation, thing, 1, long));
      assertStale(await send(operation, thing, 1, `W/${tagOf(before)}`));
      expect(await thing.read()).toStrictEqual(before);
      const made = await send(operation, thing, 2, `${long}, ${tagOf(before)}`);
      expect([made.status, made.headers['etag']]).toStrictEqual([200, tagOf(await thing.read())]);
      expect(made.headers['etag']).not.toBe(tagOf(before));
      const after = await thing.read();
      assertStale(await send(operation, thing, 3, tagOf(before)));
      expect(await thing.read()).toStrictEqual(after);
      dataOf(await send(operation, thing, 4));
      dataOf(await send(operation, thing, 5, '*'));
    });

    test('of two changes of the same version at the same time one is refused', async () => {
      const thing = await make(operation);
      const tag = tagOf(await thing.read());
      const answers = await Promise.all([1, 2].map((number) => send(operation, thing, number, tag)));
      expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, 412]);
    });

    test('holds over GraphQL too', async () => {
      const thing = await make(operation);
      const before = await thing.read();
      const call = (ifMatch: string) =>
        callGraphqlSelecting(thing.caller.client, operation, { ...thing.change(1), ifMatch }, '__typename', thing.caller.token);
      expect((await call(long)).body.errors?.[0]?.extensions.code).toBe('PRECONDITION_FAILED');
      expect(await thing.read()).toStrictEqual(before);
      expect((await call(tagOf(before).slice(1, -1))).body.errors).toBeUndefined();
    });
  });

const firsts = [
  {
    name: 'rules for client documents',
    path: '/api/client-documents',
    at: (n: number) => ({ clientDomains: [`mcp${n}.example.com`], clientScopes: [] }),
  },
  { name: 'branding', path: '/api/branding', at: (n: number) => ({ name: `Brand ${n}` }) },
  { name: 'mail text', path: '/api/mail-texts/invitation/en', at: (n: number) => ({ subject: `Come ${n}`, body: '{{link}}' }) },
];

for (const { name, path, at } of firsts)
  test(`of two that set the first ${name} one is refused: nothing set has the version null`, async () => {
    const { owner } = world;
    const organization = await createOrganization(owner, randomUUID());
    const scope = path.startsWith('/api/mail-texts') ? organization : await createProject(owner, organization);
    const set = (number: number, ifMatch: string) =>
      owner.client.call('PUT', path, { body: { scope, ...at(number) }, token: owner.token, headers: { 'if-match': ifMatch } });
    assertStale(await set(0, long));
    const answers = await Promise.all([1, 2].map((number) => set(number, '"null"')));
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, 412]);
    assertStale(await set(3, '"null"'));
  });

test('one thing is answered with its version', async () => {
  const { owner, organization, project, ids } = world;
  for (const path of [
    '/api/me',
    `/api/organizations/${organization.id}?${inScope(organization)}`,
    `/api/users/${ids['User']}?${inScope(organization)}`,
    `/api/accounts/${owner.account.id}`,
  ]) {
    const { status, headers, body } = await owner.client.get(path, owner.token);
    const thing = path === '/api/me' ? body.data.user : body.data;
    expect([status, headers['etag']]).toStrictEqualFor(path, [200, tagOf(thing)]);
  }
  expect((await owner.client.get(`/api/resources?${inScope(project)}`, owner.token)).headers['etag']).toBeUndefined();
});
