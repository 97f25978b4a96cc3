import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { claimsOf, registered, startIdentity, type TestService } from '../../../testing/service.ts';

describe('how long sessions last', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startIdentity();
  });
  afterAll(async () => service.stop());

  const run = <Row>(text: string, values: readonly unknown[] = []) => service.database.query<Row>(sql(text), values);
  const refresh = (refreshToken: string) => service.ask('POST', '/api/auth/refresh', { body: { refreshToken } });
  const sessionCount = async (userId: string) => (await run('SELECT FROM sessions WHERE user_id = $1', [userId])).length;

  test('a refresh begins the time of the session anew, and counts as use [spec:session-states.3]', async () => {
    const { refreshToken, userId } = await registered(service);
    const day = `interval '1 day'`;
    await run(
      `UPDATE sessions SET last_used_at = now() - ${day}, updated_at = now() - ${day}, expires_at = now() + ${day} WHERE user_id = $1`,
      [userId],
    );
    expect((await refresh(refreshToken)).status).toBe(200);
    const [session] = await run<{ days: number; isUsed: boolean }>(
      `SELECT extract(day FROM expires_at - last_used_at)::int AS days, last_used_at > now() - interval '1 hour' AS "isUsed"
       FROM sessions WHERE user_id = $1`,
      [userId],
    );
    expect(session).toStrictEqual({ days: 30, isUsed: true });
  });

  test('a spent token past its own life is unknown: 401, without alarm', async () => {
    const { refreshToken, userId } = await registered(service);
    await refresh(refreshToken);
    const own = 'session_id IN (SELECT id FROM sessions WHERE user_id = $1) AND spent_at IS NOT NULL';
    await run(`UPDATE refresh_tokens SET expires_at = now() - interval '1 second', spent_at = now() - interval '30 days' WHERE ${own}`, [
      userId,
    ]);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect(await sessionCount(userId)).toBe(1);
  });

  for (const table of ['sessions', 'refresh_tokens'])
    test(`what expires while the new token is signed is not refreshed: ${table}`, async () => {
      const { refreshToken, accessToken } = await registered(service);
      const column = table === 'sessions' ? 'id' : 'session_id';
      service.peers.onSign = async () => {
        service.peers.onSign = async () => undefined;
        await run(`UPDATE ${table} SET expires_at = now() - interval '1 second' WHERE ${column} = $1`, [claimsOf(accessToken).jti]);
      };
      expect((await refresh(refreshToken)).status).toBe(401);
    });

  test('a deleted person refreshes nothing, whatever session is left', async () => {
    const { refreshToken, userId } = await registered(service);
    await run('UPDATE users SET deleted_at = now() WHERE id = $1', [userId]);
    expect((await refresh(refreshToken)).status).toBe(401);
  });

  test('whose session has ended can not log out of it', async () => {
    const { accessToken: token, userId } = await registered(service);
    await run('DELETE FROM sessions WHERE user_id = $1', [userId]);
    expect((await service.ask('POST', '/api/me/logout', { token, body: {} })).status).toBe(401);
    expect((await service.ask('POST', '/api/auth/logout', { token, body: {} })).status).toBe(404);
  });
});
