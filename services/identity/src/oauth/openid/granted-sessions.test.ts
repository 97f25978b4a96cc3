/** The session of a program says which one granted it, and ends with it if the person wishes. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import * as client from 'openid-client';
import { until, waitingForMe } from '../../../../../test/support/until.ts';
import { holdGranter } from '../../sign-in/storage/granter.ts';
import { openSession } from '../../sign-in/storage/open-session.ts';
import { pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { appUrl, claimsOf, login } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));

const scope = 'openid offline_access';
const platform = { id: '', clientId: 'tessera-cli', clientSecret: '', issuer: appUrl, roleId: '', scope: { tenant: 'system', id: '' } };
type Person = Awaited<ReturnType<typeof openid.person>>;

const person = () => openid.person(platform);
const discover = () => openid.discover(platform, client.None());
const statusOf = async (token: string) => (await service.ask('GET', '/api/me', { token })).status;

/** The command line gets a session by a device code that this browser allows. */
async function grantProgram({ browser }: Pick<Person, 'browser'>) {
  const config = await discover();
  const device = await client.initiateDeviceAuthorization(config, { scope });
  const { body } = await browser.post('/api/auth/device', { userCode: device.user_code });
  const answered = await browser.post(`/api/auth/interactions/${body.data.id}`, { action: 'consent' });
  await browser.get(pathOf(answered.body.data.redirectTo));
  const poll = () => client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
  return { config, poll };
}

async function program(granter: Pick<Person, 'browser'>) {
  const { config, poll } = await grantProgram(granter);
  const { access_token: token, refresh_token: refreshToken = '' } = await poll();
  return { config, token, refreshToken, id: String(claimsOf(token).jti) };
}

async function refused(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'accepted',
    (error: { error?: string }) => error.error ?? 'another error',
  );
}

type Listed = { readonly id: string; readonly grantedBy: object | null; readonly grantedSessions: number; readonly isCurrent: boolean };
async function sessionsOf(token: string): Promise<readonly Listed[]> {
  const { body } = await service.ask('GET', '/api/me/sessions', { token });
  return body.data.items;
}
const idOf = ({ accessToken }: Pick<Person, 'accessToken'>) => String(claimsOf(accessToken).jti);

/** As if the session had granted the other one. */
async function chain(granter: string, granted: string) {
  const text = `UPDATE sessions SET granters = (SELECT granters || id FROM sessions WHERE id = $1), granted_at = now() WHERE id = $2`;
  await service.database.query({ text }, [granter, granted]);
}
async function another(ada: Person) {
  const { body } = await login(service, ada.email, { userAgent: `program ${newId()}` });
  return { token: body.data.accessToken, id: String(claimsOf(body.data.accessToken).jti) };
}

describe('the list of sessions', () => {
  test('names the session that granted one, as it was, also when that has ended', async () => {
    const ada = await person();
    const cli = await program(ada);
    const grantedBy = { sessionId: idOf(ada), userAgent: ada.userAgent, ipAddress: expect.any(String), grantedAt: expect.any(String) };
    const listed = await sessionsOf(ada.accessToken);
    expect(listed.find(({ id }) => id === cli.id)).toMatchObject({ grantedBy, grantedSessions: 0 });
    expect(listed.find(({ isCurrent }) => isCurrent)).toMatchObject({ grantedBy: null, grantedSessions: 1 });
    const { body } = await service.ask('POST', '/graphql', {
      token: ada.accessToken,
      body: { query: '{ myUserSessions { sessions { id grantedSessions grantedBy { sessionId userAgent ipAddress grantedAt } } } }' },
    });
    expect(body.data.myUserSessions.sessions).toContainEqual({ id: cli.id, grantedSessions: 0, grantedBy });
    await service.ask('POST', '/api/auth/logout', { token: ada.accessToken, body: {} });
    expect(await sessionsOf(cli.token)).toMatchObject([{ id: cli.id, grantedBy, grantedSessions: 0 }]);
  });

  test('counts what goes on, also what was granted indirectly', async () => {
    const ada = await person();
    const [cli, deeper, ended] = [await program(ada), await another(ada), await another(ada)];
    await chain(cli.id, deeper.id);
    await chain(cli.id, ended.id);
    await service.database.query({ text: `UPDATE sessions SET expires_at = now() - interval '1 minute' WHERE id = $1` }, [ended.id]);
    const counts = (await sessionsOf(ada.accessToken)).map(({ id, grantedSessions }) => [id, grantedSessions]);
    expect(new Map(counts as [string, number][])).toStrictEqual(
      new Map([
        [idOf(ada), 2],
        [cli.id, 1],
        [deeper.id, 0],
      ]),
    );
  });

  test('a sign-in at the device of a granted session makes it the person’s own', async () => {
    const ada = await person();
    const cli = await program(ada);
    const [stored] = await service.database.query<{ user_agent: string; ip_address: string }>(
      { text: 'SELECT user_agent, ip_address FROM sessions WHERE id = $1' },
      [cli.id],
    );
    // A header is sent in Latin-1, as the middle dot is.
    const device = { userAgent: stored?.user_agent ?? '', ip: stored?.ip_address ?? '' };
    const { body } = await login(service, ada.email, device);
    expect(claimsOf(body.data.accessToken).jti).toBe(cli.id);
    expect((await sessionsOf(ada.accessToken)).find(({ id }) => id === cli.id)).toMatchObject({ grantedBy: null });
  });
});

