import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { Event } from '@tessera/proto/types/events.v1';
import { until } from '../../../test/support/until.ts';
import { seedMachineRoles } from './storage/built-in.ts';
import { createApplication } from './testing/application.ts';
import { type Json, startTestStack, type TestStack } from './testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

type More = { readonly elevated?: readonly string[]; readonly networks?: readonly string[] };
function tokenOf(id: string, scope: object, more: More = {}): string {
  return stack.token({ userId: id, type: 'apiKey', claims: { scope, cid: newId(), gen: newId(), ...more } });
}

async function makeWorld(role = 'Admin') {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const id = newId();
  const give = (roleIds: readonly string[]) => stack.tell('serviceAccount.changed', { id, scope: acme.scope, roleIds: [...roleIds] });
  await give([acme.roleId(role)]);
  const token = tokenOf(id, acme.scope);
  const may = async (permission: string, scope: Scope | undefined, by = token) => {
    const [resource, action] = permission.split(':');
    const body = { permission: { resource, action }, ...(scope ? { scope } : {}) };
    const { status, data } = await stack.request('POST', '/api/auth/is-authorized', { token: by, body });
    return status === 200 ? String(data['reason']) : status;
  };
  return { acme, project, id, give, token, may };
}
const granted = 'PERMISSION_GRANTED_NO_CONDITION';

test('its roles decide in its organization and in the projects of it, and end with them', async () => {
  const { acme, project, give, may } = await makeWorld();
  for (const scope of [acme.scope, project, undefined]) expect(await may('Role:Create', scope)).toBe(granted);
  expect(await may('Organization:Delete', acme.scope)).toBe('NO_MATCHING_PERMISSION_FOUND');
  await give([]);
  expect(await may('Role:Create', acme.scope)).toBe('NO_MATCHING_PERMISSION_FOUND');
});

test('a role taken from it is told, so that tokens of machine apps that it vouches for end; a role more is not', async () => {
  const { acme, id, give } = await makeWorld();
  const isTold = ({ type, payloadJson }: Event) => type === 'rights.shrank' && payloadJson.includes(id);
  // Several services hear of each.
  const told = () => new Set(stack.peers.heard.filter(isTold).map(({ payloadJson, occurredAt }) => payloadJson + occurredAt)).size;
  await give([acme.roleId('Admin'), acme.roleId('Dev')]);
  await give([acme.roleId('Dev')]);
  await until(async () => told() > 0);
  await give([acme.roleId('Viewer'), acme.roleId('Dev')]);
  await give([]);
  await until(async () => told() > 1);
  expect(told()).toBe(2);
});

test('a token is bound: no other organization, no account, and the platform’s opens no tenant', async () => {
  const { acme, id, may } = await makeWorld();
  const other = await stack.makeOrganization();
  await stack.tell('serviceAccount.changed', { id, scope: other.scope, roleIds: [other.roleId('Admin')] });
  const account = await stack.makeAccount('organization');
  for (const scope of [other.scope, await stack.makeProject(other.scope), account.scope])
    expect(await may('Role:Create', scope)).toBe('INVALID_SCOPE');
  const platform = tokenOf(id, { tenant: 'platform', id: '' });
  for (const scope of [acme.scope, undefined]) expect(await may('Role:Create', scope, platform)).toBe(403);
  const ofAccount = tokenOf(id, account.scope);
  expect(await may('Role:Create', await stack.makeProject(account.scope), ofAccount)).toBe('INVALID_SCOPE');
});

test('the event gives nobody Owner, nor the role of an account’s owner', async () => {
  const { acme, give, may } = await makeWorld();
  await give([acme.roleId('Owner')]);
  expect(await may('Role:Create', acme.scope)).toBe('NO_MATCHING_PERMISSION_FOUND');
});

