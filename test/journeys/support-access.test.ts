/** A supporter acts as a person of a customer, through the gateway and all services. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { generateSync } from 'otplib';
import { createApplication } from '../../services/rbac/src/testing/application.ts';
import { inScope, type ScopeValue } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { addMember, createOrganization, createPerson, createProject, createServiceAccount, dataOf, type Person } from '../support/world.ts';

const stack = await openStack();
const vendor = await createPerson(stack);
const vendorOrganization = await createOrganization(vendor, 'Vendor');
const product = await createProject(vendor, vendorOrganization);
const other = await createProject(vendor, vendorOrganization, 'Other');
const slug = `Doc-${randomUUID().slice(0, 8)}`;

async function make(path: string, body: object, { client, token } = vendor, scope: ScopeValue = product) {
  return dataOf(await client.post(`/api/${path}`, { scope, ...body }, token));
}
const resource = await make('resources', { name: 'Doc', slug, actions: ['Read', 'Write'], createPermissions: true });
const editors = await make('groups', { name: 'editors', permissionIds: resource.permissions.map(({ id }: { id: string }) => id) });
const editor = await make('roles', { name: 'Editor', groupIds: [editors.id] });
const viewerOfVendor = await addMember(stack, vendor, vendorOrganization, 'Viewer');

async function grantOf(project: ScopeValue, owner: Person, customer: ScopeValue) {
  const grant = await make('project-grants', { organizationId: customer.id }, vendor, project);
  dataOf(await owner.client.post(`/api/project-grants/${grant.id}/accept`, { scope: customer }, owner.token));
  return { tenant: 'organizationProject', id: `${customer.id}:${project.id.slice(37)}` };
}

/** A customer of both products, its Admin, and a Dev who is an editor in the first. */
async function world() {
  const owner = await createPerson(stack);
  const customer = await createOrganization(owner, 'Acme');
  const place = await grantOf(product, owner, customer);
  const elsewhere = await grantOf(other, owner, customer);
  const admin = await addMember(stack, owner, customer, 'Admin');
  const person = await addMember(stack, owner, customer, 'Admin');
  dataOf(await owner.client.patch(`/api/users/${person.userId}`, { scope: place, roleIds: [editor.id] }, owner.token));
  return { owner, customer, place, elsewhere, admin, person };
}
type World = Awaited<ReturnType<typeof world>>;

async function begin({ customer, person, admin }: World, consent: object = {}, supporter: Person = vendor) {
  const body = { scope: product, organizationId: customer.id, userId: person.userId, reason: 'The list stays empty' };
  const { id } = dataOf(await supporter.client.post('/api/support-access', body, supporter.token));
  dataOf(await admin.client.post(`/api/support-access/${id}/grant`, { scope: customer, ...consent }, admin.token));
  const { accessToken } = dataOf(await supporter.client.post(`/api/support-access/${id}/token`, { scope: product }, supporter.token));
  return { id: String(id), token: String(accessToken), client: supporter.client };
}
type Acting = Awaited<ReturnType<typeof begin>>;

async function may({ client, token }: Acting, action: string, scope: ScopeValue): Promise<boolean> {
  const body = { permission: { resource: slug, action }, scope };
  return dataOf(await client.post('/api/auth/is-authorized', body, token)).authorized;
}