describe('the end of a session that granted others', () => {
  const ends = {
    'POST /api/auth/logout': (token: string, _id: string, wish: object) =>
      service.ask('POST', '/api/auth/logout', { token, body: { ...wish } }),
    'POST /api/me/logout': (token: string, _id: string, wish: object) =>
      service.ask('POST', '/api/me/logout', { token, body: { ...wish } }),
    'DELETE /api/me/sessions/:id': (token: string, id: string, wish: object) =>
      service.ask('DELETE', `/api/me/sessions/${id}${'endGranted' in wish ? `?endGranted=${String(wish.endGranted)}` : ''}`, { token }),
    'GraphQL logoutMyUser': (token: string, sessionId: string, wish: object) =>
      service.ask('POST', '/graphql', {
        token,
        body: {
          query: 'mutation($input: LogoutMyUserInput) { logoutMyUser(input: $input) { message } }',
          variables: { input: { sessionId, ...wish } },
        },
      }),
    'GraphQL revokeMyUserSession': (token: string, id: string, wish: object) =>
      service.ask('POST', '/graphql', {
        token,
        body: {
          query: 'mutation($input: RevokeMyUserSessionInput!) { revokeMyUserSession(input: $input) { revoked } }',
          variables: { input: { id, ...wish } },
        },
      }),
  };
  for (const [name, end] of Object.entries(ends))
    test(`${name} ends them at a wish only, and then also what they granted`, async () => {
      const [ada, bob] = [await person(), await person()];
      const [stays, ofBob] = [await program(ada), await program(bob)];
      await end(ada.accessToken, idOf(ada), {});
      expect(await statusOf(ada.accessToken)).toBe(401);
      expect(await statusOf(stays.token)).toBe(200);

      const again = await login(service, ada.email, { userAgent: ada.userAgent });
      ada.browser.cookies.set('refresh_token', again.body.data.refreshToken);
      const granter = { ...ada, accessToken: again.body.data.accessToken };
      const cli = await program(granter);
      const deeper = await another(ada);
      await chain(cli.id, deeper.id);
      const { status } = await end(granter.accessToken, idOf(granter), { endGranted: true });
      expect(status).toBe(200);
      for (const token of [granter.accessToken, cli.token, deeper.token]) expect(await statusOf(token)).toBe(401);
      expect(await refused(client.refreshTokenGrant(cli.config, cli.refreshToken))).toBe('invalid_grant');
      expect(await statusOf(ofBob.token)).toBe(200);
    });

  test('so does RP-initiated logout: its page says how many there are', async () => {
    for (const endGranted of [false, true]) {
      const ada = await person();
      const { config, poll } = await grantProgram(ada);
      const tokens = await poll();
      const url = client.buildEndSessionUrl(config, { id_token_hint: tokens.id_token ?? '' });
      const { location } = await ada.browser.get(pathOf(url));
      const path = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
      const { body: asked } = await ada.browser.get(path);
      expect([asked.data.prompt, asked.data.grantedSessions]).toStrictEqual(['logout', 1]);
      expect((await ada.browser.post(path, { action: 'continue', endGranted })).status).toBe(200);
      expect(await statusOf(ada.accessToken)).toBe(401);
      expect(await statusOf(tokens.access_token)).toBe(endGranted ? 401 : 200);
    }
  });

  test('also when the session between has ended on its own', async () => {
    const ada = await person();
    const [cli, deeper] = [await program(ada), await another(ada)];
    await chain(cli.id, deeper.id);
    await service.ask('DELETE', `/api/me/sessions/${cli.id}`, { token: ada.accessToken });
    expect((await sessionsOf(ada.accessToken)).find(({ isCurrent }) => isCurrent)).toMatchObject({ grantedSessions: 1 });
    await service.ask('POST', '/api/auth/logout', { token: ada.accessToken, body: { endGranted: true } });
    expect(await statusOf(deeper.token)).toBe(401);
  });

  test('ends nobody else’s: not what another person granted, nor by another person’s session', async () => {
    const [ada, bob] = [await person(), await person()];
    const cli = await program(ada);
    const { status } = await service.ask('DELETE', `/api/me/sessions/${idOf(ada)}?endGranted=true`, { token: bob.accessToken });
    expect(status).toBe(404);
    // Even where the chain of a stranger's session names one's own.
    await chain(idOf(bob), cli.id);
    await service.ask('POST', '/api/auth/logout', { token: bob.accessToken, body: { endGranted: true } });
    expect(await statusOf(cli.token)).toBe(200);
    const listed = await login(service, bob.email);
    expect((await sessionsOf(listed.body.data.accessToken)).every(({ grantedSessions }) => grantedSessions === 0)).toBe(true);
  });

  test('the record names them', async () => {
    const ada = await person();
    const cli = await program(ada);
    await service.ask('POST', '/api/auth/logout', { token: ada.accessToken, body: { endGranted: true } });
    const rows = await service.auditOf('session.logout');
    expect(rows).toContainEqual(expect.objectContaining({ actor_id: ada.userId, detail: { grantedSessions: [cli.id] } }));
  });

  test('a refresh token that was copied ends what the session granted, without a wish', async () => {
    const ada = await person();
    const cli = await program(ada);
    const refresh = (userAgent: string) =>
      service.ask('POST', '/api/auth/refresh', { userAgent, body: { refreshToken: ada.refreshToken } });
    expect((await refresh(ada.userAgent)).status).toBe(200);
    expect((await refresh('a thief')).status).toBe(401);
    expect(await statusOf(cli.token)).toBe(401);
  });
});

