/**
 * Whatever acts later is worth no more than who directed it, and by what. For every operation that
 * creates something or says that it leaves something vouched for, with every kind of token: then
 * the maker is demoted, removed or revoked.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { markedFields } from '@tessera/kernel/telemetry';
import pg from 'pg';
import { type Answer, type Client, createClient, inScope, type ScopeValue } from '../support/client.ts';
import { exampleOf, resourceOf } from '../support/examples.ts';
import { waitForMail } from '../support/mail.ts';
import { allOperations, callRest, type Declared } from '../support/operations.ts';
import { sampleInput } from '../support/sample.ts';
import { openSignIn, redirectUri } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import {
  addMember,
  builtInRole,
  createOrganization,
  createPerson,
  createProject,
  createServiceAccount,
  dataOf,
  type Person,
} from '../support/world.ts';

const { stack, newUser, signInToApp } = await openSignIn();

const owner = await createPerson(stack);
const organization = await createOrganization(owner);
const project = await createProject(owner, organization);
const roles = Object.fromEntries(
  await Promise.all(['Owner', 'Admin', 'Dev', 'Viewer'].map(async (name) => [name, await builtInRole(owner, organization, name)] as const)),
);
const visitor = await addMember(stack, owner, organization, 'Admin');
const visitorUser = newUser({ email: visitor.email });
const make = async (path: string, body: Readonly<Record<string, unknown>>): Promise<string> =>
  dataOf(await owner.client.post(path, { scope: project, name: 'Original', ...body }, owner.token)).id;
const resource = await make('/api/resources', { actions: ['read'] });
const builtIn = dataOf(await owner.client.get(`/api/resources?${inScope(project, 'search=Role')}`, owner.token)).items[0].id;
// Every maker may do it, so may give it.
const permission = await make('/api/permissions', { resourceId: builtIn, action: 'Create' });
/** What the examples of the declarations name, in the project. */
const group = await make('/api/groups', { permissionIds: [permission] });
const ids: Readonly<Record<string, string>> = {
  Resource: resource,
  Permission: permission,
  Group: group,
  Role: await make('/api/roles', { groupIds: [group] }),
};
const scopes = [
  'Role:Create',
  'ProjectApp:Create',
  'ApiKey:Create',
  'User:Create',
  'Tag:Create',
  'Group:Create',
  'Resource:Create',
  'Webhook:Create',
];

/** An offer lives once for a pair: each is made to another organization. */
const stranger = await createPerson(stack);
const customers = await Promise.all(Array.from({ length: 40 }, () => createOrganization(stranger)));

type Body = Readonly<Record<string, unknown>>;
/** What came of an operation, and whether it is worth anything now. */
type Made = { readonly isWorth: () => Promise<boolean> };

const anonymous = createClient(stack.url, 'program');
const named = () => ({ name: `made ${randomUUID()}` });

async function exchange(key: Body, scope: ScopeValue): Promise<string | undefined> {
  const { clientId, clientSecret } = key;
  const { status, body } = await anonymous.post('/api/auth/token', { clientId, clientSecret, scope });
  return status === 200 ? body.data.accessToken : undefined;
}
async function appToken(app: { clientId: string }, user = visitorUser): Promise<string | undefined> {
  return (await signInToApp(app, user))['access_token'];
}

/** What the declaration does not say of an operation. */
type Special = {
  /** The thing that a test directs is made once in it, by the Owner. */
  readonly body?: () => Body | Promise<Body>;
  /** What is made acts later: how it does. */
  readonly worth: (made: Answer['body'], body: Body) => Made;
};

const hook = { url: 'https://hooks.example.com/in', eventTypes: ['*'] };
const app = { redirectUris: [redirectUri], scopes: ['Role:Create'] };
const invitationTo = (email: string) => ({ email, roleId: roles['Dev'] });
const newAddress = () => `${randomUUID()}@example.com`;

