/** Hashes from before the prehash had a key sign in, and are replaced then. */

import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import bcrypt from 'bcrypt';
import { goodPassword, login, registered, startIdentity } from '../../../testing/service.ts';

const service = await startIdentity();

describe('an outdated password hash', () => {
  afterAll(async () => service.stop());

  async function withOldHash() {
    const { email, userId, accessToken } = await registered(service);
    const hash = await bcrypt.hash(createHash('sha384').update(goodPassword).digest('base64'), 4);
    await service.database.query(
      sql(`UPDATE authentication_methods SET provider_data = jsonb_build_object('passwordHash', $2::text) WHERE user_id = $1`),
      [userId, hash],
    );
    return { email, userId, accessToken };
  }
  async function storedHash(userId: string): Promise<string> {
    const text = sql(`SELECT provider_data ->> 'passwordHash' AS hash FROM authentication_methods WHERE user_id = $1`);
    const [row] = await service.database.query<{ hash: string }>(text, [userId]);
    return row?.hash ?? '';
  }

  test('a sign-in with an outdated hash replaces it with a keyed one, and the next sign-in keeps that', async () => {
    const { email, userId } = await withOldHash();
    expect((await login(service, email)).status).toBe(200);
    const renewed = await storedHash(userId);
    expect(renewed).toMatch(/^[0-9a-f]{8}\$2b\$/);
    expect((await login(service, email)).status).toBe(200);
    expect(await storedHash(userId)).toBe(renewed);
  });

  test('a wrong password replaces no hash', async () => {
    const { email, userId } = await withOldHash();
    const outdated = await storedHash(userId);
    const body = { provider: 'email', providerId: email, providerData: { password: `${goodPassword}x` } };
    expect((await service.ask('POST', '/api/auth/login', { body })).status).toBe(401);
    expect(await storedHash(userId)).toBe(outdated);
  });

  test('parallel sign-ins with an outdated hash all succeed', async () => {
    const { email, userId } = await withOldHash();
    const attempts = await Promise.all(Array.from({ length: 6 }, (_, place) => login(service, email, { userAgent: `agent ${place}` })));
    expect(new Set(attempts.map(({ status }) => status))).toStrictEqual(new Set([200]));
    expect(await storedHash(userId)).toMatch(/^[0-9a-f]{8}\$2b\$/);
  });

  test('a password with an outdated hash can be changed', async () => {
    const { accessToken } = await withOldHash();
    const body = { currentPassword: goodPassword, newPassword: 'Another7!Word', confirmPassword: 'Another7!Word' };
    expect((await service.ask('POST', '/api/me/change-password', { token: accessToken, body })).status).toBe(200);
  });
});