describe('what a supporter may', () => {
  test('reads what the person reads, in the organization and the product, and nowhere else', async () => {
    const made = await world();
    const acting = await begin(made);
    const { client, token } = acting;
    const reads = async (path: string, scope: ScopeValue) => (await client.get(`/api/${path}?${inScope(scope)}`, token)).status;
    expect(await reads('organization-members', made.customer)).toBe(200);
    expect(await reads('roles', made.place)).toBe(200);
    expect([await may(acting, 'Read', made.place), await may(acting, 'Write', made.place)]).toStrictEqual([true, false]);
    // The person may all of these.
    const own = await createOrganization(made.person, 'The person’s own');
    for (const [path, scope] of [
      ['roles', made.elsewhere],
      ['organization-members', own],
      ['projects', made.person.account],
      ['roles', product],
      ['organization-members', vendorOrganization],
    ] as const)
      expect([path, await reads(path, scope)]).toStrictEqual([path, 403]);
    expect(await may(acting, 'Read', made.elsewhere)).toBe(false);
    expect(await may(acting, 'Read', product)).toBe(false);
    const { permissions } = dataOf(await client.get(`/api/auth/permissions?${inScope(made.customer)}`, token));
    const changing = permissions.filter(({ action }: { action: string }) => !['Read', 'Query', 'Evaluate'].includes(action));
    expect(permissions.length).toBeGreaterThan(5);
    expect(changing).toStrictEqual([]);
  });

  test('changes nothing but what the consent says, in REST and GraphQL alike, and never people, roles, keys or settings', async () => {
    const made = await world();
    const reading = await begin(made);
    const tag = (acting: Acting) =>
      acting.client.post('/api/tags', { scope: made.customer, name: `t-${randomUUID()}`, color: 'red' }, acting.token);
    expect((await tag(reading)).status).toBe(403);
    dataOf(await made.admin.client.delete(`/api/support-access/${reading.id}?${inScope(made.customer)}`, made.admin.token));
    const acting = await begin(made, { mayWrite: true });
    const { client, token } = acting;
    expect((await tag(acting)).status).toBe(201);
    expect(await may(acting, 'Write', made.place)).toBe(true);
    const roles = dataOf(await made.owner.client.get(`/api/roles?${inScope(made.customer)}&limit=100`, made.owner.token)).items;
    const viewer = roles.find(({ name }: { name: string }) => name === 'Viewer');
    for (const [method, path, body] of [
      ['post', 'organization-invitations', { email: `${randomUUID()}@example.com`, roleId: viewer.id }],
      ['patch', `organization-members/${made.admin.userId}`, { roleId: viewer.id }],
      ['post', 'roles', { name: 'Mine', groupIds: [] }],
      ['post', 'projects', { name: 'Mine' }],
      ['patch', `organizations/${made.customer.id}`, { name: 'Renamed' }],
      ['post', 'webhooks', { name: 'Mine', url: 'https://example.com/hook', events: ['*'] }],
      ['post', 'service-accounts', { name: 'Mine', roleIds: [viewer.id] }],
      ['post', 'domains', { domain: 'example.com' }],
      ['post', 'organization-members/x/block', {}],
    ] as const) {
      const answer = await client[method](`/api/${path}`, { scope: made.customer, ...body }, token);
      expect([path, answer.status >= 400 && answer.status !== 500]).toStrictEqual([path, true]);
      expect([path, [400, 403, 404].includes(answer.status)]).toStrictEqual([path, true]);
    }
    const graphql = await client.post(
      '/graphql',
      {
        query: 'mutation ($input: CreateRoleInput!) { createRole(input: $input) { id } }',
        variables: { input: { scope: made.customer, name: 'Mine', groupIds: [] } },
      },
      token,
    );
    expect(JSON.stringify(graphql.body)).toMatch(/support|FORBIDDEN/);
    expect(graphql.body.data?.createRole ?? null).toBeNull();
  });

  test('is decided over gRPC as over REST, for an application that shows the token', async () => {
    const made = await world();
    const { token: credential } = await createServiceAccount(stack.url, { owner: made.owner, organization: made.customer }, 'Viewer');
    const application = createApplication(stack.grpcUrls.rbac);
    const overGrpc = async ({ token: userToken }: Acting, action: string) => {
      const { code, authorized, reason } = await application.isAuthorized(credential, {
        userToken,
        scope: made.place,
        resource: slug,
        action,
      });
      return [code, authorized, reason];
    };
    const yes = ['OK', true, 'PERMISSION_GRANTED_NO_CONDITION'];
    try {
      const reading = await begin(made);
      expect([await may(reading, 'Read', made.place), await overGrpc(reading, 'Read')]).toStrictEqual([true, yes]);
      expect([await may(reading, 'Write', made.place), await overGrpc(reading, 'Write')]).toStrictEqual([
        false,
        ['OK', false, 'SCOPE_NOT_GRANTED'],
      ]);
      dataOf(await made.person.client.delete(`/api/me/support-access/${reading.id}`, made.person.token));
      await until(async () => (await overGrpc(reading, 'Read'))[1] !== true);
      const writing = await begin(made, { mayWrite: true });
      expect([await may(writing, 'Write', made.place), await overGrpc(writing, 'Write')]).toStrictEqual([true, yes]);
    } finally {
      application.close();
    }
  });

  test('exports only when the consent says so', async () => {
    const made = await world();
    const path = `/api/audit-events/export?${inScope(made.customer)}&format=ndjson`;
    const without = await begin(made);
    expect((await without.client.get(path, without.token)).status).toBe(403);
    dataOf(await without.client.delete(`/api/me/support-access/${without.id}`, without.token));
    const acting = await begin(made, { mayExport: true });
    expect((await acting.client.get(path, acting.token)).status).toBe(200);
  });
});

