/** Sign-in by an organization's OpenID provider: who finds it, who gets in, what ends it. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { deleteExpired } from '../../retention.ts';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { type ConnectionWorld, startConnections, upstreamPerson } from '../../testing/connections.ts';
import { exchange } from '../../testing/platform.ts';
import { claimsOf, login, registered } from '../../testing/service.ts';
import { type UpstreamPerson, upstreamClient } from '../../testing/upstream.ts';
import { createDocumentStore } from '../storage/provider-documents.ts';

const service = await startConnections();
afterAll(() => service.stop());
const { ask, peers, makeWorld } = service;

const isSignedIn = async (token: string) => (await ask('GET', '/api/me', { token })).status;

describe('an organization signs its people in by its own provider', () => {
  test('the first sign-in makes the person a member, the next finds them by their subject', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    const first = await world.signIn(who);
    expect(peers.people.get(world.organizationId)?.has(first.userId)).toBe(true);
    const me = await ask('GET', '/api/me', { token: first.accessToken });
    expect([me.body.data.email, me.body.data.isVerified, me.body.data.user.name]).toStrictEqual([who['email'], true, who['name']]);
    expect((await world.signIn(who)).userId).toBe(first.userId);
  });

  test('a changed address upstream is the same person, and is taken over when it is free', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    const first = await world.signIn(who);
    const moved = { ...who, email: `new.${newId()}@${world.domain}` };
    const second = await world.signIn(moved);
    expect(second.userId).toBe(first.userId);
    expect((await ask('GET', '/api/me', { token: second.accessToken })).body.data.email).toBe(moved.email);
  });

  test('the request has PKCE, state and nonce, and passes the login hint on', async () => {
    const world = await makeWorld();
    const location = await world.begin(openBrowser(service), '?login_hint=ada%40example.net');
    const query = Object.fromEntries(location.searchParams);
    expect([query.response_type, query.code_challenge_method, query.scope]).toStrictEqual(['code', 'S256', 'openid email profile']);
    expect([query.login_hint, query.redirect_uri]).toStrictEqual(['ada@example.net', world.connection.callbackUrl]);
    expect([query.state?.length, query.nonce?.length]).toStrictEqual([43, 43]);
  });

  test('it says when it was last used, to the minute', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    const lastUse = async () => {
      const path = `/api/connections/${world.connection.id}?tenant=organization&scopeId=${world.organizationId}`;
      return (await ask('GET', path, { token: world.owner.accessToken })).body.data.lastUsedAt;
    };
    expect(await lastUse()).toBeNull();
    await world.signIn(who);
    const first = await lastUse();
    expect(Date.parse(first)).toBeGreaterThan(0);
    await world.signIn(who);
    expect(await lastUse()).toBe(first);
    const age = sql(`UPDATE connections SET last_used_at = last_used_at - interval '2 minutes' WHERE id = $1`);
    await service.database.query(age, [world.connection.id]);
    await world.signIn(who);
    expect(Date.parse(await lastUse())).toBeGreaterThan(Date.parse(first));
  });

  test('the secret is never shown, and its row is sealed', async () => {
    const world = await makeWorld();
    const got = await ask('GET', `/api/connections?tenant=organization&scopeId=${world.organizationId}`, {
      token: world.owner.accessToken,
    });
    expect(got.body.data.items).toHaveLength(1);
    expect(JSON.stringify(got.body)).not.toContain(upstreamClient.clientSecret);
    const [row] = await service.database.query<{ all: string }>(sql('SELECT string_agg(c::text, $$ $$) AS all FROM connections c'));
    expect(row?.all).not.toContain(Buffer.from(upstreamClient.clientSecret).toString('hex'));
  });
});

describe('POST /api/auth/discover', () => {
  const discover = (email: string, ip = '192.0.2.7') => ask('POST', '/api/auth/discover', { body: { email }, ip });

  test('leads to the active connection of who has proven the domain, whether or not there is an account', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    await world.signIn(who);
    const connection = { id: world.connection.id, name: 'Our login' };
    for (const email of [String(who['email']), `unknown@${world.domain.toUpperCase()}`]) {
      const { status, body } = await discover(email);
      expect([status, body.data.connection]).toStrictEqual([200, connection]);
    }
    await world.change({ status: 'disabled' });
    expect((await discover(`unknown@${world.domain}`)).body.data.connection).toBeNull();
  });

  test('says the same for an address with an account and one without, and nothing of other domains', async () => {
    const world = await makeWorld();
    peers.provenDomains.set(world.organizationId, new Set([world.domain]));
    const { email } = await registered(service, { name: 'known' });
    const [known, unknown] = [await discover(email.replace('example.com', 'example.org')), await discover('unknown@example.org')];
    expect(known.body).toStrictEqual(unknown.body);
    expect([unknown.body.data.connection, unknown.body.data.methods]).toStrictEqual([
      null,
      expect.arrayContaining(['password', 'passkey']),
    ]);
    expect((await discover(`ada@sub.${world.domain}`)).body.data.connection).toBeNull();
    expect((await discover('no address')).status).toBe(400);
  });

  test('has a limit of its own for each client address', async () => {
    const answers = await Promise.all(Array.from({ length: 61 }, () => discover('ada@example.org', '192.0.2.8')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    expect((await discover('ada@example.org', '192.0.2.9')).status).toBe(200);
    // A client has a whole /64 of IPv6.
    const hosts = await Promise.all(Array.from({ length: 61 }, (_, host) => discover('ada@example.org', `2001:db8::${host + 1}`)));
    expect(hosts.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('what ends it', () => {
  for (const [how, end] of Object.entries({
    'switched off': async (world: ConnectionWorld) => world.change({ status: 'disabled' }),
    deleted: async (world: ConnectionWorld) => world.remove(),
  }))
    test(`${how}: sessions that came by it end, codes and starts are refused, others go on`, async () => {
      const world = await makeWorld();
      const { accessToken, refreshToken } = await world.signIn(upstreamPerson(world.domain));
      const waiting = await world.come(upstreamPerson(world.domain));
      expect(await isSignedIn(accessToken)).toBe(200);
      const { status, body } = await end(world);
      expect(status).toStrictEqualFor(body, 200);
      expect(await isSignedIn(accessToken)).toBe(401);
      expect((await ask('POST', '/api/auth/refresh', { body: { refreshToken } })).status).toBe(401);
      expect((await exchange(waiting.browser, waiting.code)).status).toBe(400);
      expect((await ask('GET', world.start)).status).toBe(404);
      expect(await isSignedIn(world.owner.accessToken)).toBe(200);
    });

  test('the organization is deleted: the same', async () => {
    const world = await makeWorld();
    const { refreshToken } = await world.signIn(upstreamPerson(world.domain));
    await service.deliver('organization.deleted', { organizationId: world.organizationId, projectIds: [], hard: false });
    expect((await ask('POST', '/api/auth/refresh', { body: { refreshToken } })).status).toBe(401);
    expect((await ask('GET', world.start)).status).toBe(404);
  });

  test('a draft lets nobody in, and an issuer without discovery document is not switched on', async () => {
    const world = await makeWorld();
    const fields = {
      scope: world.scope,
      name: 'Wrong',
      type: 'oidc',
      oidc: { issuer: `${world.upstream.issuer}/nothing`, ...upstreamClient },
      defaultRoleId: newId(),
    };
    const { body } = await ask('POST', '/api/connections', { token: world.owner.accessToken, body: fields });
    expect((await ask('GET', `/api/auth/connections/${body.data.id}`)).status).toBe(404);
    const on = await ask('PATCH', `/api/connections/${body.data.id}`, {
      token: world.owner.accessToken,
      body: { scope: world.scope, status: 'active' },
    });
    expect([on.status, on.body.code]).toStrictEqual([400, 'VALIDATION_ERROR']);
  });

  test('the provider is down: clear words that lead here again, a row for the organization, and a password goes on', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const back = await world.upstream.approve(await world.begin(browser), upstreamPerson(world.domain));
    world.upstream.setDown(true);
    const outcome = { error: 'temporarily_unavailable', connection: world.connection.id };
    expect(Object.fromEntries((await browser.get(pathOf(back))).location.searchParams)).toStrictEqual(outcome);
    expect((await login(service, world.owner.email)).status).toBe(200);
  });
});

describe('a provider that is not reached', () => {
  test('before its page: back to where the person came from, with a row a minute for the organization', async () => {
    const world = await makeWorld();
    const oidc = { issuer: 'http://127.0.0.1:1', ...upstreamClient };
    const fields = { scope: world.scope, type: 'oidc', name: 'Down', oidc, defaultRoleId: newId() };
    const { id } = (await ask('POST', '/api/connections', { token: world.owner.accessToken, body: fields })).body.data;
    await service.database.query(sql(`UPDATE connections SET status = 'active' WHERE id = $1`), [id]);
    for (let times = 0; times < 3; times += 1) {
      const { status, location } = await openBrowser(service).get(`/api/auth/connections/${id}`, { 'sec-fetch-site': 'same-origin' });
      expect([status, location.origin]).toStrictEqual([302, 'https://app.example.com']);
      expect(Object.fromEntries(location.searchParams)).toStrictEqual({ error: 'temporarily_unavailable', connection: id });
    }
    const rows = await service.database.query(
      sql(
        `SELECT action, outcome, detail ->> 'reason' AS reason FROM audit_log WHERE scope_id = $1 AND target_id = $2 AND outcome <> 'ok'`,
      ),
      [world.organizationId, id],
    );
    expect(rows).toStrictEqual([{ action: 'oauth.login', outcome: 'refused', reason: expect.any(String) }]);
  });

  test('what it publishes is in the database for all processes: the newest alone, bounded, for a day', async () => {
    const { upstream } = await makeWorld();
    const store = createDocumentStore(service.database);
    const known = await store.find('discovery', upstream.issuer);
    expect(known?.document).toMatchObject({ issuer: upstream.issuer });
    const readAtMs = known?.readAtMs ?? 0;
    await store.keep('discovery', upstream.issuer, { document: { issuer: 'older' }, readAtMs: readAtMs - 1 });
    expect(await store.find('discovery', upstream.issuer)).toStrictEqual(known);
    await store.keep('discovery', upstream.issuer, { document: { issuer: 'newer' }, readAtMs: readAtMs + 1 });
    expect(await store.find('discovery', upstream.issuer)).toStrictEqual({ document: { issuer: 'newer' }, readAtMs: readAtMs + 1 });
    expect(await store.find('keys', upstream.issuer)).toBeUndefined();
    await store.keep('keys', upstream.issuer, { document: { keys: 'x'.repeat(140_000) }, readAtMs });
    expect(await store.find('keys', upstream.issuer)).toBeUndefined();
    await service.database.transaction((tx) => deleteExpired(tx, new Date(readAtMs + 86_400_002)));
    expect(await store.find('discovery', upstream.issuer)).toBeUndefined();
  });
});

describe('a person links it by their own word', () => {
  async function withAccount(world: ConnectionWorld) {
    const account = await registered(service);
    const headers = { authorization: `Bearer ${account.accessToken}` };
    return { account, connect: (who: UpstreamPerson) => world.come(who, { query: '?action=connect', headers }) };
  }

  test('with an address that the account holds: linked, a member, told by mail; later the same person', async () => {
    const world = await makeWorld();
    const { account, connect } = await withAccount(world);
    const who = upstreamPerson('example.com', { email: account.email });
    const { location, error } = await connect(who);
    expect([error, location.searchParams.get('connected')]).toStrictEqual([null, `connections/${world.connection.id}`]);
    expect((await service.mails(account.email, 2)).map(({ template }) => template)).toContain('method-added');
    const again = await world.signIn(who);
    expect(again.userId).toBe(account.userId);
    expect(peers.people.get(world.organizationId)?.has(account.userId)).toBe(true);
    // The organization's provider alone changes nothing that the person signs in with.
    const { amr } = claimsOf(again.accessToken);
    expect(amr).toStrictEqual(['fed', 'org']);
    const totp = await ask('POST', '/api/me/second-factors/totp', { token: again.accessToken, body: {} });
    expect([totp.status, totp.body.code]).toStrictEqual([403, 'FRESH_SIGN_IN_REQUIRED']);
  });

  test('not with another address, of nobody or of somebody else', async () => {
    const world = await makeWorld();
    const { connect } = await withAccount(world);
    expect((await connect(upstreamPerson('example.com'))).error).toBe('address_not_yours');
    expect((await connect(upstreamPerson('example.com', { email: (await registered(service)).email }))).error).toBe('address_taken');
  });

  test('not in a session that came by an organization’s provider', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const who = upstreamPerson('example.com');
    const { accessToken } = await one.signIn(who);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await other.come(upstreamPerson('example.com', { email: who['email'] }), { query: '?action=connect', headers })).error).toBe(
      'own_way_needed',
    );
  });
});
