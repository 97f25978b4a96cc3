import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { countingQueries } from '../../../../../test/support/queries.ts';
import { type Check, createDecider } from '../../decisions/decider.ts';
import { scopeByScope } from '../../decisions/scope-by-scope.ts';
import { invalidScope } from '../../domain/decision.ts';
import { createPlaces } from '../../storage/places.ts';
import { createRightsCache } from '../../storage/rights-cache.ts';
import { startTestStack } from '../../testing/service.ts';

const permission = { resource: 'Role', action: 'Create' };

test('a batch reads a few scopes at a time, so that one request does not take all connections', async () => {
  const subject = { type: 'session', userId: newId() } as const;
  const ids = Array.from({ length: 100 }, newId);
  const checks = [...ids, ...ids].map((id) => ({ subject, scope: { tenant: 'organization', id } as const, ...permission, target: {} }));
  const open = new Set<string>();
  let most = 0;
  const answers = await scopeByScope(async (ofScope: readonly Check[]) => {
    const [scopeId = '', ...others] = new Set(ofScope.map(({ scope }) => scope?.id));
    expect(others).toStrictEqual([]);
    open.add(scopeId);
    most = Math.max(most, open.size);
    await setImmediate();
    open.delete(scopeId);
    return ofScope.map(({ resource, action, target }) => ({
      decision: invalidScope,
      question: { resource, action, userId: scopeId, target, cap: undefined, userMetadata: undefined, nowMs: 0 },
    }));
  }, checks);
  expect(most).toBe(4);
  expect(answers.map(({ question }) => question.userId)).toStrictEqual([...ids, ...ids]);
});

const stack = await startTestStack();
afterAll(() => stack.stop());

function ask(token: string | undefined, body: object, headers: Record<string, string> = {}) {
  return stack.request('POST', '/api/auth/is-authorized', { token, body, headers });
}

