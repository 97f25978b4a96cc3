/** Organizations that service accounts make: for the platform, and for an organization that may. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { grant as makeAdministrator } from '../../tools/platform/administrators.ts';
import { type Answer, createClient, inScope, type ScopeValue } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import {
  addMember,
  builtInRole,
  createPerson,
  createProject,
  createProvisioner,
  createServiceAccount,
  createWorld,
  dataOf,
  joinAsNew,
  type Person,
  type World,
} from '../support/world.ts';

const stack = await openStack();
const database = new pg.Client({ connectionString: stack.adminDatabaseUrl });
await database.connect();
afterAll(() => database.end());
const identity = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
await identity.connect();
const administrator = await createPerson(stack);
await makeAdministrator(identity, administrator.email).finally(() => identity.end());
const [vendor, other] = await Promise.all([createWorld(stack), createWorld(stack)]);
const client = createClient(stack.url, 'a back end');
const platform = '/api/platform/organizations';
const projectOf = ({ project }: World): string => project.id.split(':')[1] ?? '';
const newEmail = () => `${randomUUID()}@example.com`;

async function letProvision({ organization }: Pick<World, 'organization'>, canProvision: boolean): Promise<void> {
  dataOf(await administrator.client.patch(`/api/platform/tenants/${organization.id}`, { canProvision }, administrator.token));
}
await letProvision(vendor, true);
const provisioner = await createProvisioner(stack.url, administrator);
const backend = await createServiceAccount(stack.url, vendor, 'Admin');

type Fields = Readonly<Record<string, unknown>>;
const customersOf = (world: World): string => `/api/organizations/${world.organization.id}/customers`;
const customer = (fields: Fields = {}) => ({ name: 'Customer', owner: { email: newEmail() }, projectId: projectOf(vendor), ...fields });
const sell = (fields: Fields = {}, token = backend.token) => client.post(customersOf(vendor), customer(fields), token);
const make = (fields: Fields = {}, token = provisioner.token) =>
  client.post(platform, { name: 'Made', owner: { email: newEmail() }, ...fields }, token);
const codeOf = ({ status, body }: Answer) => [status, body.code, body.extensions?.reason].filter(Boolean);

const come = (email: string) => joinAsNew(stack, email);

/** The role that a person has in an organization, as the person sees it. */
async function roleIn({ client: own, token }: Person, id: string): Promise<string | undefined> {
  const { organizations } = dataOf(await own.get('/api/me?relations=organizations', token));
  return organizations.find((one: { id: string }) => one.id === id)?.role;
}

