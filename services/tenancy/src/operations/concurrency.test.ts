/** What many do at the same moment. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import { until } from '../../../../tools/testing/until.ts';
import { deleteAccounts } from '../storage/accounts.ts';
import { acceptInvitation } from '../storage/invitations.ts';
import { addMember } from '../storage/members.ts';
import { deleteOrganization } from '../storage/organizations.ts';
import { call } from '../testing/call.ts';
import { openStage, type Stage, type User } from '../testing/service.ts';
import { tenancyService } from '../transport/grpc/tenancy.ts';
import { closeAccounts } from './closing/close-accounts.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

function times<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

async function invited(organizationId: string, owner: User, email: string): Promise<string> {
  const scope = { tenant: 'organization', id: organizationId };
  const answer = await call(stage, 'rest', 'inviteMember', { scope, email, roleId: stage.rbac.roleId(organizationId, 'Dev') }, owner.token);
  assert.equal(answer.status, 201);
  return stage.identity.tokenFor(email);
}

/** What is answered to a request that comes in the middle of a transaction, and waits for its commit. */
async function askedDuring<Result>(work: (tx: Transaction) => Promise<unknown>, ask: () => Promise<Result>): Promise<Result> {
  const isWaiting = async () =>
    (await stage.rows(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)).length > 0;
  const [done, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = stage.database.transaction(async (tx) => {
    await work(tx);
    done.resolve();
    await asked.promise;
  });
  await done.promise;
  const answer = ask();
  await until(isWaiting).finally(asked.resolve);
  await first;
  return answer;
}

describe('at the same moment', () => {
  it('twenty organizations of one name all get a slug of their own', async () => {
    const user = await stage.register('Many');
    const scope = { tenant: 'account', id: user.accountId };
    const answers = await times(20, () => call(stage, 'rest', 'createOrganization', { scope, name: 'Größe & Söhne' }, user.token));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    const slugs = answers.map(({ data }) => String(data.slug));
    assert.equal(new Set(slugs).size, 20);
    for (const expected of ['grosse-sohne', 'grosse-sohne-2', 'grosse-sohne-5']) assert.ok(slugs.includes(expected), expected);
  });

  it('twenty projects of one name in one parent likewise; another parent has its own', async () => {
    const { owner, organizationId } = await stage.found();
    const create = (scope: object) => call(stage, 'rest', 'createProject', { scope, name: 'Rocket' }, owner.token);
    const answers = await times(20, () => create({ tenant: 'organization', id: organizationId }));
    assert.equal(new Set(answers.map(({ data }) => data.slug)).size, 20);
    assert.equal((await create({ tenant: 'account', id: owner.accountId })).data.slug, 'rocket');
  });

  it('ten acceptances of one invitation by a known user apply once', async () => {
    const { owner, organizationId } = await stage.found();
    const guest = await stage.register('Guest');
    const token = await invited(organizationId, owner, guest.email);
    const answers = await times(10, () => call(stage, 'rest', 'acceptInvitation', { token }, undefined));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal((await stage.rows('SELECT 1 FROM organization_users WHERE user_id = $1', [guest.id])).length, 1);
    assert.equal(
      (await stage.rows(`SELECT 1 FROM outbox WHERE type = 'member.added' AND key = $1`, [`${organizationId}:${guest.id}`])).length,
      1,
    );
  });

  it('ten acceptances by a new user register one person, who is a member once', async () => {
    const { owner, organizationId } = await stage.found();
    const email = `new.${newId().slice(-10)}@example.com`;
    const token = await invited(organizationId, owner, email);
    const userData = { name: 'Nina', password: 'Str0ng!Pass' };
    const answers = await times(10, () => call(stage, 'rest', 'acceptInvitation', { token, userData }, undefined));
    assert.ok(answers.some(({ status }) => status === 200));
    assert.ok(
      answers.every(({ status }) => status === 200 || status === 409),
      JSON.stringify(answers.map(({ code }) => code)),
    );
    const people = [...stage.identity.people.values()].filter((person) => person.email === email);
    assert.equal(people.length, 1);
    assert.equal((await stage.rows('SELECT 1 FROM organization_users WHERE email = $1', [email])).length, 1);
  });

  it('ten invitations of one address leave one', async () => {
    const { owner, organizationId } = await stage.found();
    const input = {
      scope: { tenant: 'organization', id: organizationId },
      email: 'same@example.com',
      roleId: stage.rbac.roleId(organizationId, 'Dev'),
    };
    const answers = await times(10, () => call(stage, 'rest', 'inviteMember', input, owner.token));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal(stage.identity.mails.filter(({ to }) => to === 'same@example.com').length, 1);
  });

  it('an invitation to an address whose earlier one is being accepted finds a member', async () => {
    const { owner, organizationId } = await stage.found();
    const guest = await stage.register('Guest');
    const scope = { tenant: 'organization', id: organizationId };
    const input = { scope, email: guest.email, roleId: stage.rbac.roleId(organizationId, 'Dev') };
    const { data } = await call(stage, 'rest', 'inviteMember', input, owner.token);
    const again = await askedDuring(
      async (tx) => {
        await acceptInvitation(tx, organizationId, String(data.id), guest.id);
        await addMember(tx, organizationId, guest.id);
      },
      () => call(stage, 'rest', 'inviteMember', input, owner.token),
    );
    assert.equal(again.code, 'CONFLICT');
    assert.equal((await stage.rows(`SELECT 1 FROM organization_invitations WHERE email = $1`, [guest.email])).length, 1);
  });

  for (const isHard of [false, true]) {
    it(`an invitation into an organization that is being deleted ${isHard ? 'for good' : 'softly'} is refused, and leaves none`, async () => {
      const { owner, organizationId } = await stage.found();
      const scope = { tenant: 'organization', id: organizationId };
      const email = `late.${newId().slice(-10)}@example.com`;
      const input = { scope, email, roleId: stage.rbac.roleId(organizationId, 'Dev') };
      const late = await askedDuring(
        (tx) => deleteOrganization(tx, organizationId, isHard),
        () => call(stage, 'rest', 'inviteMember', input, owner.token),
      );
      assert.equal(late.code, 'FORBIDDEN');
      assert.equal((await stage.rows('SELECT 1 FROM organization_invitations WHERE email = $1', [email])).length, 0);
    });
  }

  it('a project in an organization or account that is being deleted is refused, and leaves none', async () => {
    const { owner, organizationId } = await stage.found();
    const places = [
      { scope: { tenant: 'organization', id: organizationId }, end: (tx: Transaction) => deleteOrganization(tx, organizationId, false) },
      { scope: { tenant: 'account', id: owner.accountId }, end: (tx: Transaction) => deleteAccounts(tx, owner.id, false) },
    ];
    for (const { scope, end } of places) {
      const late = await askedDuring(end, () => call(stage, 'rest', 'createProject', { scope, name: 'Late' }, owner.token));
      assert.equal(late.code, 'FORBIDDEN', scope.tenant);
    }
    assert.equal((await stage.rows('SELECT 1 FROM projects WHERE created_by = $1', [owner.id])).length, 0);
  });

  it('ten second accounts of one user leave one of each type', async () => {
    const user = await stage.register('Two', 'personal');
    const { handlers } = tenancyService(stage.inner);
    const create = handlers.createAccount;
    assert.ok(create);
    const deadline = new Date(Date.now() + 5_000);
    const callOf = { caller: 'identity', requestId: newId(), traceparent: undefined, deadline };
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => create({ userId: user.id, type: 'organization' }, callOf)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await stage.rows('SELECT 1 FROM accounts WHERE owner_id = $1', [user.id])).length, 2);
  });

  it('two Owners who leave the platform together: one goes, the other stays with the rest', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { owner, organizationId } = await stage.found();
      const second = await stage.join(organizationId, 'Owner');
      await stage.join(organizationId, 'Dev');
      const results = await Promise.allSettled([owner, second].map(({ id }) => closeAccounts(stage.inner, id, false)));
      assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      assert.equal(stage.rbac.ownersOf(organizationId).length, 1);
      const [stays] = stage.rbac.ownersOf(organizationId);
      assert.ok(stays !== undefined && stage.identity.people.has(stays));
      assert.equal((await stage.rows('SELECT 1 FROM people WHERE closing_at IS NOT NULL')).length, 0);
    }
  });

  it('somebody joins an organization while its only member leaves the platform: one of the two happens', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { owner, organizationId } = await stage.found();
      const guest = await stage.register('Guest');
      const token = await invited(organizationId, owner, guest.email);
      await Promise.allSettled([
        closeAccounts(stage.inner, owner.id, false),
        call(stage, 'rest', 'acceptInvitation', { token }, undefined),
      ]);
      await stage.restart();
      const [organization] = await stage.rows<{ isAlive: boolean }>(
        'SELECT deleted_at IS NULL AS "isAlive" FROM organizations WHERE id = $1',
        [organizationId],
      );
      const guestIsIn =
        (await stage.rows('SELECT 1 FROM organization_users WHERE organization_id = $1 AND user_id = $2', [organizationId, guest.id]))
          .length === 1;
      assert.equal(organization?.isAlive, guestIsIn, 'an organization without an Owner, or a member of nothing');
      assert.equal(stage.rbac.ownersOf(organizationId).length, guestIsIn ? 1 : 0);
    }
  });

  it('the last Owner of others does not leave, and nothing has changed', async () => {
    const { owner, organizationId } = await stage.found();
    await stage.join(organizationId, 'Dev');
    await assert.rejects(closeAccounts(stage.inner, owner.id, false), { kind: 'conflict' });
    assert.ok(stage.identity.people.has(owner.id));
    assert.equal(
      (await stage.rows('SELECT 1 FROM people WHERE user_id = $1 AND closing_at IS NULL AND deleted_at IS NULL', [owner.id])).length,
      1,
    );
  });

  it('rbac says no at the last moment: the leaving is called off', async () => {
    const { owner, organizationId } = await stage.found();
    await stage.join(organizationId, 'Owner');
    const roles = { ...stage.deps.roles, endMemberships: () => Promise.reject(failures.conflict('Organization', 'owner')) };
    await assert.rejects(closeAccounts({ ...stage.inner, roles }, owner.id, false), { kind: 'conflict' });
    assert.equal(
      (await stage.rows('SELECT 1 FROM people WHERE user_id = $1 AND closing_at IS NULL AND deleted_at IS NULL', [owner.id])).length,
      1,
    );
  });
});
