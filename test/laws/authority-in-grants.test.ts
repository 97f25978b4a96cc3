/**
 * The law of `authority.test.ts` in the scope of a grant: for every operation that creates
 * something or leaves something vouched for, with every kind of token that acts there. Then its
 * maker loses the authority, or the grant or one of its two organizations ends it for all of them.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { grant as makeAdministrator } from '../../tools/platform/administrators.ts';
import { createClient, inScope, type ScopeValue } from '../support/client.ts';
import { exampleOf, resourceOf } from '../support/examples.ts';
import { allOperations, callRest, type Declared } from '../support/operations.ts';
import { createRobot, tokenOf } from '../support/robot.ts';
import { requiredNames, sampleInput } from '../support/sample.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../support/world.ts';

const stack = await openStack();
const anonymous = createClient(stack.url, 'program');
const database = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
await database.connect();
afterAll(() => database.end());
const operator = await createPerson(stack);
await makeAdministrator(database, operator.email);

const vendor = await createPerson(stack);
const vendorOrganization = await createOrganization(vendor, 'Vendor');
const product = await createProject(vendor, vendorOrganization);
const projectId = product.id.slice(37);
const slug = `Doc-${randomUUID().slice(0, 8)}`;
const named = () => ({ name: `made ${randomUUID()}` });

async function make(path: string, body: object, { client, token } = vendor, scope: ScopeValue = product) {
  const isNamed = !['project-grants', 'webhooks'].includes(path);
  return dataOf(await client.post(`/api/${path}`, { scope, ...(isNamed ? named() : {}), ...body }, token));
}

/** The rights of the product that its customers have: all that directs something in a grant. */
const sold = ['Role:Create', 'Group:Create', 'Tag:Create', 'ApiKey:Create', 'Webhook:Create', 'Webhook:Update', 'AuditEvent:Query'];
const { permissions } = await make('resources', { slug, actions: ['Read'], createPermissions: true });
const { items: builtIn } = dataOf(await vendor.client.get(`/api/resources?${inScope(product, 'isBuiltIn=true&limit=100')}`, vendor.token));
const permissionIds: string[] = [String(permissions[0].id)];
for (const right of sold) {
  const [resource, action] = right.split(':');
  const resourceId = builtIn.find((each: { slug: string }) => each.slug === resource).id;
  permissionIds.push((await make('permissions', { resourceId, action })).id);
}
const role = await make('roles', { groupIds: [(await make('groups', { permissionIds })).id] });

type Body = Readonly<Record<string, unknown>>;
type Customer = Awaited<ReturnType<typeof createCustomer>>;

async function createCustomer() {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner);
  const grant = await make('project-grants', { organizationId: organization.id });
  dataOf(await owner.client.post(`/api/project-grants/${grant.id}/accept`, { scope: organization }, owner.token));
  const scope = { tenant: 'organizationProject', id: `${organization.id}:${projectId}` };
  const group = await make('groups', { permissionIds }, owner, scope);
  const custom = await make('roles', { groupIds: [group.id] }, owner, scope);
  const tag = await make('tags', { color: 'blue' }, owner, scope);
  const webhook = async (): Promise<Body> => ({ id: (await make('webhooks', hook, owner, scope)).id });
  const ids: Readonly<Record<string, string>> = {
    Group: String(group.id),
    Permission: String(permissionIds[0]),
    Role: String(custom.id),
    Tag: String(tag.id),
  };
  return { owner, organization, grantId: String(grant.id), scope, customId: String(custom.id), ids, webhook };
}

const hook = { url: 'https://hooks.example.com/in', eventTypes: ['webhook.disabled'] };

/** Whether the token may do in the scope what the role of the product gives, or may make roles. */
async function may(token: string, scope: ScopeValue, permission: object): Promise<boolean> {
  const { status, body } = await anonymous.post('/api/auth/is-authorized', { permission, scope }, token);
  return status === 200 && body.data.authorized;
}
const ofProduct = { resource: slug, action: 'Read' };
const makesRoles = { resource: 'Role', action: 'Create' };

