/** API keys of customers of a product: who makes them, what they open, and what ends them. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import pg from 'pg';
import { createVerifier } from '../../packages/verifier/src/index.ts';
import { grant as makeAdministrator } from '../../tools/platform/administrators.ts';
import { type Answer, inScope, type ScopeValue } from '../support/client.ts';
import { createRobot, tokenOf } from '../support/robot.ts';
import { openStack } from '../support/shared-stack.ts';
import { assertMeasuredWithin, until } from '../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../support/world.ts';

const stack = await openStack();
const vendor = await createPerson(stack);
const vendorOrganization = await createOrganization(vendor, 'Vendor');
const product = await createProject(vendor, vendorOrganization);
const projectId = product.id.slice(37);
const issuer = `${stack.url}/org/${product.id.replace(':', '/prj/')}`;
const slug = `Doc-${randomUUID().slice(0, 8)}`;

async function make(path: string, body: object, { client, token } = vendor, scope: ScopeValue = product) {
  return dataOf(await client.post(`/api/${path}`, { scope, ...body }, token));
}
const resource = await make('resources', { name: 'Doc', slug, actions: ['Read', 'Write'], createPermissions: true });
const idOf = (action: string): string => resource.permissions.find((each: { action: string }) => each.action === action).id;
const readers = await make('groups', { name: 'readers', permissionIds: [idOf('Read')] });
const reader = await make('roles', { name: 'Reader', groupIds: [readers.id] });
const hidden = await make('roles', { name: 'Hidden', groupIds: [readers.id], isGrantable: false });

// A role that lets its holder make roles: who lacks a built-in action cannot give it.
const { items: builtIn } = dataOf(await vendor.client.get(`/api/resources?${inScope(product, 'search=Role&limit=100')}`, vendor.token));
const ofRoles = builtIn.find((each: { slug: string; isBuiltIn: boolean }) => each.isBuiltIn && each.slug === 'Role');
const making = await make('permissions', { name: 'make roles', action: 'Create', resourceId: ofRoles.id });
const makers = await make('groups', { name: 'makers', permissionIds: [making.id] });
const maker = await make('roles', { name: 'Maker', groupIds: [makers.id] });

async function customer(name: string) {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner, name);
  const grant = await make('project-grants', { organizationId: organization.id });
  dataOf(await owner.client.post(`/api/project-grants/${grant.id}/accept`, { scope: organization }, owner.token));
  const scope = { tenant: 'organizationProject', id: `${organization.id}:${projectId}` };
  return { owner, organization, grant, scope };
}
type Customer = Awaited<ReturnType<typeof customer>>;

async function createKey({ client, token }: Person, scope: ScopeValue, body: object) {
  const { id, clientId, clientSecret } = dataOf(await client.post('/api/api-keys', { scope, name: 'Key', ...body }, token));
  const exchange = (named = scope): Promise<Answer> => client.post('/api/auth/token', { clientId, clientSecret, scope: named });
  return { id, exchange };
}
const api = vendor.client;
const question = { permission: { resource: slug, action: 'Read' } };
async function may(token: string, scope?: ScopeValue): Promise<string> {
  const { status, body } = await api.post('/api/auth/is-authorized', scope === undefined ? question : { ...question, scope }, token);
  return status === 200 ? body.data.reason : `${status}`;
}
const granted = 'PERMISSION_GRANTED_NO_CONDITION';

test('a customer makes, lists and revokes keys with a role of its scope, and their tokens are of the owner’s issuer', async () => {
  const { owner, organization, scope } = await customer('Acme');
  const key = await createKey(owner, scope, { roleId: reader.id });
  const token = dataOf(await key.exchange()).accessToken;
  expect(await may(token)).toBe(granted);
  expect(await may(token, scope)).toBe(granted);
  const claims = decodeJwt(token);
  expect([claims.iss, claims['scope']]).toStrictEqual([issuer, { tenant: 'organizationProjectUser', id: `${scope.id}:${owner.userId}` }]);
  const options = { issuers: [issuer], audience: stack.url };
  expect(await createVerifier(options).verify(token)).toMatchObject({ org_id: organization.id, keyId: key.id });
  const serving = createVerifier({ ...options, organization: vendorOrganization.id });
  await expect(serving.verify(token)).rejects.toMatchObject({ reason: 'organization' });

  const listed = dataOf(await api.get(`/api/api-keys?${inScope(scope, 'relations=role')}`, owner.token));
  expect(listed.items).toMatchObject([{ id: key.id, role: { name: 'Reader' } }]);
  for (const roleId of [hidden.id, randomUUID()])
    expect((await api.post('/api/api-keys', { scope, name: 'Key', roleId }, owner.token)).status).toBe(404);

  const own = await make('groups', { name: 'own', permissionIds: [idOf('Read')] }, owner, scope);
  const custom = await make('roles', { name: 'Own', groupIds: [own.id] }, owner, scope);
  const other = await createKey(owner, scope, { roleId: custom.id });
  expect(await may(dataOf(await other.exchange()).accessToken)).toBe(granted);
  const ofPerson = await createKey(owner, { tenant: 'organizationProjectUser', id: `${scope.id}:${owner.userId}` }, {});
  const acting = dataOf(await ofPerson.exchange()).accessToken;
  expect(await may(acting)).toBe('NO_MATCHING_PERMISSION_FOUND');
  expect((await api.get(`/api/roles?${inScope(scope)}`, acting)).status).toBe(200);

  dataOf(await api.post(`/api/api-keys/${key.id}/revoke`, { scope }, owner.token));
  await until(async () => (await may(token)) === '401');
  expect((await key.exchange()).status).toBe(401);
  const log = dataOf(await api.get(`/api/audit-events?${inScope(scope, 'action=apiKey.exchanged')}`, owner.token));
  expect(log.items[0]).toMatchObject({ scope });
});

test('no key opens another customer’s scope, the product’s or the organization’s, and nobody else sees it', async () => {
  const [acme, birch] = [await customer('Acme'), await customer('Birch')];
  const key = await createKey(acme.owner, acme.scope, { roleId: reader.id });
  const token = dataOf(await key.exchange()).accessToken;
  const ofVendor = await createKey(vendor, product, { roleId: reader.id });
  const vendorToken = dataOf(await ofVendor.exchange()).accessToken;
  for (const scope of [birch.scope, product, acme.organization, birch.organization]) {
    expect([scope, await may(token, scope)]).toStrictEqual([scope, 'INVALID_SCOPE']);
    expect([scope, (await key.exchange(scope)).status]).toStrictEqual([scope, scope.tenant === 'organization' ? 400 : 401]);
    expect([scope, (await api.get(`/api/roles?${inScope(scope)}`, token)).status]).toStrictEqual([scope, 403]);
  }
  expect(await may(vendorToken, acme.scope)).toBe('INVALID_SCOPE');
  expect((await ofVendor.exchange(acme.scope)).status).toBe(401);
  for (const { client, token: stranger } of [vendor, birch.owner]) {
    expect((await client.get(`/api/api-keys?${inScope(acme.scope)}`, stranger)).status).toBe(403);
    expect((await client.post('/api/api-keys', { scope: acme.scope, name: 'Mine', roleId: reader.id }, stranger)).status).toBe(403);
    expect((await client.post(`/api/api-keys/${key.id}/revoke`, { scope: acme.scope }, stranger)).status).toBe(403);
  }
  for (const [{ client, token: stranger }, scope] of [
    [vendor, product],
    [birch.owner, birch.scope],
  ] as const) {
    expect((await client.post(`/api/api-keys/${key.id}/revoke`, { scope }, stranger)).status).toBe(404);
    expect((await client.delete(`/api/api-keys/${key.id}?${inScope(scope)}`, stranger)).status).toBe(404);
  }
  const issuerOfCustomer = `/org/${acme.scope.id.replace(':', '/prj/')}`;
  for (const path of ['.well-known/jwks.json', '.well-known/openid-configuration', 'oauth/authorize'])
    expect([path, (await api.get(`${issuerOfCustomer}/${path}`)).status]).toStrictEqual([path, 404]);
  expect(await may(token)).toBe(granted);
});

const operator = await createPerson(stack);
const database = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
await database.connect();
await makeAdministrator(database, operator.email);
await database.end();
const byOperator = async (step: string, { id }: ScopeValue) =>
  dataOf(await operator.client.post(`/api/platform/tenants/${id}/${step}`, {}, operator.token));
const byVendor = async ({ grant }: Customer, step: string) =>
  dataOf(await vendor.client.post(`/api/project-grants/${grant.id}/${step}`, { scope: product }, vendor.token));
const change = async ({ grant }: Customer, terms: object) =>
  dataOf(await vendor.client.patch(`/api/project-grants/${grant.id}`, { scope: product, ...terms }, vendor.token));

type End = {
  /** What the token is refused with from then on, within a second. */
  readonly end: (acme: Customer) => Promise<unknown>;
  readonly token: readonly string[];
  readonly exchange: readonly [number, string | undefined];
  readonly resume?: (acme: Customer) => Promise<unknown>;
};
const ends: Readonly<Record<string, End>> = {
  'the owner suspends the grant': {
    end: (acme) => byVendor(acme, 'suspend'),
    token: ['401'],
    exchange: [403, 'grant_suspended'],
    resume: (acme) => byVendor(acme, 'resume'),
  },
  'the owner ends the grant': {
    end: async ({ grant }) => dataOf(await vendor.client.delete(`/api/project-grants/${grant.id}?${inScope(product)}`, vendor.token)),
    token: ['401'],
    exchange: [401, undefined],
  },
  'the customer leaves': {
    end: async ({ grant, owner, organization }) =>
      dataOf(await api.post(`/api/project-grants/${grant.id}/leave`, { scope: organization }, owner.token)),
    token: ['401'],
    exchange: [401, undefined],
  },
  'the customer is suspended': {
    end: ({ organization }) => byOperator('suspend', organization),
    token: ['401'],
    exchange: [403, undefined],
    resume: ({ organization }) => byOperator('resume', organization),
  },
  'the owner is suspended': {
    end: () => byOperator('suspend', vendorOrganization),
    token: ['401'],
    exchange: [403, undefined],
    resume: () => byOperator('resume', vendorOrganization),
  },
  'the role is taken out of the grant': {
    end: (acme) => change(acme, { roleIds: [] }),
    token: ['NO_MATCHING_PERMISSION_FOUND'],
    exchange: [200, undefined],
  },
};
for (const [name, { end, token, exchange, resume }] of Object.entries(ends))
  test(`a key ends within a second when ${name}${resume ? ', and comes back without the tokens that were ended' : ''}`, async () => {
    let acme = await customer('Acme');
    await assertMeasuredWithin(1_000, async () => {
      acme = await customer('Acme');
      const key = await createKey(acme.owner, acme.scope, { roleId: reader.id });
      const before = dataOf(await key.exchange()).accessToken;
      expect(await may(before)).toBe(granted);
      await end(acme);
      const endedAt = performance.now();
      await until(async () => token.includes(await may(before)));
      const tookMs = performance.now() - endedAt;
      const { status, body } = await key.exchange();
      expect([status, body.extensions?.reason]).toStrictEqual(exchange);
      if (resume === undefined) return tookMs;
      await resume(acme);
      await until(async () => {
        const again = await key.exchange();
        return again.status === 200 && (await may(again.body.data.accessToken)) === granted;
      });
      expect(await may(before)).toBe('401');
      return tookMs;
    });
  });

