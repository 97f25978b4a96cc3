/** Concurrent requests: races between creations, acceptances, deletions and account closures. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { statement, type Transaction } from '@tessera/kernel/postgres';
import { until } from '../../../../test/support/until.ts';
import { deleteAccounts } from '../storage/accounts.ts';
import { acceptInvitation } from '../storage/invitations.ts';
import { addMember } from '../storage/members.ts';
import { deleteOrganization } from '../storage/organizations.ts';
import { call } from '../testing/call.ts';
import { openTestService, type User } from '../testing/service.ts';
import { closeAccounts } from './account-closure/close-accounts.ts';

const service = await openTestService();
afterAll(() => service.close());

function times<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

async function invited(organizationId: string, owner: User, email: string): Promise<string> {
  const scope = { tenant: 'organization', id: organizationId };
  const answer = await call(
    service,
    'rest',
    'inviteMember',
    { scope, email, roleId: service.rbac.roleId(organizationId, 'Dev') },
    owner.token,
  );
  expect(answer.status).toBe(201);
  return service.identity.tokenFor(email);
}

/**
 * The response to a request that arrives during a transaction and waits for its commit. `end` runs
 * while it waits.
 */
async function requestDuring<Result>(
  work: (tx: Transaction) => Promise<unknown>,
  ask: () => Promise<Result>,
  end: (tx: Transaction) => Promise<unknown> = async () => undefined,
): Promise<Result> {
  const isWaiting = async () =>
    (await service.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)).length > 0;
  const [done, requested] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = service.database.transaction(async (tx) => {
    await work(tx);
    done.resolve();
    await requested.promise;
    await end(tx);
  });
  await done.promise;
  const answer = ask();
  await until(isWaiting).finally(requested.resolve);
  await first;
  return answer;
}

