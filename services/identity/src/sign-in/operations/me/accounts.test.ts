/** Identity's copy of a person's accounts is complete in any order of events. */

import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { until } from '../../../../../../test/support/until.ts';
import { login, registered, startIdentity, type TestService } from '../../../testing/service.ts';

type Account = { readonly id: string; readonly type: 'personal' | 'organization' };

describe('the accounts of a person', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startIdentity();
  });
  afterAll(async () => service.stop());

  const idsOf = (accounts: readonly Account[]) => accounts.map(({ id }) => id);
  const isKnown = async (userId: string) => {
    const [row] = await service.database.query<{ isKnown: boolean }>(
      sql('SELECT accounts IS NOT NULL AS "isKnown" FROM users WHERE id = $1'),
      [userId],
    );
    return row?.isKnown;
  };
  const tell = (ownerId: string, accounts: readonly Account[]) =>
    service.deliver('account.created', {
      accountId: accounts[0]?.id ?? '',
      type: 'personal',
      ownerId,
      accounts: accounts.map(({ id, type }) => ({
        id,
        type,
        ownerId,
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
      })),
    });
  /** A person whose accounts identity does not know yet. */
  const someone = async () => {
    const person = await registered(service);
    await service.database.query(sql('UPDATE users SET accounts = NULL WHERE id = $1'), [person.userId]);
    return person;
  };
  const personal = (): Account => ({ id: newId(), type: 'personal' });
  const organization = (): Account => ({ id: newId(), type: 'organization' });
  /** What they see of their accounts without tenancy. */
  const seenAlone = async ({ email, accessToken }: { readonly email: string; readonly accessToken: string }) => {
    service.peers.down.add('tenancy');
    try {
      const [me, signedIn] = [await service.ask('GET', '/api/me', { token: accessToken }), await login(service, email)];
      expect([me.status, signedIn.status]).toStrictEqual([200, 200]);
      expect(signedIn.body.data.accounts).toStrictEqual(me.body.data.accounts);
      return idsOf(me.body.data.accounts);
    } finally {
      service.peers.down.delete('tenancy');
    }
  };

  test('accounts of imported people are remembered, each for its owner', async () => {
    const people = [await someone(), await someone()];
    const accounts = people.map(({ userId }) => {
      const at = '2026-01-01T00:00:00.000Z';
      return { id: newId(), type: 'personal' as const, ownerId: userId, createdAt: at, updatedAt: at };
    });
    await service.deliver('accounts.imported', { accounts });
    expect(await Promise.all(people.map(seenAlone))).toStrictEqual(accounts.map(({ id }) => [id]));
  });

  test('with remembered accounts tenancy is not needed to sign in or to read GET /api/me', async () => {
    const person = await someone();
    const account = personal();
    await tell(person.userId, [account]);
    expect(await seenAlone(person)).toStrictEqual([account.id]);
    const me = await service.ask('GET', '/api/me', { token: person.accessToken });
    expect(me.body.data.accounts).toStrictEqual([
      {
        ...account,
        ownerId: person.userId,
        deletedAt: null,
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
    const renamed = await service.ask('PATCH', '/api/me', { token: person.accessToken, body: { name: 'Grace' } });
    expect(idsOf(renamed.body.data.accounts)).toStrictEqual([account.id]);
  });

  test('without remembered accounts they are fetched from tenancy, and the next sign-in remembers them', async () => {
    const person = await someone();
    const own = idsOf(service.peers.accounts.filter(({ ownerId }) => ownerId === person.userId) as readonly Account[]);
    expect(own).toHaveLength(1);
    const me = await service.ask('GET', '/api/me', { token: person.accessToken });
    expect([idsOf(me.body.data.accounts), await isKnown(person.userId)]).toStrictEqual([own, false]);
    expect(idsOf((await login(service, person.email)).body.data.accounts)).toStrictEqual(own);
    expect(await seenAlone(person)).toStrictEqual(own);
  });

  test('an account that tenancy has not made yet is not remembered as none', async () => {
    const person = await someone();
    const [own] = service.peers.accounts.splice(
      service.peers.accounts.findIndex(({ ownerId }) => ownerId === person.userId),
      1,
    );
    assert.ok(own);
    expect((await login(service, person.email)).body.data.accounts).toStrictEqual([]);
    service.peers.accounts.push(own);
    expect(idsOf((await login(service, person.email)).body.data.accounts)).toStrictEqual([own.id]);
  });

  test('accounts are merged in any order and any number of times, the personal one first', async () => {
    const [first, second] = [organization(), personal()];
    const orders = [
      [[first], [second, first]],
      [[second, first], [first]],
      [[first], [second]],
      [[first, second], [first, second], [first]],
    ];
    for (const order of orders) {
      const person = await someone();
      for (const accounts of order) await tell(person.userId, accounts);
      expect(await seenAlone(person)).toStrictEqual([second.id, first.id]);
    }
    const person = await someone();
    await Promise.all([[first], [second], [second, first], [second]].map((accounts) => tell(person.userId, accounts)));
    expect(await seenAlone(person)).toStrictEqual([second.id, first.id]);
  });

  test('the second account is shown at once, before tenancy has sent it', async () => {
    const person = await someone();
    await login(service, person.email);
    expect(await isKnown(person.userId)).toBeTruthy();
    const made = await service.ask('POST', '/api/me/accounts', { token: person.accessToken, body: {} });
    expect(made.status).toBe(201);
    const both = idsOf(made.body.data.accounts);
    expect(both).toHaveLength(2);
    expect((await seenAlone(person)).toSorted()).toStrictEqual(both.toSorted());
  });

  const auditOf = async (userId: string) => {
    const text = sql(
      'SELECT action, outcome, ip_address AS "ipAddress" FROM audit_log WHERE $1 IN (actor_id::text, target_id::text) ORDER BY at, id',
    );
    return service.database.query<{ action: string; outcome: string; ipAddress: string }>(text, [userId]);
  };
  /** No audit row with this action can be written until the returned function is called. */
  const withoutAudit = async (action: string) => {
    const on = (text: string) => service.database.query(sql(text));
    await on(`CREATE OR REPLACE FUNCTION refuse_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no audit''; END'`);
    await on(
      `CREATE TRIGGER refuse_audit BEFORE INSERT ON audit_log FOR EACH ROW WHEN (NEW.action = '${action}') EXECUTE FUNCTION refuse_audit()`,
    );
    return async () => void (await on('DROP TRIGGER refuse_audit ON audit_log'));
  };

  test('a second account that cannot be audited is not made, and the next attempt succeeds', async () => {
    const person = await registered(service);
    const create = () => service.ask('POST', '/api/me/accounts', { token: person.accessToken, body: {} });
    const restore = await withoutAudit('account.created');
    expect((await create()).status).toBe(500);
    await restore();
    const owned = () => service.peers.accounts.filter(({ ownerId }) => ownerId === person.userId);
    expect(owned()).toHaveLength(1);
    expect((await create()).status).toBe(201);
    expect(owned()).toHaveLength(2);
    expect((await auditOf(person.userId)).filter(({ action }) => action === 'account.created')).toHaveLength(1);
  });

  test('a second account stands once it is audited, though tenancy hears of it later', async () => {
    const person = await registered(service);
    service.peers.down.add('tenancy');
    const made = await service.ask('POST', '/api/me/accounts', { token: person.accessToken, body: {} });
    service.peers.down.delete('tenancy');
    expect([made.status, made.body.data.accounts.length]).toStrictEqual([201, 2]);
    await until(() => service.peers.accounts.some(({ id }) => id === made.body.data.account.id));
  });

  test('parallel requests for a second account make one', async () => {
    const person = await registered(service);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.ask('POST', '/api/me/accounts', { token: person.accessToken, body: {} })),
    );
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([201, 409, 409, 409, 409]);
    expect(service.peers.accounts.filter(({ ownerId }) => ownerId === person.userId)).toHaveLength(2);
  });

  test('a deletion whose request cannot be audited does not reach tenancy', async () => {
    const person = await registered(service);
    let asked = 0;
    service.peers.onCloseAccounts = async () => {
      asked += 1;
    };
    const restore = await withoutAudit('user.deletion-requested');
    const answer = await service.ask('DELETE', '/api/me/accounts', { token: person.accessToken });
    await restore();
    expect([answer.status, asked]).toStrictEqual([500, 0]);
  });

  test('a deletion that dies after tenancy has begun it leaves its actor and its outcome in the audit log', async () => {
    const person = await registered(service);
    service.peers.onCloseAccounts = () => Promise.reject(new Error('the process has died'));
    const answer = await service.ask('DELETE', '/api/me/accounts', { token: person.accessToken, ip: '192.0.2.77' });
    expect(answer.status).toBe(500);
    const rows = await auditOf(person.userId);
    expect(rows.slice(-2)).toStrictEqual([
      { action: 'user.deletion-requested', outcome: 'ok', ipAddress: '192.0.2.77' },
      { action: 'user.deleted', outcome: 'failed', ipAddress: '192.0.2.77' },
    ]);
    // tenancy finishes what it has begun.
    await service.deliver('accounts.closed', { userId: person.userId, hard: false });
    expect((await auditOf(person.userId)).at(-1)).toStrictEqual({ action: 'user.deleted', outcome: 'ok', ipAddress: '192.0.2.77' });
  });

  test('the accounts of a deleted person are not remembered', async () => {
    const person = await someone();
    await service.deliver('accounts.closed', { userId: person.userId, hard: false });
    await tell(person.userId, [personal()]);
    expect(await isKnown(person.userId)).toBe(false);
    await tell(newId(), [personal()]);
  });
});
