import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { builtInResourceId } from '../domain/ids.ts';
import { makeWorkshop } from '../testing/scenario.ts';
import { startTestStack, type TestStack } from '../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

describe('no escalation', () => {
  it('lets nobody put into a group or role what they do not hold', async () => {
    const { acme, as, inOrganization } = await makeWorkshop(stack);
    const dev = as(await acme.addMember('Dev'), acme.scope);
    const dangerous = await dev.make('permissions', { name: 'all yours', action: 'Delete', resourceId: builtInResourceId('Organization') });
    const harmless = await dev.make('permissions', { name: 'roles', action: 'Create', resourceId: builtInResourceId('Role') });
    const refused = await dev.post('groups', { name: 'g', permissionIds: [harmless.id, dangerous.id] });
    assert.deepEqual([refused.status, refused.json.translationKey], [403, 'errors.rbac.escalation']);
    assert.equal(refused.json.extensions?.action, 'Organization:Delete');
    const group = await dev.make('groups', { name: 'g', permissionIds: [harmless.id] });
    assert.equal((await dev.patch(`groups/${group.id}`, { permissionIds: [harmless.id, dangerous.id] })).status, 403);
    // Neither through a permission that is in a group already, nor through a group that an Owner has filled.
    const turned = await dev.patch(`permissions/${harmless.id}`, { action: 'Delete', resourceId: builtInResourceId('Organization') });
    assert.equal(turned.status, 403);
    const moved = await dev.make('permissions', { name: 'moved', action: 'Update', resourceId: builtInResourceId('Role') });
    assert.equal((await dev.patch(`groups/${group.id}`, { permissionIds: [harmless.id, moved.id] })).status, 200);
    assert.equal((await dev.patch(`permissions/${moved.id}`, { resourceId: builtInResourceId('Organization') })).status, 403);
    const filled = await inOrganization.make('groups', { name: 'of the owner', permissionIds: [dangerous.id] });
    assert.equal((await dev.post('roles', { name: 'r', groupIds: [filled.id] })).status, 403);
    const role = await inOrganization.make('roles', { name: 'r', groupIds: [filled.id] });
    assert.equal((await dev.patch(`roles/${role.id}`, { groupIds: [filled.id, group.id] })).status, 200, 'what was there may stay');
    assert.equal((await dev.patch(`permissions/${dangerous.id}`, { condition: null })).status, 403);
    assert.equal((await dev.patch(`permissions/${dangerous.id}`, { name: 'renamed' })).status, 200);
  });

  it('lets nobody write into a role or a group what a condition waits for', async () => {
    const { acme, as, inOrganization } = await makeWorkshop(stack);
    const dev = as(await acme.addMember('Dev'), acme.scope);
    const resourceId = builtInResourceId('Organization');
    const gold = (path: string) => ({ name: path, action: 'Delete', resourceId, condition: { Equals: { [`${path}.tier`]: 'gold' } } });
    const ofRole = await inOrganization.make('permissions', gold('role.metadata'));
    const ofGroup = await inOrganization.make('permissions', gold('group.metadata'));
    const group = await inOrganization.make('groups', { name: 'silver', permissionIds: [ofRole.id, ofGroup.id] });
    const role = await inOrganization.make('roles', { name: 'silver', groupIds: [group.id] });
    for (const path of [`roles/${role.id}`, `groups/${group.id}`]) {
      const refused = await dev.patch(path, { metadata: { tier: 'gold' } });
      assert.deepEqual([refused.status, refused.json.translationKey], [403, 'errors.rbac.escalation'], path);
      assert.equal((await dev.patch(path, { name: 'gold' })).status, 403, path);
      assert.equal((await dev.patch(path, { tagIds: [] })).status, 200, path);
      assert.equal((await inOrganization.patch(path, { metadata: { tier: 'gold' } })).status, 200, path);
    }
    const own = await dev.make('roles', { name: 'plain' });
    assert.equal((await dev.patch(`roles/${own.id}`, { metadata: { tier: 'gold' } })).status, 200);
  });

  it('keeps conditions and metadata small: they are read with every decision', async () => {
    const { owner } = await makeWorkshop(stack);
    const { id: resourceId } = await owner.make('resources', { name: 'r', actions: ['Read'] });
    const long = 'x'.repeat(66_000);
    const condition = { Equals: { 'resource.a': long } };
    const permission = await owner.post('permissions', { name: 'p', action: 'Read', resourceId, condition });
    const role = await owner.post('roles', { name: 'r', metadata: { long } });
    for (const { status, json } of [permission, role])
      assert.deepEqual([status, json.code], [400, 'VALIDATION_ERROR'], JSON.stringify(json));
    assert.equal(permission.json.extensions?.field, 'condition');
    assert.equal(role.json.extensions?.field, 'metadata');
  });

  it('holds for own-only rights and for capped tokens', async () => {
    const { acme, project, as } = await makeWorkshop(stack);
    const userId = await acme.addMember('Dev');
    const dev = as(userId, acme.scope);
    const own = { Equals: { 'resource.createdBy': '{{user.id}}' } };
    const resourceId = builtInResourceId('ApiKey');
    const free = await dev.make('permissions', { name: 'free', action: 'Delete', resourceId });
    const bound = await dev.make('permissions', { name: 'bound', action: 'Delete', resourceId, condition: own });
    assert.equal((await dev.post('groups', { name: 'g', permissionIds: [free.id] })).status, 403);
    assert.equal((await dev.post('groups', { name: 'g', permissionIds: [bound.id] })).status, 201);
    assert.equal((await dev.patch(`permissions/${bound.id}`, { condition: null })).status, 403);
    const app = stack.token({ userId: acme.ownerId, type: 'projectApp', project, scopes: ['Group:Create', 'Permission:Create'] });
    const inApp = (path: string, body: object) => stack.request('POST', `/api/${path}`, { token: app, body: { scope: project, ...body } });
    const see = await inApp('permissions', { name: 'see', action: 'Query', resourceId: builtInResourceId('Role') });
    assert.equal(see.status, 201);
    assert.equal((await inApp('groups', { name: 'g', permissionIds: [see.data.id] })).status, 403);
    assert.equal((await inApp('roles', { name: 'r' })).status, 403);
    assert.equal((await inApp('groups', { name: 'empty' })).status, 201);
  });

  it('is asserted against rights as they are at the write', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { acme, as } = await makeWorkshop(stack);
      const adminId = await acme.addMember('Admin');
      const admin = as(adminId, acme.scope);
      const permission = await admin.make('permissions', {
        name: 'update',
        action: 'Update',
        resourceId: builtInResourceId('Organization'),
      });
      const demotion = stack.clientOf(0).roles.changeMemberRole({
        actor: { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] },
        ...{ scope: acme.scope, userId: adminId, roleId: acme.roleId('Dev') },
      });
      const [, grant] = await Promise.all([demotion, admin.post('groups', { name: 'g', permissionIds: [permission.id] })]);
      assert.ok([201, 403].includes(grant.status));
      assert.equal((await admin.post('groups', { name: 'later', permissionIds: [permission.id] })).status, 403);
    }
  });
});