describe('while a session ends', () => {
  test('what it grants in parallel ends with it: the end waits for the grant', async () => {
    const ada = await person();
    const method = await service.database.query<{ id: string }>({ text: 'SELECT id FROM authentication_methods WHERE user_id = $1' }, [
      ada.userId,
    ]);
    const granted = newId();
    let ending: Promise<unknown> = Promise.resolve();
    await service.database.transaction(async (tx) => {
      const now = new Date();
      const granter = await holdGranter(tx, ada.userId, idOf(ada), now);
      ending = service.ask('POST', '/api/auth/logout', { token: ada.accessToken, body: { endGranted: true } });
      await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
      const device = { userAgent: 'program', ipAddress: '', deviceKey: Buffer.from(granted), refreshHash: Buffer.from(granted) };
      const session = {
        id: granted,
        userId: ada.userId,
        authenticationMethodId: method[0]?.id ?? '',
        connectionId: null,
        audience: '',
        scope: null,
      };
      const times = { expiresAt: new Date(now.getTime() + 60_000), proof: { amr: ['pwd'] as const, authenticatedAt: now } };
      expect(await openSession(tx, { ...session, ...device, ...times, granter: granter ?? null }, null, now)).toBe(granted);
    });
    await ending;
    expect(await service.database.query({ text: 'SELECT id FROM sessions WHERE user_id = $1' }, [ada.userId])).toStrictEqual([]);
  });

  test('so does what a granted session grants in parallel', async () => {
    const ada = await person();
    const cli = await program(ada);
    const granted = newId();
    let ending: Promise<unknown> = Promise.resolve();
    await service.database.transaction(async (tx) => {
      const now = new Date();
      const granter = await holdGranter(tx, ada.userId, cli.id, now);
      expect(granter?.granters).toStrictEqual([idOf(ada), cli.id]);
      ending = service.ask('POST', '/api/auth/logout', { token: ada.accessToken, body: { endGranted: true } });
      await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
      const values = [granted, ada.userId, granter?.granters ?? []];
      const text = `INSERT INTO sessions (id, user_id, audience, user_agent, ip_address, device_key, expires_at, last_used_at, created_at, updated_at, granters, granted_at)
        VALUES ($1, $2, '', 'deeper', '', 'deeper', now() + interval '1 hour', now(), now(), now(), $3::uuid[], now())`;
      await tx.query(sql(text), values);
    });
    await ending;
    expect(await service.database.query({ text: 'SELECT id FROM sessions WHERE user_id = $1' }, [ada.userId])).toStrictEqual([]);
  });

  test('a session that has ended grants none, and the program is refused', async () => {
    const ada = await person();
    const { poll } = await grantProgram(ada);
    await service.ask('POST', '/api/auth/logout', { token: ada.accessToken, body: {} });
    expect(await refused(poll())).toBe('invalid_grant');
    expect(await service.database.query({ text: 'SELECT id FROM sessions WHERE user_id = $1' }, [ada.userId])).toStrictEqual([]);
  });

  test('a second grant to the same device ends the tokens of the first', async () => {
    const ada = await person();
    const [first, second] = [await program(ada), await program(ada)];
    expect(second.id).toBe(first.id);
    expect(await refused(client.refreshTokenGrant(first.config, first.refreshToken))).toBe('invalid_grant');
    expect((await client.refreshTokenGrant(second.config, second.refreshToken)).access_token).toBeDefined();
  });
});