describe('how it is seen, and ends', () => {
  test('each row names the person, the supporter and the access; the person sees what was done last', async () => {
    const made = await world();
    const { id, token, client } = await begin(made, { mayWrite: true });
    dataOf(await client.post('/api/tags', { scope: made.customer, name: 'Seen', color: 'red' }, token));
    const log = async () =>
      dataOf(await made.admin.client.get(`/api/audit-events?${inScope(made.customer)}&limit=50`, made.admin.token)).items;
    await until(async () => (await log()).some(({ action }: { action: string }) => action === 'tag.created'));
    const row = (await log()).find(({ action }: { action: string }) => action === 'tag.created');
    expect(row).toMatchObject({
      actor: { id: made.person.userId },
      detail: { support: { id, supporterId: vendor.userId, name: 'Test Person' } },
    });
    const mine = dataOf(await made.person.client.get('/api/me/support-access', made.person.token)).items;
    expect(mine).toMatchObject([{ id, status: 'active', supporter: { id: vendor.userId }, lastActions: [{ action: 'tag.created' }] }]);
    dataOf(await made.person.client.delete(`/api/me/support-access/${id}`, made.person.token));
    const at = performance.now();
    await until(async () => (await client.get(`/api/organization-members?${inScope(made.customer)}`, token)).status === 401);
    expect(performance.now() - at).toBeLessThan(1_000);
    expect((await client.post(`/api/support-access/${id}/token`, { scope: product }, vendor.token)).status).toBe(409);
  });

  test('a supporter who is no longer one has nothing with the next decisions, before any event', async () => {
    const made = await world();
    const request = { scope: product, organizationId: made.customer.id, userId: made.person.userId, reason: 'x' };
    expect((await viewerOfVendor.client.post('/api/support-access', request, viewerOfVendor.token)).status).toBe(403);
    const admin = await addMember(stack, vendor, vendorOrganization, 'Admin');
    const acting = await begin(made, {}, admin);
    const works = async () => (await acting.client.get(`/api/organization-members?${inScope(made.customer)}`, acting.token)).status;
    expect(await works()).toBe(200);
    const roles = dataOf(await vendor.client.get(`/api/roles?${inScope(vendorOrganization)}&limit=100`, vendor.token)).items;
    const viewer = roles.find(({ name }: { name: string }) => name === 'Viewer');
    const body = { scope: vendorOrganization, roleId: viewer.id };
    dataOf(await vendor.client.patch(`/api/organization-members/${admin.userId}`, body, vendor.token));
    const at = performance.now();
    await until(async () => (await works()) !== 200);
    expect(performance.now() - at).toBeLessThan(1_500);
  });

  test('the organization demands a second factor: of the supporter', async () => {
    const made = await world();
    const acting = await begin(made);
    const members = async () => acting.client.get(`/api/organization-members?${inScope(made.customer)}`, acting.token);
    expect((await members()).status).toBe(200);
    const { owner, customer } = made;
    const { factor, secret } = dataOf(await owner.client.post('/api/me/second-factors/totp', {}, owner.token));
    dataOf(await owner.client.post(`/api/me/second-factors/${factor.id}/confirm`, { code: generateSync({ secret }) }, owner.token));
    const { accessToken } = dataOf(await owner.client.post('/api/auth/refresh', { refreshToken: owner.refreshToken }));
    const body = { scope: customer, security: { requireSecondFactor: true } };
    dataOf(await owner.client.patch(`/api/organizations/${customer.id}`, body, accessToken));
    await until(async () => (await members()).body.code === 'SECOND_FACTOR_REQUIRED');
  });
});
