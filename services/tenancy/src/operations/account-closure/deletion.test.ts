/** The rows that a soft or hard deletion of an organization or account leaves. */

import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { insertAccount } from '../../storage/accounts.ts';
import { addProjectUser } from '../../storage/project-users.ts';
import { call } from '../../testing/call.ts';
import { openTestService, type User } from '../../testing/service.ts';
import { closeAccounts } from './close-accounts.ts';

const service = await openTestService();
afterAll(() => service.close());

async function count(text: string, id: unknown): Promise<number> {
  return (await service.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${text}`, [id]))[0]?.n ?? -1;
}

async function createProject(scope: { tenant: string; id: string }, { token }: User): Promise<string> {
  return String((await call(service, 'rest', 'createProject', { scope, name: 'Rocket' }, token)).data.id);
}

/** A user who signed in to an app of the project. */
async function joinProject(scope: { tenant: string; id: string }): Promise<User> {
  const user = await service.register('Project Person', 'personal');
  await service.join(user, scope, 'Project Person');
  expect(await count('project_users WHERE user_id = $1', user.id)).toBe(1);
  return user;
}

for (const hard of [false, true])
  describe(`${hard ? 'hard' : 'soft'} deletion`, () => {
    test(`a ${hard ? 'hard' : 'soft'}-deleted organization loses its projects and its open invitations are revoked`, async () => {
      const { owner, organizationId, scope } = await service.createOrganization();
      const projectId = await createProject(scope, owner);
      await joinProject({ tenant: 'organizationProject', id: `${organizationId}:${projectId}` });
      const invited = { scope, email: `guest.${newId().slice(-10)}@example.com`, roleId: service.rbac.roleId(organizationId, 'Dev') };
      const { data: invitation } = await call(service, 'rest', 'inviteMember', invited, owner.token);
      await call(service, 'rest', 'deleteOrganization', { scope, id: organizationId, hardDelete: hard }, owner.token);
      expect(await count('projects WHERE id = $1 AND deleted_at IS NULL', projectId)).toBe(0);
      expect(await count(`organization_invitations WHERE id = $1 AND status = 'pending'`, invitation.id)).toBe(0);
      const kept = hard ? 0 : 1;
      for (const [table, id] of [
        ['organizations WHERE id = $1', organizationId],
        ['organization_users WHERE organization_id = $1', organizationId],
        ['organization_invitations WHERE organization_id = $1', organizationId],
        ['projects WHERE id = $1', projectId],
        ['project_users WHERE project_id = $1', projectId],
      ] as const)
        expect(await count(table, id)).toStrictEqualFor(table, kept);
    });

    test(`closeAccounts (${hard ? 'hard' : 'soft'}) deletes the accounts with their projects and ends all memberships`, async () => {
      const { owner: leaver } = await service.createOrganization('Alone');
      const { owner: other, organizationId } = await service.createOrganization('Shared');
      const shared = await createProject({ tenant: 'organization', id: organizationId }, other);
      const theirs = await createProject({ tenant: 'account', id: other.accountId }, other);
      const places = [
        { tenant: 'organizationProject', id: `${organizationId}:${shared}` },
        { tenant: 'accountProject', id: `${other.accountId}:${theirs}` },
      ];
      for (const scope of places) await service.join(leaver, scope, 'Leaver');
      const own = await createProject({ tenant: 'account', id: leaver.accountId }, leaver);
      await closeAccounts(service.grpcDeps, leaver.id, hard);
      expect(await count('accounts WHERE id = $1 AND deleted_at IS NULL', leaver.accountId)).toBe(0);
      expect(await count('projects WHERE id = $1 AND deleted_at IS NULL', own)).toBe(0);
      for (const table of ['accounts WHERE owner_id = $1', 'organizations WHERE created_by = $1', 'projects WHERE created_by = $1'])
        expect(await count(table, leaver.id)).toStrictEqualFor(table, hard ? 0 : 1);
      for (const table of ['organization_users', 'project_users'])
        expect(await count(`${table} WHERE user_id = $1`, leaver.id)).toStrictEqualFor(table, 0);
      expect(await service.query('SELECT name, email FROM people WHERE user_id = $1', [leaver.id])).toStrictEqual([
        { name: '', email: null },
      ]);
      expect(service.identity.closed.at(-1)).toStrictEqual({ userId: leaver.id, hard });
      const published = service.rbac.received.flatMap(({ type, payload }) =>
        type === 'user.left' && payload.userId === leaver.id ? [payload.scope] : [],
      );
      for (const place of places)
        expect(published.some((scope) => isDeepStrictEqual(scope, place))).toStrictEqualFor(
          `the others hear of the ${place.tenant} too`,
          true,
        );
    });

    test(`closeAccounts (${hard ? 'hard' : 'soft'}) emits accounts.closed again for a deleted or unknown user`, async () => {
      const { owner } = await service.createOrganization();
      await closeAccounts(service.grpcDeps, owner.id, hard);
      for (const userId of [owner.id, newId()]) {
        service.identity.closed.length = 0;
        await closeAccounts(service.grpcDeps, userId, hard);
        expect(service.identity.closed).toStrictEqual([{ userId, hard }]);
      }
    });
  });

describe('refusals during a deletion', () => {
  test('a user who is closing their accounts gets no membership, account or project', async () => {
    const { owner, organizationId, scope } = await service.createOrganization();
    const leaver = await service.register('Leaver', 'personal');
    const invited = { scope, email: leaver.email, roleId: service.rbac.roleId(organizationId, 'Dev') };
    await call(service, 'rest', 'inviteMember', invited, owner.token);
    const projectId = await createProject(scope, owner);
    await service.query('UPDATE people SET closing_at = now() WHERE user_id = $1', [leaver.id]);
    const accepted = await call(service, 'rest', 'acceptInvitation', { token: service.identity.tokenFor(leaver.email) }, leaver.token);
    expect([accepted.code, accepted.key]).toStrictEqual(['CONFLICT', 'errors.organizationInvitation.notPending']);
    expect(
      await service.database.transaction((tx) => insertAccount(tx, { id: newId(), type: 'organization', ownerId: leaver.id })),
    ).toBeUndefined();
    await service.database.transaction((tx) => addProjectUser(tx, organizationId, projectId, leaver.id));
    for (const table of ['organization_users', 'project_users'])
      expect(await count(`${table} WHERE user_id = $1`, leaver.id)).toStrictEqualFor(table, 0);
    expect(await count('accounts WHERE owner_id = $1', leaver.id)).toBe(1);
  });

  test('a user is not added to a deleted project, nor to a project under another parent', async () => {
    const { owner, organizationId, scope } = await service.createOrganization();
    const [gone, there] = [await createProject(scope, owner), await createProject(scope, owner)];
    await call(service, 'rest', 'deleteProject', { scope, id: gone }, owner.token);
    const user = await service.register('Late');
    await service.database.transaction(async (tx) => {
      await addProjectUser(tx, organizationId, gone, user.id);
      await addProjectUser(tx, user.accountId, there, user.id);
    });
    expect(await count('project_users WHERE user_id = $1', user.id)).toBe(0);
  });
});

describe('closeAccounts called twice', () => {
  test('closeAccounts deletes hard when one of two calls requested it', async () => {
    for (const [first, second] of [
      [true, false],
      [false, true],
    ] as const) {
      const { owner } = await service.createOrganization();
      // The sixth step is the moment after the first commit.
      service.crashes.arm(6);
      await closeAccounts(service.grpcDeps, owner.id, first).catch(() => undefined);
      service.crashes.restart();
      // The process died after the start of the closure was committed.
      expect(await count('people WHERE user_id = $1 AND closing_at IS NOT NULL', owner.id)).toBe(1);
      await closeAccounts(service.grpcDeps, owner.id, second);
      expect(await count('accounts WHERE owner_id = $1', owner.id)).toBe(0);
    }
  });
});