test('a key whose maker leaves the customer, or whose organization is deleted, is worth nothing', async () => {
  const acme = await customer('Acme');
  const admin = await addMember(stack, acme.owner, acme.organization, 'Admin');
  const key = await createKey(admin, acme.scope, { roleId: reader.id });
  const token = dataOf(await key.exchange()).accessToken;
  const { client, token: session } = acme.owner;
  const viewer = await builtInRole(acme.owner, acme.organization, 'Viewer');
  const high = await createKey(admin, acme.scope, { roleId: maker.id });
  expect((await high.exchange()).status).toBe(200);
  dataOf(await client.patch(`/api/organization-members/${admin.userId}`, { scope: acme.organization, roleId: viewer }, session));
  await until(async () => (await high.exchange()).status === 401);
  dataOf(await client.delete(`/api/organization-members/${admin.userId}?${inScope(acme.organization)}`, session));
  await until(async () => (await may(token)) === '401');
  expect((await key.exchange()).status).toBe(401);
  const last = await createKey(acme.owner, acme.scope, { roleId: reader.id });
  const lastToken = dataOf(await last.exchange()).accessToken;
  dataOf(await client.delete(`/api/organizations/${acme.organization.id}?${inScope(acme.organization)}`, session));
  await until(async () => (await may(lastToken)) === '401');
  expect((await last.exchange()).status).toBe(401);
});