describe('is-authorized', () => {
  test('is-authorized answers and explains its decision (spec:auth.8)', async () => {
    const acme = await stack.makeOrganization();
    const userId = await acme.addMember('Dev');
    const token = stack.token({ userId });
    const body = {
      permission: { resource: 'User', action: 'Update' },
      scope: acme.scope,
      context: { resource: { createdBy: userId, x: 1 } },
    };
    const { status, data } = await ask(token, body);
    expect(status).toBe(200);
    expect(data).toStrictEqual({
      authorized: true,
      reason: 'PERMISSION_GRANTED_CONDITION_MET',
      matchedPermission: {
        id: null,
        name: 'User:Update',
        resource: 'User',
        action: 'Update',
        isBuiltIn: true,
        role: { id: acme.roleId('Dev'), name: 'Dev' },
        group: null,
      },
      matchedCondition: {
        Or: [{ Equals: { 'resource.createdBy': '{{user.id}}' } }, { Equals: { 'resource.id': '{{user.id}}' } }],
      },
      evaluatedContext: {
        user: { id: userId },
        role: { id: acme.roleId('Dev'), name: 'Dev', description: null, metadata: {} },
        group: {},
        resource: { createdBy: userId, x: 1 },
      },
      explanation: null,
    });
  });

  test('is-authorized names the custom role and group that authorize', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const post = async (path: string, body: object) =>
      (await stack.request('POST', path, { token, body: { scope: project, ...body } })).data;
    const resource = await post('/api/resources', { name: 'Doc', slug: 'Doc', actions: ['Read'], createPermissions: true });
    const [permissionId] = resource.permissions?.map(({ id }) => id) ?? [];
    const group = await post('/api/groups', { name: 'readers', permissionIds: [permissionId] });
    const role = await post('/api/roles', { name: 'Reader', groupIds: [group.id] });
    const userId = await stack.join(project, [`${role.id}`]);
    const { data } = await ask(stack.token({ userId }), { permission: { resource: 'Doc', action: 'Read' }, scope: project });
    expect(data.matchedPermission).toStrictEqual({
      id: permissionId,
      name: 'Doc:Read',
      resource: 'Doc',
      action: 'Read',
      isBuiltIn: false,
      role: { id: role.id, name: 'Reader' },
      group: { id: group.id, name: 'readers' },
    });
    expect(data.matchedCondition).toStrictEqual(null);
  });

  test('is-authorized answers 400 to a malformed request, 401 without a caller, and 200 with a refusal', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    expect((await ask(undefined, { permission, scope: acme.scope })).status).toBe(401);
    expect((await ask(`${token.slice(0, -4)}AAAA`, { permission, scope: acme.scope })).status).toBe(401);
    for (const body of [
      {},
      { permission: 'Role:Create' },
      { permission, more: 1 },
      { permission, scope: { tenant: 'planet', id: newId() } },
      { permission, scope: { ...acme.scope, id: 'x' } },
      { permission, context: { user: {} } },
      { permission: { resource: 1, action: 2 } },
    ])
      expect((await ask(token, body)).status).toStrictEqualFor(body, 400);
    const refused = await ask(stack.token({ userId: newId() }), { permission, scope: acme.scope });
    expect([refused.status, refused.data.authorized, refused.data.reason]).toStrictEqual([200, false, 'NO_MATCHING_PERMISSION_FOUND']);
  });

  test('the batch answers in order over REST, GraphQL and gRPC', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const token = stack.token({ userId: acme.ownerId });
    const checks = Array.from({ length: 200 }, (_, index) => ({
      permission: { resource: 'Role', action: index % 3 === 0 ? 'Create' : 'Fly' },
      ...(index % 5 === 0 ? { scope: globex.scope } : {}),
    }));
    const expected = checks.map((_, index) => index % 3 === 0 && index % 5 !== 0);
    const rest = await stack.request('POST', '/api/auth/is-authorized/batch', { token, body: { checks, scope: acme.scope } });
    expect(rest.data.decisions?.map(({ authorized }) => authorized)).toStrictEqual(expected);
    const query = 'query ($input: IsAuthorizedManyInput!) { isAuthorizedMany(input: $input) { decisions { authorized } } }';
    const graphql = await stack.graphql(query, { input: { checks, scope: acme.scope } }, { token });
    expect(graphql.json.data?.isAuthorizedMany?.decisions?.map(({ authorized }) => authorized)).toStrictEqual(expected);
    const subject = { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] };
    const wire = checks.map(({ permission: { resource, action }, scope = acme.scope }) => ({
      subject,
      scope,
      resource,
      action,
      targetJson: '',
      noCache: false,
    }));
    const { authorization } = stack.clientOf(0);
    const { decisions } = await authorization.isAuthorizedMany({ checks: wire, explain: false });
    expect(decisions.map(({ authorized }) => authorized)).toStrictEqual(expected);
    const tooMany = Array.from({ length: 1001 }, () => wire[0]).flatMap((check) => check ?? []);
    await expect(authorization.isAuthorizedMany({ checks: tooMany, explain: false })).rejects.toMatchObject({ kind: 'validation' });
    for (const count of [0, 1_001]) {
      const body = { checks: Array.from({ length: count }, () => checks[0]) };
      expect((await stack.request('POST', '/api/auth/is-authorized/batch', { token, body })).status).toStrictEqualFor(`${count}`, 400);
      const { json } = await stack.graphql(query, { input: body }, { token });
      expect(Boolean(json.errors)).toStrictEqualFor(`${count}`, true);
    }
  });

  test('the batch refuses explanations that are too large', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    const metadata = { text: 'x'.repeat(60_000) };
    const role = await stack.request('POST', '/api/roles', { token, body: { scope: acme.scope, name: 'Large', metadata } });
    const resourceId = builtInResourceId('Role');
    const make = async (path: string, body: object) =>
      `${(await stack.request('POST', `/api/${path}`, { token, body: { scope: acme.scope, ...body } })).data.id}`;
    const query = await make('permissions', { name: 'q', action: 'Query', resourceId });
    const group = await make('groups', { name: 'g', metadata, permissionIds: [query] });
    await stack.request('PATCH', `/api/roles/${role.data.id}`, { token, body: { scope: acme.scope, groupIds: [group] } });
    const holder = stack.token({ userId: await stack.join(acme.scope, [`${role.data.id}`]) });
    const ask = (count: number) => {
      const checks = Array.from({ length: count }, () => ({ permission: { resource: 'Role', action: 'Query' } }));
      return stack.request('POST', '/api/auth/is-authorized/batch', { token: holder, body: { scope: acme.scope, checks } });
    };
    const few = await ask(20);
    expect(few.data.decisions?.map(({ authorized }) => authorized)).toStrictEqual(Array.from({ length: 20 }, () => true));
    const { status, json } = await ask(1_000);
    expect([status, json.code, json.extensions?.field]).toStrictEqual([400, 'VALIDATION_ERROR', 'checks']);
  });

  test('listPermissions lists everything held, with conditions and within the cap', async () => {
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const userId = await acme.addMember('Dev');
    const listed = await stack.request('GET', `/api/auth/permissions?scopeId=${acme.id}&tenant=organization`, {
      token: stack.token({ userId }),
    });
    const own = listed.data.permissions
      ?.map((row) => row)
      .filter(({ condition }) => condition !== null)
      .map(({ resource, action }) => `${resource}:${action}`);
    expect(own).toStrictEqual(['ApiKey:Delete', 'ApiKey:Revoke', 'User:Delete', 'User:Update', 'User:UploadPicture']);
    const app = stack.token({ userId, type: 'projectApp', project, scopes: ['Role:Query', 'Organization:Delete'] });
    const query = 'query { listPermissions { permissions { resource action } } }';
    const capped = await stack.graphql(query, {}, { token: app });
    expect(capped.json.data?.listPermissions?.permissions).toStrictEqualFor(capped.json, [{ resource: 'Role', action: 'Query' }]);
    const nothing = stack.token({ userId, type: 'projectApp', project, scopes: [] });
    expect((await stack.request('GET', '/api/auth/permissions', { token: nothing })).data.permissions).toStrictEqual([]);
    const nowhere = await stack.request('GET', '/api/auth/permissions', { token: stack.token({ userId }) });
    expect(nowhere.data).toStrictEqual({ permissions: [], consistencyToken: null });
    const grpc = await stack
      .clientOf(0)
      .authorization.listPermissions({ subject: { type: 'session', userId, tokenId: newId(), scopes: [] }, scope: acme.scope });
    expect(grpc.permissions.length).toBe(listed.data.permissions?.map((row) => row).length);
    expect(grpc.consistencyToken).toBe(listed.data.consistencyToken);
  });

  test('gRPC treats an invalid subject as unauthenticated and refuses a target that is no object', async () => {
    const acme = await stack.makeOrganization();
    const { authorization } = stack.clientOf(0);
    const check = { scope: acme.scope, resource: 'Role', action: 'Query', targetJson: '', noCache: false };
    const anonymous = { type: 'session', userId: '', tokenId: '', scopes: [] };
    expect((await authorization.isAuthorized({ ...check, subject: anonymous })).reason).toBe('NOT_AUTHENTICATED');
    expect((await authorization.isAuthorized({ ...check, subject: { ...anonymous, userId: newId(), type: 'robot' } })).reason).toBe(
      'NOT_AUTHENTICATED',
    );
    const subject = { ...anonymous, userId: acme.ownerId };
    for (const scope of [
      { tenant: 'planet', id: acme.id },
      { tenant: 'organization', id: 'x' },
      { tenant: 'organizationProject', id: acme.id },
    ])
      expect((await authorization.isAuthorized({ ...check, subject, scope })).reason).toBe('INVALID_SCOPE');
    for (const targetJson of ['[]', '5', 'x', 'null'])
      await expect(authorization.isAuthorized({ ...check, subject, targetJson })).rejects.toMatchObject({ kind: 'bad-input' });
  });
});

describe('a decision', () => {
  test('costs one query when cold and none when warm', async () => {
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const { database, countQueries } = countingQueries(stack.openDatabase());
    const cache = createRightsCache({ database, places: createPlaces(database), staleAfterMs: 60_000 });
    const decider = createDecider({ cache, userMetadata: { get: async () => ({}), lastKnown: () => undefined } });
    const check = {
      subject: { type: 'session', userId: acme.ownerId },
      scope: project,
      resource: 'Role',
      action: 'Query',
      target: {},
    } as const;
    const cold = await countQueries(async () => decider.decide(check));
    expect([cold.result.authorized, cold.queries]).toStrictEqual([true, 1]);
    await decider.decide(check);
    const warm = await countQueries(async () => decider.decide(check));
    expect([warm.result.authorized, warm.queries]).toStrictEqual([true, 0]);
  });
});