test('it is a subject of its own at each door, and no person', async () => {
  const { acme, project, id, token } = await makeWorld();
  const owner = acme.token;
  const permission = { resource: 'Role', action: 'Create' };
  const ask = async (subject: object, by = owner) =>
    (await stack.request('POST', '/api/auth/is-authorized', { token: by, body: { scope: project, permission, subject } })).data;
  expect(await ask({ type: 'serviceAccount', id })).toMatchObject({ authorized: true });
  expect(await ask({ type: 'serviceAccount', id }, token)).toMatchObject({ authorized: true });
  expect(await ask({ type: 'serviceAccount', id: newId() })).toMatchObject({ authorized: false });
  expect(await ask({ type: 'serviceAccount', id: acme.ownerId })).toMatchObject({ authorized: false });

  const search = async (subjectType: string) =>
    (await stack.request('POST', '/api/auth/search/subjects', { token: owner, body: { scope: acme.scope, subjectType, permission } })).data;
  expect(await search('serviceAccount')).toMatchObject({ items: [{ type: 'serviceAccount', id }], nextCursor: null });
  expect((await search('user'))['items']?.map((item: Json) => item['id'])).toStrictEqual([acme.ownerId]);

  const body = {
    subject: { type: 'serviceAccount', id },
    action: { name: 'Create' },
    resource: { type: 'Role', id: 'x' },
    context: { scope: project },
  };
  expect((await stack.request('POST', '/access/v1/evaluation', { token: owner, body })).json).toMatchObject({ decision: true });
  expect((await stack.request('POST', '/access/v1/evaluation', { token, body })).json).toMatchObject({ decision: true });
  const found = await stack.request('POST', '/access/v1/search/subject', { token, body: { ...body, subject: { type: 'serviceAccount' } } });
  expect(found.json).toMatchObject({ results: [{ type: 'serviceAccount', id }] });

  const own = await stack.request('GET', '/api/auth/permissions', { token });
  expect(own.data['permissions']?.map((held: Json) => held['resource'])).toContain('ServiceAccount');
  const users = await stack.request('GET', `/api/roles?tenant=organization&scopeId=${acme.id}&relations=users`, { token: owner });
  expect([users.status, users.text.includes(id)]).toStrictEqual([200, false]);
});

test('named as a person it is answered like an unknown one, at each door, and a person named as one too', async () => {
  const { acme, project, id, token } = await makeWorld();
  await using cleanup = new AsyncDisposableStack();
  const application = createApplication(stack.apps[0]?.grpcAddress ?? '');
  cleanup.defer(async () => application.close());
  const permission = { resource: 'Role', action: 'Create' };
  const answersOf = async (subject: { readonly type: string; readonly id: string }, scope: Scope) => {
    const body = { scope, permission, subject };
    const { data } = await stack.request('POST', '/api/auth/is-authorized', { token: acme.token, body });
    const standard = { subject, action: { name: 'Create' }, resource: { type: 'Role', id: 'x' }, context: { scope } };
    const evaluated = await stack.request('POST', '/access/v1/evaluation', { token: acme.token, body: standard });
    const named = subject.type === 'user' ? { type: 'user', userId: subject.id } : subject;
    const asked = await application.isAuthorized(token, { ...permission, scope, subject: named });
    return [data['authorized'], data['reason'], evaluated.json['decision'], asked.authorized];
  };
  const refused = [false, 'NO_MATCHING_PERMISSION_FOUND', false, false];
  for (const scope of [acme.scope, project]) {
    // The cache must not answer a question about a user from the rights of the service account.
    expect(await answersOf({ type: 'serviceAccount', id }, scope)).toStrictEqual([true, granted, true, true]);
    expect(await answersOf({ type: 'user', id }, scope)).toStrictEqual(refused);
    expect(await answersOf({ type: 'user', id: newId() }, scope)).toStrictEqual(refused);
    expect(await answersOf({ type: 'serviceAccount', id: acme.ownerId }, scope)).toStrictEqual(refused);
    expect(await answersOf({ type: 'user', id: acme.ownerId }, scope)).toStrictEqual([true, granted, true, true]);
  }
});

test('a role that only service accounts hold, or that is all they hold, cannot be deleted', async () => {
  const { acme, give } = await makeWorld();
  const made = await stack.request('POST', '/api/roles', { token: acme.token, body: { scope: acme.scope, name: 'Deployer' } });
  const roleId = String(made.data['id']);
  const remove = () => stack.request('DELETE', `/api/roles/${roleId}?tenant=organization&scopeId=${acme.id}`, { token: acme.token });
  await give([roleId, acme.roleId('Viewer')]);
  const refused = await remove();
  expect([refused.status, refused.text]).toStrictEqual([409, expect.stringContaining('"count":1')]);
  await give([acme.roleId('Viewer')]);
  expect((await remove()).status).toBe(200);
});

