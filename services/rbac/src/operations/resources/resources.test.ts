import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { builtInResources } from '../../domain/catalogue.ts';
import { makeWorkshop, names } from '../../testing/scenario.ts';
import { appUrl, startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());
const builtInCount = Object.keys(builtInResources).length;

describe('resources', () => {
  test('createResource creates one permission per action, for callers who may create permissions (spec:rest.10)', async () => {
    const { owner, acme, project } = await makeWorkshop(stack);
    const made = await owner.make('resources', { name: 'Big Report', actions: ['Read', 'Write'], createPermissions: true });
    expect([made.slug, made.isBuiltIn, made.isActive]).toStrictEqual(['big-report', false, true]);
    expect(names(made.permissions)).toStrictEqual(['big-report:Read', 'big-report:Write']);
    const plain = await owner.make('resources', { name: 'Plain' });
    expect([plain.actions, plain.permissions]).toStrictEqual([[], undefined]);
    const app = stack.token({ userId: acme.ownerId, type: 'projectApp', project, scopes: ['Resource:Create'] });
    const inApp = (body: object) => stack.request('POST', '/api/resources', { token: app, body: { scope: project, ...body } });
    expect((await inApp({ name: 'a', actions: ['Read'], createPermissions: true })).status).toBe(403);
    expect((await inApp({ name: 'a', actions: ['Read'] })).status).toBe(201);
    expect((await owner.list('permissions')).data.totalCount).toBe(2);
  });

  test('a given slug is kept or conflicts, and a derived slug gets a suffix (spec:codes.7)', async () => {
    const { owner, acme } = await makeWorkshop(stack);
    expect((await owner.make('resources', { name: 'x', slug: 'Straße/Ü' })).slug).toBe('Straße/Ü');
    expect((await owner.make('resources', { name: 'x', slug: 'straße/ü' })).slug).toBe('straße/ü');
    const taken = await owner.post('resources', { name: 'y', slug: 'Straße/Ü' });
    expect([taken.status, taken.json.extensions]).toStrictEqual([409, { resource: 'Resource', field: 'slug' }]);
    expect((await owner.post('resources', { name: 'y', slug: 'Role' })).status).toBe(409);
    for (const slug of ['a:b', 'a b', '']) expect((await owner.post('resources', { name: 'y', slug })).status).toStrictEqualFor(slug, 400);
    const derived = [await owner.make('resources', { name: 'Same' }), await owner.make('resources', { name: 'same!' })];
    expect(derived.map(({ slug }) => slug)).toStrictEqual(['same', 'same-2']);
    const sister = await stack.makeProject(acme.scope);
    const elsewhere = await stack.request('POST', '/api/resources', {
      token: owner.token,
      body: { scope: sister, name: 'x', slug: 'Straße/Ü' },
    });
    expect(elsewhere.status).toBe(201);
  });

  test('a resource names the API that serves it, which the provider finds by this name in its project alone', async () => {
    const { owner, acme, project } = await makeWorkshop(stack);
    const identifier = 'https://orders.example.com';
    const made = await owner.make('resources', { name: 'Order', slug: 'order', actions: ['read'], identifier });
    expect(made.identifier).toBe(identifier);
    const invoice = await owner.make('resources', { name: 'Invoice', slug: 'invoice', actions: ['pay'], identifier: `${identifier}/` });
    const find = (name: string, scope = project) => stack.clientOf(0).catalogue.findResourceServer({ scope, identifier: name });
    expect(await find(identifier)).toStrictEqual({ identifier, slugs: ['invoice', 'order'] });
    expect((await find(`${identifier}/`)).identifier).toBe(`${identifier}/`);
    for (const name of ['', 'orders', `${identifier}/mcp`, `${identifier}#x`, 'HTTPS://orders.example.com:444'])
      expect(await find(name)).toStrictEqual({ identifier: '', slugs: [] });
    expect((await find(identifier, await stack.makeProject(acme.scope))).slugs).toStrictEqual([]);
    await owner.patch(`resources/${made.id}`, { isActive: false });
    await owner.patch(`resources/${invoice.id}`, { identifier: null });
    expect((await find(identifier)).slugs).toStrictEqual([]);
    for (const bad of [
      '',
      'orders',
      `${identifier}/#part`,
      'https://user@orders.example.com',
      'https://orders.example.com/a b',
      appUrl,
      `${appUrl}/x`,
    ]) {
      const answer = await owner.post('resources', { name: 'x', identifier: bad });
      expect([bad, answer.status, answer.json.extensions?.field]).toStrictEqual([bad, 400, 'identifier']);
      expect((await owner.patch(`resources/${made.id}`, { identifier: bad })).status).toBe(400);
    }
  });

  test('deleting a resource frees its slug, deletes its permissions and counts them in its record', async () => {
    const { owner } = await makeWorkshop(stack);
    for (const hard of ['', '&hardDelete=true']) {
      const made = await owner.make('resources', { name: 'Doc', slug: 'Doc', actions: ['Read', 'Write'], createPermissions: true });
      expect((await owner.remove(`resources/${made.id}`, hard)).status).toBe(200);
      const [record] = await stack
        .openDatabase()
        .query(sql('SELECT detail FROM audit_log WHERE target_id = $1 AND action = $2'), [made.id, 'resource.deleted']);
      expect(record).toStrictEqual({ detail: { slug: 'Doc', hardDelete: hard !== '', counts: { permissions: 2 } } });
      expect((await owner.list('permissions')).data.totalCount).toBe(0);
    }
    expect((await owner.make('resources', { name: 'Doc', slug: 'Doc' })).slug).toBe('Doc');
  });

  test('a list of resources can leave the built-in ones out, or hold nothing else', async () => {
    const { owner, inOrganization } = await makeWorkshop(stack);
    await owner.make('resources', { name: 'Own' });
    const own = await owner.list('resources', '&isBuiltIn=false');
    expect([names(own.data.items), own.data.totalCount]).toStrictEqual([['Own'], 1]);
    const builtIn = await owner.list('resources', '&isBuiltIn=true&limit=100');
    expect(builtIn.data.totalCount).toBe(builtInCount);
    expect([...(builtIn.data.items?.map(({ isBuiltIn }) => isBuiltIn) ?? [])].every(Boolean)).toBe(true);
    expect((await inOrganization.list('resources', '&isBuiltIn=false')).data.totalCount).toBe(0);
  });

  test('built-in resources are listed in every scope and cannot be changed', async () => {
    const { owner, inOrganization, acme } = await makeWorkshop(stack);
    const { ownerId, scope } = await stack.makeAccount();
    const account = await stack.request('GET', `/api/resources?scopeId=${scope.id}&tenant=account&limit=100`, {
      token: stack.token({ userId: ownerId }),
    });
    expect(account.data.totalCount).toBe(builtInCount);
    expect((await inOrganization.list('resources')).data.totalCount).toBe(builtInCount);
    await owner.make('resources', { name: 'Own' });
    const listed = await owner.list('resources', '&search=own&sortField=name');
    expect(names(listed.data.items)).toStrictEqual(['Own']);
    expect((await owner.list('resources')).data.totalCount).toBe(builtInCount + 1);
    const role = builtInResourceId('Role');
    for (const door of [owner, inOrganization]) {
      expect((await door.patch(`resources/${role}`, { name: 'x' })).status).toBe(403);
      expect((await door.remove(`resources/${role}`)).status).toBe(403);
    }
    expect((await inOrganization.post('resources', { name: 'x' })).status).toBe(400);
    expect(acme).toBeTruthy();
  });
});

