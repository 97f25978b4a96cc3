/**
 * A consistency token over both transports against a replica that receives no notices: two replicas
 * of rbac, each with a gateway. One gateway writes, the other reads.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Scope } from '@tessera/kernel/scope';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { startGateway } from '../../services/gateway/src/testing/gateway.ts';
import { appUrl, startTestStack } from '../../services/rbac/src/testing/service.ts';
import { type Client, createClient } from '../support/client.ts';
import { dataOf } from '../support/world.ts';

const header = 'x-consistency-token';
const cleanup = new AsyncDisposableStack();
/** Before the replica that writes, and before the one that lags. */

async function gatewayBefore(replica: number): Promise<Client> {
  const supergraph = readFileSync(new URL('../../services/gateway/generated/supergraph.graphql', import.meta.url), 'utf8');
  const overrides = { RBAC_HTTP_URL: rbac.apps[replica]?.httpAddress ?? '', INTERNAL_AUTH_SECRET: rbac.secret, APP_URL: appUrl };
  return createClient(await startGateway(cleanup, overrides, supergraph));
}

const rbac = await startTestStack({ replicas: 2, deaf: [1] });
const [writer, lagging] = await Promise.all([gatewayBefore(0), gatewayBefore(1)]);
afterAll(async () => {
  await cleanup.disposeAsync();
  await rbac.stop();
});

async function makeWorld() {
  const acme = await rbac.makeOrganization();
  const project = await rbac.makeProject(acme.scope);
  const owner = rbac.token({ userId: acme.ownerId });
  const make = async (path: string, body: object) => dataOf(await writer.post(`/api/${path}`, { scope: project, ...body }, owner));
  const { id: resourceId } = await make('resources', { name: 'Doc', slug: 'Doc', actions: ['Read'] });
  const permission = await make('permissions', { name: 'read', action: 'Read', resourceId });
  const group = await make('groups', { name: 'readers', permissionIds: [permission.id] });
  const role = await make('roles', { name: 'Reader', groupIds: [group.id] });
  const userId = await rbac.join(project, [role.id]);
  return { acme, project, owner, permission, userId, token: rbac.token({ userId }) };
}
type World = Awaited<ReturnType<typeof makeWorld>>;
type Headers = Readonly<Record<string, string>>;

const permissionAsked = { resource: 'Doc', action: 'Read' };
/** The doors through which a question reaches the replica that lags. */
const doors: Readonly<Record<string, (world: World, headers: Headers) => Promise<boolean>>> = {
  'REST through the gateway': async ({ project, token }, headers) =>
    dataOf(await lagging.post('/api/auth/is-authorized', { permission: permissionAsked, scope: project }, token, headers)).authorized,
  'GraphQL through the gateway': async ({ project, token }, headers) => {
    const query = 'query ($input: IsAuthorizedInput!) { isAuthorized(input: $input) { authorized } }';
    const { body } = await lagging.graphql(query, { input: { permission: permissionAsked, scope: project } }, token, headers);
    return body.data.isAuthorized.authorized;
  },
  'a batch over REST': async ({ project, token }, headers) => {
    const body = { checks: [{ permission: permissionAsked }], scope: project };
    return dataOf(await lagging.post('/api/auth/is-authorized/batch', body, token, headers)).decisions[0].authorized;
  },
  'gRPC, as a field': async ({ project, userId }, headers) => {
    const fields = { consistencyToken: headers[header], noCache: headers['cache-control'] === 'no-cache' };
    return (await rbac.check(userId, project, 'Doc:Read', { replica: 1, ...fields })).authorized;
  },
  'the list over REST': async ({ project, token }, headers) => {
    const { body } = await lagging.get(`/api/auth/permissions?scopeId=${project.id}&tenant=${project.tenant}`, token, headers);
    return body.data.permissions.length > 0;
  },
};

const never = { Equals: { 'resource.x': 1 } };
/** The doors through which a right is taken; each answers with the token of its write. */
const writes: Readonly<Record<string, (world: World) => Promise<string>>> = {
  REST: async ({ project, owner, permission }) => {
    const { headers } = await writer.delete(`/api/permissions/${permission.id}?scopeId=${project.id}&tenant=${project.tenant}`, owner);
    return String(headers[header]);
  },
  GraphQL: async ({ project, owner, permission }) => {
    const query = 'mutation ($input: DeletePermissionInput!) { deletePermission(input: $input) { id } }';
    const { body, headers } = await writer.graphql(query, { input: { scope: project, id: permission.id } }, owner);
    expect(body.errors).toBeUndefined();
    return String(headers[header]);
  },
};