async function exchange({ clientId, clientSecret }: Body, scope: ScopeValue): Promise<string | undefined> {
  const { status, body } = await anonymous.post('/api/auth/token', { clientId, clientSecret, scope });
  return status === 200 ? body.data.accessToken : undefined;
}

/** Whether a key still opens what its role opens, or a webhook would be told of an event. */
type IsWorth = () => Promise<boolean>;
const keyWorth =
  (key: Body, { scope }: Customer): IsWorth =>
  async () => {
    const token = await exchange(key, scope);
    return token !== undefined && may(token, scope, ofProduct);
  };
/** As the sender asks: a webhook that waits for a grant or an organization sends nothing. */
const told = `SELECT FROM tenancy.webhooks w WHERE w.id = $1 AND w.is_active AND w.voucher_ended_at IS NULL
  AND NOT EXISTS (SELECT FROM tenancy.tenant_restrictions r WHERE r.tenant_id = w.parent_id AND r.suspended_at IS NOT NULL)
  AND NOT tenancy.waits_for_grant(w.organization_id, w.project_id)`;
await database.query('SET search_path = tenancy');
const webhookWorth =
  ({ id }: Body): IsWorth =>
  async () =>
    (await database.query(told, [id])).rows.length > 0;

/** What acts later, by the operation that leaves it. Whatever else is left vouched for fails. */
const specials: Readonly<Record<string, { readonly body?: (customer: Customer) => Promise<Body>; readonly worth: typeof keyWorth }>> = {
  createApiKey: { body: async () => ({ roleId: role.id }), worth: keyWorth },
  createWebhook: { body: async () => hook, worth: webhookWorth },
  updateWebhook: { body: async ({ webhook }) => ({ ...(await webhook()), url: 'https://other.example.com/in' }), worth: webhookWorth },
  vouchForWebhook: { body: ({ webhook }) => webhook(), worth: webhookWorth },
};

const inGrants = allOperations.filter(
  ({ access, scopes }) => access.permission !== undefined && scopes !== 'none' && scopes.includes('organizationProject'),
);
const directing = inGrants.filter(
  ({ kind, access, leaves }) => leaves === 'vouched' || (kind === 'mutation' && access.permission?.endsWith(':Create') === true),
);
const reading = inGrants.filter((operation) => operation.kind === 'query' && !requiredNames(operation).includes('id'));

/** By maker: what is directed is made once, before the end. */
type Maker = { readonly token: string; readonly permission: object; readonly renew?: () => Promise<string | undefined> };
async function inputOf(operation: Declared, customer: Customer): Promise<Body> {
  const valid = { ...named(), redirectUris: ['https://app.example.com/'], domain: `${randomUUID()}.example.com` };
  const special = { ...valid, ...exampleOf(operation, customer.ids), ...(await specials[operation.name]?.body?.(customer)) };
  // A slug is unique: each thing derives its own from its name.
  const { slug: _, ...sent } = sampleInput(operation, {
    id: customer.ids[resourceOf(operation)] ?? randomUUID(),
    ...special,
    scope: customer.scope,
  });
  return sent;
}

type Directed = { readonly operation: Declared; readonly sent: Body; readonly isWorth: IsWorth | undefined };

/** All that the maker may do in the scope; everything else is refused. */
async function directAll({ token }: Maker, customer: Customer, operations: readonly Declared[]): Promise<readonly Directed[]> {
  const done: Directed[] = [];
  for (const operation of operations) {
    const sent = await inputOf(operation, customer);
    const { status, body } = await callRest(anonymous, operation, sent, token);
    if (status !== 200 && status !== 201) {
      expect([operation.name, status, body.code]).toStrictEqual([operation.name, 403, 'FORBIDDEN']);
      continue;
    }
    const worth = specials[operation.name]?.worth;
    expect([operation.name, operation.leaves === 'vouched']).toStrictEqual([operation.name, worth !== undefined]);
    done.push({ operation, sent, isWorth: worth?.(body.data, customer) });
  }
  return done;
}

