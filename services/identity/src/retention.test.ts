import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { until } from '../../../test/support/until.ts';
import { newPictureKey, pictureBase } from './people/pictures/picture-store.ts';
import { deleteExpired, removeDiscardedPictures, removeLongDeleted } from './retention.ts';
import { goodPassword, registered, startIdentity } from './testing/service.ts';
import { call } from './testing/transports.ts';

const service = await startIdentity();

describe('retention', () => {
  afterAll(async () => service.stop());

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
    const spent = `INSERT INTO spent_assertions (digest, expires_at) VALUES ('old', now() - interval '1 second'), ('young', now() + interval '1 hour')`;
    await run(spent);
    await service.database.transaction((tx) => deleteExpired(tx, new Date()));
    expect([await count('spent_assertions', `digest = 'old'`), await count('spent_assertions', `digest = 'young'`)]).toStrictEqual([0, 1]);
    expect([await count('sessions', 'user_id = $1', [gone.userId]), await count('one_time_tokens', own, [gone.userId])]).toStrictEqual([
      0, 0,
    ]);
    expect([await count('sessions', 'user_id = $1', [kept.userId]), await count('one_time_tokens', own, [kept.userId])]).toStrictEqual([
      1, 1,
    ]);
    expect(await count('revocations', `value = 'old'`)).toBe(0);
    expect(await count('refresh_tokens', 'session_id NOT IN (SELECT id FROM sessions)')).toBe(0);
  });

  test('expired tokens of apps, mail sent a week ago and unused pictures are deleted', async () => {
    const [old, young] = [newId(), newId()];
    const app = `INSERT INTO project_apps (id, client_id, scope_tenant, scope_id, name, redirect_uris, scopes, enabled_providers, allow_sign_up,
        created_by, created_at, updated_at)
      VALUES ($1::uuid, $1::text, 'accountProject', 'x:y', 'Shop', '{https://client.example/}', '{}', '{}', false, $1::uuid, now(), now())`;
    const token = `INSERT INTO project_app_tokens (id, project_app_id, user_id, expires_at) VALUES ($1::uuid, $2, $1::uuid, now() + $3 * interval '1 hour')`;
    const mail = `INSERT INTO mail_jobs (id, message_id, template, recipient, language, created_at, due_at, done_at)
      VALUES ($1::uuid, $1::text, 'invitation', 'a@example.com', 'en', now(), now(), now() - $2 * interval '1 day')`;
    await run(app, [young]);
    for (const [id, hours, days] of [
      [old, -1, 8],
      [young, 1, 6],
    ] as const) {
      await run(token, [id, young, hours]);
      await run(mail, [id, days]);
    }
    await service.database.transaction((tx) => deleteExpired(tx, new Date()));
    for (const table of ['project_app_tokens', 'mail_jobs'])
      expect([await count(table, 'id = $1', [old]), await count(table, 'id = $1', [young])]).toStrictEqualFor(table, [0, 1]);

    const path = `${pictureBase}${newPictureKey(old)}`;
    await run('INSERT INTO discarded_pictures (path) VALUES ($1)', [path]);
    const removed: string[] = [];
    const pictures = { remove: async (key: string) => void removed.push(key) };
    await service.database.transaction((tx) => removeDiscardedPictures(tx, pictures));
    expect([removed, await count('discarded_pictures')]).toStrictEqual([[path.slice(pictureBase.length)], 0]);
  });

  test('apps that were deleted, and scopes that ended, are forgotten after that time too', async () => {
    const clientId = newId();
    const app = `INSERT INTO project_apps (id, client_id, scope_tenant, scope_id, name, redirect_uris, scopes, enabled_providers, allow_sign_up,
        created_by, created_at, updated_at, deleted_at)
      VALUES (gen_random_uuid(), $1, 'accountProject', 'x:y', 'Shop', '{https://client.example/}', '{}', '{}', false, gen_random_uuid(), now(),
        now(), now() - $2 * interval '1 day')`;
    for (const days of [29, 31]) {
      await run(app, [`${clientId}-${days}`, days]);
      await run(`INSERT INTO ended_scopes (scope_id, ended_at) VALUES ($1, now() - $2 * interval '1 day')`, [`${clientId}-${days}`, days]);
    }
    await service.database.transaction((tx) => removeLongDeleted(tx, new Date(Date.now() - 30 * 86_400_000)));
    const left = async (table: string, column: string) =>
      Promise.all([29, 31].map((days) => count(table, `${column} = $1`, [`${clientId}-${days}`])));
    expect([await left('project_apps', 'client_id'), await left('ended_scopes', 'scope_id')]).toStrictEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  test('soft-deleted users are purged after their time, which frees their address and emits an event', async () => {
    const [old, recent] = [await registered(service), await registered(service)];
    for (const { userId } of [old, recent]) await service.deliver('accounts.closed', { userId, hard: false });
    await run(`UPDATE users SET deleted_at = deleted_at - interval '31 days' WHERE id = $1`, [old.userId]);
    await service.database.transaction((tx) => removeLongDeleted(tx, new Date(Date.now() - 30 * 86_400_000)));
    expect([await count('users', 'id = $1', [old.userId]), await count('users', 'id = $1', [recent.userId])]).toStrictEqual([0, 1]);
    const again = (email: string) =>
      call(service, 'rest', 'register', { provider: 'email', providerId: email, providerData: { password: goodPassword } });
    expect([(await again(old.email)).code, (await again(recent.email)).code]).toStrictEqual(['ok', 'CONFLICT']);
    const told = () =>
      service.peers.events
        .filter(({ event, subscriber }) => event.type === 'user.deleted' && event.key === old.userId && subscriber === 'tenancy')
        .map(({ event }) => JSON.parse(event.payloadJson).hard);
    await until(() => told().length >= 2);
    expect(told()).toStrictEqual([false, true]);
  });

  test('rotation leaves one live token and its spent ancestors, nothing else', async () => {
    const { refreshToken, userId } = await registered(service);
    let token = refreshToken;
    for (let at = 0; at < 5; at += 1) token = (await call(service, 'rest', 'refreshSession', { refreshToken: token })).data.refreshToken;
    const own = 'session_id IN (SELECT id FROM sessions WHERE user_id = $1)';
    expect([
      await count('refresh_tokens', `${own} AND spent_at IS NULL`, [userId]),
      await count('refresh_tokens', own, [userId]),
    ]).toStrictEqual([1, 6]);
  });
});