test('no token of an exchange that runs while the grant is suspended outlives the suspension', async () => {
  const acme = await customer('Acme');
  const key = await createKey(acme.owner, acme.scope, { roleId: reader.id });
  const tokens: string[] = [];
  let isDone = false;
  const exchanging = Array.from({ length: 4 }, async () => {
    while (!isDone) {
      const { status, body } = await key.exchange();
      if (status === 200) tokens.push(body.data.accessToken);
    }
  });
  await until(() => tokens.length > 8);
  await byVendor(acme, 'suspend');
  isDone = true;
  await Promise.all(exchanging);
  const [last = ''] = tokens.slice(-1);
  await until(async () => (await may(last)) === '401');
  expect(new Set(await Promise.all(tokens.map((token) => may(token))))).toStrictEqual(new Set(['401']));
  expect((await key.exchange()).status).toBe(403);
});

test('the owner’s machine app acts in every active grant while it says so, and the customer’s log shows it', async () => {
  const [acme, birch] = [await customer('Acme'), await customer('Birch')];
  const fields = { scope: product, name: 'Worker', type: 'machine', roleId: hidden.id };
  const worker = await createRobot(stack.url, vendor, product, { ...fields, actsInGrants: true });
  const idle = await createRobot(stack.url, vendor, product, fields);
  for (const { scope } of [acme, birch]) {
    expect([scope, await may(worker.token, scope), await may(idle.token, scope)]).toStrictEqual([scope, granted, 'INVALID_SCOPE']);
    const batch = dataOf(await api.post('/api/auth/is-authorized/batch', { checks: [{ ...question, scope }] }, worker.token));
    expect(batch.decisions).toMatchObject([{ reason: granted }]);
    const { permissions } = dataOf(await api.get(`/api/auth/permissions?${inScope(scope)}`, worker.token));
    expect(permissions).toMatchObject([{ resource: slug, action: 'Read' }]);
    const asked = { action: { name: 'Read' }, resource: { type: slug, id: '1' }, context: { scope } };
    const { body } = await api.post('/access/v1/evaluation', { subject: { type: 'app', id: worker.id }, ...asked }, worker.token);
    expect(body).toMatchObject({ decision: true });
  }
  expect(await may(worker.token)).toBe(granted);
  for (const path of ['users', 'api-keys', 'audit-events', 'webhooks', 'roles'])
    expect([path, (await api.get(`/api/${path}?${inScope(acme.scope)}`, worker.token)).status]).toStrictEqual([path, 403]);
  const { items } = dataOf(await api.get(`/api/audit-events?${inScope(acme.scope, 'outcome=refused')}`, acme.owner.token));
  expect(items.find(({ actor }: { actor: { id: string } }) => actor.id === worker.id)).toMatchObject({ scope: acme.scope });
  const body = { scope: acme.scope, subject: { type: 'user', id: acme.owner.userId }, ...question };
  expect((await api.post('/api/auth/is-authorized', body, worker.token)).status).toBe(403);

  await byVendor(acme, 'suspend');
  await until(async () => (await may(worker.token, acme.scope)) === 'GRANT_SUSPENDED');
  expect(await may(worker.token, birch.scope)).toBe(granted);
  await byVendor(acme, 'resume');
  await until(async () => (await may(worker.token, acme.scope)) === granted);
  dataOf(await api.patch(`/api/project-apps/${worker.id}`, { scope: product, actsInGrants: false }, vendor.token));
  await until(async () => (await may(worker.token, acme.scope)) === '401');
  const later = await tokenOf(await worker.exchange());
  expect([await may(later, acme.scope), await may(later)]).toStrictEqual(['INVALID_SCOPE', granted]);
});