describe('a replica that lags answers', () => {
  for (const [wrote, write] of Object.entries(writes))
    for (const [door, ask] of Object.entries(doors))
      test(`${door}: from old state without the token of a write over ${wrote}, and never with it`, async () => {
        const world = await makeWorld();
        expect(await ask(world, {})).toBe(true);
        const token = await write(world);
        expect(token).toMatch(/^[\w-]{20,}$/);
        // This replica should lag, or the test shows nothing.
        expect(await ask(world, {})).toBe(true);
        expect(await ask(world, { [header]: token })).toBe(false);
      });

  for (const [door, ask] of Object.entries(doors))
    test(`${door}: past every memory with cache-control: no-cache`, async () => {
      const world = await makeWorld();
      expect(await ask(world, {})).toBe(true);
      await writes.REST?.(world);
      // This replica should lag, or the test shows nothing.
      expect(await ask(world, {})).toBe(true);
      expect(await ask(world, { 'cache-control': 'no-cache' })).toBe(false);
    });

  test('a document that writes in two tenants: the token of its answer demands both', async () => {
    const [one, two] = [await makeWorld(), await makeWorld()];
    const ownerOfBoth = await one.acme.addMember('Owner');
    await two.acme.addMember('Owner', ownerOfBoth);
    const inputOf = ({ project, permission }: World) => ({ scope: project satisfies Scope, id: permission.id, condition: never });
    const query = `mutation ($one: UpdatePermissionInput!, $two: UpdatePermissionInput!) {
      one: updatePermission(input: $one) { id } two: updatePermission(input: $two) { id } }`;
    const ask = doors['REST through the gateway'];
    assert.ok(ask);
    for (const world of [one, two]) expect(await ask(world, {})).toBe(true);
    const { body, headers } = await writer.graphql(query, { one: inputOf(one), two: inputOf(two) }, rbac.token({ userId: ownerOfBoth }));
    expect(body.errors).toBeUndefined();
    for (const world of [one, two]) {
      expect(await ask(world, {})).toBe(true);
      expect(await ask(world, { [header]: String(headers[header]) })).toBe(false);
    }
  });

  test('nested fields, which are decided by themselves, from no older state either', async () => {
    const { project, owner } = await makeWorld();
    const make = async (path: string, body: object) => dataOf(await writer.post(`/api/${path}`, { scope: project, ...body }, owner));
    const query = async (resource: string) =>
      (await make('permissions', { name: resource, action: 'Query', resourceId: builtInResourceId(resource) })).id;
    const [roles, groups] = [await query('Role'), await query('Group')];
    const group = await make('groups', { name: 'lookers', permissionIds: [roles, groups] });
    const role = await make('roles', { name: 'Looker', groupIds: [group.id] });
    const token = rbac.token({ userId: await rbac.join(project, [role.id]) });
    const document = 'query ($input: RolesInput!) { roles(input: $input) { roles { name groups { name } } } }';
    const shown = async (headers: Headers = {}) => {
      const { body } = await lagging.graphql(document, { input: { scope: project, ids: [role.id] } }, token, headers);
      return [body.data?.roles?.roles[0]?.name, body.data?.roles?.roles[0]?.groups?.[0]?.name, body.errors?.[0]?.extensions.code];
    };
    expect(await shown()).toStrictEqual(['Looker', 'lookers', undefined]);
    const narrowed = await writer.patch(`/api/groups/${group.id}`, { scope: project, permissionIds: [roles] }, owner);
    // This replica should lag, or the test shows nothing.
    expect(await shown()).toStrictEqual(['Looker', 'lookers', undefined]);
    expect(await shown({ [header]: String(narrowed.headers[header]) })).toStrictEqual([undefined, undefined, 'FORBIDDEN']);
  });

  test('a token that names a moment, as the writes of the other services answer, demands what is known by then; an old one demands nothing', async () => {
    const { momentToken } = await import('@tessera/kernel/authorization');
    const world = await makeWorld();
    const ask = doors['REST through the gateway'];
    assert.ok(ask);
    expect(await ask(world, {})).toBe(true);
    await rbac.tell('user.left', { userId: world.userId, scope: world.project });
    expect(await ask(world, { [header]: momentToken(new Date(Date.now() - 60_000)) })).toBe(true);
    expect(await ask(world, { [header]: momentToken(new Date()) })).toBe(false);
  });
});