/** `mails`: how many came before the one that counts. */
const invitationWorth = ({ email }: Answer['body'], mails = 0): Made => ({
  isWorth: async () => {
    const { data } = await waitForMail(stack.dataDir, String(email), 'invitation', mails);
    // Without userData the call joins no person; a closed invitation is a conflict.
    return (await anonymous.post('/api/organization-invitations/accept', { token: data.token })).status === 200;
  },
});
const webhookWorth = ({ id }: Answer['body']): Made => ({
  isWorth: async () => {
    const [{ isActive, voucher }] = dataOf(await owner.client.get(`/api/webhooks?${inScope(project, `ids=${id}`)}`, owner.token)).items;
    // One whose maker was removed goes on for three days, while its Owners are asked.
    return isActive && voucher.endedAt === null;
  },
});
/** A browser that has begun goes on with its cookie. */
const setUpWorth = ({ url }: Answer['body']): Made => {
  const { hash, origin } = new URL(String(url));
  const sent = { token: hash.slice('#token='.length) };
  let cookie = '';
  return {
    isWorth: async () => {
      const { status, headers } = await anonymous.post('/api/connections/set-up-links/redeem', sent, undefined, { origin, cookie });
      if (cookie === '') cookie = [headers['set-cookie'] ?? []].flat().join().split(';')[0] ?? '';
      return status === 200;
    },
  };
};
const appWorth = (made: Answer['body']): Made => ({ isWorth: async () => (await appToken(made)) !== undefined });
const webhook = async (): Promise<Body> => ({
  id: dataOf(await owner.client.post('/api/webhooks', { scope: project, ...hook }, owner.token)).id,
});
afterEach(async () => {
  // A project may have twenty.
  const { items } = dataOf(await owner.client.get(`/api/webhooks?${inScope(project)}`, owner.token));
  for (const { id } of items) dataOf(await owner.client.delete(`/api/webhooks/${id}?${inScope(project)}`, owner.token));
  // Ten links at once in an organization.
  const links = dataOf(await owner.client.get(`/api/connections/set-up-links?${inScope(organization)}`, owner.token)).items;
  for (const { id } of links) await owner.client.delete(`/api/connections/set-up-links/${id}?${inScope(organization)}`, owner.token);
});
const invited = async (): Promise<Body> => {
  const body = { scope: organization, ...invitationTo(newAddress()) };
  return { id: dataOf(await owner.client.post('/api/organization-invitations/invite', body, owner.token)).id };
};

const specials: Readonly<Record<string, Special>> = {
  inviteMember: { body: () => invitationTo(newAddress()), worth: (made) => invitationWorth(made) },
  renewInvitation: { body: invited, worth: (made) => invitationWorth(made, 1) },
  resendInvitationEmail: { body: invited, worth: (made) => invitationWorth(made, 1) },
  createApiKey: {
    body: () => ({ roleId: roles['Dev'] }),
    worth: (key) => ({ isWorth: async () => (await exchange(key, project)) !== undefined }),
  },
  createWebhook: { worth: webhookWorth },
  updateWebhook: { body: async () => ({ ...(await webhook()), url: 'https://other.example.com/in', isActive: true }), worth: webhookWorth },
  vouchForWebhook: { body: webhook, worth: webhookWorth },
  createSetUpLink: { body: () => ({}), worth: setUpWorth },
  createProjectApp: { body: () => app, worth: appWorth },
  updateProjectApp: { body: async () => ({ ...app, id: await make('/api/project-apps', app) }), worth: appWorth },
};

/** Operations that need something else than their example, or another thing each time. */
const taking: Readonly<Record<string, { readonly body: () => Body; readonly took: () => unknown }>> = {
  createProjectGrant: { body: () => ({ organizationId: customers[0]?.id }), took: () => customers.shift() },
  createDomain: { body: () => ({ domain: `${randomUUID()}.example.com` }), took: () => undefined },
  // It has roles of the organization, and the example names one of the project.
  createConnection: { body: () => ({ defaultRoleId: roles['Viewer'] }), took: () => undefined },
  createServiceAccount: { body: () => ({ roleIds: [roles['Viewer']] }), took: () => undefined },
};

function createsSomething({ kind, access }: Declared): boolean {
  return kind === 'mutation' && access.permission?.endsWith(':Create') === true;
}
const directing = allOperations.filter((operation) => createsSomething(operation) || operation.leaves === 'vouched');

type Consequence = Pick<Declared, 'name' | 'kind' | 'access' | 'input' | 'output' | 'leaves'>;

/** Whether a caller hands over, or gets, what a program acts by or is called at. */
function handsOver({ input, output }: Consequence): boolean {
  return markedFields(output).length > 0 || Object.keys(Object(Object(input).properties)).some((name) => /ur[il]s?$/i.test(name));
}

