import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { claimsOf, registered, startIdentity } from '../../../testing/service.ts';

const service = await startIdentity();

describe('session levels', () => {
  afterAll(async () => service.stop());

  test('a sign-in by password is aal1, and its tokens and /api/me say when it was', async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { accessToken } = await registered(service);
    const claims = claimsOf(accessToken);
    expect(claims).toMatchObject({ acr: 'aal1', amr: ['pwd'] });
    expect(claims['auth_time']).toBeGreaterThanOrEqual(before);
    const { body } = await service.ask('GET', '/api/me', { token: accessToken });
    const authenticatedAt = new Date(Number(claims['auth_time']) * 1_000).toISOString();
    expect(body.data).toMatchObject({ acr: 'aal1', amr: ['pwd'], authenticatedAt, hasSecondFactor: false });
  });

  test('a refresh keeps level, methods and time of the sign-in', async () => {
    const { accessToken, refreshToken } = await registered(service);
    const { jti } = claimsOf(accessToken);
    const raise = `UPDATE sessions SET acr = 'aal2', amr = '["pwd","otp","mfa"]', authenticated_at = '2026-01-02T03:04:05Z' WHERE id = $1`;
    await service.database.query(sql(raise), [jti]);
    const { body } = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken } });
    const authTime = Date.parse('2026-01-02T03:04:05Z') / 1_000;
    expect(claimsOf(body.data.accessToken)).toMatchObject({ jti, acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: authTime });
  });
});
