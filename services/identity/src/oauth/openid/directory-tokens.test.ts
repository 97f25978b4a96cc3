/** A directory's long-lived token: made, exchanged, counted, ended. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { decodeJwt } from 'jose';
import { until } from '../../../../../test/support/until.ts';
import { tellOfEndingTokens } from '../../apps/jobs/ending-tokens.ts';
import { startIdentity } from '../../testing/service.ts';
import { serviceAccountsOf } from '../../testing/service-accounts.ts';

const service = await startIdentity();
afterAll(() => service.stop());
const { makeWorld, auditOf, tokenOf, takes } = serviceAccountsOf(service);
const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

async function withToken(fields: object = {}, account: object = {}) {
  const world = await makeWorld();
  const { id } = await world.make(account);
  const made = await world.makeSecret(id, { type: 'directory', ...fields });
  const token: string = made.clientSecret;
  const exchange = (more: object = {}) =>
    service.grpc.exchangeDirectoryToken({
      token,
      organizationId: world.scope.id,
      ipAddress: '203.0.113.7',
      userAgent: 'Entra',
      ...more,
    });
  return { world, id, made, token, exchange };
}

describe('a directory token', () => {
  test('is shown once, has a prefix and an end, and is exchanged for a token of its account', async () => {
    const { world, id, made, token, exchange } = await withToken();
    expect(token).toMatch(/^tds_[\w-]{43}$/);
    expect(made).toMatchObject({ type: 'directory', lastFour: token.slice(-4), lastUsedAt: null });
    expect(Math.round((Date.parse(made.expiresAt) - Date.now()) / dayMs)).toBe(365);
    const { accessToken, lifetimeSeconds } = await exchange();
    expect(decodeJwt(accessToken)).toMatchObject({ sub: id, cid: made.id, scope: world.scope });
    expect(lifetimeSeconds).toBeGreaterThan(60);
    const shown = (await world.get(id)).body.data;
    expect(shown).toMatchObject({ lastUsedFrom: '203.0.113.7', lastUsedCredentialId: made.id });
    expect(shown.credentials).toMatchObject([{ lastUsedFrom: '203.0.113.7' }]);
    expect(JSON.stringify(shown)).not.toContain(token);
    expect(await auditOf(id, 'service-account.token')).toMatchObject([
      { outcome: 'ok', detail: { grantType: 'directory_token', credentialId: made.id } },
    ]);
    const kept = await service.database.query<{ row: string }>(
      sql('SELECT row_to_json(c)::text AS row FROM service_account_credentials c WHERE id = $1'),
      [made.id],
    );
    expect(JSON.stringify(kept)).not.toContain(token.slice(4, -4));
  });

  test('opens no other door: no API, no token endpoint, no other organization', async () => {
    const { world, id, token, exchange } = await withToken();
    expect(await takes(token, world)).toBe(401);
    expect((await tokenOf(id, token)).body.error).toBe('invalid_client');
    const none = { accessToken: '', lifetimeSeconds: 0 };
    expect(await exchange({ organizationId: (await makeWorld()).scope.id })).toStrictEqual(none);
    expect(await exchange({ organizationId: 'x' })).toStrictEqual(none);
    await until(async () => (await auditOf(id, 'service-account.token')).some((row) => row.outcome === 'refused'));
  });

  test('is made by a person who has just signed in, for an organization, for a year at most, two of an account', async () => {
    const { world, id } = await withToken();
    const make = (fields: object = {}, token?: string) => world.credential(id, { type: 'directory', ...fields }, token);
    expect((await make({ expiresAt: inDays(367) })).body.extensions?.field).toBe('expiresAt');
    expect((await make({ expiresAt: inDays(-1) })).body.extensions?.field).toBe('expiresAt');
    expect((await make({ issuer: 'https://issuer.example' })).status).toBe(400);
    expect((await make({ expiresAt: inDays(30) })).status).toBe(201);
    const third = await make();
    expect([third.status, third.body.translationKey]).toStrictEqual([409, 'errors.serviceAccount.enoughDirectoryTokens']);
    expect((await world.credential(id, { type: 'secret' })).status).toBe(201);
    await service.database.query(sql(`UPDATE sessions SET authenticated_at = now() - interval '20 minutes' WHERE user_id = $1`), [
      world.owner.userId,
    ]);
    const { body } = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: world.owner.refreshToken } });
    expect((await make({}, body.data.accessToken)).body.code).toBe('FRESH_SIGN_IN_REQUIRED');
  });

  test('ends with its removal, its account, a suspension and its time, and those that it got end', async () => {
    const removed = await withToken();
    const { accessToken } = await removed.exchange();
    expect(await takes(accessToken, removed.world)).toBe(200);
    await removed.world.remove(removed.id, `/credentials/${removed.made.id}`);
    expect(await takes(accessToken, removed.world)).toBe(401);
    expect((await removed.exchange()).accessToken).toBe('');
    const deleted = await withToken();
    await deleted.world.remove(deleted.id);
    expect((await deleted.exchange()).accessToken).toBe('');
    const suspended = await withToken();
    await service.deliver('tenant.restricted', { scope: suspended.world.scope, isSuspended: true, mostApiKeys: null });
    await expect(suspended.exchange()).rejects.toMatchObject({ kind: 'forbidden' });
    const expired = await withToken();
    await service.database.query(sql(`UPDATE service_account_credentials SET expires_at = now() WHERE id = $1`), [expired.made.id]);
    expect((await expired.exchange()).accessToken).toBe('');
    const near = await withToken({}, { allowedNetworks: ['192.0.2.0/24'] });
    await expect(near.exchange()).rejects.toMatchObject({ kind: 'forbidden' });
    expect((await near.exchange({ ipAddress: '192.0.2.9' })).accessToken).not.toBe('');
  });

  test('that is guessed leaves a row in the log of an organization with a token, and in no other', async () => {
    const { world, exchange } = await withToken();
    const stranger = newId();
    const rowsOf = (id: string) =>
      service.database.query(
        sql(`SELECT detail FROM audit_log WHERE action = 'service-account.token' AND outcome = 'refused' AND scope_id = $1`),
        [id],
      );
    const guess = `tds_${'A'.repeat(43)}`;
    for (let at = 0; at < 3; at += 1) await exchange({ token: guess });
    await exchange({ token: guess, organizationId: stranger });
    await until(async () => (await rowsOf(world.scope.id)).length > 0);
    const rows = await rowsOf(world.scope.id);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(guess);
    expect(await rowsOf(stranger)).toStrictEqual([]);
  });

  test('that ends soon is told two weeks before and two days before, once each', async () => {
    const soon = await withToken({ expiresAt: inDays(10) });
    await withToken({ expiresAt: inDays(20) });
    const told = async (days: number) => {
      await service.database.transaction((tx) => tellOfEndingTokens(tx, new Date(Date.now() + days * dayMs)));
      const rows = await service.database.query<{ n: number }>(
        sql(`SELECT count(*)::int AS n FROM outbox WHERE type = 'serviceAccount.tokenEnds' AND key = $1`),
        [soon.made.id],
      );
      return rows[0]?.n;
    };
    expect(await told(-5)).toBe(0);
    expect(await told(0)).toBe(1);
    expect(await told(1)).toBe(1);
    expect(await told(8.5)).toBe(2);
    expect(await told(9)).toBe(2);
  });
});
