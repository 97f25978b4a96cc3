/** A provider of an organization ends sessions (OpenID Connect Back-Channel Logout 1.0). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { generateKeyPair, SignJWT } from 'jose';
import { until } from '../../../../test/support/until.ts';
import { openBrowser } from '../testing/browser.ts';
import { type ConnectionWorld, startConnections, upstreamPerson } from '../testing/connections.ts';
import { exchange } from '../testing/platform.ts';
import { login, registered } from '../testing/service.ts';
import { type UpstreamPerson, upstreamClient } from '../testing/upstream.ts';

const service = await startConnections();
afterAll(() => service.stop());
const { ask, makeWorld } = service;

const event = 'http://schemas.openid.net/event/backchannel-logout';
const foreign = await generateKeyPair('RS256');
const seconds = () => Math.floor(Date.now() / 1_000);

let first: ConnectionWorld | undefined;
async function arrange() {
  const world = await makeWorld(first?.upstream);
  first ??= world;
  const { id, callbackUrl, backchannelLogoutUrl } = world.connection;
  world.upstream.register([callbackUrl], backchannelLogoutUrl);
  const path = `/api/auth/connections/${id}/backchannel-logout`;
  const post = (fields: Record<string, string>) =>
    ask('POST', path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  const send = (token: string) => post({ logout_token: token });
  /** A token that is right, but for what is named. */
  const tokenOf = (claims: object, header = {}) => {
    const right = { iss: world.upstream.issuer, aud: upstreamClient.clientId, iat: seconds(), exp: seconds() + 120, jti: newId() };
    return world.upstream.sign({ ...right, events: { [event]: {} }, ...claims }, header);
  };
  return { ...world, post, send, tokenOf };
}

const isAlive = async (token: string) => (await ask('GET', '/api/me', { token })).status === 200;
const sidOf = async (userId: string) =>
  (await service.database.query<{ sid: string }>(sql('SELECT upstream_sid AS sid FROM sessions WHERE user_id = $1'), [userId]))[0]?.sid ??
  '';

describe('a logout token of the provider', () => {
  test('ends the session that it names, everywhere within a second, and no other one', async () => {
    const world = await arrange();
    const who = upstreamPerson(world.domain);
    const { accessToken, userId } = await world.signIn(who);
    const other = await world.signIn(upstreamPerson(world.domain));
    const sid = await sidOf(userId);
    const token = await world.upstream.logoutOf(who.sub, sid);
    const startedAt = performance.now();
    const { status, headers } = await world.send(token);
    expect([status, headers['cache-control']]).toStrictEqual([200, 'no-store']);
    await until(async () => !(await isAlive(accessToken)));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(await isAlive(other.accessToken)).toBe(true);
    const rows = await service.database.query<{ detail: object }>(
      sql(`SELECT detail FROM audit_log WHERE action = 'connection.logged-out' AND scope_id = $1`),
      [world.organizationId],
    );
    expect(rows).toMatchObject([{ detail: { endedSessions: 1, by: 'sid' } }]);
  });

  test('with the subject alone ends all that came by this connection, and nothing else of the person', async () => {
    const world = await arrange();
    const { email, accessToken } = await registered(service);
    const who = upstreamPerson('example.com', { email });
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await world.come(who, { query: '?action=connect', headers })).error).toBeNull();
    const came = await world.signIn(who);
    const own = (await login(service, email, { userAgent: newId() })).body.data;
    expect((await world.send(await world.tokenOf({ sub: who.sub }))).status).toBe(200);
    expect([await isAlive(came.accessToken), await isAlive(own.accessToken)]).toStrictEqual([false, true]);
  });

  test('of a subject that nobody here has is accepted, and ends nothing', async () => {
    const world = await arrange();
    const { accessToken } = await world.signIn(upstreamPerson(world.domain));
    expect((await world.send(await world.tokenOf({ sub: newId(), sid: newId() }))).status).toBe(200);
    expect(await isAlive(accessToken)).toBe(true);
  });

  test('with a session and the subject of another person ends neither', async () => {
    const world = await arrange();
    const [one, other] = [await world.signIn(upstreamPerson(world.domain)), upstreamPerson(world.domain)];
    const { accessToken } = await world.signIn(other);
    const sid = await sidOf(one.userId);
    expect((await world.send(await world.tokenOf({ sub: other.sub, sid }))).status).toBe(200);
    expect([await isAlive(one.accessToken), await isAlive(accessToken)]).toStrictEqual([true, true]);
  });

  test('lets no sign-in that was under way open a session, and lets the next one in', async () => {
    const world = await arrange();
    const who = upstreamPerson(world.domain);
    await world.signIn(who);
    const { browser, code } = await world.come(who, { browser: openBrowser(service) });
    expect((await world.send(await world.tokenOf({ sub: who.sub }))).status).toBe(200);
    expect((await exchange(browser, code)).status).toBe(400);
    expect(await isAlive((await world.signIn(who)).accessToken)).toBe(true);
  });
});

