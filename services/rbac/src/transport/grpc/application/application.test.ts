import { Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import { until } from '../../../../../../test/support/until.ts';
import { allMethods, createApplication } from '../../../testing/application.ts';
import { documentsIn } from '../../../testing/documents.ts';
import { startTestStack, type TestStack } from '../../../testing/service.ts';

let stack: TestStack;
let application: ReturnType<typeof createApplication>;
beforeAll(async () => {
  stack = await startTestStack();
  application = createApplication(stack.apps[0]?.grpcAddress ?? '');
});
afterAll(async () => {
  application.close();
  await stack.stop();
});

/** An organization with a project, an end user with the role of a Viewer, and keys by role. */
async function makeWorld() {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const viewer = await acme.addMember('Viewer');
  const creator = await acme.addMember('Admin');
  const keyOf = (role: string, more: object = {}) =>
    stack.token({ userId: creator, type: 'apiKey', project, roleId: acme.roleId(role), ...more });
  return { acme, project, viewer, creator, key: keyOf('Viewer'), evaluator: keyOf('Admin'), keyOf };
}
const reads = { resource: 'Role', action: 'Query' };
const own = { ...reads, subject: { type: 'self' } };
const creates = { resource: 'Role', action: 'Create' };
const granted = 'PERMISSION_GRANTED_NO_CONDITION';
const denied = 'NO_MATCHING_PERMISSION_FOUND';

describe('an application', () => {
  test('asks what an end user may do, by the access token of the user', async () => {
    const { key, viewer, acme } = await makeWorld();
    const userToken = stack.token({ userId: viewer });
    expect(await application.isAuthorized(key, { ...reads, userToken })).toMatchObject({ authorized: true, reason: granted });
    expect(await application.isAuthorized(key, { ...creates, userToken })).toMatchObject({ authorized: false, reason: denied });
    const owner = stack.token({ userId: acme.ownerId });
    expect(await application.isAuthorized(key, { ...creates, userToken: owner })).toMatchObject({ authorized: true });
    const listed = await application.listPermissions(key, { userToken });
    expect(listed.permissions?.some(({ resource, action }) => resource === 'Role' && action === 'Query')).toBe(true);
    expect(listed.permissions?.some(({ action }) => action === 'Create')).toBe(false);
  });

  test('names a subject only with Decision:Evaluate', async () => {
    const { key, evaluator, viewer, acme, project, keyOf } = await makeWorld();
    const subject = { type: 'user', userId: viewer };
    expect(await application.isAuthorized(key, { ...reads, subject })).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await application.isAuthorized(keyOf('Dev'), { ...reads, subject })).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await application.listPermissions(key, { subject })).toMatchObject({ code: 'PERMISSION_DENIED' });
    for (const strong of [evaluator, keyOf('Owner')]) {
      expect(await application.isAuthorized(strong, { ...reads, subject })).toMatchObject({ authorized: true, reason: granted });
      expect(await application.isAuthorized(strong, { ...creates, subject, scope: project })).toMatchObject({ authorized: false });
      expect(await application.isAuthorized(strong, { ...creates, subject: { userId: acme.ownerId } })).toMatchObject({ authorized: true });
    }
    expect((await application.listPermissions(evaluator, { subject })).permissions?.length).toBeGreaterThan(5);
  });

  test('names API keys and apps, and searches, with Decision:Evaluate', async () => {
    const { key, evaluator, viewer, acme, project, creator } = await makeWorld();
    const [keyId, appId] = [newId(), newId()];
    stack.peers.apiKeys.push({ id: keyId, name: 'k', userId: creator, roleId: acme.roleId('Dev'), scopeId: project.id, isLive: true });
    stack.peers.apps.push({ id: appId, name: 'a', roleId: acme.roleId('Viewer'), scopeId: project.id });
    for (const [subject, mayCreate] of [
      [{ type: 'apiKey', id: keyId }, true],
      [{ type: 'app', id: appId }, false],
    ] as const) {
      expect(await application.isAuthorized(key, { ...reads, subject })).toMatchObject({ code: 'PERMISSION_DENIED' });
      expect(await application.isAuthorized(evaluator, { ...reads, subject })).toMatchObject({ authorized: true });
      expect(await application.isAuthorized(evaluator, { ...creates, subject })).toMatchObject({ authorized: mayCreate });
      const listed = await application.findResources(evaluator, { subject, action: 'Create' });
      expect(listed.resources?.includes('Role')).toBe(mayCreate);
    }
    for (const subject of [
      { type: 'apiKey', id: 'x' },
      { type: 'apiKey', userId: viewer },
      { type: 'user', id: viewer },
      { type: 'planet', id: viewer },
    ])
      expect(await application.isAuthorized(evaluator, { ...reads, subject })).toMatchObject({ code: 'INVALID_ARGUMENT' });
    const people: string[] = [];
    let cursor = '';
    do {
      const page = await application.findSubjects(evaluator, { type: 'user', ...reads, limit: 1, cursor });
      people.push(...(page.ids ?? []));
      cursor = page.nextCursor ?? '';
    } while (cursor !== '');
    expect(people).toStrictEqual([acme.ownerId, viewer, creator].toSorted());
    expect(await application.findSubjects(evaluator, { type: 'apiKey', ...creates })).toMatchObject({ ids: [keyId], nextCursor: '' });
    expect(await application.findSubjects(key, { type: 'user', ...reads })).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await application.findSubjects(evaluator, { type: 'user', ...reads, cursor: "'; --" })).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    const { actions } = await application.findActions(key, { userToken: stack.token({ userId: viewer }), resource: 'Role' });
    expect(actions?.map(({ action, authorized }) => [action, authorized])).toStrictEqual([['Query', true]]);
    // An application has no say in where a user's request came from.
    const documents = documentsIn(stack, project, stack.token({ userId: acme.ownerId }));
    const resourceId = await documents.resource('Safe', ['Open']);
    const roleId = await documents.role('Guard', resourceId, { Open: { IpAddressIn: { 'context.ipAddress': '10.0.0.0/8' } } });
    const opens = { resource: 'Safe', action: 'Open', userToken: stack.token({ userId: await stack.join(project, [roleId]) }) };
    expect(await application.isAuthorized(key, { ...opens, ipAddress: '10.0.0.1', targetJson: '{"ipAddress":"10.0.0.1"}' })).toMatchObject({
      reason: 'PERMISSION_FOUND_CONDITION_NOT_MET',
    });
  });

  test('an organization asks of an end user’s token what it asks of the session', async () => {
    const { acme, project, key, viewer } = await makeWorld();
    const policy = { requireSecondFactor: true, maxSessionAgeMinutes: 60 };
    await stack.tell('organization.secured', { organizationId: acme.id, ...policy });
    const now = Math.floor(Date.now() / 1000);
    const reasonOf = async (claims: object) => {
      const userToken = stack.token({ userId: viewer, claims });
      const { decisions } = await application.isAuthorizedMany(key, { checks: [reads], userToken });
      const { actions } = await application.findActions(key, { userToken, resource: 'Role' });
      return [decisions?.[0]?.reason, actions?.[0]?.reason];
    };
    const twice = (reason: string) => [reason, reason];
    expect(await reasonOf({ acr: 'aal1', auth_time: now })).toStrictEqual(twice('SECOND_FACTOR_REQUIRED'));
    expect(await reasonOf({})).toStrictEqual(twice('SECOND_FACTOR_REQUIRED'));
    expect(await reasonOf({ acr: 'aal2', auth_time: now - 7_200 })).toStrictEqual(twice('FRESH_SIGN_IN_REQUIRED'));
    expect(await reasonOf({ acr: 'aal2', auth_time: now })).toStrictEqual(twice(granted));
    expect(await application.isAuthorized(key, own)).toMatchObject({ reason: granted });
    const documents = documentsIn(stack, project, stack.token({ userId: acme.ownerId, claims: { acr: 'aal2', auth_time: now } }));
    const resourceId = await documents.resource('Vault', ['Open']);
    const roleId = await documents.role('Keeper', resourceId, { Open: { StringEquals: { 'context.acr': 'aal2' } } });
    const userId = await stack.join(project, [roleId]);
    const userToken = stack.token({ userId, claims: { acr: 'aal2', auth_time: now } });
    expect(await application.isAuthorized(key, { resource: 'Vault', action: 'Open', userToken })).toMatchObject({ authorized: true });
  });

  test('a search for subjects counts in the requests of the organization, as over REST', async () => {
    const { acme, project, evaluator } = await makeWorld();
    const limits = { isSuspended: false, mostApiKeys: null, requestsPerMinute: 2 };
    await stack.tell('tenant.restricted', { scope: { tenant: 'organization', id: acme.id }, ...limits });
    const search = () => application.findSubjects(evaluator, { type: 'user', ...reads });
    expect([(await search()).code, (await search()).code, (await search()).code]).toStrictEqual(['OK', 'OK', 'RESOURCE_EXHAUSTED']);
    const body = { scope: project, subjectType: 'user', permission: reads };
    const { status } = await stack.request('POST', '/api/auth/search/subjects', { token: stack.token({ userId: acme.ownerId }), body });
    expect(status).toBe(429);
  });

  test('a role of the project with Decision:Evaluate alone is enough', async () => {
    const { acme, project, viewer, creator } = await makeWorld();
    const token = stack.token({ userId: acme.ownerId });
    const post = async (path: string, body: object) =>
      (await stack.request('POST', path, { token, body: { scope: project, ...body } })).data;
    const resources = await stack.request('GET', `/api/resources?scopeId=${project.id}&tenant=organizationProject&search=Decision`, {
      token,
    });
    const [resourceId] = resources.data['items']?.map(({ id }) => String(id)) ?? [];
    const permission = await post('/api/permissions', { name: 'evaluate', resourceId, action: 'Evaluate' });
    const group = await post('/api/groups', { name: 'deciders', permissionIds: [permission['id']] });
    const role = await post('/api/roles', { name: 'decision service', groupIds: [group['id']] });
    const key = stack.token({ userId: creator, type: 'apiKey', project, roleId: String(role['id']) });
    expect(await application.isAuthorized(key, { ...reads, subject: { userId: viewer } })).toMatchObject({ authorized: true });
    expect(await application.isAuthorized(key, own)).toMatchObject({ authorized: false, reason: denied });
  });

  test('asks what its own token may do, when it says so', async () => {
    const { key, evaluator } = await makeWorld();
    expect(await application.isAuthorized(key, own)).toMatchObject({ authorized: true });
    expect(await application.isAuthorized(key, { ...own, ...creates })).toMatchObject({ authorized: false });
    expect(await application.isAuthorized(evaluator, { ...own, ...creates })).toMatchObject({ authorized: true });
  });

  test('gets up to 1,000 decisions in the order of its checks, for different users', async () => {
    const { evaluator, viewer, acme } = await makeWorld();
    const ownerToken = stack.token({ userId: acme.ownerId });
    const kinds = [
      { check: { ...reads, subject: { userId: viewer } }, reason: granted },
      { check: { ...creates, subject: { userId: viewer } }, reason: denied },
      { check: { ...creates, userToken: ownerToken }, reason: granted },
      { check: { ...creates, userToken: 'no token' }, reason: 'NOT_AUTHENTICATED' },
    ];
    const asked = Array.from({ length: 250 }, () => kinds).flat();
    const { decisions } = await application.isAuthorizedMany(evaluator, { checks: asked.map(({ check }) => check) });
    expect(decisions?.map(({ reason }) => reason)).toStrictEqual(asked.map(({ reason }) => reason));
    expect(await application.isAuthorizedMany(evaluator, { checks: [...asked, ...kinds].map(({ check }) => check) })).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('gives the token of an end user once for all checks of a batch', async () => {
    const { evaluator, viewer, acme } = await makeWorld();
    const checks = [creates, reads, { ...creates, subject: { userId: acme.ownerId } }];
    const decided = async (userToken: string) =>
      (await application.isAuthorizedMany(evaluator, { checks, userToken })).decisions?.map(({ reason }) => reason);
    expect(await decided(stack.token({ userId: viewer }))).toStrictEqual([denied, granted, granted]);
    for (const invalid of ['no token', ''])
      expect(await decided(invalid)).toStrictEqual(['NOT_AUTHENTICATED', 'NOT_AUTHENTICATED', granted]);
  });

  test('sees a write at once with its consistency token', async () => {
    const { acme, evaluator } = await makeWorld();
    const member = await acme.addMember('Viewer');
    const ask = (more: object) => application.isAuthorized(evaluator, { ...creates, subject: { userId: member }, ...more });
    expect(await ask({})).toMatchObject({ authorized: false });
    await acme.addMember('Admin', member);
    await stack.clientOf(0).roles.changeMemberRole({
      actor: { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] },
      scope: acme.scope,
      userId: member,
      roleId: acme.roleId('Admin'),
    });
    expect(await ask({ noCache: true })).toMatchObject({ authorized: true });
  });
});

