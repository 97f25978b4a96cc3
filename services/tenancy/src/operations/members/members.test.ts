/** Listing, changing and removing members and invitations, over REST and GraphQL. */

import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { call, type Input, transports } from '../../testing/call.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

type Entry = {
  id: string;
  role: { id: string } | null;
  user: { id: string } | null;
  invitation: Record<string, unknown> | null;
  [field: string]: unknown;
};

const invitationFields =
  'id organizationId email roleId status invitedBy invitedAt expiresAt acceptedAt isMailed createdAt updatedAt deletedAt';
const fields = `id type name email metadata isBlocked blockedAt directory { isActive isDetached } status role { id } user { id } invitation { ${invitationFields} } createdAt updatedAt deletedAt`;

for (const transport of transports)
  describe(`members (${transport})`, () => {
    const ask = (name: string, input: Input, token: string, selection = fields) => call(service, transport, name, input, token, selection);

    async function arrange() {
      const { owner, organizationId, scope } = await service.createOrganization();
      const role = (name: Parameters<typeof service.rbac.roleId>[1]) => service.rbac.roleId(organizationId, name);
      const entries = async (more: Input = {}): Promise<Entry[]> =>
        (await ask('listOrganizationMembers', { scope, ...more }, owner.token)).data.items as Entry[];
      return { owner, organizationId, scope, role, entries };
    }

    test(`members without a second factor are listed page by page, each once (${transport})`, async () => {
      const { owner, organizationId, scope } = await arrange();
      const people = [];
      for (let count = 0; count < 6; count += 1) people.push(await service.addMember(organizationId, 'Viewer', `Vera ${count}`));
      service.identity.withSecondFactor.add(owner.id);
      service.identity.withSecondFactor.add(people[2]?.id ?? '');
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const input = { scope, limit: 2, ...(cursor === undefined ? {} : { cursor }) };
        const { data } = await ask('listMembersWithoutSecondFactor', input, owner.token, 'items { userId name email } nextCursor');
        const { items, nextCursor } = data as { items: { userId: string }[]; nextCursor: string | null };
        expect(items.length).toBeLessThanOrEqual(2);
        found.push(...items.map(({ userId }) => userId));
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(found).toStrictEqual(people.flatMap(({ id }, at) => (at === 2 ? [] : [id])).toSorted());
    });

    test(`a member is blocked, and let in again; nobody is who is no member (${transport})`, async () => {
      const { owner, organizationId, scope, entries } = await arrange();
      const dev = await service.addMember(organizationId, 'Dev', 'Dora Dev');
      const about = { scope, userId: dev.id };
      const blocked = await ask('blockMember', { ...about, reason: 'Lost a laptop' }, owner.token);
      expect(blocked.data).toMatchObject({ id: dev.id, isBlocked: true, blockedAt: expect.any(String) });
      expect((await entries({ ids: [dev.id] }))[0]).toMatchObject({ isBlocked: true });
      for (const name of ['endMemberSessions', 'requireNewMemberPassword'])
        expect((await ask(name, about, owner.token)).data).toMatchObject({ isBlocked: true });
      expect((await ask('unblockMember', about, owner.token)).data).toMatchObject({ isBlocked: false, blockedAt: null });
      expect((await ask('blockMember', { scope, userId: newId() }, owner.token)).code).toBe('NOT_FOUND');
      expect((await ask('blockMember', { scope, userId: owner.id }, owner.token)).code).toBe('FORBIDDEN');
      expect((await ask('blockMember', { scope, userId: owner.id }, dev.token)).code).toBe('FORBIDDEN');
    });

    test(`a Viewer does not learn who has no second factor (${transport})`, async () => {
      const { organizationId, scope } = await arrange();
      const viewer = await service.addMember(organizationId, 'Viewer', 'Vera');
      const answer = await ask('listMembersWithoutSecondFactor', { scope }, viewer.token, 'items { userId } nextCursor');
      expect([answer.status === 403 || answer.status === 200, answer.code]).toStrictEqual([true, 'FORBIDDEN']);
    });

    test(`a member has a role, a user and the date of joining (${transport})`, async () => {
      const { organizationId, role, entries } = await arrange();
      const dev = await service.addMember(organizationId, 'Dev', 'Dora Dev');
      const at = '2026-02-03T04:05:06.789Z';
      await service.query('UPDATE organization_users SET joined_at = $2 WHERE user_id = $1', [dev.id, at]);
      const [entry] = await entries({ ids: [dev.id] });
      assert.ok(entry);
      const { role: held, user, updatedAt, version, ...rest } = entry;
      expect(rest).toStrictEqual({
        id: dev.id,
        type: 'member',
        name: 'Dora Dev',
        email: dev.email,
        metadata: {},
        isBlocked: false,
        blockedAt: null,
        directory: null,
        status: null,
        invitation: null,
        createdAt: at,
        deletedAt: null,
      });
      expect([held?.id, user?.id]).toStrictEqual([role('Dev'), dev.id]);
      expect(String(updatedAt)).toMatch(/Z$/);
      if (transport === 'rest') expect(version).toBe(`${role('Dev')} {}`);
    });

    test(`the highest built-in role is shown for a member with several roles (${transport})`, async () => {
      const { organizationId, role, entries } = await arrange();
      const dev = await service.addMember(organizationId, 'Dev');
      for (const name of ['Viewer', 'Night watch']) service.rbac.addRole(organizationId, dev.id, name);
      expect((await entries({ ids: [dev.id] }))[0]?.role?.id).toBe(role('Dev'));
      service.rbac.addRole(organizationId, dev.id, 'Admin');
      expect((await entries({ ids: [dev.id] }))[0]?.role?.id).toBe(role('Admin'));
    });

    test(`the list has open invitations with role and fields, and no closed ones (${transport})`, async () => {
      const { owner, scope, role, entries } = await arrange();
      const email = `guest.${newId().slice(-10)}@example.com`;
      const invited = await ask('inviteMember', { scope, email, roleId: role('Viewer') }, owner.token, invitationFields);
      const { data: invitation } = invited;
      const [entry] = await entries({ search: email.toUpperCase() });
      assert.ok(entry);
      const { role: offered, ...rest } = entry;
      expect(offered?.id).toBe(role('Viewer'));
      expect(rest).toStrictEqual({
        id: invitation.id,
        type: 'invitation',
        name: null,
        email,
        metadata: {},
        isBlocked: false,
        blockedAt: null,
        directory: null,
        status: 'pending',
        user: null,
        invitation,
        createdAt: invitation.invitedAt,
        updatedAt: invitation.updatedAt,
        deletedAt: null,
      });
      await service.query(`UPDATE organization_invitations SET expires_at = now() - interval '1 minute' WHERE id = $1`, [invitation.id]);
      expect((await entries()).map(({ id }) => id)).toStrictEqual([owner.id]);
      expect((await entries({ status: 'expired' })).map(({ status }) => status)).toStrictEqual(['expired']);
    });

    test(`updateOrganizationMember returns the member with the new role and stores it (${transport})`, async () => {
      const { owner, organizationId, scope, role } = await arrange();
      const viewer = await service.addMember(organizationId, 'Viewer');
      const { data } = await ask('updateOrganizationMember', { scope, userId: viewer.id, roleId: role('Admin') }, owner.token);
      const { id, type, email, role: held, user, status } = data as Entry;
      expect([id, type, email, held?.id, user?.id, status]).toStrictEqual([
        viewer.id,
        'member',
        viewer.email,
        role('Admin'),
        viewer.id,
        null,
      ]);
      expect(service.rbac.roleOf(organizationId, viewer.id)).toBe('Admin');
    });

    test(`removeOrganizationMember returns the removed member, who can be invited again (${transport})`, async () => {
      const { owner, organizationId, scope, role, entries } = await arrange();
      const dev = await service.addMember(organizationId, 'Dev');
      const { data } = await ask('removeOrganizationMember', { scope, userId: dev.id }, owner.token);
      const { id, type, email, role: held } = data as Entry;
      expect([id, type, email, held?.id]).toStrictEqual([dev.id, 'member', dev.email, role('Dev')]);
      expect(await entries({ ids: [dev.id] })).toStrictEqual([]);
      expect(service.rbac.roleOf(organizationId, dev.id)).toBeUndefined();
      expect((await ask('removeOrganizationMember', { scope, userId: dev.id }, owner.token)).code).toBe('NOT_FOUND');
      const input = { scope, email: dev.email, roleId: role('Viewer') };
      expect((await ask('inviteMember', input, owner.token, 'id')).code).toBeUndefined();
      const token = service.identity.tokenFor(dev.email);
      expect((await ask('acceptInvitation', { token }, dev.token, 'isNewUser')).code).toBeUndefined();
      expect((await entries({ ids: [dev.id] }))[0]?.role?.id).toBe(role('Viewer'));
    });

    test(`a member of any rank leaves; the last Owner and a stranger do not (${transport})`, async () => {
      const { owner, organizationId, scope } = await arrange();
      const viewer = await service.addMember(organizationId, 'Viewer');
      const leave = async ({ id, token }: { id: string; token: string }) => ask('removeOrganizationMember', { scope, userId: id }, token);
      expect((await leave(viewer)).data.id).toBe(viewer.id);
      expect(service.rbac.roleOf(organizationId, viewer.id)).toBeUndefined();
      expect((await leave(owner)).code).toBe('CONFLICT');
      for (const stranger of [viewer, await service.register('Stranger')]) expect((await leave(stranger)).code).toBe('FORBIDDEN');
    });

    test(`updateOrganizationMember replaces the metadata alone or with the role (${transport})`, async () => {
      const { owner, organizationId, scope, role, entries } = await arrange();
      const { id: userId, token } = await service.addMember(organizationId, 'Viewer');
      const change = (more: Input, by = owner.token) => ask('updateOrganizationMember', { scope, userId, ...more }, by);
      expect((await change({ metadata: { level: 'gold' } })).data.metadata).toStrictEqual({ level: 'gold' });
      expect((await change({ roleId: role('Dev') })).data).toMatchObject({ metadata: { level: 'gold' }, role: { id: role('Dev') } });
      const both = await change({ roleId: role('Viewer'), metadata: { level: 'tin' } });
      expect(both.data).toMatchObject({ metadata: { level: 'tin' }, role: { id: role('Viewer') } });
      expect((await entries({ ids: [userId] }))[0]?.metadata).toStrictEqual({ level: 'tin' });
      expect((await change({ metadata: { level: 'gold' } }, token)).code).toBe('FORBIDDEN');
      expect((await change({ metadata: { text: 'x'.repeat(17_000) } })).code).toBe('VALIDATION_ERROR');
    });

    test(`updateOrganizationMember answers 404 for a user who is not a member (${transport})`, async () => {
      const { owner, organizationId, scope, role } = await arrange();
      const stranger = await service.register('Stranger');
      const answer = await ask('updateOrganizationMember', { scope, userId: stranger.id, roleId: role('Admin') }, owner.token);
      expect(answer.code).toBe('NOT_FOUND');
      expect(service.rbac.roleOf(organizationId, stranger.id)).toBeUndefined();
    });

    test(`updateOrganizationMember and removeOrganizationMember answer 404 for an invitation (${transport})`, async () => {
      const { owner, scope, role } = await arrange();
      const email = `guest.${newId().slice(-10)}@example.com`;
      const { data } = await ask('inviteMember', { scope, email, roleId: role('Viewer') }, owner.token, 'id');
      const userId = data.id;
      for (const [name, more] of Object.entries({ updateOrganizationMember: { roleId: role('Dev') }, removeOrganizationMember: {} }))
        expect((await ask(name, { scope, userId, ...more }, owner.token)).code).toStrictEqualFor(name, 'NOT_FOUND');
    });
  });
