import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { builtInResourceId } from '../../domain/ids.ts';
import { makeWorkshop, names } from '../../testing/scenario.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

describe('resources', () => {
  it('come with one permission for each action when asked, by whoever may make permissions too (spec:rest.10)', async () => {
    const { owner, acme, project } = await makeWorkshop(stack);
    const made = await owner.make('resources', { name: 'Big Report', actions: ['Read', 'Write'], createPermissions: true });
    assert.deepEqual([made.slug, made.isBuiltIn, made.isActive], ['big-report', false, true]);
    assert.deepEqual(names(made.permissions), ['big-report:Read', 'big-report:Write']);
    const plain = await owner.make('resources', { name: 'Plain' });
    assert.deepEqual([plain.actions, plain.permissions], [[], undefined]);
    const app = stack.token({ userId: acme.ownerId, type: 'projectApp', project, scopes: ['Resource:Create'] });
    const inApp = (body: object) => stack.request('POST', '/api/resources', { token: app, body: { scope: project, ...body } });
    assert.equal((await inApp({ name: 'a', actions: ['Read'], createPermissions: true })).status, 403);
    assert.equal((await inApp({ name: 'a', actions: ['Read'] })).status, 201);
    assert.equal((await owner.list('permissions')).data.totalCount, 2);
  });

  it('keep a given slug exactly, or conflict; a derived one gets a suffix (spec:codes.7)', async () => {
    const { owner, acme } = await makeWorkshop(stack);
    assert.equal((await owner.make('resources', { name: 'x', slug: 'Straße/Ü' })).slug, 'Straße/Ü');
    assert.equal((await owner.make('resources', { name: 'x', slug: 'straße/ü' })).slug, 'straße/ü');
    const taken = await owner.post('resources', { name: 'y', slug: 'Straße/Ü' });
    assert.deepEqual([taken.status, taken.json.extensions], [409, { resource: 'Resource', field: 'slug' }]);
    assert.equal((await owner.post('resources', { name: 'y', slug: 'Role' })).status, 409);
    for (const slug of ['a:b', 'a b', '']) assert.equal((await owner.post('resources', { name: 'y', slug })).status, 400, slug);
    const derived = [await owner.make('resources', { name: 'Same' }), await owner.make('resources', { name: 'same!' })];
    assert.deepEqual(
      derived.map(({ slug }) => slug),
      ['same', 'same-2'],
    );
    const sister = await stack.makeProject(acme.scope);
    const elsewhere = await stack.request('POST', '/api/resources', {
      token: owner.token,
      body: { scope: sister, name: 'x', slug: 'Straße/Ü' },
    });
    assert.equal(elsewhere.status, 201);
  });

  it('free their slug when they go, and take their permissions along', async () => {
    const { owner } = await makeWorkshop(stack);
    for (const hard of ['', '&hardDelete=true']) {
      const made = await owner.make('resources', { name: 'Doc', slug: 'Doc', actions: ['Read'], createPermissions: true });
      assert.equal((await owner.remove(`resources/${made.id}`, hard)).status, 200);
      assert.equal((await owner.list('permissions')).data.totalCount, 0);
    }
    assert.equal((await owner.make('resources', { name: 'Doc', slug: 'Doc' })).slug, 'Doc');
  });

  it('that are built in are listed in every scope, first among others, and never changed', async () => {
    const { owner, inOrganization, acme } = await makeWorkshop(stack);
    const { ownerId, scope } = await stack.makeAccount();
    const account = await stack.request('GET', `/api/resources?scopeId=${scope.id}&tenant=account&limit=100`, {
      token: stack.token({ userId: ownerId }),
    });
    assert.equal(account.data.totalCount, 17);
    assert.equal((await inOrganization.list('resources')).data.totalCount, 17);
    await owner.make('resources', { name: 'Own' });
    const listed = await owner.list('resources', '&search=own&sortField=name');
    assert.deepEqual(names(listed.data.items), ['Own']);
    assert.equal((await owner.list('resources')).data.totalCount, 18);
    const role = builtInResourceId('Role');
    for (const door of [owner, inOrganization]) {
      assert.equal((await door.patch(`resources/${role}`, { name: 'x' })).status, 403);
      assert.equal((await door.remove(`resources/${role}`)).status, 403);
    }
    assert.equal((await inOrganization.post('resources', { name: 'x' })).status, 400);
    assert.ok(acme);
  });
});

describe('permissions', () => {
  it('name an action that their resource has, in the same scope (spec:rest.9)', async () => {
    const { owner, acme, as } = await makeWorkshop(stack);
    const resource = await owner.make('resources', { name: 'Doc', actions: ['Read'] });
    const made = await owner.make('permissions', { name: 'read', action: 'Read', resourceId: resource.id });
    assert.deepEqual([made.resourceId, made.action, made.condition], [resource.id, 'Read', null]);
    const unknown = await owner.post('permissions', { name: 'fly', action: 'Fly', resourceId: resource.id });
    assert.deepEqual([unknown.status, unknown.json.extensions?.field], [400, 'action']);
    assert.equal((await owner.post('permissions', { name: 'x', action: 'read', resourceId: resource.id })).status, 400);
    assert.equal((await owner.post('permissions', { name: 'x', action: 'Read', resourceId: newId() })).status, 404);
    const sister = as(acme.ownerId, await stack.makeProject(acme.scope));
    assert.equal((await sister.post('permissions', { name: 'x', action: 'Read', resourceId: resource.id })).status, 404);
    const moved = await owner.patch(`permissions/${made.id}`, { action: 'Query', resourceId: builtInResourceId('Role') });
    assert.deepEqual([moved.status, moved.data.action], [200, 'Query']);
    assert.equal((await owner.patch(`permissions/${made.id}`, { action: 'Fly' })).status, 400);
  });
});