/** A credential in the scope, who holds it, and how it is revoked. */
type Held = Maker & { readonly person: Person; readonly revoke: () => Promise<unknown> };

const sessionOf = ({ client, token, ...person }: Person, permission: object): Held => ({
  token,
  permission,
  person: { client, token, ...person },
  revoke: async () => dataOf(await client.post('/api/me/logout', {}, token)),
});
async function keyOf(person: Person, { owner }: Customer, keyScope: ScopeValue, body: object, permission: object): Promise<Held> {
  const key = await make('api-keys', body, person, keyScope);
  const renew = () => exchange(key, keyScope);
  const token = String(await renew());
  const revoke = async () => dataOf(await owner.client.post(`/api/api-keys/${key.id}/revoke`, { scope: keyScope }, owner.token));
  return { token, permission, renew, person, revoke };
}
async function give({ userId }: Person, roleIds: readonly string[], { owner, scope }: Customer) {
  dataOf(await owner.client.patch(`/api/users/${userId}`, { scope, roleIds }, owner.token));
}
const organizationRole = async ({ userId }: Person, name: string, { owner, organization }: Customer) => {
  const roleId = await builtInRole(owner, organization, name);
  return dataOf(await owner.client.patch(`/api/organization-members/${userId}`, { scope: organization, roleId }, owner.token));
};

/** What its authority rests on, besides the person, the grant and the two organizations. */
type Basis = 'organization' | 'product' | 'custom';
type Kind = {
  readonly basis: Basis;
  readonly role: 'Admin' | 'Viewer';
  readonly hold: (person: Person, customer: Customer) => Promise<Held>;
};
const kinds: Readonly<Record<string, Kind>> = {
  'the session of an Admin': { basis: 'organization', role: 'Admin', hold: async (person) => sessionOf(person, makesRoles) },
  'the session of a member with a role of the product': {
    basis: 'product',
    role: 'Viewer',
    hold: async (person, customer) => {
      await give(person, [role.id], customer);
      return sessionOf(person, ofProduct);
    },
  },
  'the session of a member with a custom role': {
    basis: 'custom',
    role: 'Viewer',
    hold: async (person, customer) => {
      await give(person, [customer.customId], customer);
      return sessionOf(person, ofProduct);
    },
  },
  'a key with a role of the product': {
    basis: 'product',
    role: 'Admin',
    hold: (person, customer) => keyOf(person, customer, customer.scope, { roleId: role.id }, ofProduct),
  },
  'a key with a custom role': {
    basis: 'custom',
    role: 'Admin',
    hold: (person, customer) => keyOf(person, customer, customer.scope, { roleId: customer.customId }, ofProduct),
  },
  'a key that acts as an Admin': {
    basis: 'organization',
    role: 'Admin',
    hold: (person, customer) => {
      const scope = { tenant: 'organizationProjectUser', id: `${customer.scope.id}:${person.userId}` };
      return keyOf(person, customer, scope, {}, makesRoles);
    },
  },
};

type Made = { readonly name: string; readonly kind: Kind; readonly held: Held; readonly done: readonly Directed[] };

/**
 * Every kind of maker in a customer of its own, each with a person of its own. Who stays in the
 * organization may read what its role there lets it: only what ends wholly is tried with reading.
 */
async function everyMaker(isWholly: boolean) {
  const customer = await createCustomer();
  const { owner, organization, scope } = customer;
  const people = await Promise.all(Object.values(kinds).map((kind) => addMember(stack, owner, organization, kind.role)));
  const makers: Made[] = [];
  for (const [at, [name, kind]] of Object.entries(kinds).entries()) {
    const held = await kind.hold(people[at] as Person, customer);
    await until(() => may(held.token, scope, held.permission));
    const done = await directAll(held, customer, isWholly ? [...directing, ...reading] : directing);
    expect(done.map(({ operation }) => operation.name)).toStrictEqual(expect.arrayContaining(Object.keys(specials)));
    // Each service learns a moment later of what was made.
    for (const { operation, isWorth } of done)
      if (isWorth) await until(isWorth).catch(() => expect([name, operation.name]).toBe('worth something'));
    makers.push({ name, kind, held, done });
  }
  return { customer, makers };
}
const isRefused = async ({ operation, sent }: Directed, token: string) =>
  [401, 403].includes((await callRest(anonymous, operation, sent, token)).status);

