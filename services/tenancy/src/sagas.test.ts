/** Kills every saga at every step: after a restart either all of its changes exist or none, and the invariants hold. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { closeAccounts } from './operations/account-closure/close-accounts.ts';
import { call } from './testing/call.ts';
import { openTestService, type TestService, type User } from './testing/service.ts';

let service: TestService;
before(async () => {
  service = await openTestService();
});
after(() => service.close());

type Saga = {
  readonly name: string;
  /** Prepares the records; returns the change to kill and the checks for both outcomes. */
  readonly arrange: () => Promise<{
    run: () => Promise<unknown>;
    isDone: () => Promise<boolean>;
    assertDone: () => Promise<void>;
    assertUndone: () => Promise<void>;
  }>;
};

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

const sagas: readonly Saga[] = [
  {
    name: 'registration',
    arrange: async () => {
      let user: User | undefined;
      return {
        run: async () => {
          user = await service.register('Rita');
        },
        // identity has committed the user, so everything else must follow.
        isDone: async () => true,
        assertDone: async () => {
          const account = await count('accounts a JOIN people p ON p.user_id = a.owner_id WHERE p.name = $1', ['Rita']);
          assert.ok(account >= 1);
          if (user) assert.ok(service.rbac.accountExists(user.accountId));
        },
        assertUndone: async () => undefined,
      };
    },
  },
  {
    name: 'creating an organization',
    arrange: async () => {
      const user = await service.register('Founder');
      const name = `Saga ${newId()}`;
      const organizations = () => service.query<{ id: string }>('SELECT id FROM organizations WHERE name = $1', [name]);
      return {
        run: () => call(service, 'rest', 'createOrganization', { scope: { tenant: 'account', id: user.accountId }, name }, user.token),
        isDone: async () => (await organizations()).length === 1,
        assertDone: async () => {
          const [organization] = await organizations();
          assert.ok(organization);
          assert.deepEqual(service.rbac.ownersOf(organization.id), [user.id]);
          assert.ok(await isMember(organization.id, user.id));
        },
        assertUndone: async () => assert.equal(await count('organization_users WHERE user_id = $1', [user.id]), 0),
      };
    },
  },
  ...(['known', 'new'] as const).map((kind) => ({
    name: `acceptance by a ${kind} user`,
    arrange: async () => {
      const { owner, organizationId } = await service.createOrganization();
      const scope = { tenant: 'organization', id: organizationId };
      const email = kind === 'known' ? (await service.register('Guest')).email : `new.${newId().slice(-10)}@example.com`;
      const { data } = await call(
        service,
        'rest',
        'inviteMember',
        { scope, email, roleId: service.rbac.roleId(organizationId, 'Dev') },
        owner.token,
      );
      const token = service.identity.tokenFor(email);
      const userData = kind === 'new' ? { userData: { name: 'Nina', password: 'Str0ng!Pass' } } : {};
      const userId = () => [...service.identity.people.values()].find((person) => person.email === email)?.id ?? '';
      const status = async () =>
        (await service.query<{ status: string }>('SELECT status FROM organization_invitations WHERE id = $1', [data.id]))[0]?.status;
      return {
        run: () => call(service, 'rest', 'acceptInvitation', { token, ...userData }, undefined),
        isDone: async () => (await status()) === 'accepted',
        assertDone: async () => {
          assert.ok(await isMember(organizationId, userId()));
          assert.equal(service.rbac.roleOf(organizationId, userId()), 'Dev');
        },
        assertUndone: async () => {
          if (kind === 'new') assert.equal(userId(), '', 'a user was registered for an invitation that is still open');
          else assert.equal(await isMember(organizationId, userId()), false);
        },
      };
    },
  })),
  {
    name: 'inviting',
    arrange: async () => {
      const { owner, organizationId } = await service.createOrganization();
      const email = `mail.${newId().slice(-10)}@example.com`;
      const roleId = service.rbac.roleId(organizationId, 'Dev');
      return {
        run: () =>
          call(service, 'rest', 'inviteMember', { scope: { tenant: 'organization', id: organizationId }, email, roleId }, owner.token),
        isDone: async () => (await count('organization_invitations WHERE email = $1', [email])) === 1,
        assertDone: async () => assert.equal(service.identity.mails.filter(({ to }) => to === email).length, 1, 'one mail'),
        assertUndone: async () => assert.equal(service.identity.mails.filter(({ to }) => to === email).length, 0, 'no mail'),
      };
    },
  },
  {
    name: 'changing a project’s name and tags',
    arrange: async () => {
      const { owner, organizationId } = await service.createOrganization();
      const scope = { tenant: 'organization', id: organizationId };
      const { data } = await call(service, 'rest', 'createProject', { scope, name: 'Before' }, owner.token);
      const [tag, id] = [newId(), String(data.id)];
      service.rbac.tag(organizationId, tag);
      return {
        run: () => call(service, 'rest', 'updateProject', { scope, id, name: 'After', tagIds: [tag], primaryTagId: tag }, owner.token),
        isDone: async () => (await count('projects WHERE id = $1 AND name = $2', [id, 'After'])) === 1,
        assertDone: async () => assert.equal(service.rbac.primaryTagOf(id), tag),
        assertUndone: async () => assert.equal(service.rbac.primaryTagOf(id), undefined),
      };
    },
  },
  {
    name: 'removing a member',
    arrange: async () => {
      const { owner, organizationId } = await service.createOrganization();
      const dev = await service.addMember(organizationId, 'Dev');
      const scope = { tenant: 'organization', id: organizationId };
      return {
        run: () => call(service, 'rest', 'removeOrganizationMember', { scope, userId: dev.id }, owner.token),
        isDone: async () => service.rbac.roleOf(organizationId, dev.id) === undefined,
        assertDone: async () => assert.equal(await isMember(organizationId, dev.id), false),
        assertUndone: async () => assert.ok(await isMember(organizationId, dev.id)),
      };
    },
  },
  {
    name: 'deleting an organization',
    arrange: async () => {
      const { owner, organizationId } = await service.createOrganization();
      await service.addMember(organizationId, 'Dev');
      const scope = { tenant: 'organization', id: organizationId };
      const { data } = await call(service, 'rest', 'createProject', { scope, name: 'Rocket' }, owner.token);
      return {
        run: () => call(service, 'rest', 'deleteOrganization', { scope, id: organizationId }, owner.token),
        isDone: async () => !(await isAlive('organizations', organizationId)),
        assertDone: async () => {
          assert.equal(await isAlive('projects', String(data.id)), false);
          assert.equal(service.rbac.hasRoles(organizationId), false);
        },
        assertUndone: async () => {
          assert.ok(await isAlive('projects', String(data.id)));
          assert.ok(service.rbac.hasRoles(organizationId));
        },
      };
    },
  },
  {
    name: 'closing a user’s accounts',
    arrange: async () => {
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
          assert.equal(service.identity.people.has(owner.id), false, 'identity still has the user');
          assert.equal(await isPerson(owner.id), false);
          assert.equal(await isAlive('organizations', alone), false);
          assert.equal(await isAlive('projects', String(data.id)), false);
          assert.deepEqual(service.rbac.ownersOf(shared), [other.id]);
          for (const id of [shared, elsewhere]) assert.equal(await isMember(id, owner.id), false);
          assert.equal(service.rbac.accountExists(owner.accountId), false);
        },
        assertUndone: async () => {
          assert.ok(service.identity.people.has(owner.id));
          assert.ok(await isAlive('organizations', alone));
          for (const id of [shared, elsewhere]) assert.ok(await isMember(id, owner.id));
          assert.deepEqual(service.rbac.ownersOf(shared).sort(), [owner.id, other.id].sort());
        },
      };
    },
  },
];