/**
 * Mutations that leave something that acts later, and no end of it: those that say so and have none
 * here, and those by a permission that say the opposite while a secret or an address changes hands.
 */
function unended(operations: readonly Consequence[]): readonly string[] {
  return operations
    .filter(({ kind }) => kind === 'mutation')
    .filter((operation) =>
      operation.leaves === 'vouched'
        ? !Object.hasOwn(specials, operation.name)
        : operation.leaves === 'nothing' && operation.access.permission !== undefined && handsOver(operation),
    )
    .map(({ name }) => name);
}

test('whatever acts later is ended here, or says how else it ends', () => {
  expect(unended(allOperations)).toStrictEqual([]);
  const plain = { type: 'object', properties: {} };
  const secret = { type: 'object', properties: { pass: { type: 'string', secret: true } } };
  const address = { type: 'object', properties: { notifyUrl: { type: 'string' } } };
  const forgotten = { kind: 'mutation', access: { permission: 'Role:Update' }, input: plain, output: plain, leaves: 'nothing' } as const;
  expect(
    unended([
      { ...forgotten, name: 'vouch', leaves: 'vouched' },
      { ...forgotten, name: 'hand out', output: secret },
      { ...forgotten, name: 'call back', input: address },
      { ...forgotten, name: 'rename' },
    ]),
  ).toStrictEqual(['vouch', 'hand out', 'call back']);
});

test('what is special is said of operations that leave something vouched for', () => {
  const vouched = directing.filter(({ leaves }) => leaves === 'vouched').map(({ name }) => name);
  expect(Object.keys(specials).toSorted()).toStrictEqual(vouched.toSorted());
  expect(directing.length).toBeGreaterThan(10);
});

/** A credential of the maker: its token now, and how it is revoked. */
type Credential = { readonly token: string; readonly renew: () => Promise<string | undefined>; readonly revoke: () => Promise<unknown> };
type Maker = Person & { readonly user: ReturnType<typeof newUser> };

async function keyOf({ client, token }: Person, scope: ScopeValue, more: Body): Promise<Credential> {
  const key = dataOf(await client.post('/api/api-keys', { scope, ...named(), ...more }, token));
  const renew = () => exchange(key, scope);
  const first = await renew();
  expect(first).toBeTruthy();
  return {
    token: String(first),
    renew,
    revoke: async () => dataOf(await owner.client.post(`/api/api-keys/${key.id}/revoke`, { scope }, owner.token)),
  };
}
async function appOf({ client, token, user }: Maker, more: Body): Promise<Credential> {
  const app = dataOf(await client.post('/api/project-apps', { scope: project, ...named(), redirectUris: [redirectUri], ...more }, token));
  const renew = () => appToken(app, user);
  const first = await renew();
  expect(first).toBeTruthy();
  return {
    token: String(first),
    renew,
    revoke: async () => dataOf(await owner.client.delete(`/api/project-apps/${app.id}?${inScope(project)}`, owner.token)),
  };
}

const kinds: Readonly<Record<string, (maker: Maker) => Promise<Credential>>> = {
  session: async ({ client, token }) => ({
    token,
    renew: async () => token,
    revoke: async () => dataOf(await client.post('/api/me/logout', {}, token)),
  }),
  'project key': (maker) => keyOf(maker, project, { roleId: roles['Admin'] }),
  'user key': (maker) => keyOf(maker, { tenant: 'organizationProjectUser', id: `${project.id}:${maker.userId}` }, {}),
  'capped app': (maker) => appOf(maker, { scopes }),
  'uncapped app': (maker) => appOf(maker, {}),
};

const endings: Readonly<Record<string, (maker: Maker, credential: Credential) => Promise<unknown>>> = {
  demoted: async ({ userId }) =>
    dataOf(await owner.client.patch(`/api/organization-members/${userId}`, { scope: organization, roleId: roles['Viewer'] }, owner.token)),
  removed: async ({ userId }) =>
    dataOf(await owner.client.delete(`/api/organization-members/${userId}?${inScope(organization)}`, owner.token)),
  revoked: (_maker, { revoke }) => revoke(),
};

/** A project, where the operation can be tried there. Undefined where no right in it counts. */
function placeOf({ scopes }: Declared): ScopeValue | undefined {
  return [project, organization].find(({ tenant }) => (scopes as readonly string[]).includes(tenant));
}