describe('concurrent requests', () => {
  test('a webhook is deleted, and its tenant resumed, while an attempt of its delivery settles', async () => {
    const operator = await service.register('Operator');
    service.identity.administrators.add(operator.id);
    const settle = statement(
      'test_settle_delivery',
      'UPDATE webhook_deliveries SET tries = tries + 1 WHERE webhook_id = $1 RETURNING tries',
    );
    const note = statement('test_note_failure', 'UPDATE webhooks SET is_slow = true WHERE id = $1');
    for (const operation of ['deleteWebhook', 'resumeTenant'] as const) {
      const { owner, organizationId, scope } = await service.createOrganization();
      const hook = { scope, url: 'https://hooks.example.com/in', eventTypes: ['role.created'] };
      const { data } = await call(service, 'rest', 'createWebhook', hook, owner.token);
      const given = { scope, id: data.id };
      expect((await call(service, 'rest', 'testWebhook', given, owner.token)).code).toBeUndefined();
      await service.query('UPDATE webhooks SET failing_since = now() WHERE id = $1', [data.id]);
      await service.query('UPDATE webhook_deliveries SET begun_at = now() WHERE webhook_id = $1', [data.id]);
      const asOperator = `${operator.token}.fresh`;
      const ask = {
        deleteWebhook: () => call(service, 'rest', 'deleteWebhook', given, owner.token),
        resumeTenant: () => call(service, 'rest', 'resumeTenant', { id: organizationId }, asOperator),
      }[operation];
      if (operation === 'resumeTenant') await call(service, 'rest', 'suspendTenant', { id: organizationId }, asOperator);
      const { code } = await requestDuring(
        async (tx) => expect(await tx.query(settle, [data.id])).toHaveLength(1),
        ask,
        (tx) => tx.query(note, [data.id]),
      );
      expect(code).toStrictEqualFor(operation, undefined);
      const left = await service.query('SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1', [data.id]);
      expect(left).toHaveLength(operation === 'deleteWebhook' ? 0 : 1);
    }
  });

  test('twenty organizations of one name get twenty different slugs', async () => {
    const user = await service.register('Many');
    const scope = { tenant: 'account', id: user.accountId };
    const answers = await times(20, () => call(service, 'rest', 'createOrganization', { scope, name: 'Größe & Söhne' }, user.token));
    expect([...new Set(answers.map(({ status }) => status))]).toStrictEqual([201]);
    const slugs = answers.map(({ data }) => String(data.slug));
    expect(new Set(slugs).size).toBe(20);
    for (const expected of ['grosse-sohne', 'grosse-sohne-2', 'grosse-sohne-5'])
      expect(slugs.includes(expected)).toStrictEqualFor(expected, true);
  });

  test('twenty projects of one name get different slugs within their parent only', async () => {
    const { owner, organizationId } = await service.createOrganization();
    const create = (scope: object) => call(service, 'rest', 'createProject', { scope, name: 'Rocket' }, owner.token);
    const answers = await times(20, () => create({ tenant: 'organization', id: organizationId }));
    expect(new Set(answers.map(({ data }) => data.slug)).size).toBe(20);
    expect((await create({ tenant: 'account', id: owner.accountId })).data.slug).toBe('rocket');
  });

  test('ten acceptances of one invitation by an existing user apply once', async () => {
    const { owner, organizationId } = await service.createOrganization();
    const guest = await service.register('Guest');
    const token = await invited(organizationId, owner, guest.email);
    const answers = await times(10, () => call(service, 'rest', 'acceptInvitation', { token }, guest.token));
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(await service.query('SELECT 1 FROM organization_users WHERE user_id = $1', [guest.id])).toHaveLength(1);
    expect(
      await service.query(`SELECT 1 FROM outbox WHERE type = 'member.added' AND key = $1`, [`${organizationId}:${guest.id}`]),
    ).toHaveLength(1);
  });

  test('ten acceptances by a new user register one person and one membership', async () => {
    const { owner, organizationId } = await service.createOrganization();
    const email = `new.${newId().slice(-10)}@example.com`;
    const token = await invited(organizationId, owner, email);
    const userData = { name: 'Nina', password: 'Str0ng!Pass' };
    const answers = await times(10, () => call(service, 'rest', 'acceptInvitation', { token, userData }, undefined));
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    // Accepted already, or registered a moment ago by another of the ten: then it must sign in.
    const refusals = ['errors.organizationInvitation.notPending', 'errors.organizationInvitation.signInFirst'];
    expect(answers.filter(({ status, key }) => status !== 200 && !refusals.includes(String(key)))).toStrictEqual([]);
    const people = [...service.identity.people.values()].filter((person) => person.email === email);
    expect(people).toHaveLength(1);
    expect(await service.query('SELECT 1 FROM organization_users WHERE email = $1', [email])).toHaveLength(1);
  });

  test('ten invitations of one address create one', async () => {
    const { owner, organizationId } = await service.createOrganization();
    const input = {
      scope: { tenant: 'organization', id: organizationId },
      email: 'same@example.com',
      roleId: service.rbac.roleId(organizationId, 'Dev'),
    };
    const answers = await times(10, () => call(service, 'rest', 'inviteMember', input, owner.token));
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect(service.identity.mails.filter(({ to }) => to === 'same@example.com')).toHaveLength(1);
  });

  test('an invitation during the acceptance of an earlier one is refused because the user is a member', async () => {
    const { owner, organizationId, scope } = await service.createOrganization();
    const guest = await service.register('Guest');
    const input = { scope, email: guest.email, roleId: service.rbac.roleId(organizationId, 'Dev') };
    const { data } = await call(service, 'rest', 'inviteMember', input, owner.token);
    const again = await requestDuring(
      async (tx) => {
        await acceptInvitation(tx, organizationId, String(data.id), guest.id);
        await addMember(tx, organizationId, guest.id);
      },
      () => call(service, 'rest', 'inviteMember', input, owner.token),
    );
    expect(again.code).toBe('CONFLICT');
    expect(await service.query(`SELECT 1 FROM organization_invitations WHERE email = $1`, [guest.email])).toHaveLength(1);
  });

  for (const isHard of [false, true])
    test(`an invitation during a ${isHard ? 'hard' : 'soft'} deletion of the organization is refused and creates nothing`, async () => {
      const { owner, organizationId, scope } = await service.createOrganization();
      const email = `late.${newId().slice(-10)}@example.com`;
      const input = { scope, email, roleId: service.rbac.roleId(organizationId, 'Dev') };
      const late = await requestDuring(
        (tx) => deleteOrganization(tx, organizationId, isHard),
        () => call(service, 'rest', 'inviteMember', input, owner.token),
      );
      expect(late.code).toBe('FORBIDDEN');
      expect(await service.query('SELECT 1 FROM organization_invitations WHERE email = $1', [email])).toHaveLength(0);
    });

  test('a project is refused and not created while its organization or account is being deleted', async () => {
    const { owner, organizationId } = await service.createOrganization();
    const places = [
      { scope: { tenant: 'organization', id: organizationId }, end: (tx: Transaction) => deleteOrganization(tx, organizationId, false) },
      { scope: { tenant: 'account', id: owner.accountId }, end: (tx: Transaction) => deleteAccounts(tx, owner.id, false) },
    ];
    for (const { scope, end } of places) {
      const late = await requestDuring(end, () => call(service, 'rest', 'createProject', { scope, name: 'Late' }, owner.token));
      expect(late.code).toStrictEqualFor(scope.tenant, 'FORBIDDEN');
    }
    expect(await service.query('SELECT 1 FROM projects WHERE created_by = $1', [owner.id])).toHaveLength(0);
  });

  test('ten requests for a second account create one account of each type', async () => {
    const user = await service.register('Two', 'personal');
    const request = () => service.deliverEvent('account.requested', { userId: user.id, account: { id: newId(), type: 'organization' } });
    await Promise.all(Array.from({ length: 10 }, request));
    expect(await service.query('SELECT 1 FROM accounts WHERE owner_id = $1', [user.id])).toHaveLength(2);
  });

  test('when both Owners close their accounts at once, one closure succeeds and the other is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { owner, organizationId } = await service.createOrganization();
      const second = await service.addMember(organizationId, 'Owner');
      await service.addMember(organizationId, 'Dev');
      const results = await Promise.allSettled([owner, second].map(({ id }) => closeAccounts(service.grpcDeps, id, false)));
      expect(results.map(({ status }) => status).sort()).toStrictEqual(['fulfilled', 'rejected']);
      expect(service.rbac.ownersOf(organizationId)).toHaveLength(1);
      const [stays] = service.rbac.ownersOf(organizationId);
      expect(stays !== undefined && service.identity.people.has(stays)).toBe(true);
      expect(await service.query('SELECT 1 FROM people WHERE closing_at IS NOT NULL')).toHaveLength(0);
    }
  });

  test('when a user joins an organization whose only member closes their accounts, one of the two succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { owner, organizationId } = await service.createOrganization();
      const guest = await service.register('Guest');
      const token = await invited(organizationId, owner, guest.email);
      await Promise.allSettled([
        closeAccounts(service.grpcDeps, owner.id, false),
        call(service, 'rest', 'acceptInvitation', { token }, guest.token),
      ]);
      await service.restart();
      const [organization] = await service.query<{ isAlive: boolean }>(
        'SELECT deleted_at IS NULL AS "isAlive" FROM organizations WHERE id = $1',
        [organizationId],
      );
      const guestIsIn =
        (await service.query('SELECT 1 FROM organization_users WHERE organization_id = $1 AND user_id = $2', [organizationId, guest.id]))
          .length === 1;
      // The organization lives with its new member, or it is deleted and has none.
      expect(organization?.isAlive).toBe(guestIsIn);
      expect(service.rbac.ownersOf(organizationId)).toHaveLength(guestIsIn ? 1 : 0);
    }
  });

  test('the last Owner of an organization with other members cannot close their accounts', async () => {
    const { owner, organizationId } = await service.createOrganization();
    await service.addMember(organizationId, 'Dev');
    await expect(closeAccounts(service.grpcDeps, owner.id, false)).rejects.toMatchObject({ kind: 'conflict' });
    expect(service.identity.people.has(owner.id)).toBe(true);
    expect(
      await service.query('SELECT 1 FROM people WHERE user_id = $1 AND closing_at IS NULL AND deleted_at IS NULL', [owner.id]),
    ).toHaveLength(1);
  });

  test('an account closure is cancelled when rbac refuses it', async () => {
    const { owner, organizationId } = await service.createOrganization();
    await service.addMember(organizationId, 'Owner');
    const roles = { ...service.deps.roles, endMemberships: () => Promise.reject(failures.conflict('Organization', 'owner')) };
    await expect(closeAccounts({ ...service.grpcDeps, roles }, owner.id, false)).rejects.toMatchObject({ kind: 'conflict' });
    expect(
      await service.query('SELECT 1 FROM people WHERE user_id = $1 AND closing_at IS NULL AND deleted_at IS NULL', [owner.id]),
    ).toHaveLength(1);
  });
});
