/** What is left in tenancy's own tables when an organization or a user's accounts end, softly and for good. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { newId } from '@tessera/kernel/ids';
import { insertAccount } from '../../storage/accounts.ts';
import { addProjectUser } from '../../storage/project-users.ts';
import { call } from '../../testing/call.ts';
import { openStage, type Stage, type User } from '../../testing/service.ts';
import { closeAccounts } from './close-accounts.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

async function count(text: string, id: unknown): Promise<number> {
  return (await stage.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${text}`, [id]))[0]?.n ?? -1;
}

async function createProject(scope: { tenant: string; id: string }, { token }: User): Promise<string> {
  return String((await call(stage, 'rest', 'createProject', { scope, name: 'Rocket' }, token)).data.id);
}

/** Somebody who signed in to an app of the project. */
async function joinProject(scope: { tenant: string; id: string }): Promise<User> {
  const user = await stage.register('Project Person', 'personal');
  const payload = { userId: user.id, name: 'Project Person', email: user.email, scope };
  await stage.tell('user.joined', { ...payload, roleIds: [], tagIds: [], primaryTagId: null, createdBy: null });
  assert.equal(await count('project_users WHERE user_id = $1', user.id), 1);
  return user;
}

for (const hard of [false, true]) {
  describe(`ended ${hard ? 'for good' : 'softly'}`, () => {
    it('an organization takes its projects along and revokes its open invitations', async () => {
      const { owner, organizationId } = await stage.found();
      const scope = { tenant: 'organization', id: organizationId };
      const projectId = await createProject(scope, owner);
      await joinProject({ tenant: 'organizationProject', id: `${organizationId}:${projectId}` });
      const invited = { scope, email: `guest.${newId().slice(-10)}@example.com`, roleId: stage.rbac.roleId(organizationId, 'Dev') };
      const { data: invitation } = await call(stage, 'rest', 'inviteMember', invited, owner.token);
      await call(stage, 'rest', 'deleteOrganization', { scope, id: organizationId, hardDelete: hard }, owner.token);
      assert.equal(await count('projects WHERE id = $1 AND deleted_at IS NULL', projectId), 0);
      assert.equal(await count(`organization_invitations WHERE id = $1 AND status = 'pending'`, invitation.id), 0);
      const kept = hard ? 0 : 1;
      for (const [table, id] of [
        ['organizations WHERE id = $1', organizationId],
        ['organization_users WHERE organization_id = $1', organizationId],
        ['organization_invitations WHERE organization_id = $1', organizationId],
        ['projects WHERE id = $1', projectId],
        ['project_users WHERE project_id = $1', projectId],
      ] as const)
        assert.equal(await count(table, id), kept, table);
    });

    it('a user’s accounts take their projects along, and memberships everywhere end', async () => {
      const { owner: leaver } = await stage.found('Alone');
      const { owner: other, organizationId } = await stage.found('Shared');
      const shared = await createProject({ tenant: 'organization', id: organizationId }, other);
      const theirs = await createProject({ tenant: 'account', id: other.accountId }, other);
      const places = [
        { tenant: 'organizationProject', id: `${organizationId}:${shared}` },
        { tenant: 'accountProject', id: `${other.accountId}:${theirs}` },
      ];
      for (const scope of places)
        await stage.tell('user.joined', {
          ...{ userId: leaver.id, name: 'Leaver', email: leaver.email, scope },
          ...{ roleIds: [], tagIds: [], primaryTagId: null, createdBy: null },
        });
      const own = await createProject({ tenant: 'account', id: leaver.accountId }, leaver);
      await closeAccounts(stage.inner, leaver.id, hard);
      assert.equal(await count('accounts WHERE id = $1 AND deleted_at IS NULL', leaver.accountId), 0);
      assert.equal(await count('projects WHERE id = $1 AND deleted_at IS NULL', own), 0);
      for (const table of ['accounts WHERE owner_id = $1', 'organizations WHERE created_by = $1', 'projects WHERE created_by = $1'])
        assert.equal(await count(table, leaver.id), hard ? 0 : 1, table);
      for (const table of ['organization_users', 'project_users'])
        assert.equal(await count(`${table} WHERE user_id = $1`, leaver.id), 0, table);
      assert.deepEqual(await stage.rows('SELECT name, email FROM people WHERE user_id = $1', [leaver.id]), [{ name: '', email: null }]);
      assert.deepEqual(stage.identity.closed.at(-1), { userId: leaver.id, hard });
      const told = stage.rbac.heard.flatMap(({ type, payload }) =>
        type === 'user.left' && payload.userId === leaver.id ? [payload.scope] : [],
      );
      for (const place of places)
        assert.ok(
          told.some((scope) => isDeepStrictEqual(scope, place)),
          `the others hear of the ${place.tenant} too`,
        );
    });

    it('accounts that are closed a second time, or of nobody known, tell identity all the same', async () => {
      const { owner } = await stage.found();
      await closeAccounts(stage.inner, owner.id, hard);
      for (const userId of [owner.id, newId()]) {
        stage.identity.closed.length = 0;
        await closeAccounts(stage.inner, userId, hard);
        assert.deepEqual(stage.identity.closed, [{ userId, hard }]);
      }
    });
  });
}