describe('explanations', () => {
  test('say why, and of a named subject nothing that it wrote about itself', async () => {
    const { acme, project, evaluator } = await makeWorld();
    const token = stack.token({ userId: acme.ownerId });
    const post = async (path: string, body: object) =>
      (await stack.request('POST', path, { token, body: { scope: project, ...body } })).data;
    const resource = await post('/api/resources', { name: 'Doc', slug: 'Doc', actions: ['Read'] });
    const condition = { Equals: { 'user.metadata.team': 'blue' } };
    const permission = await post('/api/permissions', { name: 'read', resourceId: resource['id'], action: 'Read', condition });
    const group = await post('/api/groups', { name: 'readers', permissionIds: [permission['id']] });
    const role = await post('/api/roles', { name: 'reader', groupIds: [group['id']] });
    const userId = await stack.join(project, [String(role['id'])]);
    stack.peers.people.set(userId, { name: 'Ada', metadata: { team: 'blue', secret: 'kept' } });
    const check = { resource: 'Doc', action: 'Read', explain: true };
    const named = await application.isAuthorized(evaluator, { ...check, subject: { userId } });
    expect(named).toMatchObject({ authorized: true, reason: 'PERMISSION_GRANTED_CONDITION_MET' });
    expect(JSON.parse(named.matchedConditionJson ?? '')).toStrictEqual(condition);
    expect(JSON.parse(named.evaluatedContextJson ?? '').user).toStrictEqual({ id: userId });
    const own = await application.isAuthorized(evaluator, { ...check, userToken: stack.token({ userId }) });
    expect(JSON.parse(own.evaluatedContextJson ?? '').user.metadata).toStrictEqual({ team: 'blue', secret: 'kept' });
  });
});

