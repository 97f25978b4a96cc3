/** Project roles and metadata of members: what they decide, who gives them, and how they end. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { makeWorkshop } from '../../testing/scenario.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

function session(userId: string) {
  return { type: 'session', userId, tokenId: newId(), scopes: [] };
}
function roles() {
  return stack.clientOf(0).roles;
}
function give(scope: Scope, actor: string, userId: string, roleIds: readonly string[]) {
  return roles().setSubjectRoles({ actor: session(actor), scope, userId, roleIds });
}
function note(scope: Scope, actor: string, userId: string, metadata: object) {
  return roles().setMemberMetadata({ actor: session(actor), scope, userId, metadataJson: JSON.stringify(metadata) });
}

/** A project with a resource `invoice`, and a role that has one of its actions. */
async function arrange(condition?: object) {
  const shop = await makeWorkshop(stack);
  const { owner } = shop;
  const resource = await owner.make('resources', { name: 'Invoice', slug: 'invoice', actions: ['Approve'] });
  const allowed = { name: 'approve', resourceId: resource.id, action: 'Approve', ...(condition ? { condition } : {}) };
  const permission = await owner.make('permissions', allowed);
  const group = await owner.make('groups', { name: 'approvers', permissionIds: [permission.id] });
  const role = await owner.make('roles', { name: 'Approver', groupIds: [group.id] });
  const may = async (userId: string) => (await stack.check(userId, shop.project, 'invoice:Approve')).authorized;
  return { ...shop, roleId: `${role.id}`, may };
}

describe('project roles', () => {
  test('a member, the Owner and a user of the project get them alike, beside the organization’s role', async () => {
    const { acme, project, roleId, may } = await arrange();
    const [viewer, guest] = [await acme.addMember('Viewer'), await stack.join(project, [])];
    for (const userId of [viewer, guest, acme.ownerId]) {
      expect(await may(userId)).toBe(false);
      await give(project, acme.ownerId, userId, [roleId]);
      expect(await may(userId)).toBe(true);
    }
    expect((await stack.check(viewer, project, 'Role:Query')).authorized).toBe(true);
    await give(project, acme.ownerId, viewer, []);
    expect([await may(viewer), (await stack.check(viewer, acme.scope, 'Role:Query')).authorized]).toStrictEqual([false, true]);
  });

  test('the owner of an account gives them to themselves', async () => {
    const { scope, ownerId } = await stack.makeAccount();
    const project = await stack.makeProject(scope);
    const token = stack.token({ userId: ownerId });
    const { data } = await stack.request('POST', '/api/roles', { token, body: { scope: project, name: 'Reader' } });
    await give(project, ownerId, ownerId, [`${data.id}`]);
    const { subjects } = await roles().listSubjectRoles({ scope: project, userIds: [ownerId] });
    expect(subjects[0]?.roles.map(({ name }) => name)).toStrictEqual(['Reader']);
  });

  test('a member cannot give a built-in action that they lack, or change the roles of a superior', async () => {
    const { acme, project, owner } = await makeWorkshop(stack);
    const make = async (name: string, resource: string, action: string) => {
      const permission = await owner.make('permissions', { name, resourceId: builtInResourceId(resource), action });
      const group = await owner.make('groups', { name, permissionIds: [permission.id] });
      return `${(await owner.make('roles', { name, groupIds: [group.id] })).id}`;
    };
    const [manager, maker] = [await make('manager', 'User', 'Update'), await make('maker', 'ApiKey', 'Create')];
    const [clerk, viewer] = [await stack.join(project, [manager]), await acme.addMember('Viewer')];
    await expect(give(project, clerk, clerk, [manager, maker])).rejects.toMatchObject({ key: 'errors.rbac.escalation' });
    await expect(give(project, clerk, viewer, [manager])).rejects.toMatchObject({ key: 'errors.rbac.aboveOwnRank' });
    const admin = await acme.addMember('Admin');
    await give(project, acme.ownerId, acme.ownerId, [maker]);
    await expect(give(project, admin, acme.ownerId, [])).rejects.toMatchObject({ key: 'errors.rbac.aboveOwnRank' });
  });

  test('they end with the membership, and cannot be given to a former member', async () => {
    const { acme, project, roleId, may } = await arrange();
    for (const leave of ['remove', 'no-role', 'event'] as const) {
      const member = await acme.addMember('Dev');
      await give(project, acme.ownerId, member, [roleId]);
      await note(project, acme.ownerId, member, { level: 1 });
      if (leave === 'remove') await roles().endMembership({ actor: session(acme.ownerId), scope: acme.scope, userId: member });
      if (leave === 'no-role') await give(acme.scope, acme.ownerId, member, []);
      if (leave === 'event') await stack.tell('user.left', { userId: member, scope: acme.scope });
      expect([leave, await may(member)]).toStrictEqual([leave, false]);
      await expect(give(project, acme.ownerId, member, [roleId])).rejects.toMatchObject({ key: 'errors.rbac.notMember' });
      const { subjects } = await roles().listSubjectRoles({ scope: project, userIds: [member] });
      expect(subjects).toMatchObject([{ userId: member, roles: [], metadataJson: '{}' }]);
    }
  });
});

const condition = { StringEquals: { 'member.metadata.level': 'gold' } };

