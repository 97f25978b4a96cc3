/** Every saga, killed at every one of its steps: after a restart the whole change stands or none of it, and the invariants hold. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { closeAccounts } from './operations/closing/close-accounts.ts';
import { call } from './testing/call.ts';
import { openStage, type Stage, type User } from './testing/service.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

type Saga = {
  readonly name: string;
  /** What is there before; answers with the change to be killed and what must be true when it stands, or when it does not. */
  readonly arrange: () => Promise<{
    run: () => Promise<unknown>;
    stands: () => Promise<boolean>;
    whole: () => Promise<void>;
    none: () => Promise<void>;
  }>;
};

async function count(text: string, values: readonly unknown[]): Promise<number> {
  return (await stage.rows<{ n: number }>(`SELECT count(*) AS n FROM ${text}`, values))[0]?.n ?? -1;
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
          user = await stage.register('Rita');
        },
        // identity has committed the user: from then on everything else follows.
        stands: async () => true,
        whole: async () => {
          const account = await count('accounts a JOIN people p ON p.user_id = a.owner_id WHERE p.name = $1', ['Rita']);
          assert.ok(account >= 1);
          if (user) assert.ok(stage.rbac.accountExists(user.accountId));
        },
        none: async () => undefined,
      };
    },
  },
  {
    name: 'creating an organization',
    arrange: async () => {
      const user = await stage.register('Founder');
      const name = `Saga ${newId()}`;
      const organizations = () => stage.rows<{ id: string }>('SELECT id FROM organizations WHERE name = $1', [name]);
      return {
        run: () => call(stage, 'rest', 'createOrganization', { scope: { tenant: 'account', id: user.accountId }, name }, user.token),
        stands: async () => (await organizations()).length === 1,
        whole: async () => {
          const [organization] = await organizations();
          assert.ok(organization);
          assert.deepEqual(stage.rbac.ownersOf(organization.id), [user.id]);
          assert.ok(await isMember(organization.id, user.id));
        },
        none: async () => assert.equal(await count('organization_users WHERE user_id = $1', [user.id]), 0),
      };
    },
  },
  ...(['known', 'new'] as const).map((kind) => ({
    name: `acceptance by a ${kind} user`,
    arrange: async () => {
      const { owner, organizationId } = await stage.found();
      const scope = { tenant: 'organization', id: organizationId };
      const email = kind === 'known' ? (await stage.register('Guest')).email : `new.${newId().slice(-10)}@example.com`;
      const { data } = await call(
        stage,
        'rest',
        'inviteMember',
        { scope, email, roleId: stage.rbac.roleId(organizationId, 'Dev') },
        owner.token,
      );
      const token = stage.identity.tokenFor(email);
      const userData = kind === 'new' ? { userData: { name: 'Nina', password: 'Str0ng!Pass' } } : {};
      const userId = () => [...stage.identity.people.values()].find((person) => person.email === email)?.id ?? '';
      const status = async () =>
        (await stage.rows<{ status: string }>('SELECT status FROM organization_invitations WHERE id = $1', [data.id]))[0]?.status;
      return {
        run: () => call(stage, 'rest', 'acceptInvitation', { token, ...userData }, undefined),
        stands: async () => (await status()) === 'accepted',
        whole: async () => {
          assert.ok(await isMember(organizationId, userId()));
          assert.equal(stage.rbac.roleOf(organizationId, userId()), 'Dev');
        },
        none: async () => {
          if (kind === 'new') assert.equal(userId(), '', 'somebody was registered for an invitation that is still open');
          else assert.equal(await isMember(organizationId, userId()), false);
        },
      };
    },
  })),
  {
    name: 'inviting',
    arrange: async () => {
      const { owner, organizationId } = await stage.found();
      const email = `mail.${newId().slice(-10)}@example.com`;
      const roleId = stage.rbac.roleId(organizationId, 'Dev');
      return {
        run: () =>
          call(stage, 'rest', 'inviteMember', { scope: { tenant: 'organization', id: organizationId }, email, roleId }, owner.token),
        stands: async () => (await count('organization_invitations WHERE email = $1', [email])) === 1,
        whole: async () => assert.equal(stage.identity.mails.filter(({ to }) => to === email).length, 1, 'one mail'),
        none: async () => assert.equal(stage.identity.mails.filter(({ to }) => to === email).length, 0, 'no mail'),
      };
    },
  },
  {
    name: 'changing a project’s name and tags',
    arrange: async () => {
      const { owner, organizationId } = await stage.found();
      const scope = { tenant: 'organization', id: organizationId };
      const { data } = await call(stage, 'rest', 'createProject', { scope, name: 'Before' }, owner.token);
      const [tag, id] = [newId(), String(data.id)];
      stage.rbac.tag(organizationId, tag);
      return {
        run: () => call(stage, 'rest', 'updateProject', { scope, id, name: 'After', tagIds: [tag], primaryTagId: tag }, owner.token),
        stands: async () => (await count('projects WHERE id = $1 AND name = $2', [id, 'After'])) === 1,
        whole: async () => assert.equal(stage.rbac.primaryTagOf(id), tag),
        none: async () => assert.equal(stage.rbac.primaryTagOf(id), undefined),
      };
    },
  },
  {
    name: 'removing a member',
    arrange: async () => {
      const { owner, organizationId } = await stage.found();
      const dev = await stage.join(organizationId, 'Dev');
      const scope = { tenant: 'organization', id: organizationId };
      return {
        run: () => call(stage, 'rest', 'removeOrganizationMember', { scope, userId: dev.id }, owner.token),
        stands: async () => stage.rbac.roleOf(organizationId, dev.id) === undefined,
        whole: async () => assert.equal(await isMember(organizationId, dev.id), false),
        none: async () => assert.ok(await isMember(organizationId, dev.id)),
      };
    },
  },
  {
    name: 'deleting an organization',
    arrange: async () => {
      const { owner, organizationId } = await stage.found();
      await stage.join(organizationId, 'Dev');
      const scope = { tenant: 'organization', id: organizationId };
      const { data } = await call(stage, 'rest', 'createProject', { scope, name: 'Rocket' }, owner.token);
      return {
        run: () => call(stage, 'rest', 'deleteOrganization', { scope, id: organizationId }, owner.token),
        stands: async () => !(await isAlive('organizations', organizationId)),
        whole: async () => {
          assert.equal(await isAlive('projects', String(data.id)), false);
          assert.equal(stage.rbac.hasRoles(organizationId), false);
        },
        none: async () => {
          assert.ok(await isAlive('projects', String(data.id)));
          assert.ok(stage.rbac.hasRoles(organizationId));
        },
      };
    },
  },
  {
    name: 'closing a user’s accounts',
    arrange: async () => {
      const { owner, organizationId: alone } = await stage.found('Alone');
      const { owner: other, organizationId: shared } = await stage.found('Shared');
      const { organizationId: elsewhere } = await stage.found('Elsewhere');
      await joinAs(owner, shared, 'Owner');
      await joinAs(owner, elsewhere, 'Viewer');
      const scope = { tenant: 'account', id: owner.accountId };
      const { data } = await call(stage, 'rest', 'createProject', { scope, name: 'Mine' }, owner.token);
      const gone = async () => !(await isAlive('accounts', owner.accountId));
      return {
        run: () => closeAccounts(stage.inner, owner.id, false),
        stands: gone,
        whole: async () => {
          assert.equal(stage.identity.people.has(owner.id), false, 'identity still has the user');
          assert.equal(await isPerson(owner.id), false);
          assert.equal(await isAlive('organizations', alone), false);
          assert.equal(await isAlive('projects', String(data.id)), false);
          assert.deepEqual(stage.rbac.ownersOf(shared), [other.id]);
          for (const id of [shared, elsewhere]) assert.equal(await isMember(id, owner.id), false);
          assert.equal(stage.rbac.accountExists(owner.accountId), false);
        },
        none: async () => {
          assert.ok(stage.identity.people.has(owner.id));
          assert.ok(await isAlive('organizations', alone));
          for (const id of [shared, elsewhere]) assert.ok(await isMember(id, owner.id));
          assert.deepEqual(stage.rbac.ownersOf(shared).sort(), [owner.id, other.id].sort());
        },
      };
    },
  },
];