describe('a logout token is refused', () => {
  type Arranged = Awaited<ReturnType<typeof arrange>>;
  const attacks: Readonly<Record<string, (world: Arranged, who: UpstreamPerson) => Promise<string>>> = {
    'of another issuer': ({ tokenOf }, { sub }) => tokenOf({ sub, iss: 'https://another.example' }),
    'for another client': ({ tokenOf }, { sub }) => tokenOf({ sub, aud: 'another' }),
    'that is an ID token, with a nonce': ({ tokenOf }, { sub }) => tokenOf({ sub, nonce: 'n' }),
    'that names no event': ({ tokenOf }, { sub }) => tokenOf({ sub, events: {} }),
    'whose event is inherited': ({ tokenOf }, { sub }) => tokenOf({ sub, events: { __proto__: { [event]: {} } } }),
    'whose event is no object': ({ tokenOf }, { sub }) => tokenOf({ sub, events: { [event]: true } }),
    'with neither sub nor sid': ({ tokenOf }) => tokenOf({}),
    'whose sub is a list': ({ tokenOf }, { sub }) => tokenOf({ sub: [sub] as never }),
    'without jti': ({ tokenOf }, { sub }) => tokenOf({ sub, jti: undefined }),
    'that is too old': ({ tokenOf }, { sub }) => tokenOf({ sub, iat: seconds() - 600, exp: seconds() + 600 }),
    'of the future': ({ tokenOf }, { sub }) => tokenOf({ sub, iat: seconds() + 600, exp: seconds() + 900 }),
    'that has ended': ({ tokenOf }, { sub }) => tokenOf({ sub, iat: seconds() - 200, exp: seconds() - 120 }),
    'with the type of an access token': ({ tokenOf }, { sub }) => tokenOf({ sub }, { typ: 'at+jwt' }),
    'with a key that is not the provider’s': ({ upstream }, { sub }) =>
      new SignJWT({ sub, iss: upstream.issuer, aud: upstreamClient.clientId, jti: newId(), events: { [event]: {} } })
        .setIssuedAt()
        .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt' })
        .sign(foreign.privateKey),
    'with the client’s secret in place of a key': ({ upstream }, { sub }) =>
      new SignJWT({ sub, iss: upstream.issuer, aud: upstreamClient.clientId, jti: newId(), events: { [event]: {} } })
        .setIssuedAt()
        .setProtectedHeader({ alg: 'HS256', typ: 'logout+jwt' })
        .sign(Buffer.from(upstreamClient.clientSecret)),
    'that is not signed': async ({ tokenOf }, { sub }) => {
      const [, payload] = (await tokenOf({ sub })).split('.');
      return `${Buffer.from(JSON.stringify({ alg: 'none', typ: 'logout+jwt' })).toString('base64url')}.${payload}.`;
    },
    'that is none': async () => 'x'.repeat(100),
    'that is longer than any': async () => 'x'.repeat(20_000),
  };
  test('for each fault, with the words of the standard, and ends nothing', async () => {
    const world = await arrange();
    const who = upstreamPerson(world.domain);
    const { accessToken } = await world.signIn(who);
    for (const [name, make] of Object.entries(attacks)) {
      const { status, body } = await world.send(await make(world, who));
      expect([name, status, body.error]).toStrictEqual([name, 400, 'invalid_request']);
    }
    expect((await world.post({})).status).toBe(400);
    expect(await isAlive(accessToken)).toBe(true);
  });

  test('that was used before, also when both come at once', async () => {
    const world = await arrange();
    const token = await world.tokenOf({ sub: newId() });
    const statuses = (await Promise.all([world.send(token), world.send(token)])).map(({ status }) => status);
    expect(statuses.toSorted()).toStrictEqual([200, 400]);
    expect((await world.send(token)).status).toBe(400);
  });

  test('of another connection, or of one that is switched off, and leaves its people signed in', async () => {
    const one = await arrange();
    const who = upstreamPerson(one.domain);
    const { accessToken } = await one.signIn(who);
    const other = await arrange();
    expect((await other.send(await other.tokenOf({ sub: who.sub }))).status).toBe(200);
    expect(await isAlive(accessToken)).toBe(true);
    await other.change({ status: 'disabled' });
    expect((await other.send(await other.tokenOf({ sub: who.sub }))).status).toBe(404);
  });
});

test('while the keys of the provider cannot be read, the answer says that it is to be sent again', async () => {
  const world = await makeWorld();
  const path = `/api/auth/connections/${world.connection.id}/backchannel-logout`;
  const token = await world.upstream.sign({
    iss: world.upstream.issuer,
    aud: upstreamClient.clientId,
    iat: seconds(),
    jti: newId(),
    sub: 's',
  });
  world.upstream.setDown(true);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, body } = await ask('POST', path, { headers, body: new URLSearchParams({ logout_token: token }).toString() });
  world.upstream.setDown(false);
  expect([status, body.error]).toStrictEqual([503, 'temporarily_unavailable']);
});