describe('metadata of members', () => {
  test('conditions read it: the project’s over the organization’s, and none that people write themselves', async () => {
    const { acme, project, roleId, may } = await arrange(condition);
    const member = await acme.addMember('Viewer');
    await give(project, acme.ownerId, member, [roleId]);
    stack.peers.people.set(member, { name: 'a member', metadata: { level: 'gold' } });
    expect(await may(member)).toBe(false);
    const grown = () => stack.peers.heard.filter(({ type, payloadJson }) => type === 'rights.grew' && payloadJson.includes(member)).length;
    const before = grown();
    await note(project, acme.ownerId, member, { level: 'gold' });
    expect(grown()).toBeGreaterThan(before);
    await note(project, acme.ownerId, member, {});
    await note(acme.scope, acme.ownerId, member, { level: 'gold' });
    expect(await may(member)).toBe(true);
    await note(project, acme.ownerId, member, { level: 'tin' });
    expect(await may(member)).toBe(false);
    await note(project, acme.ownerId, member, {});
    const body = { permission: { resource: 'invoice', action: 'Approve' }, scope: project };
    const { data } = await stack.request('POST', '/api/auth/is-authorized', { token: stack.token({ userId: member }), body });
    expect(data).toMatchObject({ authorized: true, evaluatedContext: { member: { metadata: { level: 'gold' } } } });
  });

  test('Owners and Admins write it, of members below them', async () => {
    const { acme, project } = await makeWorkshop(stack);
    const [admin, other, dev, viewer] = [
      await acme.addMember('Admin'),
      await acme.addMember('Admin'),
      await acme.addMember('Dev'),
      await acme.addMember('Viewer'),
    ];
    for (const scope of [acme.scope, project]) {
      await note(scope, admin, viewer, { level: 'gold' });
      for (const [actor, userId] of [
        [dev, dev],
        [dev, viewer],
        [admin, other],
        [admin, admin],
        [admin, acme.ownerId],
      ] as const)
        await expect(note(scope, actor, userId, {})).rejects.toMatchObject({ key: 'errors.rbac.aboveOwnRank' });
    }
    await expect(note(acme.scope, newId(), viewer, {})).rejects.toMatchObject({ kind: 'forbidden' });
  });

  test('an action that depends on it is given only by those who hold the action', async () => {
    const { acme, inOrganization } = await makeWorkshop(stack);
    const input = { name: 'delete', resourceId: builtInResourceId('Organization'), action: 'Delete', condition };
    const permission = await inOrganization.make('permissions', input);
    const group = await inOrganization.make('groups', { name: 'g', permissionIds: [permission.id] });
    const role = await inOrganization.make('roles', { name: 'Closer', groupIds: [group.id] });
    const [admin, dev] = [await acme.addMember('Admin'), await acme.addMember('Dev')];
    await give(acme.scope, acme.ownerId, dev, [acme.roleId('Dev'), `${role.id}`]);
    await expect(note(acme.scope, admin, dev, { level: 'gold' })).rejects.toMatchObject({ key: 'errors.rbac.escalation' });
    await note(acme.scope, acme.ownerId, dev, { level: 'gold' });
    expect((await stack.check(dev, acme.scope, 'Organization:Delete')).authorized).toBe(true);
  });
});

describe('roles and metadata in one request', () => {
  test('both change, or neither', async () => {
    const { acme, project, roleId, may } = await arrange(condition);
    const [admin, viewer] = [await acme.addMember('Admin'), await acme.addMember('Viewer')];
    const metadataJson = JSON.stringify({ level: 'gold' });
    const asked = { scope: acme.scope, userId: viewer, metadataJson };
    await expect(roles().changeMemberRole({ ...asked, actor: session(admin), roleId: acme.roleId('Owner') })).rejects.toMatchObject({
      key: 'errors.rbac.aboveOwnRank',
    });
    await roles().setSubjectRoles({ actor: session(admin), scope: project, userId: viewer, roleIds: [roleId] });
    expect(await may(viewer)).toBe(false);
    await roles().changeMemberRole({ ...asked, actor: session(admin), roleId: acme.roleId('Dev') });
    expect(await may(viewer)).toBe(true);
    const tin = JSON.stringify({ level: 'tin' });
    const dev = await acme.addMember('Dev');
    const refused = roles().setSubjectRoles({ actor: session(dev), scope: project, userId: viewer, roleIds: [], metadataJson: tin });
    await expect(refused).rejects.toMatchObject({ key: 'errors.rbac.aboveOwnRank' });
    expect(await may(viewer)).toBe(true);
    await roles().setSubjectRoles({ actor: session(admin), scope: project, userId: viewer, roleIds: [roleId], metadataJson: tin });
    expect(await may(viewer)).toBe(false);
  });
});

describe('deleting a role', () => {
  test('an organization keeps a member’s only role; a project’s goes', async () => {
    const { acme, project, owner, inOrganization } = await makeWorkshop(stack);
    const auditor = `${(await inOrganization.make('roles', { name: 'Auditor' })).id}`;
    const [first, second] = [await acme.addMember('Viewer'), await acme.addMember('Viewer')];
    for (const userId of [first, second]) await give(acme.scope, acme.ownerId, userId, [auditor]);
    const refused = await inOrganization.remove(`roles/${auditor}`);
    expect([refused.status, refused.json.translationKey, refused.json.extensions]).toStrictEqual([
      409,
      'errors.rbac.onlyRole',
      { resource: 'Role', count: 2 },
    ]);
    const answer = await stack.graphql(
      'mutation ($input: DeleteRoleInput!) { deleteRole(input: $input) { id } }',
      { input: { scope: acme.scope, id: auditor } },
      { token: inOrganization.token },
    );
    expect(answer.json.errors?.map((error) => [error.extensions?.code, error.extensions?.count])).toStrictEqual([['CONFLICT', 2]]);
    for (const userId of [first, second]) await give(acme.scope, acme.ownerId, userId, [acme.roleId('Viewer'), auditor]);
    expect((await inOrganization.remove(`roles/${auditor}`)).status).toBe(200);
    const reader = `${(await owner.make('roles', { name: 'Reader' })).id}`;
    await stack.join(project, [reader]);
    expect((await owner.remove(`roles/${reader}`)).status).toBe(200);
  });
});
