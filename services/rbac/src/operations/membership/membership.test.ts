import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

function session(userId: string) {
  return { type: 'session', userId, tokenId: newId(), scopes: [] };
}
type Organization = Awaited<ReturnType<TestStack['makeOrganization']>>;
function roles() {
  return stack.clientOf(0).roles;
}
function change({ scope, roleId }: Organization, actor: string, userId: string, role: string) {
  return roles().changeMemberRole({ actor: session(actor), scope, userId, roleId: roleId(role) });
}
function end({ scope }: Organization, userId: string, actor?: string) {
  return roles().endMembership({ scope, userId, ...(actor === undefined ? {} : { actor: session(actor) }) });
}
async function namesOf(scope: Scope, userId: string) {
  return (await roles().listSubjectRoles({ scope, userIds: [userId] })).subjects[0]?.roles.map(({ name }) => name);
}

describe('the hierarchy of members', () => {
  it('lets only those above change somebody, and only to roles below their own', async () => {
    const acme = await stack.makeOrganization();
    const [admin, other, dev, viewer] = [
      await acme.addMember('Admin'),
      await acme.addMember('Admin'),
      await acme.addMember('Dev'),
      await acme.addMember('Viewer'),
    ];
    assert.equal((await change(acme, admin, viewer, 'Dev')).name, 'Dev');
    await assert.rejects(change(acme, admin, viewer, 'Admin'), { kind: 'forbidden', key: 'errors.rbac.aboveOwnRank' });
    await assert.rejects(change(acme, admin, other, 'Viewer'), { key: 'errors.rbac.aboveOwnRank' });
    await assert.rejects(change(acme, admin, acme.ownerId, 'Viewer'), { key: 'errors.rbac.aboveOwnRank' });
    await assert.rejects(change(acme, admin, admin, 'Owner'), { key: 'errors.rbac.aboveOwnRank' });
    await assert.rejects(change(acme, dev, viewer, 'Viewer'), { kind: 'forbidden' });
    await assert.rejects(change(acme, newId(), viewer, 'Viewer'), { kind: 'forbidden' });
    assert.equal((await change(acme, acme.ownerId, admin, 'Owner')).rank, 1);
    assert.deepEqual(await namesOf(acme.scope, admin), ['Owner']);
  });

  it('refuses roles from elsewhere and people who are no members', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const viewer = await acme.addMember('Viewer');
    const foreign = { actor: session(acme.ownerId), scope: acme.scope, userId: viewer, roleId: globex.roleId('Dev') };
    await assert.rejects(roles().changeMemberRole(foreign), { kind: 'not-found' });
    await end(acme, viewer, acme.ownerId);
    await assert.rejects(change(acme, acme.ownerId, viewer, 'Dev'), { kind: 'not-found', key: 'errors.rbac.notMember' });
    await acme.addMember('Viewer', viewer);
    assert.equal((await change(acme, acme.ownerId, viewer, 'Dev')).name, 'Dev');
  });

  it('keeps the last Owner, whoever asks', async () => {
    const acme = await stack.makeOrganization();
    await assert.rejects(change(acme, acme.ownerId, acme.ownerId, 'Viewer'), { kind: 'conflict', key: 'errors.rbac.lastOwner' });
    await assert.rejects(end(acme, acme.ownerId), { kind: 'conflict' });
    await assert.rejects(end(acme, acme.ownerId, acme.ownerId), { kind: 'conflict' });
    const second = await acme.addMember('Owner');
    await end(acme, acme.ownerId);
    assert.deepEqual(await namesOf(acme.scope, acme.ownerId), []);
    await assert.rejects(end(acme, second), { kind: 'conflict' });
  });

  it('keeps one of two Owners who leave, or demote each other, at the same time', async () => {
    for (const race of ['leave', 'demote'] as const) {
      const acme = await stack.makeOrganization();
      const second = await acme.addMember('Owner');
      const results = await Promise.allSettled(
        race === 'leave'
          ? [end(acme, acme.ownerId), end(acme, second)]
          : [change(acme, acme.ownerId, second, 'Viewer'), change(acme, second, acme.ownerId, 'Viewer')],
      );
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1, race);
      const owners = await Promise.all([acme.ownerId, second].map((userId) => namesOf(acme.scope, userId)));
      assert.equal(owners.flat().filter((name) => name === 'Owner').length, 1);
    }
  });

  it('counts what the actor is now, not what it was when it asked', async () => {
    for (let round = 0; round < 5; round += 1) {
      const acme = await stack.makeOrganization();
      const [admin, viewer] = [await acme.addMember('Admin'), await acme.addMember('Viewer')];
      assert.ok((await stack.check(admin, acme.scope, 'OrganizationMember:Update')).authorized);
      const [demoted, promoted] = await Promise.allSettled([
        change(acme, acme.ownerId, admin, 'Viewer'),
        change(acme, admin, viewer, 'Dev'),
      ]);
      assert.equal(demoted.status, 'fulfilled');
      const after = await namesOf(acme.scope, viewer);
      assert.deepEqual(after, promoted.status === 'fulfilled' ? ['Dev'] : ['Viewer']);
      await assert.rejects(change(acme, admin, viewer, 'Viewer'), { kind: 'forbidden' });
    }
  });

  it('ends a membership with an event, once for all assignments', async () => {
    const acme = await stack.makeOrganization();
    const viewer = await acme.addMember('Viewer');
    await end(acme, viewer, acme.ownerId);
    const ended = stack.peers.heard.filter(({ type, payloadJson }) => type === 'membership.ended' && payloadJson.includes(viewer));
    assert.equal(ended.length, 1);
    assert.equal((await stack.check(viewer, acme.scope, 'Role:Query')).authorized, false);
  });

  it('is ended by nobody who may not remove members, however low the member stands', async () => {
    const acme = await stack.makeOrganization();
    const [viewer, unranked] = [await acme.addMember('Viewer'), await stack.join(acme.scope, [])];
    await assert.rejects(end(acme, unranked, viewer), { kind: 'forbidden', key: 'errors.forbidden' });
    await assert.rejects(end(acme, unranked, newId()), { kind: 'forbidden' });
    await end(acme, unranked, acme.ownerId);
  });

  it('leaves several organizations together, or none', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const user = await acme.addMember('Dev');
    await globex.addMember('Owner', user);
    await assert.rejects(roles().endMemberships({ userId: acme.ownerId, organizationIds: [acme.id, globex.id] }), { kind: 'conflict' });
    await roles().endMemberships({ userId: user, organizationIds: [globex.id, acme.id] });
    assert.deepEqual([await namesOf(acme.scope, user), await namesOf(globex.scope, user)], [[], []]);
  });

  it('tells who owns which organizations', async () => {
    const acme = await stack.makeOrganization();
    await acme.addMember('Owner');
    const { organizations } = await roles().listOwnedOrganizations({ userId: acme.ownerId });
    assert.deepEqual(organizations, [{ organizationId: acme.id, ownerCount: 2 }]);
  });
});

