/** Kills every saga at every step: after a restart all of its changes exist, or none. */

import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { closeAccounts } from './operations/account-closure/close-accounts.ts';
import { call } from './testing/call.ts';
import { openTestService, type User } from './testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

/** Prepares the records; returns the change to kill and the checks for both outcomes. */
type Arrange = () => Promise<{
  run: () => Promise<unknown>;
  isDone: () => Promise<boolean>;
  assertDone: () => Promise<void>;
  assertUndone: () => Promise<void>;
}>;

async function count(text: string, values: readonly unknown[]): Promise<number> {
  return (await service.query<{ n: number }>(`SELECT count(*) AS n FROM ${text}`, values))[0]?.n ?? -1;
}
async function isMember(organizationId: string, userId: string): Promise<boolean> {
  return (await count('organization_users WHERE organization_id = $1 AND user_id = $2', [organizationId, userId])) === 1;
}
async function isAlive(table: string, id: string): Promise<boolean> {
  return (await count(`${table} WHERE id = $1 AND deleted_at IS NULL`, [id])) === 1;
}
async function isPerson(userId: string): Promise<boolean> {
  return (await count('people WHERE user_id = $1 AND deleted_at IS NULL', [userId])) === 1;
}

/** How many records say that this happened: of tenancy, and of rbac, which commits some changes. */
async function records(action: string, targetId: string): Promise<number> {
  const elsewhere = service.rbac.audited.filter((row) => row.action === action && row.target_id === targetId);
  return elsewhere.length + (await count(`audit_log WHERE outcome = 'ok' AND action = $1 AND target_id = $2`, [action, targetId]));
}