describe('the credential', () => {
  const openPath = '/rbac.v1.Authorization/';

  test('of every kind opens rbac.v1.Authorization or nothing', async () => {
    const { acme, project, creator } = await makeWorld();
    const past = Math.floor(Date.now() / 1000) - 10;
    const apiKey = { userId: creator, type: 'apiKey', project, roleId: acme.roleId('Owner') } as const;
    const revoked = stack.token(apiKey);
    const { jti } = JSON.parse(Buffer.from(revoked.split('.')[1] ?? '', 'base64url').toString());
    const later = new Date(Date.now() + 900_000).toISOString();
    stack.peers.revocations.push({ kind: 'jti', value: jti, before: later, expiresAt: later });
    const tokens: Record<string, { token: string | undefined; opens: string }> = {
      'of an API key': { token: stack.token(apiKey), opens: 'OK' },
      missing: { token: undefined, opens: 'UNAUTHENTICATED' },
      garbage: { token: 'a.b.c', opens: 'UNAUTHENTICATED' },
      'of an API key, expired': { token: stack.token({ ...apiKey, claims: { exp: past, iat: past - 900 } }), opens: 'UNAUTHENTICATED' },
      'of an API key, for another audience': {
        token: stack.token({ ...apiKey, claims: { aud: 'https://other.test' } }),
        opens: 'UNAUTHENTICATED',
      },
      'of an API key, from another issuer': {
        token: stack.token({ ...apiKey, claims: { iss: 'https://other.test' } }),
        opens: 'UNAUTHENTICATED',
      },
      'of an API key, of an unknown type': { token: stack.token({ ...apiKey, claims: { type: 'machine' } }), opens: 'UNAUTHENTICATED' },
      'of an API key, for a scope of another user': {
        token: stack.token({ ...apiKey, claims: { scope: { tenant: 'organizationProjectUser', id: `${project.id}:${newId()}` } } }),
        opens: 'UNAUTHENTICATED',
      },
      'of an API key, revoked': { token: revoked, opens: 'UNAUTHENTICATED' },
      'of a session': { token: stack.token({ userId: acme.ownerId }), opens: 'PERMISSION_DENIED' },
      'of a session with a scope': {
        token: stack.token({ userId: acme.ownerId, claims: { scope: undefined } }),
        opens: 'PERMISSION_DENIED',
      },
      'of an app that a person uses': {
        token: stack.token({ userId: acme.ownerId, type: 'projectApp', project, scopes: ['Role:Query'] }),
        opens: 'PERMISSION_DENIED',
      },
    };
    // Revocations are pulled every three seconds when no notice comes.
    await until(async () => (await application.isAuthorized(revoked, own)).code === 'UNAUTHENTICATED');
    const here = allMethods.filter(({ service }) => service.startsWith('rbac.') || service.startsWith('events.'));
    expect(here.length).toBeGreaterThan(15);
    for (const [kind, { token, opens }] of Object.entries(tokens)) {
      for (const { path } of here) {
        const named = { IsAuthorizedMany: { checks: [own] }, FindSubjects: { ...reads, type: 'user' } }[path.split('/')[2] ?? ''];
        const request = named ?? (path.startsWith(openPath) ? own : {});
        const { code } = await application.call(path, application.withToken(token), request);
        expect([kind, path, code]).toStrictEqual([kind, path, path.startsWith(openPath) ? opens : 'UNAUTHENTICATED']);
      }
    }
  });

  test('that is refused says why', async () => {
    const { acme } = await makeWorld();
    const session = await application.isAuthorized(stack.token({ userId: acme.ownerId }), own);
    expect(session.details).toBe(
      'Decisions over gRPC are for access tokens of API keys, machine apps and service accounts; this is a session token, which a person lends.',
    );
    expect((await application.isAuthorized(undefined, own)).details).toMatch(/^Send the access token of an API key/);
  });

  test('is not mended or moved by hostile metadata', async () => {
    const { key, viewer } = await makeWorld();
    const path = '/rbac.v1.Authorization/IsAuthorized';
    const code = async (headers: Record<string, string | readonly string[]>, to = path) => {
      const metadata = new Metadata();
      for (const [name, values] of Object.entries(headers)) for (const value of [values].flat()) metadata.add(name, value);
      return (await application.call(to, metadata, own)).code;
    };
    const bearer = `Bearer ${key}`;
    expect(await code({ authorization: bearer })).toBe('OK');
    expect(await code({ authorization: `bearer ${key}` })).toBe('OK');
    // What claims to come from inside is believed only with its own credential.
    const forged = { 'x-tessera-service': 'identity.1.AAAA' };
    expect(await code({ authorization: bearer, ...forged, 'x-forwarded-for': '203.0.113.7' })).toBe('OK');
    expect(await code(forged)).toBe('UNAUTHENTICATED');
    expect(await code({ ...forged, 'x-tessera-user': viewer })).toBe('UNAUTHENTICATED');
    expect(await code({ authorization: bearer, ...forged }, '/rbac.v1.Roles/EndMembership')).toBe('UNAUTHENTICATED');
    for (const authorization of [key, `Basic ${key}`, `Bearer  ${key}`, `Bearer ${key} x`, `${bearer},${bearer}`, 'Bearer', 'Bearer null'])
      expect([authorization.slice(0, 20), await code({ authorization })]).toStrictEqual([authorization.slice(0, 20), 'UNAUTHENTICATED']);
    expect(await code({ authorization: `Bearer ${'A'.repeat(9_000)}` })).toBe('UNAUTHENTICATED');
    expect(
      await code({ authorization: bearer, 'x-request-id': 'A'.repeat(4_000), traceparent: '00-zz', 'grpc-accept-encoding': 'none' }),
    ).toBe('OK');
  });
});

