/** Platform administrators: named on the command line, above all tenants, seen by each of them. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { grant, list, Refused, revoke } from '../../tools/platform/administrators.ts';
import { type Answer, inScope, type ScopeValue } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, createPerson, createProject, createWorld, dataOf, PASSWORD, type Person } from '../support/world.ts';

const stack = await openStack();

async function withDatabase<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
  await client.connect();
  return work(client).finally(() => client.end());
}

async function administrator(): Promise<Person> {
  const person = await createPerson(stack, { name: 'Olivia Operator' });
  expect(await withDatabase((client) => grant(client, person.email))).toBe(true);
  return person;
}
const operator = await administrator();
const refusalOf = ({ status, body }: Answer) => [status, body.code];
const suspended = [403, 'TENANT_SUSPENDED'];

function act(what: 'suspend' | 'resume', { id }: ScopeValue, body: object = {}) {
  return operator.client.post(`/api/platform/tenants/${id}/${what}`, body, operator.token);
}

async function exchangeable({ client, token }: Person, organization: ScopeValue, project: ScopeValue, owner: Person) {
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const { clientId, clientSecret } = dataOf(await client.post('/api/api-keys', { scope: project, name: 'Robot', roleId }, token));
  return () => client.post('/api/auth/token', { clientId, clientSecret, scope: project });
}

test('the command names and removes administrators, only people with a proven address, and audits it', async () => {
  const unproven = await createPerson(stack, { verified: false });
  await withDatabase(async (client) => {
    await expect(grant(client, unproven.email)).rejects.toThrow(Refused);
    await expect(grant(client, `${randomUUID()}@example.com`)).rejects.toThrow(Refused);
    expect(await grant(client, operator.email.toUpperCase())).toBe(false);
    expect((await list(client)).find(({ email }) => email === operator.email)).toMatchObject({
      hasSecondFactor: false,
      holdsAddress: true,
    });
  });
  const former = await administrator();
  expect((await former.client.get('/api/platform/tenants', former.token)).status).toBe(200);
  expect(await withDatabase((client) => revoke(client, former.email))).toBe(true);
  expect(refusalOf(await former.client.get('/api/platform/tenants', former.token))).toStrictEqual([403, 'FORBIDDEN']);
  expect(await withDatabase((client) => revoke(client, former.email))).toBe(false);
  const { items } = dataOf(await operator.client.get(`/api/platform/audit-events?targetId=${former.userId}`, operator.token));
  const named = items.filter(({ action }: { action: string }) => action.startsWith('platform.administrator-'));
  expect(named.map(({ action, actor }: { action: string; actor: { type: string } }) => [action, actor.type])).toStrictEqual([
    ['platform.administrator-revoked', 'system'],
    ['platform.administrator-granted', 'system'],
  ]);
});

test('a stranger who registered with the address does not become administrator, when its owner has opened the link', async () => {
  const squatter = await createPerson(stack, { verified: false });
  const { data } = await waitForMail(stack.dataDir, squatter.email, 'verify-email');
  expect(dataOf(await operator.client.post('/api/auth/verify-email', { token: data.token })).isHeld).toBe(false);
  await withDatabase(async (client) => {
    await expect(grant(client, squatter.email)).rejects.toThrow('with a code');
    // Named by a release from before.
    await client.query('INSERT INTO platform_administrators (user_id) VALUES ($1)', [squatter.userId]);
    expect((await list(client)).find(({ email }) => email === squatter.email)).toMatchObject({ holdsAddress: false });
  });
  const credentials = { provider: 'email', providerId: squatter.email, providerData: { password: PASSWORD } };
  const { accessToken } = dataOf(await squatter.client.post('/api/auth/login', credentials));
  expect(refusalOf(await squatter.client.get('/api/platform/tenants', accessToken))).toStrictEqual([403, 'FORBIDDEN']);
  expect(dataOf(await squatter.client.get('/api/me', accessToken)).isPlatformAdministrator).toBe(false);
});

test('a suspension refuses members, keys and apps of an organization at once, and a resumption restores them', async () => {
  const { owner, organization, project } = await createWorld(stack);
  const member = await addMember(stack, owner, organization, 'Dev');
  const exchange = await exchangeable(owner, organization, project, owner);
  const robot: string = dataOf(await exchange()).accessToken;
  const read = (token: string, scope: ScopeValue) => owner.client.get(`/api/roles?${inScope(scope)}`, token);
  expect((await read(robot, project)).status).toBe(200);

  const done = dataOf(await act('suspend', organization, { reason: 'unpaid' }));
  expect(done).toMatchObject({ id: organization.id, tenant: 'organization', suspensionReason: 'unpaid', memberCount: 3, projectCount: 1 });
  for (const scope of [organization, project]) {
    expect(refusalOf(await read(owner.token, scope))).toStrictEqual(suspended);
    expect(refusalOf(await read(member.token, scope))).toStrictEqual(suspended);
  }
  const graph = await owner.client.graphql(
    'query($input: RolesInput!) { roles(input: $input) { totalCount } }',
    { input: { scope: organization } },
    owner.token,
  );
  expect(graph.body.errors[0].extensions.code).toBe('TENANT_SUSPENDED');
  expect(
    refusalOf(await owner.client.patch(`/api/organizations/${organization.id}`, { scope: organization, name: 'x' }, owner.token)),
  ).toStrictEqual(suspended);
  const throughAccount = { scope: owner.account, name: 'x' };
  expect(refusalOf(await owner.client.patch(`/api/organizations/${organization.id}`, throughAccount, owner.token))).toStrictEqual(
    suspended,
  );
  const question = { permission: { resource: 'Role', action: 'Query' }, scope: organization };
  const decision = dataOf(await owner.client.post('/api/auth/is-authorized', question, owner.token));
  expect([decision.authorized, decision.reason]).toStrictEqual([false, 'TENANT_SUSPENDED']);
  // The keys' tokens have ended, and no new one is given.
  expect((await read(robot, project)).status).toBe(401);
  expect(refusalOf(await exchange())).toStrictEqual(suspended);
  // Who had no right here learns nothing of it.
  const stranger = await createPerson(stack);
  expect(refusalOf(await read(stranger.token, organization))).toStrictEqual([403, 'FORBIDDEN']);
  // People themselves sign in, and work elsewhere.
  const credentials = { provider: 'email', providerId: owner.email, providerData: { password: PASSWORD } };
  expect((await owner.client.post('/api/auth/login', credentials)).status).toBe(200);
  expect((await createProject(owner, owner.account)).tenant).toBe('accountProject');

  dataOf(await act('resume', organization));
  expect((await read(owner.token, organization)).status).toBe(200);
  expect((await read(member.token, project)).status).toBe(200);
  await until(async () => (await read(dataOf(await exchange()).accessToken, project)).status === 200);
  expect((await read(robot, project)).status).toBe(401);
  const { items } = dataOf(await owner.client.get(`/api/audit-events?${inScope(organization)}&actorId=${operator.userId}`, owner.token));
  expect(items.map(({ action }: { action: string }) => action)).toStrictEqual(['tenant.resumed', 'tenant.suspended']);
  expect(items[1]).toMatchObject({ actor: { name: 'Olivia Operator' }, target: { type: 'Organization', id: organization.id } });
  expect(items[1].changes).toContainEqual({ field: 'suspensionReason', before: null, after: 'unpaid' });
});

test('a suspended account takes its projects with it, and nothing else', async () => {
  const person = await createPerson(stack);
  const project = await createProject(person, person.account);
  dataOf(await act('suspend', person.account));
  for (const scope of [person.account, project])
    expect(refusalOf(await person.client.get(`/api/roles?${inScope(scope)}`, person.token))).toStrictEqual(suspended);
  expect((await person.client.get('/api/me', person.token)).status).toBe(200);
  expect(refusalOf(await person.client.post('/api/organizations', { scope: person.account, name: 'Way out' }, person.token))).toStrictEqual(
    suspended,
  );
  dataOf(await act('resume', person.account));
  expect((await person.client.get(`/api/roles?${inScope(project)}`, person.token)).status).toBe(200);
});

test('an invitation to a suspended organization is not accepted', async () => {
  const { owner, organization } = await createWorld(stack);
  const guest = await createPerson(stack);
  const roleId = await builtInRole(owner, organization, 'Viewer');
  dataOf(await owner.client.post('/api/organization-invitations/invite', { scope: organization, email: guest.email, roleId }, owner.token));
  const { waitForMail } = await import('../support/mail.ts');
  const { data } = await waitForMail(stack.dataDir, guest.email, 'invitation');
  dataOf(await act('suspend', organization));
  const accept = () => guest.client.post('/api/organization-invitations/accept', { token: data.token }, guest.token);
  expect(refusalOf(await accept())).toStrictEqual(suspended);
  dataOf(await act('resume', organization));
  expect((await accept()).status).toBe(200);
});

test('the platform and the organization count the same members and open invitations', async () => {
  const { owner, organization } = await createWorld(stack);
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const members = async (query = '') => {
    const { totalCount } = dataOf(await owner.client.get(`/api/organization-members?${inScope(organization)}${query}`, owner.token));
    return Number(totalCount);
  };
  const openBefore = await members('&status=pending');
  for (const name of ['first', 'second', 'revoked']) {
    const invitation = { scope: organization, email: `${name}.${randomUUID()}@example.com`, roleId };
    const { id } = dataOf(await owner.client.post('/api/organization-invitations/invite', invitation, owner.token));
    if (name !== 'revoked') continue;
    dataOf(await owner.client.delete(`/api/organization-invitations/${id}?${inScope(organization)}`, owner.token));
  }
  const [all, open] = [await members(), await members('&status=pending')];
  expect(open).toBe(openBefore + 2);
  const { items } = dataOf(await operator.client.get(`/api/platform/tenants?search=${organization.id}`, operator.token));
  expect(items[0]).toMatchObject({ openInvitationCount: open, memberCount: all - open });
});

test('tenants are listed with search, state and counts; an unknown one is 404', async () => {
  const name = `Quiet ${randomUUID()}`;
  const person = await createPerson(stack, { name: `Owner of ${name}` });
  const { id } = dataOf(await person.client.post('/api/organizations', { scope: person.account, name }, person.token));
  const ask = async (search: object) =>
    dataOf(await operator.client.get(`/api/platform/tenants?${new URLSearchParams({ ...search })}`, operator.token));
  const both = await ask({ search: name, sortField: 'createdAt', sortOrder: 'desc' });
  expect(both.items.map((item: { tenant: string; memberCount: number }) => [item.tenant, item.memberCount])).toStrictEqual([
    ['organization', 1],
    ['account', 1],
  ]);
  expect((await ask({ search: name, tenant: 'account' })).items[0]).toMatchObject({
    email: person.email,
    ownerId: person.userId,
    slug: null,
  });
  expect((await ask({ search: id })).items[0]).toMatchObject({
    id,
    name,
    suspendedAt: null,
    quotas: { members: null, projects: null, apiKeys: null, requestsPerMinute: null },
  });
  expect((await ask({ search: name, isSuspended: true })).totalCount).toBe(0);
  dataOf(await act('suspend', { tenant: 'organization', id }));
  expect((await ask({ search: name, isSuspended: true })).items.map((item: { id: string }) => item.id)).toStrictEqual([id]);
  expect(refusalOf(await act('suspend', { tenant: 'organization', id: randomUUID() }))).toStrictEqual([404, 'NOT_FOUND']);
});

test('who reads the log of the platform leaves a mark in the log of each tenant that was shown', async () => {
  const { owner, organization } = await createWorld(stack);
  const { items } = dataOf(await operator.client.get(`/api/platform/audit-events?tenantId=${organization.id}&limit=5`, operator.token));
  expect(items).toHaveLength(5);
  const graph = await operator.client.graphql(
    'query($input: PlatformAuditEventsInput) { platformAuditEvents(input: $input) { auditEvents { action } nextCursor } }',
    { input: { action: 'organization.created', limit: 100 } },
    operator.token,
  );
  expect(graph.body.data.platformAuditEvents.auditEvents.every(({ action }: { action: string }) => action === 'organization.created')).toBe(
    true,
  );
  const own = dataOf(await owner.client.get(`/api/audit-events?${inScope(organization)}&action=tenant.audit-log-read`, owner.token));
  // Other suites read the log of the platform too.
  const mark = own.items.find(({ actor }: { actor: { id: string } }) => actor.id === operator.userId);
  expect(mark).toMatchObject({ actor: { name: 'Olivia Operator' }, outcome: 'ok' });
  const whole = dataOf(await operator.client.get('/api/platform/audit-events?limit=3', operator.token));
  const next = dataOf(await operator.client.get(`/api/platform/audit-events?limit=3&cursor=${whole.nextCursor}`, operator.token));
  const ids = [...whole.items, ...next.items].map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(6);
});

test('limits hold for projects, members and keys, also for requests at the same moment', async () => {
  const { owner, organization, project } = await createWorld(stack);
  const quotas = { members: 4, projects: 3, apiKeys: 3 };
  const set = await operator.client.patch(`/api/platform/tenants/${organization.id}`, { quotas }, operator.token);
  expect(dataOf(set).quotas).toStrictEqual({ ...quotas, requestsPerMinute: null });
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();
  const many = (send: (n: number) => Promise<Answer>) => Promise.all(Array.from({ length: 5 }, (_, n) => send(n)));

  const projects = await many((n) => owner.client.post('/api/projects', { scope: organization, name: `P${n}` }, owner.token));
  expect(statuses(projects)).toStrictEqual([201, 201, 409, 409, 409]);
  const refused = projects.find(({ status }) => status === 409);
  expect([refused?.body.code, refused?.body.extensions]).toStrictEqual(['QUOTA_EXCEEDED', { quota: 'projects', limit: 3, used: 3 }]);

  const roleId = await builtInRole(owner, organization, 'Viewer');
  const keys = await many((n) => owner.client.post('/api/api-keys', { scope: project, name: `K${n}`, roleId }, owner.token));
  expect(statuses(keys)).toStrictEqual([201, 201, 409, 409, 409]);

  // The owner, the person of the world and its open invitation: one place is left.
  const invite = () =>
    owner.client.post(
      '/api/organization-invitations/invite',
      { scope: organization, email: `${randomUUID()}@example.com`, roleId },
      owner.token,
    );
  expect(statuses(await many(invite))).toStrictEqual([201, 409, 409, 409, 409]);
  // People who are made here are members too. Two places more, for five of them and an invitation.
  dataOf(await operator.client.patch(`/api/platform/tenants/${organization.id}`, { quotas: { members: 6 } }, operator.token));
  const make = (n: number) =>
    n === 0 ? invite() : owner.client.post('/api/users', { scope: organization, name: `Made ${n}` }, owner.token);
  const made = await many(make);
  expect(statuses(made)).toStrictEqual([201, 201, 409, 409, 409]);
  const late = await owner.client.post('/api/users', { scope: organization, name: 'Late' }, owner.token);
  expect([late.status, late.body.code, late.body.extensions]).toStrictEqual([
    409,
    'QUOTA_EXCEEDED',
    { quota: 'members', limit: 6, used: 6 },
  ]);

  dataOf(
    await operator.client.patch(`/api/platform/tenants/${organization.id}`, { quotas: { projects: 0, members: null } }, operator.token),
  );
  expect((await owner.client.post('/api/projects', { scope: organization, name: 'More' }, owner.token)).status).toBe(201);
  expect((await invite()).status).toBe(201);
  const seen = dataOf(await owner.client.get(`/api/audit-events?${inScope(organization)}&action=tenant.quotas-changed`, owner.token));
  expect(seen.items).toHaveLength(3);
});

test('requests of a tenant are bounded by the minute over REST, GraphQL and decisions; others cannot use them up', async () => {
  const { owner, organization } = await createWorld(stack);
  const stranger = await createPerson(stack);
  const limit = async (requestsPerMinute: number | null) =>
    dataOf(await operator.client.patch(`/api/platform/tenants/${organization.id}`, { quotas: { requestsPerMinute } }, operator.token))
      .quotas;
  expect(await limit(20)).toMatchObject({ requestsPerMinute: 20, members: null });
  const list = (person: Person) => person.client.get(`/api/roles?${inScope(organization)}`, person.token);
  for (let times = 0; times < 25; times += 1) expect((await list(stranger)).status).toBe(403);
  expect((await list(owner)).status).toBe(200);

  await until(async () => (await list(owner)).status === 429);
  const refused = await list(owner);
  expect([refused.body.code, refused.body.translationKey, refused.body.extensions]).toStrictEqual([
    'RATE_LIMIT_EXCEEDED',
    'errors.quota.requests',
    { quota: 'requestsPerMinute', limit: 20 },
  ]);
  const seconds = Number(refused.headers['retry-after']);
  expect(seconds >= 1 && seconds <= 60).toStrictEqualFor(String(seconds), true);
  const { body } = await owner.client.graphql(
    'query($input: RolesInput!) { roles(input: $input) { totalCount } }',
    { input: { scope: organization } },
    owner.token,
  );
  expect(body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', quota: 'requestsPerMinute' });
  const question = { permission: { resource: 'Role', action: 'Query' }, scope: organization };
  expect((await owner.client.post('/api/auth/is-authorized', question, owner.token)).body.code).toBe('RATE_LIMIT_EXCEEDED');
  // What is not let in is refused as before, and other tenants have limits of their own.
  expect((await list(stranger)).status).toBe(403);
  const own = new URLSearchParams({ scopeId: owner.account.id, tenant: owner.account.tenant });
  expect((await owner.client.get(`/api/roles?${own}`, owner.token)).status).toBe(200);

  await limit(null);
  await until(async () => (await list(owner)).status === 200);
});

test('people of another system are in every service, and sign in', async () => {
  const email = `${randomUUID()}@example.com`;
  const { items } = dataOf(
    await operator.client.post('/api/platform/users/import', { users: [{ email, name: 'Ada', emailVerified: true }] }, operator.token),
  );
  expect(items[0].status).toBe('created');
  await until(async () => dataOf(await operator.client.get(`/api/platform/tenants?search=${email}`, operator.token)).totalCount === 1);
});
