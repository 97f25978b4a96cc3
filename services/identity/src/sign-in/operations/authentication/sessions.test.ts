import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { findCredentialsOnDevice } from '../../../people/storage/authentication-methods.ts';
import { type Ask, appUrl, claimsOf, goodPassword, registered, startIdentity, type TestService } from '../../../testing/service.ts';

async function rows<Row>(service: TestService, text: string, values: readonly unknown[] = []) {
  return service.database.query<Row>(sql(text), values);
}

const service = await startIdentity();

describe('sessions', () => {
  afterAll(async () => service.stop());

  const refresh = (refreshToken: string, options: Ask & { accessToken?: string } = {}) => {
    const { accessToken, ...ask } = options;
    return service.ask('POST', '/api/auth/refresh', {
      ...ask,
      body: { refreshToken, ...(accessToken === undefined ? {} : { accessToken }) },
    });
  };
  const login = (email: string, ask: Ask = {}) =>
    service.ask('POST', '/api/auth/login', {
      ...ask,
      body: { provider: 'email', providerId: email, providerData: { password: goodPassword } },
    });
  const sessionCount = async (userId: string) =>
    (await rows<{ count: number }>(service, 'SELECT count(*) AS count FROM sessions WHERE user_id = $1', [userId]))[0]?.count;
  const age = (sessionId: unknown, seconds: number) =>
    rows(
      service,
      `UPDATE refresh_tokens SET spent_at = spent_at - $2 * interval '1 second' WHERE session_id = $1 AND spent_at IS NOT NULL`,
      [sessionId, seconds],
    );

  test('200 parallel refreshes of one session all get the same successor, and the session goes on [spec:session-states.3 spec:auth.3]', async () => {
    const { refreshToken, accessToken } = await registered(service);
    const answers = await Promise.all(Array.from({ length: 200 }, () => refresh(refreshToken)));
    expect([...new Set(answers.map(({ status }) => status))]).toStrictEqual([200]);
    const successors = new Set(answers.map(({ body }) => body.data.refreshToken));
    expect(successors.size).toBe(1);
    // The loser’s cookie is the winner’s.
    expect(new Set(answers.map(({ cookie }) => cookie?.split(';')[0])).size).toBe(1);
    expect([...new Set(answers.map(({ body }) => claimsOf(body.data.accessToken).jti))]).toStrictEqual([claimsOf(accessToken).jti]);
    const [successor = ''] = successors;
    expect((await refresh(successor)).status).toBe(200);
    const unspent = await rows(service, 'SELECT FROM refresh_tokens WHERE session_id = $1 AND spent_at IS NULL', [
      claimsOf(accessToken).jti,
    ]);
    expect(unspent).toHaveLength(1);
  });

  test('50 parallel first logins of one device: one session, every access token works [spec:sessions.7]', async () => {
    const { email, userId } = await registered(service, { userAgent: 'first' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => login(email, { userAgent: 'a new device' })));
    expect([...new Set(answers.map(({ status }) => status))]).toStrictEqual([200]);
    expect(await sessionCount(userId)).toBe(2);
    expect(new Set(answers.map(({ body }) => claimsOf(body.data.accessToken).jti)).size).toBe(1);
    const me = await Promise.all(answers.map(({ body }) => service.ask('GET', '/api/me', { token: body.data.accessToken })));
    expect([...new Set(me.map(({ status }) => status))]).toStrictEqual([200]);
    const refreshed = await Promise.all(answers.map(({ body }) => refresh(body.data.refreshToken, { userAgent: 'a new device' })));
    // The last login’s token counts; the others are merely unknown.
    expect(refreshed.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await sessionCount(userId)).toBe(2);
  });

  test('50 parallel registrations of one address: one user, 49 conflicts that name the field', async () => {
    const email = `race.${newId()}@example.com`;
    const body = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.ask('POST', '/api/auth/register', { body })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(49);
    expect(refused[0]?.body.extensions).toStrictEqual({ resource: 'AuthenticationMethod', field: 'providerId' });
    const left = await rows(service, 'SELECT FROM users u WHERE NOT EXISTS (SELECT FROM authentication_methods WHERE user_id = u.id)');
    // What lost left nothing behind.
    expect(left).toHaveLength(0);
    expect(await service.mails(email, 1)).toHaveLength(1);
  });

  test('a login of the same device reuses the session; other agent, address or user is another one [spec:sessions.1-6 spec:session-states.1-2]', async () => {
    const { email, userId, accessToken } = await registered(service);
    const same = await login(email);
    expect(claimsOf(same.body.data.accessToken).jti).toBe(claimsOf(accessToken).jti);
    const [used] = await rows<{ later: boolean }>(service, 'SELECT last_used_at > created_at AS later FROM sessions WHERE user_id = $1', [
      userId,
    ]);
    expect(used?.later).toBe(true);
    await login(email, { userAgent: 'other' });
    await login(email, { ip: '192.0.2.2' });
    const long = 'x'.repeat(4_000);
    await login(email, { userAgent: `${long}1` });
    await login(email, { userAgent: `${long}2` });
    // User agents count in full, however long.
    expect(await sessionCount(userId)).toBe(5);
  });

  test('a new login replaces the refresh token: the old one is 401, without alarm', async () => {
    const { email, userId, refreshToken, accessToken } = await registered(service);
    const again = await login(email);
    expect(again.body.data.refreshToken).not.toBe(refreshToken);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect(await sessionCount(userId)).toBe(1);
    expect((await service.ask('GET', '/api/me', { token: accessToken })).status).toBe(200);
    expect((await refresh(again.body.data.refreshToken)).status).toBe(200);
  });

  test('a spent token within the window is answered alike, after it the session is revoked and audited', async () => {
    const { refreshToken, accessToken, userId } = await registered(service);
    const first = await refresh(refreshToken);
    const repeat = await refresh(refreshToken);
    expect([repeat.status, repeat.body.data.refreshToken]).toStrictEqual([200, first.body.data.refreshToken]);
    const { jti } = claimsOf(accessToken);
    await age(jti, 11);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect(await sessionCount(userId)).toBe(0);
    // Its access tokens die with it.
    expect((await service.ask('GET', '/api/me', { token: first.body.data.accessToken })).status).toBe(401);
    expect((await refresh(first.body.data.refreshToken)).status).toBe(401);
    const audited = await rows<{ outcome: string; userId: string }>(
      service,
      `SELECT outcome, actor_id AS "userId" FROM audit_log WHERE action = 'session.reuse-detected' AND target_id = $1`,
      [jti],
    );
    expect(audited).toStrictEqual([{ outcome: 'refused', userId }]);
  });

  test('a spent token of another device, or one further back, is reuse at once', async () => {
    const one = await registered(service);
    await refresh(one.refreshToken);
    expect((await refresh(one.refreshToken, { userAgent: 'thief' })).status).toBe(401);
    expect(await sessionCount(one.userId)).toBe(0);

    const two = await registered(service);
    const second = await refresh(two.refreshToken);
    await refresh(second.body.data.refreshToken);
    expect((await refresh(two.refreshToken)).status).toBe(401);
    expect(await sessionCount(two.userId)).toBe(0);
  });

  test('two devices race for one stolen token: one gets it, the other is the alarm', async () => {
    const { refreshToken, userId } = await registered(service);
    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken, { userAgent: 'thief' })]);
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, 401]);
    expect(await sessionCount(userId)).toBe(0);
  });

  test('a thief who is first is found out when the owner comes next, within the window too', async () => {
    const { refreshToken, userId } = await registered(service);
    const thief = await refresh(refreshToken, { userAgent: 'thief' });
    expect(thief.status).toBe(200);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect(await sessionCount(userId)).toBe(0);
    expect((await refresh(thief.body.data.refreshToken, { userAgent: 'thief' })).status).toBe(401);
  });

  test('a thief with the program and address of the owner shares ten seconds with them, and ends both with the next token', async () => {
    const { refreshToken, userId } = await registered(service);
    const next = (await refresh(refreshToken)).body.data.refreshToken;
    // As a second tab of the owner would.
    expect((await refresh(refreshToken)).body.data.refreshToken).toBe(next);
    const ofThief = (await refresh(next)).body.data.refreshToken;
    const later = (await refresh(ofThief)).body.data.refreshToken;
    expect((await refresh(next)).status).toBe(401);
    expect(await sessionCount(userId)).toBe(0);
    expect((await refresh(later)).status).toBe(401);
  });

  test('an access token given along must be of the same session; expired is fine', async () => {
    const [one, two] = [await registered(service), await registered(service)];
    for (const accessToken of [two.accessToken, 'nonsense', 'a.b.c', `x.${Buffer.from('{"jti":5}').toString('base64url')}.y`])
      expect((await refresh(one.refreshToken, { accessToken })).status).toBe(401);
    expect((await refresh(one.refreshToken, { accessToken: one.accessToken })).status).toBe(200);
  });

  test('tokens carry what they should and live as long as they should; an expired one is refreshed [spec:tokens.3 spec:claims.12 spec:session-states.5]', async () => {
    const { accessToken, refreshToken, userId } = await registered(service);
    const { sub, aud, iss, exp, iat, type, isVerified, scope, scopes } = claimsOf(accessToken);
    expect([sub, aud, iss, type, isVerified, scope, scopes]).toStrictEqual([userId, appUrl, appUrl, 'session', true, undefined, undefined]);
    expect(Number(exp) - Number(iat)).toBe(15 * 60);
    const [row] = await rows<{ days: number }>(
      service,
      `SELECT extract(day FROM expires_at - last_used_at)::int AS days FROM sessions WHERE user_id = $1`,
      [userId],
    );
    expect(row?.days).toBe(30);
    const [head = '', , signature = ''] = accessToken.split('.');
    const expired = [head, Buffer.from(JSON.stringify({ ...claimsOf(accessToken), exp: 1 })).toString('base64url'), signature].join('.');
    expect((await refresh(refreshToken, { accessToken: expired })).status).toBe(200);
  });

  test('unknown, empty and expired tokens: 401, and expired sessions are not listed [spec:session-states.6]', async () => {
    expect((await refresh('x'.repeat(43))).status).toBe(401);
    expect((await service.ask('POST', '/api/auth/refresh', { body: {} })).status).toBe(401);
    const { refreshToken, accessToken, userId, email } = await registered(service);
    await login(email, { userAgent: 'other' });
    const { jti } = claimsOf(accessToken);
    await rows(service, `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1`, [jti]);
    expect((await refresh(refreshToken)).status).toBe(401);
    const list = await service.ask('GET', '/api/me/sessions', { token: accessToken });
    expect(list.body.data.totalCount).toBe(1);
    expect(await sessionCount(userId)).toBe(2);
  });

  test('while keys is down no user is created and no refresh token is spent', async () => {
    const { refreshToken } = await registered(service);
    const email = `lost.${newId()}@example.com`;
    service.peers.down.add('keys');
    const failed = await refresh(refreshToken);
    const body = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
    const registration = await service.ask('POST', '/api/auth/register', { body });
    service.peers.down.delete('keys');
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(registration.status).toBeGreaterThanOrEqual(500);
    expect((await refresh(refreshToken)).status).toBe(200);
    expect((await service.ask('POST', '/api/auth/register', { body })).status).toBe(201);
  });

  test('with tenancy down a registration stands, and a sign-in returns its account', async () => {
    const email = `early.${newId()}@example.com`;
    const body = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
    service.peers.down.add('tenancy');
    const registration = await service.ask('POST', '/api/auth/register', { body });
    const signedIn = await login(email, { userAgent: 'another device' });
    const unknown = await login(`nobody.${newId()}@example.com`);
    service.peers.down.delete('tenancy');
    expect(registration.status).toBe(201);
    expect(signedIn.status).toBe(200);
    expect(signedIn.body.data.accounts).toEqual([registration.body.data.account]);
    expect(unknown.status).toBe(401);
    // The session of the registration was not touched.
    expect((await refresh(registration.body.data.refreshToken)).status).toBe(200);
  });

  test('an unknown address, or one of a deleted user, finds no user although a row is read', async () => {
    const find = (providerId: string, provider = 'email') =>
      findCredentialsOnDevice(service.database, provider, providerId, Buffer.alloc(32));
    const [one, gone] = [await registered(service), await registered(service)];
    expect((await find(one.email))?.userId).toBe(one.userId);
    await service.deliver('accounts.closed', { userId: gone.userId, hard: false });
    for (const address of [gone.email, `nobody.${newId()}@example.com`, '']) {
      expect(await find(address)).toBeUndefined();
      expect((await login(address === '' ? 'x@example.com' : address)).status).toBe(401);
    }
    expect(await find(one.email, 'nowhere')).toBeUndefined();
  });

  test('the cookie refreshes from our own pages only, and only when the body names no token [spec:tokens.2]', async () => {
    const { refreshToken } = await registered(service);
    const withCookie = (token: string, headers: Record<string, string>) =>
      service.ask('POST', '/api/auth/refresh', { body: {}, headers: { cookie: `refresh_token=${token}`, ...headers } });
    expect((await withCookie(refreshToken, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await withCookie(refreshToken, { origin: 'null' })).status).toBe(403);
    const form = await service.ask('POST', '/api/auth/refresh', {
      body: 'a=b',
      headers: { cookie: `refresh_token=${refreshToken}`, 'content-type': 'application/x-www-form-urlencoded', origin: appUrl },
    });
    expect(form.status).toBe(415);
    const neighbours = await registered(service);
    const planted = await withCookie(`${neighbours.refreshToken}; refresh_token=${refreshToken}`, { origin: appUrl });
    // Two of one name: a neighbouring subdomain may have planted one.
    expect(planted.status).toBe(401);
    const own = await withCookie(refreshToken, { origin: appUrl });
    expect(own.status).toBe(200);
    expect(own.cookie ?? '').toMatch(new RegExp(`^refresh_token=${own.body.data.refreshToken};`));
  });

  test('logout and revocation reach access tokens at once, and other users’ sessions are not there [spec:session-states.4 spec:claims.7]', async () => {
    const [one, two] = [await registered(service), await registered(service)];
    const other = await login(one.email, { userAgent: 'phone' });
    const phone = claimsOf(other.body.data.accessToken).jti;
    expect((await service.ask('DELETE', `/api/me/sessions/${phone}`, { token: two.accessToken })).status).toBe(404);
    expect((await service.ask('POST', '/api/auth/logout', { token: two.accessToken, body: { sessionId: phone } })).status).toBe(404);
    expect((await service.ask('POST', '/api/auth/logout', { token: one.accessToken, body: { sessionId: phone } })).status).toBe(200);
    expect((await service.ask('GET', '/api/me', { token: other.body.data.accessToken })).status).toBe(401);
    const out = await service.ask('POST', '/api/me/logout', { token: one.accessToken, body: {} });
    expect(out.status).toBe(200);
    expect(out.cookie ?? '').toMatch(/Max-Age=0/);
    expect((await service.ask('GET', '/api/me', { token: one.accessToken })).status).toBe(401);
    expect((await refresh(one.refreshToken)).status).toBe(401);
  });

  test('revocations are listed with a cursor that skips nothing that was still uncommitted when it was given', async () => {
    const { accessToken, userId } = await registered(service);
    const jti = String(claimsOf(accessToken).jti);
    const { cursor: start } = await service.revocations.list({ cursor: '' });
    const insert = `INSERT INTO revocations (kind, value, before, expires_at) VALUES ('jti', $1, now(), now() + interval '1 hour')`;
    const committed = Promise.withResolvers<void>();
    const slow = service.database.transaction(async (tx) => {
      await tx.execute(sql(insert), [newId()]);
      const [own] = await tx.query<{ value: string }>(sql('SELECT value FROM revocations ORDER BY transaction_id DESC LIMIT 1'));
      await committed.promise;
      return own?.value;
    });
    await service.ask('POST', '/api/me/logout', { token: accessToken, body: {} });
    const first = await service.revocations.list({ cursor: start });
    expect(first.revocations.some(({ value }) => value === jti)).toBe(true);
    committed.resolve();
    const slowValue = await slow;
    const second = await service.revocations.list({ cursor: first.cursor });
    expect(second.revocations.some(({ value }) => value === slowValue)).toBe(true);
    const all = await service.revocations.list({ cursor: '' });
    expect(all.revocations.length).toBeGreaterThanOrEqual(2);
    expect(all.revocations.every(({ before, expiresAt }) => !Number.isNaN(Date.parse(before) + Date.parse(expiresAt)))).toBe(true);
    expect(userId).toBeTruthy();
  });

  test('only hashes of refresh tokens are kept', async () => {
    const { refreshToken } = await registered(service);
    const [kept] = await rows<{ text: string; known: boolean }>(
      service,
      `SELECT string_agg(to_jsonb(t)::text, ' ') AS text, bool_or(hash = sha256($1::bytea)) AS known FROM refresh_tokens t`,
      [refreshToken],
    );
    assert.equal(kept?.known, true);
    expect(kept?.text).not.toContain(refreshToken);
    expect(kept?.text).not.toContain(Buffer.from(refreshToken).toString('hex'));
  });
});