/** By the operation: what it directs is made once. */
type Bodies = Map<string, Body | undefined>;

async function direct(operation: Declared, client: Client, token: string, bodies: Bodies) {
  if (createsSomething(operation) || !bodies.has(operation.name)) bodies.set(operation.name, await specials[operation.name]?.body?.());
  const special = {
    ...named(),
    id: ids[resourceOf(operation)],
    ...exampleOf(operation, ids),
    ...taking[operation.name]?.body(),
    ...bodies.get(operation.name),
  };
  // A slug is unique: each thing derives its own from its name.
  const { slug: _, ...sent } = sampleInput(operation, { ...special, scope: placeOf(operation) });
  const answer = await callRest(client, operation, sent, token);
  if (answer.status === 201) taking[operation.name]?.took();
  return { sent, answer };
}

for (const [kind, credentialOf] of Object.entries(kinds)) {
  describe(`what a maker creates or directs with a ${kind}`, () => {
    for (const [ending, end] of Object.entries(endings)) {
      test(`is worth nothing, and nothing more is created, once it is ${ending}`, async () => {
        const person = await addMember(stack, owner, organization, 'Admin');
        const maker = { ...person, user: newUser({ email: person.email }) };
        const credential = await credentialOf(maker);
        const made: [string, Made][] = [];
        const allowed: string[] = [];
        const bodies: Bodies = new Map();
        for (const operation of directing) {
          if (placeOf(operation) === undefined) continue;
          const { sent, answer } = await direct(operation, maker.client, credential.token, bodies);
          const isDone = answer.status === 200 || answer.status === 201;
          if (!isDone) expect([operation.name, answer.status, answer.body.code]).toStrictEqual([operation.name, 403, 'FORBIDDEN']);
          else allowed.push(operation.name);
          const worth = specials[operation.name]?.worth;
          if (isDone && worth !== undefined) made.push([operation.name, worth(answer.body.data, sent)]);
        }
        expect(allowed).toContain('createProjectApp');
        for (const [name, { isWorth }] of made) expect([name, await isWorth()]).toStrictEqual([name, true]);
        await end(maker, credential);
        // Only a session can be ended while its person stays: what the person made goes on.
        const goesOn = kind === 'session' && ending === 'revoked';
        await until(async () => (await Promise.all(made.map(([, { isWorth }]) => isWorth()))).every((isWorth) => isWorth === goesOn));
        // An access token of a key keeps the key's role until it expires; the key gives no further
        // one.
        const token = kind === 'project key' && ending === 'demoted' ? await credential.renew() : credential.token;
        for (const operation of directing) {
          if (token === undefined || !allowed.includes(operation.name)) continue;
          // A revocation reaches every service within a second.
          await until(async () => {
            const { answer } = await direct(operation, maker.client, token, bodies);
            return [401, 403].includes(answer.status);
          }, 1_000);
        }
      });
    }
  });
}

/** A service account has no voucher: what it makes rests on its roles and on its credential. */
type Machine = { readonly id: string; readonly token: string };
const machines = '/api/service-accounts';
const placeOfMachine = (id: string) => `${machines}/${id}?${inScope(organization)}`;
async function createOperator(): Promise<Person> {
  const person = await createPerson(stack);
  const database = new pg.Client({ connectionString: stack.adminDatabaseUrl });
  await database.connect();
  await database.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1)', [person.userId]).finally(() => database.end());
  return person;
}
const operator = await createOperator();
const readsWebhooks = async () => (await owner.client.get(`/api/webhooks?${inScope(project)}`, owner.token)).status;
async function setSuspended(isSuspended: boolean): Promise<void> {
  const path = `/api/platform/tenants/${organization.id}/${isSuspended ? 'suspend' : 'resume'}`;
  dataOf(await operator.client.post(path, isSuspended ? { reason: 'A test' } : {}, operator.token));
  await until(async () => (await readsWebhooks()) === (isSuspended ? 403 : 200));
  // What the project signs within two seconds of a suspension is refused, also when that has ended.
  if (!isSuspended) await until(async () => isTaken(await (await probe()).renew()));
}
/** A key of the Owner, to see whether the project's new tokens are taken. */
let probeKey: Promise<Credential> | undefined;
function probe(): Promise<Credential> {
  probeKey ??= keyOf(owner, project, { roleId: roles['Admin'] });
  return probeKey;
}
async function isTaken(token: string | undefined): Promise<boolean> {
  const asked = { permission: { resource: 'User', action: 'Query' } };
  return token !== undefined && (await anonymous.post('/api/auth/is-authorized', asked, token)).status !== 401;
}
const endingsOfMachines: Readonly<Record<string, (machine: Machine) => Promise<unknown>>> = {
  deleted: async ({ id }) => dataOf(await owner.client.delete(placeOfMachine(id), owner.token)),
  'without its credential': async ({ id }) => {
    const { credentials } = dataOf(await owner.client.get(placeOfMachine(id), owner.token));
    const path = `${machines}/${id}/credentials/${credentials[0].id}?${inScope(organization)}`;
    return dataOf(await owner.client.delete(path, owner.token));
  },
  'without its role': async ({ id }) =>
    dataOf(await owner.client.patch(`${machines}/${id}`, { scope: organization, roleIds: [], elevated: [] }, owner.token)),
  'in a suspended organization': () => setSuspended(true),
};