describe('roles of users', () => {
  it('are replaced as a whole, and obey the hierarchy', async () => {
    const acme = await stack.makeOrganization();
    const [admin, viewer] = [await acme.addMember('Admin'), await acme.addMember('Viewer')];
    const set = (actor: string, userId: string, ...names: string[]) =>
      roles().setSubjectRoles({ actor: session(actor), scope: acme.scope, userId, roleIds: names.map(acme.roleId) });
    await set(admin, viewer, 'Viewer', 'Dev');
    assert.deepEqual(await namesOf(acme.scope, viewer), ['Dev', 'Viewer']);
    await assert.rejects(set(admin, viewer, 'Admin'), { kind: 'forbidden' });
    await assert.rejects(set(admin, admin, 'Owner'), { kind: 'forbidden' });
    const peer = await acme.addMember('Admin');
    for (const names of [['Viewer'], ['Admin', 'Viewer'], []])
      await assert.rejects(set(admin, peer, ...names), { key: 'errors.rbac.aboveOwnRank' }, `${names}`);
    await assert.rejects(set(admin, acme.ownerId, 'Owner', 'Viewer'), { key: 'errors.rbac.aboveOwnRank' });
    await assert.rejects(set(acme.ownerId, acme.ownerId), { kind: 'conflict' });
    const bare = await stack.join(acme.scope, []);
    await set(admin, bare, 'Viewer');
    assert.deepEqual(await namesOf(acme.scope, bare), ['Viewer']);
    await set(admin, viewer);
    await assert.rejects(set(admin, viewer, 'Viewer'), { kind: 'not-found', key: 'errors.rbac.notMember' });
    assert.ok(stack.peers.heard.some(({ type, payloadJson }) => type === 'membership.ended' && payloadJson.includes(viewer)));
  });

  it('in a project are the project’s own', async () => {
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const token = stack.token({ userId: acme.ownerId });
    const { data } = await stack.request('POST', '/api/roles', { token, body: { scope: project, name: 'Reader' } });
    const user = await stack.join(project, []);
    const set = (roleIds: string[]) => roles().setSubjectRoles({ actor: session(acme.ownerId), scope: project, userId: user, roleIds });
    await set([`${data.id}`]);
    assert.deepEqual(await namesOf(project, user), ['Reader']);
    await assert.rejects(set([acme.roleId('Viewer')]), { kind: 'not-found' });
    await set([]);
    assert.deepEqual(await namesOf(project, user), []);
  });
});

describe('checking a grant before somebody else’s write', () => {
  it('tells what may be given to members and to keys', async () => {
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const project = await stack.makeProject(acme.scope);
    const dev = await acme.addMember('Dev');
    const verdicts = async (scope: Scope, names: readonly string[], givenTo: string, actor = dev) => {
      const roleIds = [...names.map(acme.roleId), globex.roleId('Viewer')];
      const answer = await roles().checkGrant({ actor: session(actor), scope, roleIds, givenTo });
      return answer.verdicts.map(({ verdict }) => verdict);
    };
    assert.deepEqual(await verdicts(acme.scope, ['Admin', 'Dev', 'Viewer'], ''), [
      'above-own-rank',
      'above-own-rank',
      'allowed',
      'not-found',
    ]);
    assert.deepEqual(await verdicts(project, ['Admin', 'Dev', 'Viewer'], 'key'), ['above-own-rank', 'allowed', 'allowed', 'not-found']);
    assert.deepEqual(await verdicts(project, ['Viewer'], 'user'), ['not-found', 'not-found']);
    assert.deepEqual(await verdicts(acme.scope, ['Viewer'], '', newId()), ['above-own-rank', 'not-found']);
    const found = await roles().getRoles({ scope: project, roleIds: [acme.roleId('Viewer'), globex.roleId('Viewer')] });
    assert.deepEqual(
      found.roles.map(({ id }) => id),
      [acme.roleId('Viewer')],
    );
  });
});