async function joinAs(user: User, organizationId: string, role: 'Owner' | 'Viewer'): Promise<void> {
  const scope = { tenant: 'organization', id: organizationId };
  await service.deliverEvent('user.joined', {
    userId: user.id,
    name: 'Known',
    email: user.email,
    scope,
    roleIds: [],
    tagIds: [],
    primaryTagId: null,
    createdBy: null,
  });
  service.rbac.receive({
    type: 'member.added',
    payload: { organizationId, userId: user.id, roleId: service.rbac.roleId(organizationId, role) },
  });
}

/** What must hold whenever no work is pending. */
async function assertInvariants(): Promise<void> {
  const organizations = await service.query<{ id: string }>('SELECT id FROM organizations WHERE deleted_at IS NULL');
  for (const { id } of organizations) {
    assert.ok(service.rbac.hasRoles(id), `organization ${id} has no roles`);
    assert.ok(service.rbac.ownersOf(id).length >= 1, `organization ${id} has no Owner`);
    const members = await service.query<{ userId: string; isPerson: boolean }>(
      `SELECT m.user_id AS "userId", p.deleted_at IS NULL AS "isPerson" FROM organization_users m JOIN people p ON p.user_id = m.user_id WHERE organization_id = $1`,
      [id],
    );
    for (const { userId, isPerson: isLiving } of members) {
      assert.ok(isLiving, 'a membership without a person');
      assert.ok(service.rbac.roleOf(id, userId), 'a membership without a role');
    }
    assert.deepEqual(service.rbac.members(id).sort(), members.map(({ userId }) => userId).sort(), 'a role assignment without a membership');
  }
  assert.equal(await count('outbox WHERE delivered_at IS NULL', []), 0, 'an event is still undelivered');
  assert.equal(await count('people WHERE closing_at IS NOT NULL', []), 0, 'an account closure is still open');
  assert.equal(
    await count('organizations WHERE closing_for IS NOT NULL AND deleted_at IS NULL', []),
    0,
    'an organization is still reserved',
  );
  assert.equal(await count(`outbox WHERE payload::text LIKE '%token%'`, []), 0, 'a token is still in the outbox');
}