/** Nothing that was left behind acts, and the token does none of it again. */
async function assertOver({ name, held, done }: Made, token: string | undefined, { scope }: Customer) {
  for (const { operation, isWorth } of done)
    if (isWorth) await until(async () => !(await isWorth())).catch(() => expect([name, operation.name]).toBe('worth nothing'));
  if (token === undefined) return;
  await until(async () => !(await may(token, scope, held.permission))).catch(() => expect(name).toBe('refused at decisions'));
  for (const one of done) await until(() => isRefused(one, token)).catch(() => expect([name, one.operation.name]).toBe('refused'));
}
async function assertGoesOn({ name, held, done }: Made, { scope }: Customer) {
  expect([name, await may(held.token, scope, held.permission)]).toStrictEqual([name, true]);
  for (const { operation, isWorth } of done)
    if (isWorth) expect([name, operation.name, await isWorth()]).toStrictEqual([name, operation.name, true]);
}

/** Ends the authority of one maker: its own, and of what it made. */
const endingsOfMakers: Readonly<Record<string, (made: Made, customer: Customer) => Promise<unknown>>> = {
  demoted: ({ kind, held: { person } }, customer) =>
    kind.role === 'Admin' ? organizationRole(person, 'Viewer', customer) : give(person, [], customer),
  removed: async ({ held: { person } }, { owner, organization }) =>
    dataOf(await owner.client.delete(`/api/organization-members/${person.userId}?${inScope(organization)}`, owner.token)),
  revoked: ({ held: { revoke } }) => revoke(),
};

describe('what a maker in a grant creates or directs', () => {
  for (const [ending, end] of Object.entries(endingsOfMakers))
    test(`is worth nothing, and nothing more is created, once the maker is ${ending}`, async () => {
      const { customer, makers } = await everyMaker(ending !== 'demoted');
      for (const made of makers) await end(made, customer);
      for (const made of makers) {
        const { kind, held, done } = made;
        const isSession = held.renew === undefined;
        // A session can be ended while its person stays: what the person made goes on.
        const left = isSession && ending === 'revoked' ? done.map((one) => ({ ...one, isWorth: undefined })) : done;
        // An access token of a key keeps the key's role until it expires; the key gives no further.
        const isKept = !isSession && ending === 'demoted' && kind.basis !== 'organization';
        if (isKept) await until(async () => (await held.renew?.()) === undefined);
        const token = isKept ? undefined : held.token;
        await assertOver({ ...made, done: left }, token, customer);
        for (const { operation, isWorth } of done)
          if (isWorth && left !== done) expect([operation.name, await isWorth()]).toStrictEqual([operation.name, true]);
      }
    });
});

const byVendor = async ({ grantId }: Customer, step: string) =>
  dataOf(await vendor.client.post(`/api/project-grants/${grantId}/${step}`, { scope: product }, vendor.token));
const change = async ({ grantId }: Customer, terms: object) =>
  dataOf(await vendor.client.patch(`/api/project-grants/${grantId}`, { scope: product, ...terms }, vendor.token));
const setSuspended = async ({ id }: ScopeValue, step: 'suspend' | 'resume') =>
  dataOf(await operator.client.post(`/api/platform/tenants/${id}/${step}`, step === 'suspend' ? { reason: 'A test' } : {}, operator.token));