const sagas: Readonly<Record<string, Arrange>> = {
  registration: async () => {
    let user: User | undefined;
    return {
      run: async () => {
        user = await service.register('Rita');
      },
      // identity has committed the user, so everything else must follow.
      isDone: async () => true,
      assertDone: async () => {
        const account = await count('accounts a JOIN people p ON p.user_id = a.owner_id WHERE p.name = $1', ['Rita']);
        expect(account).toBeGreaterThanOrEqual(1);
        if (user) expect(service.rbac.accountExists(user.accountId)).toBe(true);
      },
      assertUndone: async () => undefined,
    };
  },
  'creating an organization': async () => {
    const user = await service.register('Founder');
    const name = `Saga ${newId()}`;
    const organizations = () => service.query<{ id: string }>('SELECT id FROM organizations WHERE name = $1', [name]);
    return {
      run: () => call(service, 'rest', 'createOrganization', { scope: { tenant: 'account', id: user.accountId }, name }, user.token),
      isDone: async () => (await organizations()).length === 1,
      assertDone: async () => {
        const [organization] = await organizations();
        assert.ok(organization);
        expect(service.rbac.ownersOf(organization.id)).toStrictEqual([user.id]);
        expect(await isMember(organization.id, user.id)).toBe(true);
      },
      assertUndone: async () => expect(await count('organization_users WHERE user_id = $1', [user.id])).toBe(0),
    };
  },
  ...Object.fromEntries(
    (['known', 'new'] as const).map((kind) => [
      `acceptance by a ${kind} user`,
      async () => {
        const { owner, organizationId, scope } = await service.createOrganization();
        const guest = kind === 'known' ? await service.register('Guest') : undefined;
        const email = guest?.email ?? `new.${newId().slice(-10)}@example.com`;
        const roleId = service.rbac.roleId(organizationId, 'Dev');
        const { data } = await call(service, 'rest', 'inviteMember', { scope, email, roleId }, owner.token);
        const token = service.identity.tokenFor(email);
        const userData = kind === 'new' ? { userData: { name: 'Nina', password: 'Str0ng!Pass' } } : {};
        const userId = () => [...service.identity.people.values()].find((person) => person.email === email)?.id ?? '';
        const status = async () =>
          (await service.query<{ status: string }>('SELECT status FROM organization_invitations WHERE id = $1', [data.id]))[0]?.status;
        return {
          run: () => call(service, 'rest', 'acceptInvitation', { token, ...userData }, guest?.token),
          isDone: async () => (await status()) === 'accepted',
          assertDone: async () => {
            expect(await isMember(organizationId, userId())).toBe(true);
            expect(service.rbac.roleOf(organizationId, userId())).toBe('Dev');
          },
          assertUndone: async () => {
            // No user is registered while the invitation is open.
            if (kind === 'new') expect(userId()).toBe('');
            else expect(await isMember(organizationId, userId())).toBe(false);
          },
        };
      },
    ]),
  ),
  inviting: async () => {
    const { owner, organizationId } = await service.createOrganization();
    const email = `mail.${newId().slice(-10)}@example.com`;
    const roleId = service.rbac.roleId(organizationId, 'Dev');
    return {
      run: () =>
        call(service, 'rest', 'inviteMember', { scope: { tenant: 'organization', id: organizationId }, email, roleId }, owner.token),
      isDone: async () => (await count('organization_invitations WHERE email = $1', [email])) === 1,
      assertDone: async () => expect(service.identity.mails.filter(({ to }) => to === email)).toHaveLength(1),
      assertUndone: async () => expect(service.identity.mails.filter(({ to }) => to === email)).toHaveLength(0),
    };
  },
  'changing a project’s name and tags': async () => {
    const { owner, organizationId, scope } = await service.createOrganization();
    const { data } = await call(service, 'rest', 'createProject', { scope, name: 'Before' }, owner.token);
    const [tag, id] = [newId(), String(data.id)];
    service.rbac.tag(organizationId, tag);
    return {
      run: () => call(service, 'rest', 'updateProject', { scope, id, name: 'After', tagIds: [tag], primaryTagId: tag }, owner.token),
      isDone: async () => (await count('projects WHERE id = $1 AND name = $2', [id, 'After'])) === 1,
      assertDone: async () => expect(service.rbac.primaryTagOf(id)).toBe(tag),
      assertUndone: async () => expect(service.rbac.primaryTagOf(id)).toBeUndefined(),
    };
  },
  'changing a member': async () => {
    const { owner, organizationId, scope } = await service.createOrganization();
    const dev = await service.addMember(organizationId, 'Dev');
    const roleId = service.rbac.roleId(organizationId, 'Viewer');
    return {
      run: () => call(service, 'rest', 'updateOrganizationMember', { scope, userId: dev.id, roleId }, owner.token),
      isDone: async () => service.rbac.roleOf(organizationId, dev.id) === 'Viewer',
      assertDone: async () => expect(await records('organizationMember.updated', dev.id)).toBe(1),
      assertUndone: async () => expect(await records('organizationMember.updated', dev.id)).toBe(0),
    };
  },
  'removing a member': async () => {
    const { owner, organizationId, scope } = await service.createOrganization();
    const dev = await service.addMember(organizationId, 'Dev');
    const facts = async () => [await isMember(organizationId, dev.id), await records('organizationMember.removed', dev.id)];
    return {
      run: () => call(service, 'rest', 'removeOrganizationMember', { scope, userId: dev.id }, owner.token),
      isDone: async () => service.rbac.roleOf(organizationId, dev.id) === undefined,
      assertDone: async () => expect(await facts()).toStrictEqual([false, 1]),
      assertUndone: async () => expect(await facts()).toStrictEqual([true, 0]),
    };
  },
  'deleting an organization': async () => {
    const { owner, organizationId, scope } = await service.createOrganization();
    await service.addMember(organizationId, 'Dev');
    const { data } = await call(service, 'rest', 'createProject', { scope, name: 'Rocket' }, owner.token);
    return {
      run: () => call(service, 'rest', 'deleteOrganization', { scope, id: organizationId }, owner.token),
      isDone: async () => !(await isAlive('organizations', organizationId)),
      assertDone: async () => {
        expect(await isAlive('projects', String(data.id))).toBe(false);
        expect(service.rbac.hasRoles(organizationId)).toBe(false);
      },
      assertUndone: async () => {
        expect(await isAlive('projects', String(data.id))).toBe(true);
        expect(service.rbac.hasRoles(organizationId)).toBe(true);
      },
    };
  },
  'closing a user’s accounts': async () => {
    const { owner, organizationId: alone } = await service.createOrganization('Alone');
    const { owner: other, organizationId: shared } = await service.createOrganization('Shared');
    const { organizationId: elsewhere } = await service.createOrganization('Elsewhere');
    await joinAs(owner, shared, 'Owner');
    await joinAs(owner, elsewhere, 'Viewer');
    const scope = { tenant: 'account', id: owner.accountId };
    const { data } = await call(service, 'rest', 'createProject', { scope, name: 'Mine' }, owner.token);
    const gone = async () => !(await isAlive('accounts', owner.accountId));
    return {
      run: () => closeAccounts(service.grpcDeps, owner.id, false),
      isDone: gone,
      assertDone: async () => {
        // identity has deleted the user.
        expect(service.identity.people.has(owner.id)).toBe(false);
        expect(await isPerson(owner.id)).toBe(false);
        expect(await isAlive('organizations', alone)).toBe(false);
        expect(await isAlive('projects', String(data.id))).toBe(false);
        expect(service.rbac.ownersOf(shared)).toStrictEqual([other.id]);
        for (const id of [shared, elsewhere]) expect(await isMember(id, owner.id)).toBe(false);
        expect(service.rbac.accountExists(owner.accountId)).toBe(false);
      },
      assertUndone: async () => {
        expect(service.identity.people.has(owner.id)).toBe(true);
        expect(await isAlive('organizations', alone)).toBe(true);
        for (const id of [shared, elsewhere]) expect(await isMember(id, owner.id)).toBe(true);
        expect(service.rbac.ownersOf(shared).sort()).toStrictEqual([owner.id, other.id].sort());
      },
    };
  },
};