test('it gives no more than it holds, and never Owner', async () => {
  const { acme, id, token } = await makeWorld();
  const subject = { type: 'serviceAccount', userId: id, tokenId: newId(), scopes: [], tokenScope: acme.scope };
  const roleIds = ['Owner', 'Admin', 'Dev'].map(acme.roleId);
  const { verdicts } = await stack.clientOf(0).roles.checkGrant({ actor: subject, scope: acme.scope, roleIds, givenTo: 'user' });
  expect(verdicts.map(({ verdict }) => verdict)).toStrictEqual(['above-own-rank', 'above-own-rank', 'allowed']);
  const role = await stack.request('POST', '/api/roles', { token, body: { scope: acme.scope, name: 'Made by a machine' } });
  expect(role.status).toBe(201);
});

test('it asks over gRPC in its organization and the projects of it, and nowhere else', async () => {
  const { acme, project, id, token } = await makeWorld();
  await using cleanup = new AsyncDisposableStack();
  const application = createApplication(stack.apps[0]?.grpcAddress ?? '');
  cleanup.defer(async () => application.close());
  const check = { subject: { type: 'self' }, resource: 'Role', action: 'Create' };
  for (const scope of [acme.scope, project, undefined])
    expect(await application.isAuthorized(token, { ...check, scope })).toMatchObject({ code: 'OK', authorized: true });
  const named = { ...check, scope: project, subject: { type: 'serviceAccount', id } };
  expect(await application.isAuthorized(token, named)).toMatchObject({ code: 'OK', authorized: true });
  const other = await stack.makeOrganization();
  for (const scope of [other.scope, await stack.makeProject(other.scope)])
    expect((await application.isAuthorized(token, { ...check, scope })).code).toBe('PERMISSION_DENIED');
  const elsewhere = [tokenOf(id, { tenant: 'platform', id: '' }), tokenOf(id, acme.scope, { networks: ['203.0.113.0/24'] })];
  for (const refused of elsewhere) expect((await application.isAuthorized(refused, check)).code).toBe('PERMISSION_DENIED');
});

test('an application that asks with its token asks from its networks too', async () => {
  const { acme, project, id } = await makeWorld();
  await using cleanup = new AsyncDisposableStack();
  const application = createApplication(stack.apps[0]?.grpcAddress ?? '');
  cleanup.defer(async () => application.close());
  const key = stack.token({ userId: acme.ownerId, type: 'apiKey', project, roleId: acme.roleId('Admin') });
  const check = { resource: 'Role', action: 'Create' };
  const invalid = { code: 'OK', authorized: false, reason: 'NOT_AUTHENTICATED' };
  const said = { ipAddress: '203.0.113.9' };
  const elsewhere = tokenOf(id, acme.scope, { networks: ['203.0.113.0/24'] });
  expect(await application.isAuthorized(key, { ...check, ...said, userToken: elsewhere })).toMatchObject(invalid);
  const { decisions } = await application.isAuthorizedMany(key, {
    checks: [
      { ...check, userToken: elsewhere },
      { ...check, subject: { type: 'self' } },
    ],
  });
  expect(decisions).toMatchObject([{ reason: 'NOT_AUTHENTICATED' }, { authorized: true }]);
  expect((await application.listPermissions(key, { userToken: elsewhere })).code).toBe('INVALID_ARGUMENT');
  expect((await application.findActions(key, { userToken: elsewhere, resource: 'Role' })).code).toBe('INVALID_ARGUMENT');
  const here = tokenOf(id, acme.scope, { networks: ['127.0.0.0/8', '::1'] });
  expect(await application.isAuthorized(key, { ...check, userToken: here })).toMatchObject({ code: 'OK', authorized: true });
});

