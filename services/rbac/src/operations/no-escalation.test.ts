import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { makeWorkshop } from '../testing/scenario.ts';
import { startTestStack } from '../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

describe('no escalation', () => {
  test('an actor cannot add actions to a group or role that it does not hold', async () => {
    const { acme, as, inOrganization } = await makeWorkshop(stack);
    const dev = as(await acme.addMember('Dev'), acme.scope);
    const dangerous = await dev.make('permissions', { name: 'all yours', action: 'Delete', resourceId: builtInResourceId('Organization') });
    const harmless = await dev.make('permissions', { name: 'roles', action: 'Create', resourceId: builtInResourceId('Role') });
    const refused = await dev.post('groups', { name: 'g', permissionIds: [harmless.id, dangerous.id] });
    expect([refused.status, refused.json.translationKey]).toStrictEqual([403, 'errors.rbac.escalation']);
    expect(refused.json.extensions?.action).toBe('Organization:Delete');
    const group = await dev.make('groups', { name: 'g', permissionIds: [harmless.id] });
    expect((await dev.patch(`groups/${group.id}`, { permissionIds: [harmless.id, dangerous.id] })).status).toBe(403);
    // Neither through a permission that is in a group already, nor through a group that an Owner
    // has filled.
    const turned = await dev.patch(`permissions/${harmless.id}`, { action: 'Delete', resourceId: builtInResourceId('Organization') });
    expect(turned.status).toBe(403);
    const moved = await dev.make('permissions', { name: 'moved', action: 'Update', resourceId: builtInResourceId('Role') });
    expect((await dev.patch(`groups/${group.id}`, { permissionIds: [harmless.id, moved.id] })).status).toBe(200);
    expect((await dev.patch(`permissions/${moved.id}`, { resourceId: builtInResourceId('Organization') })).status).toBe(403);
    const filled = await inOrganization.make('groups', { name: 'of the owner', permissionIds: [dangerous.id] });
    expect((await dev.post('roles', { name: 'r', groupIds: [filled.id] })).status).toBe(403);
    const role = await inOrganization.make('roles', { name: 'r', groupIds: [filled.id] });
    // What was there may stay.
    expect((await dev.patch(`roles/${role.id}`, { groupIds: [filled.id, group.id] })).status).toBe(200);
    expect((await dev.patch(`permissions/${dangerous.id}`, { condition: null })).status).toBe(403);
    expect((await dev.patch(`permissions/${dangerous.id}`, { name: 'renamed' })).status).toBe(200);
  });

  test('an actor cannot set metadata of a role or group that makes a condition hold', async () => {
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
      expect([refused.status, refused.json.translationKey]).toStrictEqualFor(path, [403, 'errors.rbac.escalation']);
      expect((await dev.patch(path, { name: 'gold' })).status).toStrictEqualFor(path, 403);
      expect((await dev.patch(path, { tagIds: [] })).status).toStrictEqualFor(path, 200);
      expect((await inOrganization.patch(path, { metadata: { tier: 'gold' } })).status).toStrictEqualFor(path, 200);
    }
    const own = await dev.make('roles', { name: 'plain' });
    expect((await dev.patch(`roles/${own.id}`, { metadata: { tier: 'gold' } })).status).toBe(200);
  });

  test('conditions and metadata are limited in size', async () => {
    const { owner } = await makeWorkshop(stack);
    const { id: resourceId } = await owner.make('resources', { name: 'r', actions: ['Read'] });
    const long = 'x'.repeat(66_000);
    const condition = { Equals: { 'resource.a': long } };
    const permission = await owner.post('permissions', { name: 'p', action: 'Read', resourceId, condition });
    const role = await owner.post('roles', { name: 'r', metadata: { long } });
    for (const { status, json } of [permission, role]) expect([status, json.code]).toStrictEqualFor(json, [400, 'VALIDATION_ERROR']);
    expect(permission.json.extensions?.field).toBe('condition');
    expect(role.json.extensions?.field).toBe('metadata');
  });

  test('rights to own entities and capped tokens cannot be escalated', async () => {
    const { acme, project, as } = await makeWorkshop(stack);
    const userId = await acme.addMember('Dev');
    const dev = as(userId, acme.scope);
    const own = { Equals: { 'resource.createdBy': '{{user.id}}' } };
    const resourceId = builtInResourceId('ApiKey');
    const free = await dev.make('permissions', { name: 'free', action: 'Delete', resourceId });
    const bound = await dev.make('permissions', { name: 'bound', action: 'Delete', resourceId, condition: own });
    expect((await dev.post('groups', { name: 'g', permissionIds: [free.id] })).status).toBe(403);
    expect((await dev.post('groups', { name: 'g', permissionIds: [bound.id] })).status).toBe(201);
    expect((await dev.patch(`permissions/${bound.id}`, { condition: null })).status).toBe(403);
    const app = stack.token({ userId: acme.ownerId, type: 'projectApp', project, scopes: ['Group:Create', 'Permission:Create'] });
    const inApp = (path: string, body: object) => stack.request('POST', `/api/${path}`, { token: app, body: { scope: project, ...body } });
    const see = await inApp('permissions', { name: 'see', action: 'Query', resourceId: builtInResourceId('Role') });
    expect(see.status).toBe(201);
    expect((await inApp('groups', { name: 'g', permissionIds: [see.data.id] })).status).toBe(403);
    expect((await inApp('roles', { name: 'r' })).status).toBe(403);
    expect((await inApp('groups', { name: 'empty' })).status).toBe(201);
  });

  test('an action is compared with the rights at the time of the write', async () => {
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
        scope: acme.scope,
        userId: adminId,
        roleId: acme.roleId('Dev'),
      });
      const [, grant] = await Promise.all([demotion, admin.post('groups', { name: 'g', permissionIds: [permission.id] })]);
      expect([201, 403]).toContain(grant.status);
      expect((await admin.post('groups', { name: 'later', permissionIds: [permission.id] })).status).toBe(403);
    }
  });
});