async function joinAs(user: User, organizationId: string, role: 'Owner' | 'Viewer'): Promise<void> {
  const scope = { tenant: 'organization', id: organizationId };
  await stage.tell('user.joined', {
    userId: user.id,
    name: 'Known',
    email: user.email,
    scope,
    roleIds: [],
    tagIds: [],
    primaryTagId: null,
    createdBy: null,
  });
  stage.rbac.receive({
    type: 'member.added',
    payload: { organizationId, userId: user.id, roleId: stage.rbac.roleId(organizationId, role) },
  });
}

/** What must be true of everything at any rest. */
async function assertInvariants(): Promise<void> {
  const organizations = await stage.rows<{ id: string }>('SELECT id FROM organizations WHERE deleted_at IS NULL');
  for (const { id } of organizations) {
    assert.ok(stage.rbac.hasRoles(id), `organization ${id} has no roles`);
    assert.ok(stage.rbac.ownersOf(id).length >= 1, `organization ${id} has no Owner`);
    const members = await stage.rows<{ userId: string; isPerson: boolean }>(
      `SELECT m.user_id AS "userId", p.deleted_at IS NULL AS "isPerson" FROM organization_users m JOIN people p ON p.user_id = m.user_id WHERE organization_id = $1`,
      [id],
    );
    for (const { userId, isPerson: isLiving } of members) {
      assert.ok(isLiving, 'a membership without a person');
      assert.ok(stage.rbac.roleOf(id, userId), 'a membership without a role');
    }
    assert.deepEqual(stage.rbac.members(id).sort(), members.map(({ userId }) => userId).sort(), 'a role assignment without a membership');
  }
  assert.equal(await count('outbox WHERE delivered_at IS NULL', []), 0, 'something is still owed');
  assert.equal(await count('people WHERE closing_at IS NOT NULL', []), 0, 'somebody is still leaving');
  assert.equal(await count('organizations WHERE closing_for IS NOT NULL AND deleted_at IS NULL', []), 0, 'an organization is still closed');
  assert.equal(await count(`outbox WHERE payload::text LIKE '%token%'`, []), 0, 'a token is still kept');
}