async function joinAs(user: User, organizationId: string, role: 'Owner' | 'Viewer'): Promise<void> {
  await service.join(user, { tenant: 'organization', id: organizationId }, 'Known');
  const roleId = service.rbac.roleId(organizationId, role);
  service.rbac.receive({ type: 'member.added', payload: { organizationId, userId: user.id, roleId } });
}

/** What must hold whenever no work is pending. */
async function assertInvariants(): Promise<void> {
  const organizations = await service.query<{ id: string }>('SELECT id FROM organizations WHERE deleted_at IS NULL');
  for (const { id } of organizations) {
    expect({ id, hasRoles: service.rbac.hasRoles(id) }).toStrictEqual({ id, hasRoles: true });
    // Every organization has an Owner.
    expect(service.rbac.ownersOf(id).length).toBeGreaterThanOrEqual(1);
    const members = await service.query<{ userId: string; isPerson: boolean }>(
      `SELECT m.user_id AS "userId", p.deleted_at IS NULL AS "isPerson" FROM organization_users m JOIN people p ON p.user_id = m.user_id WHERE organization_id = $1`,
      [id],
    );
    for (const { userId, isPerson: isLiving } of members) {
      // Every membership has a person.
      expect(isLiving).toBe(true);
      // Every membership has a role.
      expect(service.rbac.roleOf(id, userId)).toBeTruthy();
    }
    // Every role assignment has a membership.
    expect(service.rbac.members(id).sort()).toStrictEqual(members.map(({ userId }) => userId).sort());
  }
  // Every event is delivered.
  expect(await count('outbox WHERE delivered_at IS NULL', [])).toBe(0);
  // No account closure is open.
  expect(await count('people WHERE closing_at IS NOT NULL', [])).toBe(0);
  // No organization is reserved.
  expect(await count('organizations WHERE closing_for IS NOT NULL AND deleted_at IS NULL', [])).toBe(0);
  // No token stays in the outbox.
  expect(await count(`outbox WHERE payload::text LIKE '%token%'`, [])).toBe(0);
}