describe('an organization of the platform', () => {
  test('is made with its limits, a grant of a project and an invitation, and its Owner comes', async () => {
    const email = newEmail();
    const asked = {
      owner: { email, name: 'Olive' },
      grants: [{ projectId: projectOf(vendor), metadata: { plan: 'pro' } }],
      quotas: { members: 7 },
      externalId: randomUUID(),
    };
    const answer = await make(asked);
    expect(answer.status).toBe(201);
    const { organization, invitation, grants } = answer.body.data;
    expect([invitation.email, invitation.name, invitation.status]).toStrictEqual([email, 'Olive', 'pending']);
    expect(grants).toHaveLength(1);
    expect([grants[0].status, grants[0].organizationId, grants[0].metadata]).toStrictEqual(['active', organization.id, { plan: 'pro' }]);
    const tenants = dataOf(await administrator.client.get(`/api/platform/tenants?ids=${organization.id}`, administrator.token)).items;
    expect([tenants[0].quotas.members, tenants[0].memberCount, tenants[0].openInvitationCount]).toStrictEqual([7, 0, 1]);
    const owner = await come(email);
    await until(async () => (await roleIn(owner, organization.id)) === 'Owner');
    // The grant is the organization's: its Owner sees it, and the log says who made it.
    const scope = { tenant: 'organization', id: organization.id };
    const listed = dataOf(await owner.client.get(`/api/project-grants?${inScope(scope)}`, owner.token)).items;
    expect(listed.map(({ id }: { id: string }) => id)).toStrictEqual([grants[0].id]);
    const log = dataOf(await owner.client.get(`/api/audit-events?${inScope(scope, 'limit=100')}`, owner.token)).items;
    const made = log.find(({ action }: { action: string }) => action === 'organization.created');
    expect(made.actor).toMatchObject({ type: 'serviceAccount', id: provisioner.id });
  });

  test('with the same externalId is the same, answered with 200, for parallel requests too', async () => {
    const fields = { owner: { email: newEmail() }, externalId: `Ünï ${randomUUID()} 名前` };
    const answers = await Promise.all([1, 2, 3, 4].map(() => make(fields)));
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, 200, 200, 201]);
    const ids = answers.map(({ body }) => [body.data.organization.id, body.data.invitation.id].join());
    expect(new Set(ids).size).toBe(1);
  });

  test('of one place is not found by the external id of another', async () => {
    const externalId = randomUUID();
    const [one, two] = [await make({ externalId }), await sell({ externalId })];
    expect([one.status, two.status]).toStrictEqual([201, 201]);
    expect(one.body.data.organization.id).not.toBe(two.body.data.organization.id);
  });

  test('invites later when owner.invite was false, once', async () => {
    const email = newEmail();
    const externalId = randomUUID();
    expect(codeOf(await make({ owner: { email, invite: false } }))).toStrictEqual([400, 'VALIDATION_ERROR', expect.anything()]);
    const first = await make({ owner: { email, invite: false }, externalId });
    expect([first.status, first.body.data.invitation]).toStrictEqual([201, null]);
    const later = await make({ owner: { email }, externalId });
    expect([later.status, later.body.data.invitation.status]).toStrictEqual([200, 'pending']);
    const again = await make({ owner: { email }, externalId });
    expect(again.body.data.invitation.id).toBe(later.body.data.invitation.id);
    const owner = await come(email);
    await until(async () => (await roleIn(owner, first.body.data.organization.id)) === 'Owner');
    // An Owner invites another Owner, as in each organization.
    const scope: ScopeValue = { tenant: 'organization', id: first.body.data.organization.id };
    const second = { scope, email: newEmail(), roleId: await builtInRole(owner, scope, 'Owner') };
    dataOf(await owner.client.post('/api/organization-invitations/invite', second, owner.token));
    const partner = await come(second.email);
    await until(async () => (await roleIn(partner, scope.id)) === 'Owner');
    // No further person becomes Owner by the externalId, and its maker reads no invitation.
    const late = await make({ owner: { email: newEmail() }, externalId });
    expect([late.status, late.body.data.invitation]).toStrictEqual([200, null]);
  });

  test('whose invitation expired unused invites again', async () => {
    const fields = { owner: { email: newEmail() }, externalId: randomUUID() };
    const { invitation } = dataOf(await make(fields));
    await database.query(`UPDATE tenancy.organization_invitations SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      invitation.id,
    ]);
    const again = await make(fields);
    expect([again.status, again.body.data.invitation.status]).toStrictEqual([200, 'pending']);
    expect(again.body.data.invitation.id).not.toBe(invitation.id);
  });

  test('that was deleted gives its externalId back', async () => {
    const email = newEmail();
    const externalId = randomUUID();
    const { organization } = dataOf(await make({ owner: { email }, externalId }));
    const owner = await come(email);
    await until(async () => (await roleIn(owner, organization.id)) === 'Owner');
    const scope = { tenant: 'organization', id: organization.id };
    dataOf(await owner.client.delete(`/api/organizations/${organization.id}?${inScope(scope)}`, owner.token));
    const again = await make({ externalId });
    expect([again.status, again.body.data.organization.id === organization.id]).toStrictEqual([201, false]);
  });

  test('answers a repeated Idempotency-Key with the first answer, and refuses another body', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { name: 'Once', owner: { email: newEmail() } };
    const send = (more: Fields = {}) => client.call('POST', platform, { token: provisioner.token, headers, body: { ...body, ...more } });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status)).toStrictEqual([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.data.organization.id)).size).toBe(1);
    expect(codeOf(await send({ name: 'Twice' }))).toStrictEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test.each([
    ['an oversize externalId', { externalId: 'x'.repeat(256) }],
    ['an externalId of two lines', { externalId: 'a\nb' }],
    ['an empty externalId', { externalId: '' }],
    ['a name of two lines', { name: 'Acme\nOwner: me' }],
    ['an address that is none', { owner: { email: 'a@b@c' } }],
    ['a project twice', { grants: [{ projectId: projectOf(vendor) }, { projectId: projectOf(vendor) }] }],
    ['roles of another project', { grants: [{ projectId: projectOf(vendor), roleIds: [randomUUID()] }] }],
    ['metadata of more than 4 KiB', { grants: [{ projectId: projectOf(vendor), metadata: { a: 'x'.repeat(4_096) } }] }],
  ])('is not made with %s', async (_, fields) => {
    expect((await make(fields)).status).toBe(400);
  });

  test('is not made with a project that is no organization’s, nor half', async () => {
    const own = await createProject(other.owner, other.owner.account);
    const externalId = randomUUID();
    for (const projectId of [own.id.split(':')[1], randomUUID()])
      expect(codeOf(await make({ grants: [{ projectId: projectOf(vendor) }, { projectId }], externalId }))).toStrictEqual([
        404,
        'NOT_FOUND',
      ]);
    expect((await make({ externalId })).status).toBe(201);
  });
});

describe('a customer', () => {
  test('is made with an active grant of the project, and one Owner', async () => {
    const email = newEmail();
    const answer = await sell({ owner: { email }, metadata: { seats: 5 }, externalId: randomUUID() });
    expect(answer.status).toBe(201);
    const { organization, grant } = answer.body.data;
    expect([grant.status, grant.organizationId, grant.ownerOrganizationId]).toStrictEqual([
      'active',
      organization.id,
      vendor.organization.id,
    ]);
    const owner = await come(email);
    await until(async () => (await roleIn(owner, organization.id)) === 'Owner');
    // The vendor's log names its service account, the customer's log does not.
    const { items } = dataOf(
      await vendor.owner.client.get(`/api/audit-events?${inScope(vendor.organization, 'limit=100')}`, vendor.owner.token),
    );
    const row = items.find(({ action, target }: Answer['body']) => action === 'customer.created' && target?.id === organization.id);
    expect(row.actor).toMatchObject({ type: 'serviceAccount', id: backend.id });
    const scope = { tenant: 'organization', id: organization.id };
    const log = dataOf(await owner.client.get(`/api/audit-events?${inScope(scope, 'limit=100')}`, owner.token));
    expect(JSON.stringify(log)).not.toContain(backend.id);
  });

  test('with one externalId is made once by parallel requests', async () => {
    const fields = { owner: { email: newEmail() }, externalId: randomUUID() };
    const answers = await Promise.all([1, 2, 3, 4].map(() => sell(fields)));
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => [body.data.organization.id, body.data.grant.id, body.data.invitation.id].join())).size).toBe(
      1,
    );
  });

  test('gets no second project by its externalId', async () => {
    const externalId = randomUUID();
    dataOf(await sell({ externalId }));
    const second = await createProject(vendor.owner, vendor.organization);
    expect(codeOf(await sell({ externalId, projectId: second.id.split(':')[1] }))).toStrictEqual([409, 'CONFLICT']);
  });

  test('is refused for another organization, and for another owner’s project', async () => {
    await letProvision(other, true);
    const body = customer({ projectId: projectOf(other) });
    expect(codeOf(await client.post(customersOf(other), body, backend.token))).toStrictEqual([403, 'FORBIDDEN']);
    expect(codeOf(await client.post(`/api/organizations/${randomUUID()}/customers`, body, backend.token))).toStrictEqual([
      403,
      'FORBIDDEN',
    ]);
    expect(codeOf(await sell({ projectId: projectOf(other) }))).toStrictEqual([403, 'FORBIDDEN']);
    await letProvision(other, false);
  });

  test('is refused for a project that the organization itself only uses', async () => {
    const offered = { scope: other.project, organizationId: vendor.organization.id };
    const { id } = dataOf(await other.owner.client.post('/api/project-grants', offered, other.owner.token));
    dataOf(await vendor.owner.client.post(`/api/project-grants/${id}/accept`, { scope: vendor.organization }, vendor.owner.token));
    expect(codeOf(await sell({ projectId: projectOf(other) }))).toStrictEqual([403, 'FORBIDDEN']);
  });

  test('is refused to people, to roles without ProjectGrant:Create, and where the operator has not allowed it', async () => {
    const viewer = await createServiceAccount(stack.url, vendor, 'Viewer');
    const foreign = await createServiceAccount(stack.url, other, 'Admin');
    expect(codeOf(await sell({}, vendor.owner.token))).toStrictEqual([403, 'FORBIDDEN']);
    expect(codeOf(await sell({}, viewer.token))).toStrictEqual([403, 'FORBIDDEN']);
    expect(codeOf(await sell({}, provisioner.token))).toStrictEqual([403, 'FORBIDDEN']);
    const own = { ...customer(), projectId: projectOf(other) };
    expect(codeOf(await client.post(customersOf(other), own, foreign.token))).toStrictEqual([403, 'FORBIDDEN', 'may_not_provision']);
  });

  test('is refused from the moment when canProvision is taken, the role is taken or the organization is suspended', async () => {
    const world = await createWorld(stack);
    const machine = await createServiceAccount(stack.url, world, 'Admin');
    const ask = () => client.post(customersOf(world), { ...customer(), projectId: projectOf(world) }, machine.token);
    expect(codeOf(await ask())).toStrictEqual([403, 'FORBIDDEN', 'may_not_provision']);
    await letProvision(world, true);
    expect((await ask()).status).toBe(201);
    await letProvision(world, false);
    expect(codeOf(await ask())).toStrictEqual([403, 'FORBIDDEN', 'may_not_provision']);
    await letProvision(world, true);
    dataOf(await client.post(`/api/platform/tenants/${world.organization.id}/suspend`, {}, provisioner.token));
    await until(async () => [401, 403].includes((await ask()).status));
    dataOf(await client.post(`/api/platform/tenants/${world.organization.id}/resume`, {}, provisioner.token));
  });

  test('made by a service account whose role was taken is refused, whoever made the account', async () => {
    const admin = await addMember(stack, vendor.owner, vendor.organization, 'Admin');
    const machine = await createServiceAccount(stack.url, { owner: admin, organization: vendor.organization }, 'Dev');
    expect((await sell({}, machine.token)).status).toBe(403);
    const strong = await createServiceAccount(stack.url, { owner: vendor.owner, organization: vendor.organization }, 'Admin');
    expect((await sell({}, strong.token)).status).toBe(201);
    const patch = { scope: vendor.organization, roleIds: [] };
    dataOf(await vendor.owner.client.patch(`/api/service-accounts/${strong.id}`, patch, vendor.owner.token));
    await until(async () => (await sell({}, strong.token)).status === 403);
  });

  test('never attaches an existing account, and answers the same for a known address', async () => {
    const known = await createPerson(stack);
    const [one, two] = [await sell({ owner: { email: known.email } }), await sell({ owner: { email: newEmail() } })];
    const shape = ({ status, body }: Answer) => [status, Object.keys(body.data.invitation).toSorted(), body.data.invitation.isMailed];
    expect(shape(one)).toStrictEqual(shape(two));
    const id = one.body.data.organization.id;
    expect(await roleIn(known, id)).toBe(undefined);
    // It joins with a session of its own.
    const { data } = await waitForMail(stack.dataDir, known.email, 'invitation');
    const anonymous = await client.post('/api/organization-invitations/accept', { token: data.token });
    expect(anonymous.status).toBe(403);
    dataOf(await known.client.post('/api/organization-invitations/accept', { token: data.token }, known.token));
    await until(async () => (await roleIn(known, id)) === 'Owner');
  });
});

describe('who provisions', () => {
  test('does not let organizations provision, and reads nothing in what it has made', async () => {
    const { organization } = dataOf(await make());
    const scope: ScopeValue = { tenant: 'organization', id: organization.id };
    const patched = await client.patch(`/api/platform/tenants/${organization.id}`, { canProvision: true }, provisioner.token);
    expect(codeOf(patched)).toStrictEqual([403, 'FORBIDDEN']);
    dataOf(await client.patch(`/api/platform/tenants/${organization.id}`, { quotas: { members: 3 } }, provisioner.token));
    for (const path of ['roles', 'users', 'projects', 'audit-events', 'organization-members'])
      expect((await client.get(`/api/${path}?${inScope(scope)}`, provisioner.token)).status).toBe(403);
    expect((await client.get('/api/auth/permissions', provisioner.token)).status).toBe(403);
    expect((await client.get('/api/platform/audit-events', provisioner.token)).status).toBe(403);
    expect((await client.get('/api/me', provisioner.token)).status).toBe(403);
  });

  test('is refused from the moment when its secret, or it itself, is deleted', async () => {
    const place = '/api/platform/service-accounts';
    const { client: own, token } = administrator;
    for (const end of [
      async (id: string) => {
        const { credentials } = dataOf(await own.get(`${place}/${id}`, token));
        dataOf(await own.delete(`${place}/${id}/credentials/${credentials[0].id}`, token));
      },
      async (id: string) => dataOf(await own.delete(`${place}/${id}`, token)),
      async (id: string) => dataOf(await own.patch(`${place}/${id}`, { allowedNetworks: ['203.0.113.0/24'] }, token)),
    ]) {
      const machine = await createProvisioner(stack.url, administrator);
      expect((await make({}, machine.token)).status).toBe(201);
      await end(machine.id);
      await until(async () => (await make({}, machine.token)).status === 401);
    }
  });

  test('is made by administrators with a fresh sign-in, listed without secrets, and works from its networks alone', async () => {
    const place = '/api/platform/service-accounts';
    expect((await vendor.owner.client.post(place, { name: 'Mine' }, vendor.owner.token)).status).toBe(403);
    expect((await client.post(place, { name: 'Mine' }, provisioner.token)).status).toBe(403);
    expect((await administrator.client.post(place, { name: 'Wide', allowedNetworks: ['everywhere'] }, administrator.token)).status).toBe(
      400,
    );
    expect((await administrator.client.post(place, { name: 'Wide', roleIds: ['Owner'] }, administrator.token)).status).toBe(400);
    const { items } = dataOf(await administrator.client.get(`${place}?limit=100`, administrator.token));
    const own = items.find(({ id }: { id: string }) => id === provisioner.id);
    expect([own.roleIds, own.lastUsedAt === null, own.credentials.length]).toStrictEqual([['Provisioner'], false, 1]);
    expect(JSON.stringify(items)).not.toContain(provisioner.clientSecret);
  });
});