describe('killed at any step', () => {
  for (const { name, arrange } of sagas) {
    it(name, async (test) => {
      const { run, stands, whole } = await arrange();
      stage.fuse.arm();
      await run();
      const { steps } = stage.fuse;
      assert.ok(steps > 2, 'the saga passes no step that a kill could separate');
      await stage.restart();
      assert.ok(await stands(), 'the undisturbed change does not stand');
      await whole();
      await assertInvariants();

      let stood = 0;
      for (let step = 1; step <= steps; step += 1) {
        const killed = await arrange();
        stage.fuse.arm(step);
        await killed.run().catch(() => undefined);
        assert.ok(stage.fuse.isBlown, `step ${step} was never reached`);
        await stage.restart();
        const isWhole = await killed.stands();
        if (isWhole) stood += 1;
        await (isWhole ? killed.whole : killed.none)();
        await assertInvariants();
      }
      test.diagnostic(`${steps} steps, ${stood} of the killed changes stand`);
    });
  }
});

describe('what others say, in any order and twice', () => {
  it('an event that comes again changes nothing', async () => {
    const user = await stage.register('Twice');
    const id = newId();
    const payload = { userId: user.id, name: 'Renamed', email: user.email, isVerified: true };
    assert.ok(await stage.tell('user.updated', payload, { id }));
    assert.ok(await stage.tell('user.updated', { ...payload, name: 'Again' }, { id }));
    assert.deepEqual(await stage.rows('SELECT name FROM people WHERE user_id = $1', [user.id]), [{ name: 'Renamed' }]);
  });

  it('somebody who was deleted before they were heard of stays away', async () => {
    const userId = newId();
    await stage.tell('user.deleted', { userId, hard: true });
    await stage.tell('user.registered', {
      userId,
      name: 'Ghost',
      email: 'ghost@example.com',
      isVerified: true,
      account: { id: newId(), type: 'personal' },
    });
    assert.equal(await isPerson(userId), false);
    assert.equal(await count('accounts WHERE owner_id = $1', [userId]), 0);
    assert.deepEqual(await stage.rows('SELECT name, email FROM people WHERE user_id = $1', [userId]), [{ name: '', email: null }]);
  });

  it('a new name reaches every place where it is repeated', async () => {
    const { organizationId } = await stage.found();
    const dev = await stage.join(organizationId, 'Dev', 'Old Name');
    const parent = { tenant: 'account', id: dev.accountId };
    const { data } = await call(stage, 'rest', 'createProject', { scope: parent, name: 'Rocket' }, dev.token);
    const scope = { tenant: 'accountProject', id: `${dev.accountId}:${data.id}` };
    const place = { scope, roleIds: [], tagIds: [], primaryTagId: null, createdBy: null };
    await stage.tell('user.joined', { userId: dev.id, name: 'Old Name', email: dev.email, ...place });
    await stage.tell('user.updated', { userId: dev.id, name: 'New Name', email: dev.email, isVerified: true });
    for (const table of ['organization_users', 'project_users'])
      assert.deepEqual(
        await stage.rows(`SELECT name, search FROM ${table} WHERE user_id = $1`, [dev.id]),
        [{ name: 'New Name', search: `new name\n${dev.email}` }],
        table,
      );
  });

  it('a membership that ended before a newer one began does not end that', async () => {
    const { organizationId } = await stage.found();
    const dev = await stage.join(organizationId, 'Dev');
    const scope = { tenant: 'organization', id: organizationId };
    await stage.tell('membership.ended', { userId: dev.id, scope }, { at: new Date(Date.now() - 60_000).toISOString() });
    assert.ok(await isMember(organizationId, dev.id));
  });

  it('peers that are down get what is theirs when they are back', async () => {
    const user = await stage.register('Patient');
    stage.down.add('rbac');
    const created = await call(
      stage,
      'rest',
      'createOrganization',
      { scope: { tenant: 'account', id: user.accountId }, name: 'Waits' },
      user.token,
    );
    assert.equal(created.status, 201);
    assert.equal(stage.rbac.hasRoles(String(created.data.id)), false);
    stage.down.delete('rbac');
    await stage.restart();
    assert.deepEqual(stage.rbac.ownersOf(String(created.data.id)), [user.id]);
    await assertInvariants();
  });
});