for (const role of ['Admin', 'Dev', 'Viewer'])
  describe(`what a service account with the role ${role} creates or directs`, () => {
    for (const [ending, end] of Object.entries(endingsOfMachines))
      test(`is worth nothing, and nothing more is created, once it is ${ending}`, async () => {
        await using cleanup = new AsyncDisposableStack();
        const elevated = role === 'Admin' ? ['ProjectGrant:Update', 'ServiceAccount:Create', 'ServiceAccount:Update'] : [];
        const machine = await createServiceAccount(stack.url, { owner, organization }, role, { elevated });
        const made: [string, Made][] = [];
        const allowed: string[] = [];
        const bodies: Bodies = new Map();
        for (const operation of directing) {
          if (placeOf(operation) === undefined) continue;
          const { sent, answer } = await direct(operation, anonymous, machine.token, bodies);
          const isDone = answer.status === 200 || answer.status === 201;
          if (!isDone) expect([operation.name, answer.status, answer.body.code]).toStrictEqual([operation.name, 403, 'FORBIDDEN']);
          else allowed.push(operation.name);
          const worth = specials[operation.name]?.worth;
          if (isDone && worth !== undefined) made.push([operation.name, worth(answer.body.data, sent)]);
        }
        expect([role, allowed.includes('createProjectApp')]).toStrictEqual([role, role !== 'Viewer']);
        for (const [name, { isWorth }] of made) expect([name, await isWorth()]).toStrictEqual([name, true]);
        if (ending.includes('suspended')) cleanup.defer(() => setSuspended(false));
        await end(machine);
        // The webhooks of a suspended organization wait, and cannot be read meanwhile.
        const judged = ending.includes('suspended') ? made.filter(([name]) => !name.includes('Webhook')) : made;
        await until(async () => (await Promise.all(judged.map(([, { isWorth }]) => isWorth()))).every((isWorth) => !isWorth));
        for (const operation of directing) {
          if (!allowed.includes(operation.name)) continue;
          // What it directs is made by the Owner, who can make nothing while all is suspended.
          if (ending.includes('suspended') && operation.leaves === 'vouched') continue;
          await until(async () => {
            const { answer } = await direct(operation, anonymous, machine.token, bodies);
            return [401, 403].includes(answer.status);
          }, 1_000);
        }
      });
  });

