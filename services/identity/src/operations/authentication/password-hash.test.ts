/** Hashes from before the prehash had a key keep their owners signed in, and are replaced at the next sign-in. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '@tessera/kernel/postgres';
import bcrypt from 'bcrypt';
import { goodPassword, login, registered, startIdentity, type TestService } from '../../testing/service.ts';

describe('an outdated password hash', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

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
    assert.equal((await login(service, email)).status, 200);
    const renewed = await storedHash(userId);
    assert.match(renewed, /^[0-9a-f]{8}\$2b\$/);
    assert.equal((await login(service, email)).status, 200);
    assert.equal(await storedHash(userId), renewed);
  });

  test('a wrong password replaces no hash', async () => {
    const { email, userId } = await withOldHash();
    const outdated = await storedHash(userId);
    const body = { provider: 'email', providerId: email, providerData: { password: `${goodPassword}x` } };
    assert.equal((await service.ask('POST', '/api/auth/login', { body })).status, 401);
    assert.equal(await storedHash(userId), outdated);
  });

  test('parallel sign-ins with an outdated hash all succeed', async () => {
    const { email, userId } = await withOldHash();
    const attempts = await Promise.all(Array.from({ length: 6 }, (_, place) => login(service, email, { userAgent: `agent ${place}` })));
    assert.deepEqual(new Set(attempts.map(({ status }) => status)), new Set([200]));
    assert.match(await storedHash(userId), /^[0-9a-f]{8}\$2b\$/);
  });

  test('a password with an outdated hash can be changed', async () => {
    const { accessToken } = await withOldHash();
    const body = { currentPassword: goodPassword, newPassword: 'Another7!Word', confirmPassword: 'Another7!Word' };
    assert.equal((await service.ask('POST', '/api/me/change-password', { token: accessToken, body })).status, 200);
  });
});
