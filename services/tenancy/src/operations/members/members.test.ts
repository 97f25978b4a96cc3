/** What is shown of members and of those who are invited, and what changing and removing them leaves, over REST and GraphQL. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { call, type Input, transports } from '../../testing/call.ts';
import { openStage, type Stage } from '../../testing/service.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

type Entry = {
  id: string;
  role: { id: string } | null;
  user: { id: string } | null;
  invitation: Record<string, unknown> | null;
  [field: string]: unknown;
};

const invitationFields = 'id organizationId email roleId status invitedBy invitedAt expiresAt acceptedAt createdAt updatedAt deletedAt';
const fields = `id type name email status role { id } user { id } invitation { ${invitationFields} } createdAt updatedAt deletedAt`;

for (const transport of transports) {
  describe(`members (${transport})`, () => {
    const ask = (name: string, input: Input, token: string, selection = fields) => call(stage, transport, name, input, token, selection);

    async function arrange() {
      const { owner, organizationId } = await stage.found();
      const scope = { tenant: 'organization', id: organizationId };
      const role = (name: Parameters<typeof stage.rbac.roleId>[1]) => stage.rbac.roleId(organizationId, name);
      const entries = async (more: Input = {}): Promise<Entry[]> =>
        (await ask('listOrganizationMembers', { scope, ...more }, owner.token)).data.items as Entry[];
      return { owner, organizationId, scope, role, entries };
    }

    it('a member is a person with a role, since they joined', async () => {
      const { organizationId, role, entries } = await arrange();
      const dev = await stage.join(organizationId, 'Dev', 'Dora Dev');
      const at = '2026-02-03T04:05:06.789Z';
      await stage.rows('UPDATE organization_users SET joined_at = $2 WHERE user_id = $1', [dev.id, at]);
      const [entry] = await entries({ ids: [dev.id] });
      assert.ok(entry);
      const { role: held, user, updatedAt, ...rest } = entry;
      assert.deepEqual(rest, {
        ...{ id: dev.id, type: 'member', name: 'Dora Dev', email: dev.email, status: null, invitation: null },
        ...{ createdAt: at, deletedAt: null },
      });
      assert.deepEqual([held?.id, user?.id], [role('Dev'), dev.id]);
      assert.match(String(updatedAt), /Z$/);
    });

    it('of several roles the highest built-in one says what a member is', async () => {
      const { organizationId, role, entries } = await arrange();
      const dev = await stage.join(organizationId, 'Dev');
      for (const name of ['Viewer', 'Night watch']) stage.rbac.addRole(organizationId, dev.id, name);
      assert.equal((await entries({ ids: [dev.id] }))[0]?.role?.id, role('Dev'));
      stage.rbac.addRole(organizationId, dev.id, 'Admin');
      assert.equal((await entries({ ids: [dev.id] }))[0]?.role?.id, role('Admin'));
    });

    it('an open invitation stands among them with its role and all its fields; one that is over does not', async () => {
      const { owner, scope, role, entries } = await arrange();
      const email = `guest.${newId().slice(-10)}@example.com`;
      const invited = await ask('inviteMember', { scope, email, roleId: role('Viewer') }, owner.token, invitationFields);
      const { data: invitation } = invited;
      const [entry] = await entries({ search: email.toUpperCase() });
      assert.ok(entry);
      const { role: offered, ...rest } = entry;
      assert.equal(offered?.id, role('Viewer'));
      assert.deepEqual(rest, {
        ...{ id: invitation.id, type: 'invitation', name: null, email, status: 'pending', user: null, invitation },
        ...{ createdAt: invitation.invitedAt, updatedAt: invitation.updatedAt, deletedAt: null },
      });
      await stage.rows(`UPDATE organization_invitations SET expires_at = now() - interval '1 minute' WHERE id = $1`, [invitation.id]);
      assert.deepEqual(
        (await entries()).map(({ id }) => id),
        [owner.id],
      );
      assert.deepEqual(
        (await entries({ status: 'expired' })).map(({ status }) => status),
        ['expired'],
      );
    });

    it('another role is answered with the member, and held', async () => {
      const { owner, organizationId, scope, role } = await arrange();
      const viewer = await stage.join(organizationId, 'Viewer');
      const { data } = await ask('updateOrganizationMember', { scope, userId: viewer.id, roleId: role('Admin') }, owner.token);
      const { id, type, email, role: held, user, status } = data as Entry;
      assert.deepEqual([id, type, email, held?.id, user?.id, status], [viewer.id, 'member', viewer.email, role('Admin'), viewer.id, null]);
      assert.equal(stage.rbac.roleOf(organizationId, viewer.id), 'Admin');
    });

    it('who is removed is answered as they were, is gone, and may be invited anew', async () => {
      const { owner, organizationId, scope, role, entries } = await arrange();
      const dev = await stage.join(organizationId, 'Dev');
      const { data } = await ask('removeOrganizationMember', { scope, userId: dev.id }, owner.token);
      const { id, type, email, role: held } = data as Entry;
      assert.deepEqual([id, type, email, held?.id], [dev.id, 'member', dev.email, role('Dev')]);
      assert.deepEqual(await entries({ ids: [dev.id] }), []);
      assert.equal(stage.rbac.roleOf(organizationId, dev.id), undefined);
      assert.equal((await ask('removeOrganizationMember', { scope, userId: dev.id }, owner.token)).code, 'NOT_FOUND');
      const input = { scope, email: dev.email, roleId: role('Viewer') };
      assert.equal((await ask('inviteMember', input, owner.token, 'id')).code, undefined);
      const token = stage.identity.tokenFor(dev.email);
      assert.equal((await ask('acceptInvitation', { token }, dev.token, 'isNewUser')).code, undefined);
      assert.equal((await entries({ ids: [dev.id] }))[0]?.role?.id, role('Viewer'));
    });

    it('a role is given to members alone: to nobody before they are, or after', async () => {
      const { owner, organizationId, scope, role } = await arrange();
      const stranger = await stage.register('Stranger');
      const answer = await ask('updateOrganizationMember', { scope, userId: stranger.id, roleId: role('Admin') }, owner.token);
      assert.equal(answer.code, 'NOT_FOUND');
      assert.equal(stage.rbac.roleOf(organizationId, stranger.id), undefined);
    });

    it('an invitation is no member: it is neither given another role nor removed as one', async () => {
      const { owner, scope, role } = await arrange();
      const email = `guest.${newId().slice(-10)}@example.com`;
      const { data } = await ask('inviteMember', { scope, email, roleId: role('Viewer') }, owner.token, 'id');
      const userId = data.id;
      for (const [name, more] of Object.entries({ updateOrganizationMember: { roleId: role('Dev') }, removeOrganizationMember: {} }))
        assert.equal((await ask(name, { scope, userId, ...more }, owner.token)).code, 'NOT_FOUND', name);
    });
  });
}
