/**
 * Whatever is made is worth no more than its maker, and by what it was made. For every operation
 * that creates something, with every kind of token: then the maker is demoted, removed or revoked.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { markedFields } from '@tessera/kernel/telemetry';
import { type Answer, type Client, createClient, inScope, type ScopeValue } from '../support/client.ts';
import { exampleOf, resourceOf } from '../support/examples.ts';
import { waitForMail } from '../support/mail.ts';
import { allOperations, callRest, type Declared } from '../support/operations.ts';
import { sampleInput } from '../support/sample.ts';
import { openSignIn, redirectUri } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../support/world.ts';

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

/** What the declaration does not say of a creating operation. */
type Special = {
  readonly body?: () => Body;
  /** What is made acts later: how it does. */
  readonly worth: (made: Answer['body'], body: Body) => Made;
};

const specials: Readonly<Record<string, Special>> = {
  inviteMember: {
    body: () => ({ email: `${randomUUID()}@example.com`, roleId: roles['Dev'] }),
    worth: (_made, { email }) => ({
      isWorth: async () => {
        const { data } = await waitForMail(stack.dataDir, String(email), 'invitation');
        // Without userData the call joins no person; a closed invitation is a conflict.
        return (await anonymous.post('/api/organization-invitations/accept', { token: data.token })).status === 200;
      },
    }),
  },
  createApiKey: {
    body: () => ({ roleId: roles['Dev'] }),
    worth: (key) => ({ isWorth: async () => (await exchange(key, project)) !== undefined }),
  },
  createWebhook: {
    worth: ({ id }) => ({
      isWorth: async () => {
        const [{ isActive, voucher }] = dataOf(await owner.client.get(`/api/webhooks?${inScope(project, `ids=${id}`)}`, owner.token)).items;
        // One whose maker was removed goes on for three days, while its Owners are asked.
        return isActive && voucher.endedAt === null;
      },
    }),
  },
  createProjectApp: {
    body: () => ({ redirectUris: [redirectUri], scopes: ['Role:Create'] }),
    worth: (app) => ({ isWorth: async () => (await appToken(app)) !== undefined }),
  },
};

function createsSomething({ kind, access }: Declared): boolean {
  return kind === 'mutation' && access.permission?.endsWith(':Create') === true;
}
const creating = allOperations.filter(createsSomething);

/** Secrets of a thing that exists already. Each has the reason why nothing acts by it alone. */
const ofThings: Readonly<Record<string, string>> = {
  createProjectAppSecret: 'the app has a voucher, who is asked at each sign-in and token',
  createWebhookSecret: 'it signs deliveries, and the webhook has a voucher',
};

/** Operations that hand a secret to callers with a permission, and are in neither table. */
function unended(operations: readonly Pick<Declared, 'name' | 'kind' | 'access' | 'output'>[]): readonly string[] {
  return operations
    .filter(({ kind, access, output }) => kind === 'mutation' && access.permission !== undefined && markedFields(output).length > 0)
    .map(({ name }) => name)
    .filter((name) => !Object.hasOwn(specials, name) && !Object.hasOwn(ofThings, name));
}

test('whatever hands out a secret by a permission is ended here, or ends with what it belongs to', () => {
  expect(unended(allOperations)).toStrictEqual([]);
  const output = { type: 'object', properties: { pass: { type: 'string', secret: true } } };
  const forgotten = { name: 'forget', kind: 'mutation', access: { permission: 'Role:Update' }, output } as const;
  expect(unended([forgotten])).toStrictEqual(['forget']);
});

test('what is special is said of operations that create something', () => {
  const names = creating.map(({ name }) => name);
  expect(Object.keys(specials).filter((name) => !names.includes(name))).toStrictEqual([]);
  expect(names.length).toBeGreaterThan(10);
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

async function create(operation: Declared, client: Client, token: string) {
  const special = { ...named(), id: ids[resourceOf(operation)], ...exampleOf(operation, ids), ...specials[operation.name]?.body?.() };
  // A slug is unique: each thing derives its own from its name.
  const { slug: _, ...sent } = sampleInput(operation, { ...special, scope: placeOf(operation) });
  const answer = await callRest(client, operation, sent, token);
  return { sent, answer };
}

for (const [kind, credentialOf] of Object.entries(kinds)) {
  describe(`what a maker creates with a ${kind}`, () => {
    for (const [ending, end] of Object.entries(endings)) {
      test(`is worth nothing, and nothing more is created, once it is ${ending}`, async () => {
        const person = await addMember(stack, owner, organization, 'Admin');
        const maker = { ...person, user: newUser({ email: person.email }) };
        const credential = await credentialOf(maker);
        const made: [string, Made][] = [];
        const allowed: string[] = [];
        for (const operation of creating) {
          if (placeOf(operation) === undefined) continue;
          const { sent, answer } = await create(operation, maker.client, credential.token);
          if (answer.status !== 201)
            expect([operation.name, answer.status, answer.body.code]).toStrictEqual([operation.name, 403, 'FORBIDDEN']);
          else allowed.push(operation.name);
          const worth = specials[operation.name]?.worth;
          if (answer.status === 201 && worth !== undefined) made.push([operation.name, worth(answer.body.data, sent)]);
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
        for (const operation of creating) {
          if (token === undefined || !allowed.includes(operation.name)) continue;
          // A revocation reaches every service within a second.
          await until(async () => {
            const { answer } = await create(operation, maker.client, token);
            return [401, 403].includes(answer.status);
          }, 1_000);
        }
      });
    }
  });
}

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