test('an application learns nothing of another tenant, whether it exists or not', async () => {
  const [mine, theirs] = [await makeWorld(), await makeWorld()];
  const account = await stack.makeAccount();
  const other = await stack.makeProject(mine.acme.scope);
  const unknown: Scope = { tenant: 'organizationProject', id: `${newId()}:${newId()}` };
  const theirToken = stack.token({ userId: theirs.viewer });
  const scopes: readonly object[] = [
    theirs.project,
    theirs.acme.scope,
    account.scope,
    other,
    mine.acme.scope,
    unknown,
    { tenant: 'organization', id: newId() },

    { tenant: 'project', id: mine.project.id },
    { tenant: 'organizationProject', id: '' },
    { tenant: '', id: mine.project.id },
    { tenant: 'organizationProject', id: `${mine.project.id} ` },
  ];
  for (const scope of scopes) {
    for (const whose of [{ subject: { type: 'self' } }, { userToken: theirToken }, { subject: { userId: theirs.viewer } }]) {
      const asked = { ...reads, scope, ...whose };
      const answers = [
        await application.isAuthorized(mine.evaluator, asked),
        await application.isAuthorizedMany(mine.evaluator, { checks: [own, asked] }),
        await application.listPermissions(mine.evaluator, { scope, ...whose }),
      ];
      for (const { code, details } of answers)
        expect([code, details]).toStrictEqual([
          'PERMISSION_DENIED',
          'This token asks within the scope of its own project or organization only.',
        ]);
    }
  }
  // A stranger has no rights here, and a token of another project is of no use.
  expect(await application.isAuthorized(mine.evaluator, { ...reads, userToken: theirToken })).toMatchObject({
    authorized: false,
    reason: denied,
  });
  expect(await application.isAuthorized(mine.evaluator, { ...reads, userToken: theirs.evaluator })).toMatchObject({
    reason: 'INVALID_SCOPE',
  });
  const people = [theirs.viewer, newId()].map((userId) =>
    application.isAuthorized(mine.evaluator, { ...reads, explain: true, subject: { userId } }),
  );
  expect(await Promise.all(people)).toStrictEqual([
    { code: 'OK', authorized: false, reason: denied, refusedBy: 'subject' },
    { code: 'OK', authorized: false, reason: denied, refusedBy: 'subject' },
  ]);
});