describe('a saga killed at any step is complete or undone after a restart', () => {
  for (const { name, arrange } of sagas) {
    it(`${name}: killed at any step, all of it or none of it is there after a restart`, async (test) => {
      const { run, isDone, assertDone } = await arrange();
      service.crashes.arm();
      await run();
      const { steps } = service.crashes;
      assert.ok(steps > 2, 'the saga has no step between which a kill could happen');
      await service.restart();
      assert.ok(await isDone(), 'the change without a kill is not done');
      await assertDone();
      await assertInvariants();

      let doneCount = 0;
      for (let step = 1; step <= steps; step += 1) {
        const killed = await arrange();
        service.crashes.arm(step);
        await killed.run().catch(() => undefined);
        assert.ok(service.crashes.hasCrashed, `step ${step} was never reached`);
        await service.restart();
        const isKilledDone = await killed.isDone();
        if (isKilledDone) doneCount += 1;
        await (isKilledDone ? killed.assertDone : killed.assertUndone)();
        await assertInvariants();
      }
      test.diagnostic(`${steps} steps, ${doneCount} of the killed changes stand`);
    });
  }
});

describe('events from other services', () => {
  it('an event that is delivered twice is applied once', async () => {
    const user = await service.register('Twice');
    const id = newId();
    const payload = { userId: user.id, name: 'Renamed', email: user.email, isVerified: true };
    assert.ok(await service.deliverEvent('user.updated', payload, { id }));
    assert.ok(await service.deliverEvent('user.updated', { ...payload, name: 'Again' }, { id }));
    assert.deepEqual(await service.query('SELECT name FROM people WHERE user_id = $1', [user.id]), [{ name: 'Renamed' }]);
  });

  it('a user whose user.deleted event arrives first is not added by later events', async () => {
    const userId = newId();
    await service.deliverEvent('user.deleted', { userId, hard: true });
    await service.deliverEvent('user.registered', {
      userId,
      name: 'Ghost',
      email: 'ghost@example.com',
      isVerified: true,
      account: { id: newId(), type: 'personal' },
    });
    assert.equal(await isPerson(userId), false);
    assert.equal(await count('accounts WHERE owner_id = $1', [userId]), 0);
    assert.deepEqual(await service.query('SELECT name, email FROM people WHERE user_id = $1', [userId]), [{ name: '', email: null }]);
  });

  it('a user.updated event changes the name in every table that repeats it', async () => {
    const { organizationId } = await service.createOrganization();
    const dev = await service.addMember(organizationId, 'Dev', 'Old Name');
    const parent = { tenant: 'account', id: dev.accountId };
    const { data } = await call(service, 'rest', 'createProject', { scope: parent, name: 'Rocket' }, dev.token);
    const scope = { tenant: 'accountProject', id: `${dev.accountId}:${data.id}` };
    const place = { scope, roleIds: [], tagIds: [], primaryTagId: null, createdBy: null };
    await service.deliverEvent('user.joined', { userId: dev.id, name: 'Old Name', email: dev.email, ...place });
    await service.deliverEvent('user.updated', { userId: dev.id, name: 'New Name', email: dev.email, isVerified: true });
    for (const table of ['organization_users', 'project_users'])
      assert.deepEqual(
        await service.query(`SELECT name, search FROM ${table} WHERE user_id = $1`, [dev.id]),
        [{ name: 'New Name', search: `new name\n${dev.email}` }],
        table,
      );
  });

  it('an old membership.ended event does not end a newer membership', async () => {
    const { organizationId } = await service.createOrganization();
    const dev = await service.addMember(organizationId, 'Dev');
    const scope = { tenant: 'organization', id: organizationId };
    await service.deliverEvent('membership.ended', { userId: dev.id, scope }, { at: new Date(Date.now() - 60_000).toISOString() });
    assert.ok(await isMember(organizationId, dev.id));
  });

  it('a peer that was unreachable receives its events when it is back', async () => {
    const user = await service.register('Patient');
    service.unreachablePeers.add('rbac');
    const created = await call(
      service,
      'rest',
      'createOrganization',
      { scope: { tenant: 'account', id: user.accountId }, name: 'Waits' },
      user.token,
    );
    assert.equal(created.status, 201);
    assert.equal(service.rbac.hasRoles(String(created.data.id)), false);
    service.unreachablePeers.delete('rbac');
    await service.restart();
    assert.deepEqual(service.rbac.ownersOf(String(created.data.id)), [user.id]);
    await assertInvariants();
  });
});