describe('a saga killed at any step is complete or undone after a restart', () => {
  for (const [name, arrange] of Object.entries(sagas))
    test(`${name}: killed at any step, all of it or none of it is there after a restart`, async () => {
      const { run, isDone, assertDone } = await arrange();
      service.crashes.arm();
      await run();
      const { steps } = service.crashes;
      // A kill needs at least two steps to happen between.
      expect(steps).toBeGreaterThan(2);
      await service.restart();
      expect(await isDone()).toBe(true);
      await assertDone();
      await assertInvariants();

      for (let step = 1; step <= steps; step += 1) {
        const killed = await arrange();
        service.crashes.arm(step);
        await killed.run().catch(() => undefined);
        expect({ step, hasCrashed: service.crashes.hasCrashed }).toStrictEqual({ step, hasCrashed: true });
        await service.restart();
        const isKilledDone = await killed.isDone();
        await (isKilledDone ? killed.assertDone : killed.assertUndone)();
        await assertInvariants();
      }
    });
});

describe('events from other services', () => {
  test('an event that is delivered twice is applied once', async () => {
    const user = await service.register('Twice');
    const id = newId();
    const payload = { userId: user.id, name: 'Renamed', email: user.email, isVerified: true };
    expect(await service.deliverEvent('user.updated', payload, { id })).toBe(true);
    expect(await service.deliverEvent('user.updated', { ...payload, name: 'Again' }, { id })).toBe(true);
    expect(await service.query('SELECT name FROM people WHERE user_id = $1', [user.id])).toStrictEqual([{ name: 'Renamed' }]);
  });

  test('a user whose user.deleted event arrives first is not added by later events', async () => {
    const userId = newId();
    await service.deliverEvent('user.deleted', { userId, hard: true });
    await service.deliverEvent('user.registered', {
      userId,
      name: 'Ghost',
      email: 'ghost@example.com',
      isVerified: true,
      account: { id: newId(), type: 'personal' },
    });
    expect(await isPerson(userId)).toBe(false);
    expect(await count('accounts WHERE owner_id = $1', [userId])).toBe(0);
    expect(await service.query('SELECT name, email FROM people WHERE user_id = $1', [userId])).toStrictEqual([{ name: '', email: null }]);
  });

  test('a user.updated event changes the name in every table that repeats it', async () => {
    const { organizationId } = await service.createOrganization();
    const dev = await service.addMember(organizationId, 'Dev', 'Old Name');
    const parent = { tenant: 'account', id: dev.accountId };
    const { data } = await call(service, 'rest', 'createProject', { scope: parent, name: 'Rocket' }, dev.token);
    const scope = { tenant: 'accountProject', id: `${dev.accountId}:${data.id}` };
    const place = { scope, roleIds: [], tagIds: [], primaryTagId: null, createdBy: null };
    await service.deliverEvent('user.joined', { userId: dev.id, name: 'Old Name', email: dev.email, ...place });
    await service.deliverEvent('user.updated', { userId: dev.id, name: 'New Name', email: dev.email, isVerified: true });
    for (const table of ['organization_users', 'project_users'])
      expect(await service.query(`SELECT name, search FROM ${table} WHERE user_id = $1`, [dev.id])).toStrictEqualFor(table, [
        { name: 'New Name', search: `new name\n${dev.email}` },
      ]);
  });

  test('an old membership.ended event does not end a newer membership', async () => {
    const { organizationId } = await service.createOrganization();
    const dev = await service.addMember(organizationId, 'Dev');
    const scope = { tenant: 'organization', id: organizationId };
    await service.deliverEvent('membership.ended', { userId: dev.id, scope }, { at: new Date(Date.now() - 60_000).toISOString() });
    expect(await isMember(organizationId, dev.id)).toBe(true);
  });

  test('a peer that was unreachable receives its events when it is back', async () => {
    const user = await service.register('Patient');
    service.unreachablePeers.add('rbac');
    const created = await call(
      service,
      'rest',
      'createOrganization',
      { scope: { tenant: 'account', id: user.accountId }, name: 'Waits' },
      user.token,
    );
    expect(created.status).toBe(201);
    expect(service.rbac.hasRoles(String(created.data.id))).toBe(false);
    service.unreachablePeers.delete('rbac');
    await service.restart();
    expect(service.rbac.ownersOf(String(created.data.id))).toStrictEqual([user.id]);
    await assertInvariants();
  });
});