describe('a request', () => {
  test('is refused before it is decoded when it has too many checks or bytes', async () => {
    const { key } = await makeWorld();
    const empties = (count: number) => Buffer.from('0a00'.repeat(count), 'hex');
    const selves = (count: number) => Buffer.from(`0a080a060a04${Buffer.from('self').toString('hex')}`.repeat(count), 'hex');
    expect(await application.isAuthorizedMany(key, selves(1_000))).toMatchObject({ code: 'OK' });
    expect(await application.isAuthorizedMany(key, selves(1_001))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    const before = process.memoryUsage().heapUsed;
    expect(await application.isAuthorizedMany(key, empties(500_000))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50 * 1024 * 1024);
    expect(await application.isAuthorizedMany(key, empties(600_000))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: 'The request is too large.',
    });
    // A wire type that the decoder does not look at would hide checks from the count.
    for (const hidden of ['0d00000000', '0900', '0b00', '1200', '1500000000', '1800', '0aff', 'ff', '0a'])
      expect([hidden, (await application.isAuthorizedMany(key, Buffer.from(hidden, 'hex'))).code]).toStrictEqual([
        hidden,
        'INVALID_ARGUMENT',
      ]);
  });

  test('that is malformed is INVALID_ARGUMENT and names the field', async () => {
    const { evaluator, viewer } = await makeWorld();
    const subject = { userId: viewer };
    const malformed: Record<string, object | Buffer> = {
      target_json: { ...reads, targetJson: '[]' },
      'no JSON': { ...reads, targetJson: '{' },
      both: { ...reads, subject, userToken: 'x' },
      'a subject of a token': { ...reads, subject: { ...subject, type: 'apiKey' } },
      'a subject with a role': { ...reads, subject: { ...subject, roleId: newId() } },
      'a subject with a scope': { ...reads, subject: { ...subject, tokenScope: { tenant: 'organizationProjectUser', id: 'x' } } },
      'a subject without a user': { ...reads, subject: {} },
      'no subject': reads,
      'no protobuf': Buffer.from('not protobuf'),
    };
    for (const [name, request] of Object.entries(malformed))
      expect([name, (await application.isAuthorized(evaluator, request)).code]).toStrictEqual([name, 'INVALID_ARGUMENT']);
    expect(await application.listPermissions(evaluator, { userToken: 'x' })).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

test('refusals of valid credentials are audited, once in a minute each', async () => {
  const { key, viewer, acme } = await makeWorld();
  const session = stack.token({ userId: acme.ownerId });
  for (let count = 0; count < 5; count += 1) {
    await application.isAuthorized(key, { ...own, scope: acme.scope });
    await application.isAuthorized(key, { ...reads, subject: { userId: viewer } });
    await application.isAuthorized(session, own);
    await application.isAuthorized('a.b.c', own);
  }
  const rows = () =>
    stack.openDatabase().query<{ actor_type: string; detail: { reason: string }; ip_address: string }>(
      sql(`SELECT actor_type, detail, ip_address FROM audit_log WHERE action = 'decision.refused'
             AND token_id::text IN ('${[key, session].map((token) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti).join("','")}')
             ORDER BY detail->>'reason'`),
    );
  await until(async () => (await rows()).length === 3);
  expect(await rows()).toStrictEqual([
    { actor_type: 'apiKey', detail: { reason: 'errors.rbac.evaluate' }, ip_address: '127.0.0.1' },
    { actor_type: 'session', detail: { reason: 'errors.rbac.machineOnly' }, ip_address: '127.0.0.1' },
    { actor_type: 'apiKey', detail: { reason: 'errors.rbac.outsideScope' }, ip_address: '127.0.0.1' },
  ]);
});