const all: readonly Basis[] = ['organization', 'product', 'custom'];
type End = {
  /** Whose authority it ends: all of the scope, or what rests on a term of the grant. */
  readonly ends: readonly Basis[];
  readonly end: (customer: Customer) => Promise<unknown>;
  readonly undo?: () => Promise<unknown>;
};
const endingsOfGrants: Readonly<Record<string, End>> = {
  'the grant is suspended': { ends: all, end: (customer) => byVendor(customer, 'suspend') },
  'the grant is ended': {
    ends: all,
    end: async ({ grantId }) => dataOf(await vendor.client.delete(`/api/project-grants/${grantId}?${inScope(product)}`, vendor.token)),
  },
  'the customer leaves': {
    ends: all,
    end: async ({ grantId, owner, organization }) =>
      dataOf(await owner.client.post(`/api/project-grants/${grantId}/leave`, { scope: organization }, owner.token)),
  },
  'the customer is suspended': { ends: all, end: ({ organization }) => setSuspended(organization, 'suspend') },
  'the owner is suspended': {
    ends: all,
    end: () => setSuspended(vendorOrganization, 'suspend'),
    undo: async () => {
      await setSuspended(vendorOrganization, 'resume');
      await until(async () => (await vendor.client.get(`/api/roles?${inScope(product)}`, vendor.token)).status === 200);
      await until(async () => may(await tokenOf(await worker.exchange()), product, ofProduct));
    },
  },
  'the role is taken out of the grant': { ends: ['product', 'custom'], end: (customer) => change(customer, { roleIds: [] }) },
  'custom roles are not allowed any more': { ends: ['custom'], end: (customer) => change(customer, { allowCustomRoles: false }) },
};

const createWorker = (maker: Person) =>
  createRobot(stack.url, maker, product, { scope: product, ...named(), type: 'machine', roleId: role.id, actsInGrants: true });
/** Of the product's owner, in every grant: it directs nothing there, and asks alone. */
const worker = await createWorker(vendor);

describe('what is created and directed in a grant', () => {
  for (const [name, { ends, end, undo }] of Object.entries(endingsOfGrants))
    test(`is worth nothing, and nothing more is created, once ${name}`, async () => {
      await using cleanup = new AsyncDisposableStack();
      const isWholly = ends.includes('organization');
      const { customer, makers } = await everyMaker(isWholly);
      const { scope } = customer;
      const token = await tokenOf(await worker.exchange());
      await until(() => may(token, scope, ofProduct));
      expect(await directAll({ token, permission: ofProduct }, customer, directing)).toStrictEqual([]);
      if (undo) cleanup.defer(async () => void (await undo()));
      await end(customer);
      const isOver = ({ kind }: Made) => ends.includes(kind.basis);
      for (const made of makers.filter(isOver)) await assertOver(made, made.held.token, customer);
      if (isWholly) await until(async () => !(await may(token, scope, ofProduct)));
      else expect(await may(token, scope, ofProduct)).toBe(true);
      for (const made of makers) {
        if (isOver(made)) continue;
        // A key that it made has the role that was taken out.
        const done = name.includes('role is taken out')
          ? made.done.filter(({ operation }) => operation.name !== 'createApiKey')
          : made.done;
        await assertGoesOn({ ...made, done }, customer);
      }
    });
});

describe('a machine app of the owner', () => {
  const byOwner: Readonly<Record<string, (userId: string) => Promise<unknown>>> = {
    demoted: async (userId) => {
      const body = { scope: vendorOrganization, roleId: await builtInRole(vendor, vendorOrganization, 'Viewer') };
      return dataOf(await vendor.client.patch(`/api/organization-members/${userId}`, body, vendor.token));
    },
    removed: async (userId) =>
      dataOf(await vendor.client.delete(`/api/organization-members/${userId}?${inScope(vendorOrganization)}`, vendor.token)),
  };
  for (const [ending, end] of Object.entries(byOwner))
    test(`acts in no grant, and gets no token, once its maker is ${ending}`, async () => {
      const { scope } = await createCustomer();
      const admin = await addMember(stack, vendor, vendorOrganization, 'Admin');
      const made = await createWorker(admin);
      await until(() => may(made.token, scope, ofProduct));
      await end(admin.userId);
      await until(async () => (await tokenOf(await made.exchange())) === '');
      await until(async () => !(await may(made.token, scope, ofProduct)));
    });
});