describe('no token gives more than it could do itself', () => {
  test('an app without a cap is created and directed by sessions only (F2)', async () => {
    const maker = await addMember(stack, owner, organization, 'Admin');
    const user = newUser({ email: maker.email });
    const own = dataOf(
      await maker.client.post('/api/project-apps', { scope: project, ...named(), redirectUris: [redirectUri], scopes: [] }, maker.token),
    );
    for (const [kind, credentialOf] of Object.entries(kinds)) {
      if (kind === 'session') continue;
      const { token } = await credentialOf({ ...maker, user });
      const body = { scope: project, ...named(), redirectUris: ['https://evil.example/cb'] };
      expect([kind, (await anonymous.post('/api/project-apps', { ...body, scopes: [] }, token)).status]).toStrictEqual([kind, 403]);
      expect([kind, (await anonymous.patch(`/api/project-apps/${own.id}`, body, token)).status]).toStrictEqual([kind, 403]);
    }
  });

  test('what another holds for a person ends when the person rises, and mints nothing that lasts (F3)', async () => {
    const dev = await addMember(stack, owner, organization, 'Dev');
    const viewer = await addMember(stack, owner, organization, 'Viewer');
    const scope = { tenant: 'organizationProjectUser', id: `${project.id}:${viewer.userId}` };
    const held = await keyOf(dev, scope, {});
    const uncapped = await appOf({ ...dev, user: newUser({ email: viewer.email }) }, {});
    const promotion = { scope: organization, roleId: roles['Owner'] };
    dataOf(await owner.client.patch(`/api/organization-members/${viewer.userId}`, promotion, owner.token));
    for (const { token, renew } of [held, uncapped]) {
      const asked = { permission: { resource: 'User', action: 'ExportData' } };
      await until(async () => (await anonymous.post('/api/auth/is-authorized', asked, token)).status === 401);
      const minted = await anonymous.post('/api/api-keys', { scope: project, ...named(), roleId: roles['Owner'] }, token);
      expect(minted.status).toBe(401);
      expect(await renew()).toBeUndefined();
    }
  });

  test('a sign-up that is refused, or whose app has no voucher, makes no member (F4)', async () => {
    const dev = await addMember(stack, owner, organization, 'Dev');
    const post = async (by: Person, path: string, body: object) =>
      dataOf(await by.client.post(path, { scope: project, ...named(), ...body }, by.token));
    const permissionOf = async (slug: string, action: string) => {
      const { items } = dataOf(await owner.client.get(`/api/resources?${inScope(project, `search=${slug}`)}`, owner.token));
      return (await post(owner, '/api/permissions', { resourceId: items[0].id, action })).id;
    };
    const first = await permissionOf('Role', 'Create');
    const group = await post(owner, '/api/groups', { permissionIds: [first] });
    const role = await post(owner, '/api/roles', { groupIds: [group.id] });
    const app = await post(dev, '/api/project-apps', { redirectUris: [redirectUri], scopes: [], allowSignUp: true, signUpRoleId: role.id });
    const isUser = async (email: string) =>
      dataOf(await owner.client.get(`/api/users?${inScope(project, `search=${email}`)}`, owner.token)).items.length > 0;
    const welcome = newUser();
    expect(await appToken(app, welcome)).toBeTruthy();
    const added = await permissionOf('User', 'ExportData');
    dataOf(await owner.client.patch(`/api/groups/${group.id}`, { scope: project, permissionIds: [first, added] }, owner.token));
    const stranger = newUser();
    expect(await appToken(app, stranger)).toBeUndefined();
    expect(await isUser(String(stranger.email))).toBe(false);
    dataOf(await owner.client.patch(`/api/groups/${group.id}`, { scope: project, permissionIds: [first] }, owner.token));
    dataOf(await owner.client.delete(`/api/organization-members/${dev.userId}?${inScope(organization)}`, owner.token));
    await until(async () => (await appToken(app, welcome)) === undefined);
    const returning = newUser({ email: dev.email });
    expect(await appToken(app, returning)).toBeUndefined();
    expect(await isUser(dev.email)).toBe(false);
  });

  test("a key's key ends with it, and 'own' is for a key what it made (F5)", async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const make = async (by: string, more: Body) =>
      dataOf(await anonymous.post('/api/api-keys', { scope: project, ...named(), roleId: roles['Dev'], ...more }, by));
    const parent = await make(owner.token, { expiresAt: soon });
    const other = await make(owner.token, { roleId: roles['Owner'] });
    const token = String(await exchange(parent, project));
    const child = await make(token, {});
    expect([child.parentKeyId, child.expiresAt]).toStrictEqual([parent.id, soon]);
    const revoke = (id: string, by: string) => anonymous.post(`/api/api-keys/${id}/revoke`, { scope: project }, by);
    expect((await revoke(other.id, token)).status).toBe(403);
    expect((await revoke(parent.id, token)).status).toBe(403);
    const spare = await make(token, {});
    expect((await revoke(spare.id, token)).status).toBe(200);
    expect((await revoke(parent.id, owner.token)).status).toBe(200);
    expect(await exchange(child, project)).toBeUndefined();
  });
});
