import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@tessera/kernel/postgres';
import { until } from '../../../tools/testing/until.ts';
import { deleteExpired, removeLongDeleted } from '../src/jobs/retention.ts';
import { goodPassword, registered, startIdentity, type TestService } from './service.ts';
import { call } from './transports.ts';

describe('retention', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  const count = async (table: string, condition = 'true', values: readonly unknown[] = []) => {
    const [row] = await service.database.query<{ count: number }>(sql(`SELECT count(*) AS count FROM ${table} WHERE ${condition}`), values);
    return row?.count;
  };
  const run = (text: string, values: readonly unknown[] = []) => service.database.query(sql(text), values);

  test('expired sessions, their tokens, one-time tokens and revocations go; what is alive stays', async () => {
    const [gone, kept] = [await registered(service, { verified: false }), await registered(service, { verified: false })];
    await service.mails(gone.email);
    await service.mails(kept.email);
    const own = 'authentication_method_id IN (SELECT id FROM authentication_methods WHERE user_id = $1)';
    await run(`UPDATE sessions SET expires_at = now() - interval '1 hour' WHERE user_id = $1`, [gone.userId]);
    await run(`UPDATE one_time_tokens SET expires_at = now() - interval '1 hour' WHERE ${own}`, [gone.userId]);
    await run(`INSERT INTO revocations (kind, value, before, expires_at) VALUES ('jti', 'old', now(), now() - interval '1 hour')`);
    await service.database.transaction((tx) => deleteExpired(tx, new Date()));
    assert.deepEqual([await count('sessions', 'user_id = $1', [gone.userId]), await count('one_time_tokens', own, [gone.userId])], [0, 0]);
    assert.deepEqual([await count('sessions', 'user_id = $1', [kept.userId]), await count('one_time_tokens', own, [kept.userId])], [1, 1]);
    assert.equal(await count('revocations', `value = 'old'`), 0);
    assert.equal(await count('refresh_tokens', 'session_id NOT IN (SELECT id FROM sessions)'), 0);
  });

  test('soft-deleted users go after their time, free their address, and everybody hears of it', async () => {
    const [old, recent] = [await registered(service), await registered(service)];
    for (const { userId } of [old, recent]) await service.deliver('accounts.closed', { userId, hard: false });
    await run(`UPDATE users SET deleted_at = deleted_at - interval '31 days' WHERE id = $1`, [old.userId]);
    await service.database.transaction((tx) => removeLongDeleted(tx, new Date(Date.now() - 30 * 86_400_000)));
    assert.deepEqual([await count('users', 'id = $1', [old.userId]), await count('users', 'id = $1', [recent.userId])], [0, 1]);
    const again = (email: string) =>
      call(service, 'rest', 'register', { provider: 'email', providerId: email, providerData: { password: goodPassword } });
    assert.deepEqual([(await again(old.email)).code, (await again(recent.email)).code], ['ok', 'CONFLICT']);
    const told = () =>
      service.peers.events
        .filter(({ event, subscriber }) => event.type === 'user.deleted' && event.key === old.userId && subscriber === 'tenancy')
        .map(({ event }) => JSON.parse(event.payloadJson).hard);
    await until(() => told().length >= 2);
    assert.deepEqual(told(), [false, true]);
  });

  test('rotation leaves one live token and its spent ancestors, nothing else', async () => {
    const { refreshToken, userId } = await registered(service);
    let token = refreshToken;
    for (let at = 0; at < 5; at += 1) token = (await call(service, 'rest', 'refreshSession', { refreshToken: token })).data.refreshToken;
    const own = 'session_id IN (SELECT id FROM sessions WHERE user_id = $1)';
    assert.deepEqual(
      [await count('refresh_tokens', `${own} AND spent_at IS NULL`, [userId]), await count('refresh_tokens', own, [userId])],
      [1, 6],
    );
  });
});
