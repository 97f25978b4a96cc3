/**
 * A sign-in in parallel with a change that ends it: the second transaction sees what the first one
 * did.
 */

import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql, type Transaction } from '@tessera/kernel/postgres';
import { until, waitingForMe } from '../../../../test/support/until.ts';
import { findCredentials, insertMethod, setPrimaryMethod } from '../people/storage/authentication-methods.ts';
import { lockPerson } from '../people/storage/people.ts';
import { codeOf, firstFactor, secondFactor, withPasskey, withTotp } from '../testing/factors.ts';
import { claimsOf, login, registered, startIdentity, type TestService } from '../testing/service.ts';
import { openSession } from './storage/open-session.ts';

describe('sign-in races', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startIdentity();
  });
  afterAll(async () => service.stop());

  /** Begins a login, and goes on once it waits for what this transaction holds, or is over. */
  async function meetLogin(tx: Transaction, email: string) {
    let isOver = false;
    const attempt = login(service, email).finally(() => {
      isOver = true;
    });
    await until(async () => isOver || (await tx.query(sql(waitingForMe))).length > 0);
    return { attempt };
  }

  test('a login whose known session ends meanwhile opens a new one, which works at once', async () => {
    const { email, accessToken } = await registered(service);
    service.peers.onSign = async () => {
      service.peers.onSign = async () => undefined;
      await service.ask('POST', '/api/me/logout', { token: accessToken, body: {} });
    };
    const { body } = await login(service, email);
    expect(claimsOf(body.data.accessToken).jti).not.toBe(claimsOf(accessToken).jti);
    expect((await service.ask('GET', '/api/me', { token: body.data.accessToken })).status).toBe(200);
    expect((await service.ask('GET', '/api/me', { token: accessToken })).status).toBe(401);
  });

  const ends = {
    'removes its method': `DELETE FROM authentication_methods WHERE user_id = $1 AND provider = 'email'`,
    'changes its password': `UPDATE authentication_methods SET provider_data = '{"passwordHash":"another"}' WHERE user_id = $1 AND provider = 'email'`,
    'deletes the person': 'UPDATE users SET deleted_at = now() WHERE id = $1',
  };
  for (const [what, end] of Object.entries(ends)) {
    test(`a login waits for a transaction that ${what}, and is then refused`, async () => {
      const { email, userId } = await registered(service);
      const { attempt } = await service.database.transaction(async (tx) => {
        const now = new Date();
        await lockPerson(tx, userId);
        const meeting = await meetLogin(tx, email);
        const other = { id: newId(), userId, provider: 'codehost', providerId: userId, email: null };
        await insertMethod(tx, { ...other, isVerified: true, isPrimary: false, lastUsedAt: null }, now);
        await setPrimaryMethod(tx, userId, other.id, now);
        await tx.execute(sql(end), [userId]);
        return meeting;
      });
      expect((await attempt).status).toBe(401);
    });
  }

  describe('what changes after a second factor was right, before the session is opened,', () => {
    /** The sign-in of a thief who has everything, while its token is signed. */
    const during = (change: () => Promise<unknown>) => {
      service.peers.onSign = async () => {
        service.peers.onSign = async () => undefined;
        await change();
      };
    };
    const freshToken = async (refreshToken: string) =>
      (await service.ask('POST', '/api/auth/refresh', { body: { refreshToken } })).body.data.accessToken as string;
    const sessionsOf = async (userId: string) =>
      (await service.database.query(sql('SELECT FROM sessions WHERE user_id = $1'), [userId])).length;

    test('ends it: a new password', async () => {
      const { email, userId, secret } = await withTotp(service);
      const { token } = await firstFactor(service, email);
      await service.ask('POST', '/api/auth/request-password-reset', { body: { email } });
      const reset = (await service.mails(email, 3)).find(({ template }) => template === 'reset-password');
      during(() => service.ask('POST', '/api/auth/reset-password', { body: { token: reset?.data.token, newPassword: 'Another7!Word' } }));
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret) })).status).toBe(400);
      expect(await sessionsOf(userId)).toBe(0);
    });

    test('ends it: the app is removed', async () => {
      const { email, userId, secret, factorId, refreshToken } = await withTotp(service);
      const owner = await freshToken(refreshToken);
      const { token } = await firstFactor(service, email);
      during(() => service.ask('DELETE', `/api/me/second-factors/${factorId}`, { token: owner }));
      expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret) })).status).toBe(400);
      expect(await sessionsOf(userId)).toBe(1);
    });

    test('ends it: the passkey is removed', async () => {
      const { authenticator, userId, factorId, refreshToken } = await withPasskey(service);
      const owner = await freshToken(refreshToken);
      const { body } = await service.ask('POST', '/api/auth/passkey/options', { body: {} });
      during(() => service.ask('DELETE', `/api/me/second-factors/${factorId}`, { token: owner }));
      const credential = authenticator.get(body.data);
      expect((await service.ask('POST', '/api/auth/passkey', { body: { credential }, userAgent: 'second device' })).status).toBe(401);
      expect(await sessionsOf(userId)).toBe(1);
    });
  });

  test('a deletion waits for a parallel login and ends its session', async () => {
    const { email, userId } = await registered(service);
    let deleted: Promise<unknown> = Promise.resolve();
    await service.database.transaction(async (tx) => {
      const now = new Date();
      const method = await findCredentials(tx, 'email', email);
      assert.ok(method !== undefined && method.passwordHash !== null);
      const device = { userAgent: 'late', ipAddress: '', deviceKey: Buffer.from('late'), refreshHash: Buffer.from(newId()) };
      const session = { id: newId(), userId, authenticationMethodId: method.id, connectionId: null, audience: '', scope: null };
      const proof = { amr: ['pwd'], authenticatedAt: now } as const;
      expect(await openSession(tx, { ...session, ...device, proof, expiresAt: now, granter: null }, method.passwordHash, now)).toBe(
        session.id,
      );
      deleted = service.deliver('accounts.closed', { userId, hard: false });
      await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
    });
    await deleted;
    const left = await service.database.query(sql('SELECT FROM sessions WHERE user_id = $1'), [userId]);
    expect(left).toHaveLength(0);
  });
});