describe('nothing new begins', () => {
  it('for somebody who is leaving: no membership, no account, no place in a project', async () => {
    const { owner, organizationId } = await stage.found();
    const scope = { tenant: 'organization', id: organizationId };
    const leaver = await stage.register('Leaver', 'personal');
    const invited = { scope, email: leaver.email, roleId: stage.rbac.roleId(organizationId, 'Dev') };
    await call(stage, 'rest', 'inviteMember', invited, owner.token);
    const projectId = await createProject(scope, owner);
    await stage.rows('UPDATE people SET closing_at = now() WHERE user_id = $1', [leaver.id]);
    const accepted = await call(stage, 'rest', 'acceptInvitation', { token: stage.identity.tokenFor(leaver.email) }, leaver.token);
    assert.deepEqual([accepted.code, accepted.key], ['CONFLICT', 'errors.organizationInvitation.notPending']);
    assert.equal(
      await stage.database.transaction((tx) => insertAccount(tx, { id: newId(), type: 'organization', ownerId: leaver.id })),
      undefined,
    );
    await stage.database.transaction((tx) => addProjectUser(tx, organizationId, projectId, leaver.id));
    for (const table of ['organization_users', 'project_users'])
      assert.equal(await count(`${table} WHERE user_id = $1`, leaver.id), 0, table);
    assert.equal(await count('accounts WHERE owner_id = $1', leaver.id), 1);
  });

  it('in a project that is gone, or under another parent than its own', async () => {
    const { owner, organizationId } = await stage.found();
    const scope = { tenant: 'organization', id: organizationId };
    const [gone, there] = [await createProject(scope, owner), await createProject(scope, owner)];
    await call(stage, 'rest', 'deleteProject', { scope, id: gone }, owner.token);
    const user = await stage.register('Late');
    await stage.database.transaction(async (tx) => {
      await addProjectUser(tx, organizationId, gone, user.id);
      await addProjectUser(tx, user.accountId, there, user.id);
    });
    assert.equal(await count('project_users WHERE user_id = $1', user.id), 0);
  });
});

describe('a closing that was asked for twice', () => {
  it('is for good when one of the two asked for that', async () => {
    for (const [first, second] of [
      [true, false],
      [false, true],
    ] as const) {
      const { owner } = await stage.found();
      // The sixth step is the moment after the first commit.
      stage.fuse.arm(6);
      await closeAccounts(stage.inner, owner.id, first).catch(() => undefined);
      stage.fuse.renew();
      assert.equal(
        await count('people WHERE user_id = $1 AND closing_at IS NOT NULL', owner.id),
        1,
        'it died after the wish was written down',
      );
      await closeAccounts(stage.inner, owner.id, second);
      assert.equal(await count('accounts WHERE owner_id = $1', owner.id), 0);
    }
  });
});