describe('permissions', () => {
  test('a permission needs an action of a resource in the same scope (spec:rest.9)', async () => {
    const { owner, acme, as } = await makeWorkshop(stack);
    const resource = await owner.make('resources', { name: 'Doc', actions: ['Read'] });
    const made = await owner.make('permissions', { name: 'read', action: 'Read', resourceId: resource.id });
    expect([made.resourceId, made.action, made.condition]).toStrictEqual([resource.id, 'Read', null]);
    const unknown = await owner.post('permissions', { name: 'fly', action: 'Fly', resourceId: resource.id });
    expect([unknown.status, unknown.json.extensions?.field]).toStrictEqual([400, 'action']);
    expect((await owner.post('permissions', { name: 'x', action: 'read', resourceId: resource.id })).status).toBe(400);
    expect((await owner.post('permissions', { name: 'x', action: 'Read', resourceId: newId() })).status).toBe(404);
    const sister = as(acme.ownerId, await stack.makeProject(acme.scope));
    expect((await sister.post('permissions', { name: 'x', action: 'Read', resourceId: resource.id })).status).toBe(404);
    const moved = await owner.patch(`permissions/${made.id}`, { action: 'Query', resourceId: builtInResourceId('Role') });
    expect([moved.status, moved.data.action]).toStrictEqual([200, 'Query']);
    expect((await owner.patch(`permissions/${made.id}`, { action: 'Fly' })).status).toBe(400);
  });
});
