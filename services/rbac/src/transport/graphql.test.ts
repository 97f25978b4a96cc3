import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { type Json, startTestStack } from '../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

async function ask(token: string, query: string, variables: object = {}): Promise<Json> {
  return (await stack.graphql(query, variables, { token })).json;
}
function data(answer: Json): Json {
  expect(answer.errors).toStrictEqualFor(answer, undefined);
  return answer.data ?? answer;
}
function codes({ errors }: Json) {
  return errors?.map(({ extensions }) => extensions?.code);
}

describe('GraphQL', () => {
  test('creates, lists, changes and deletes all entities (spec:graphql.5, spec:graphql.8)', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    const scope = await stack.makeProject(acme.scope);
    const kinds: Record<string, object> = {
      Tag: { name: 'x', color: 'red' },
      Resource: { name: 'x', actions: ['Read'], createPermissions: true },
      Permission: { name: 'x', action: 'Query', resourceId: builtInResourceId('Role') },
      Group: { name: 'x', metadata: { a: [1] } },
      Role: { name: 'x', description: 'y' },
    };
    for (const [kind, input] of Object.entries(kinds)) {
      const list = `${kind.toLowerCase()}s`;
      const mutate = async (verb: string, body: object) => {
        const name = `${verb}${kind}`;
        const query = `mutation ($input: ${verb[0]?.toUpperCase()}${verb.slice(1)}${kind}Input!) { ${name}(input: $input) { id name deletedAt } }`;
        return data(await ask(token, query, { input: { scope, ...body } }))[name];
      };
      const made = await mutate('create', input);
      assert.equal(made?.name, 'x');
      expect((await mutate('update', { id: made?.id, name: 'renamed' }))?.name).toBe('renamed');
      const found = data(
        await ask(token, `query ($input: ${kind}sInput!) { ${list}(input: $input) { totalCount hasNextPage ${list} { id name } } }`, {
          input: { scope, ids: [made?.id], sortField: 'name', sortOrder: 'desc' },
        }),
      );
      expect(found[list]).toStrictEqual({ totalCount: 1, hasNextPage: false, [list]: [{ id: made?.id, name: 'renamed' }] });
      expect((await mutate('delete', { id: made?.id, hardDelete: true }))?.deletedAt).toBeTruthy();
    }
  });

  test('a large variable that stands in many questions is refused as the megabytes that it would be', async () => {
    const { token, scope } = await stack.makeOrganization();
    const large = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`a${index}`, 0]));
    const check = '{ permission: { resource: "Role", action: "Query" }, context: { resource: $large } }';
    const query = (times: number) =>
      `query ($scope: ScopeInput!, $large: JSON!) {
        isAuthorizedMany(input: { scope: $scope, checks: [${Array.from({ length: times }, () => check).join()}] }) { decisions { authorized } }
      }`;
    expect(codes(await ask(token, query(200), { scope, large }))).toStrictEqual(['BAD_USER_INPUT']);
    const aliased = Array.from(
      { length: 10 },
      (_, index) => `a${index}: isAuthorized(input: { scope: $scope, ${check.slice(1)}) { authorized }`,
    );
    const underTenNames = await ask(token, `query ($scope: ScopeInput!, $large: JSON!) { ${aliased.join(' ')} }`, { scope, large });
    expect(codes(underTenNames)).toContain('BAD_USER_INPUT');
    const answer = data(await ask(token, query(2), { scope, large }));
    expect(answer.isAuthorizedMany?.decisions?.map(({ authorized }) => authorized)).toStrictEqual([true, true]);
  });

  test('follows relations in both directions, each with its own permission', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    const scope = await stack.makeProject(acme.scope);
    const make = async (path: string, body: object) =>
      (await stack.request('POST', `/api/${path}`, { token, body: { scope, ...body } })).data;
    const resource = await make('resources', { name: 'Doc', actions: ['Read', 'Write'], createPermissions: true });
    const permissionIds = resource.permissions?.map(({ id }) => id);
    const group = await make('groups', { name: 'g', permissionIds });
    const role = await make('roles', { name: 'r', groupIds: [group.id] });
    const userId = await stack.join(scope, [`${role.id}`]);
    stack.peers.people.set(userId, { name: 'somebody', metadata: {} });
    const query = `query ($input: RolesInput!) { roles(input: $input) { roles { name users { id }
      groups { name users { id } permissions { action resource { name permissions { action } } tags { name } } } } } }`;
    const [row] = data(await ask(token, query, { input: { scope } })).roles?.roles?.map((one) => one) ?? [];
    expect(row?.users).toStrictEqual([{ id: userId }]);
    const inner = { name: 'Doc', permissions: [{ action: 'Read' }, { action: 'Write' }] };
    const permissions = ['Read', 'Write'].map((action) => ({ action, resource: inner, tags: [] }));
    expect(row?.groups).toStrictEqual([{ name: 'g', users: [{ id: userId }], permissions }]);
    const app = stack.token({ userId: acme.ownerId, type: 'projectApp', project: scope, scopes: ['Role:Query', 'Group:Query'] });
    const partly = await ask(app, query, { input: { scope } });
    expect(Boolean(codes(partly)?.every((code: unknown) => code === 'FORBIDDEN'))).toStrictEqualFor(partly, true);
  });

  const entities = (token: string, representations: object[], fragment: string) =>
    ask(token, `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${fragment} } }`, { representations });

  test('extends types of other services, for callers with the permission in that scope', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const project = await stack.makeProject(acme.scope);
    const token = stack.token({ userId: acme.ownerId });
    const post = async (path: string, scope: Scope, body: object) =>
      (await stack.request('POST', `/api/${path}`, { token, body: { scope, ...body } })).data;
    const tag = await post('tags', acme.scope, { name: 'red', color: 'red' });
    const [, projectId = ''] = project.id.split(':');
    await stack.tell('project.tagged', { scope: acme.scope, projectId, tagIds: [`${tag.id}`], primaryTagId: null });
    await post('groups', acme.scope, { name: 'all' });
    await post('roles', project, { name: 'Reader' });
    const member = await acme.addMember('Dev');
    const organization = await entities(
      token,
      [{ __typename: 'Organization', id: acme.id }],
      '... on Organization { roles { name } groups { name } }',
    );
    expect(data(organization)._entities).toStrictEqual([
      { roles: ['Admin', 'Dev', 'Owner', 'Provisioning', 'Viewer'].map((name) => ({ name })), groups: [{ name: 'all' }] },
    ]);
    const fragment = '... on Project { roles { name } groups { name } resources { slug isBuiltIn } tags { name } }';
    const [shown] = data(await entities(token, [{ __typename: 'Project', id: projectId }], fragment))._entities?.map((one) => one) ?? [];
    expect([shown?.roles, shown?.groups, shown?.tags]).toStrictEqual([[{ name: 'Reader' }], [], [{ name: 'red' }]]);
    expect(shown?.resources?.map(({ slug }) => slug).length).toBe(27);
    const user = { __typename: 'User', id: member, scope: { __typename: 'EntityScope', ...acme.scope } };
    const people = await entities(token, [user], '... on User { id roles { name } tags { name } }');
    expect(data(people)._entities).toStrictEqual([{ id: member, roles: [{ name: 'Dev' }], tags: [] }]);
    const foreign = await entities(token, [{ __typename: 'Organization', id: globex.id }], '... on Organization { roles { name } }');
    expect(codes(foreign)).toStrictEqual(['FORBIDDEN']);
    const elsewhere = await entities(token, [{ ...user, scope: globex.scope }], '... on User { roles { name } }');
    expect(codes(elsewhere)).toStrictEqual(['FORBIDDEN']);
  });

  test('resolves references to its own entities for callers who may query them', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const token = stack.token({ userId: acme.ownerId });
    const references = [acme.roleId('Dev'), globex.roleId('Dev'), newId()].map((id) => ({ __typename: 'Role', id }));
    const answer = await entities(token, references, '... on Role { name rank groups { id } }');
    expect(answer.data?._entities).toStrictEqual([{ name: 'Dev', rank: 3, groups: [] }, null, null]);
  });
});