test('it may not be used from elsewhere than its networks', async () => {
  const { acme, id, may } = await makeWorld();
  expect(await may('Role:Create', acme.scope, tokenOf(id, acme.scope, { networks: ['203.0.113.0/24'] }))).toBe(403);
  expect(await may('Role:Create', acme.scope, tokenOf(id, acme.scope, { networks: ['127.0.0.0/8', '::1'] }))).toBe(granted);
});

describe('the role of an account’s service accounts', () => {
  const creatorOf = ({ id }: Scope) => builtInRoleId('account', id, 'Organization Creator');

  test('creates and lists organizations of the account, and opens nothing else, neither there nor inside them', async () => {
    const account = await stack.makeAccount('organization');
    const id = newId();
    await stack.tell('serviceAccount.changed', { id, scope: account.scope, roleIds: [creatorOf(account.scope)] });
    const token = tokenOf(id, account.scope);
    const { may } = await makeWorld();
    for (const scope of [account.scope, undefined]) {
      expect(await may('Organization:Create', scope, token)).toBe(granted);
      expect(await may('Organization:Query', scope, token)).toBe(granted);
      for (const other of [
        'Organization:Read',
        'Organization:Delete',
        'Account:Delete',
        'ServiceAccount:Create',
        'Project:Create',
        'Role:Query',
      ])
        expect([other, await may(other, scope, token)]).toStrictEqual([other, 'NO_MATCHING_PERMISSION_FOUND']);
    }
    const elsewhere = [
      await stack.makeProject(account.scope),
      (await stack.makeOrganization()).scope,
      (await stack.makeAccount('organization')).scope,
    ];
    for (const scope of elsewhere) expect(await may('Organization:Query', scope, token)).toBe('INVALID_SCOPE');
  });

  test('is for machines: neither a person nor a key gets it, and the owner’s role is for no machine', async () => {
    const { scope, ownerId } = await stack.makeAccount('organization');
    const ownerRole = builtInRoleId('account', scope.id, 'Organization Account Owner');
    const actor = { type: 'session', userId: ownerId, tokenId: newId(), scopes: [] };
    const verdictsFor = async (givenTo: string, place: Scope = scope) => {
      const asked = { actor, scope: place, roleIds: [creatorOf(scope), ownerRole], givenTo };
      return (await stack.clientOf(0).roles.checkGrant(asked)).verdicts.map(({ verdict }) => verdict);
    };
    expect(await verdictsFor('serviceAccount')).toStrictEqual(['allowed', 'above-own-rank']);
    expect(await verdictsFor('user')).toStrictEqual(['above-own-rank', 'allowed']);
    expect(await verdictsFor('key', await stack.makeProject(scope))).toStrictEqual(['above-own-rank', 'allowed']);
    const { roles } = await stack.clientOf(0).roles.getRoles({ scope, roleIds: [creatorOf(scope), ownerRole] });
    expect(roles.map(({ isForMachines }) => isForMachines === true)).toStrictEqual([true, false]);
    // The event of another service cannot give the owner's role either.
    const id = newId();
    await stack.tell('serviceAccount.changed', { id, scope, roleIds: [ownerRole] });
    const { may } = await makeWorld();
    expect(await may('Organization:Create', scope, tokenOf(id, scope))).toBe('NO_MATCHING_PERMISSION_FOUND');
  });

  test('is made at the next start for accounts from before, and for none that makes no organizations', async () => {
    const [account, personal] = [await stack.makeAccount('organization'), await stack.makeAccount('personal')];
    const database = stack.openDatabase();
    const rolesOf = async ({ scope }: { readonly scope: Scope }) =>
      (
        await database.query<Json>(
          sql('SELECT r.name FROM account_roles a JOIN roles r ON r.id = a.role_id WHERE a.account_id = $1 ORDER BY 1'),
          [scope.id],
        )
      ).map(({ name }) => String(name));
    await database.query(sql('DELETE FROM roles WHERE id = $1'), [creatorOf(account.scope)]);
    expect(await rolesOf(account)).toStrictEqual(['Organization Account Owner']);
    await seedMachineRoles(database);
    await seedMachineRoles(database);
    expect(await rolesOf(account)).toStrictEqual(['Organization Account Owner', 'Organization Creator']);
    expect(await rolesOf(personal)).toStrictEqual(['Personal Account Owner']);
  });
});
