import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import { deriveKeys } from '../../ground/tokens/opaque-token.ts';
import { openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { exchange } from '../../testing/platform.ts';
import { claimsOf, credentialsOf, login, registered, startIdentity } from '../../testing/service.ts';
import { startUpstream, type Upstream, type UpstreamPerson, upstreamClient } from '../../testing/upstream.ts';
import { connectionStore, resealBatch } from '../jobs/reseal-secrets.ts';
import { createSecretsAtRest } from '../secrets-at-rest.ts';

const service = await startIdentity({
  AUTH_FACTOR_SECRETS: 'the secret before of thirty-two letters',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  SECURITY_FRONTEND_URL: 'https://app.example.com',
});
afterAll(() => service.stop());
const { ask, peers } = service;
const upstreams: Upstream[] = [];
afterAll(async () => void (await Promise.all(upstreams.map((upstream) => upstream.stop()))));

let count = 0;
function person(domain: string, more: object = {}): UpstreamPerson {
  count += 1;
  return { sub: `subject-${count}`, name: `Person ${count}`, email: `person${count}.${newId()}@${domain}`, email_verified: true, ...more };
}

/** An organization with a proven domain and an active connection. */
async function makeWorld(known?: Upstream) {
  const upstream = known ?? (await startUpstream());
  if (known === undefined) upstreams.push(upstream);
  const owner = await registered(service);
  const organizationId = newId();
  const domain = `${newId()}.example.net`;
  const scope = { tenant: 'organization', id: organizationId };
  peers.provenDomains.set(organizationId, new Set([domain, 'example.com']));
  const oidc = { issuer: upstream.issuer, ...upstreamClient };
  const fields = { scope, type: 'oidc', name: 'Our login', oidc, defaultRoleId: newId() };
  const made = await ask('POST', '/api/connections', { token: owner.accessToken, body: fields });
  expect(made.status).toStrictEqualFor(made.body, 201);
  const connection = made.body.data;
  upstream.register([connection.callbackUrl]);
  const change = (more: object) =>
    ask('PATCH', `/api/connections/${connection.id}`, { token: owner.accessToken, body: { scope, ...more } });
  const remove = () =>
    ask('DELETE', `/api/connections/${connection.id}?tenant=organization&scopeId=${organizationId}`, { token: owner.accessToken });
  const active = await change({ status: 'active' });
  expect(active.status).toStrictEqualFor(active.body, 200);
  const start = `/api/auth/connections/${connection.id}`;

  async function begin(browser: ReturnType<typeof openBrowser>, query = '', headers = {}) {
    const { status, body, location } = await browser.get(`${start}${query}`, { 'sec-fetch-site': 'same-origin', ...headers });
    expect(status).toStrictEqualFor(body, 302);
    return location;
  }
  /** Where the browser ends up: with a code, or with an error. */
  async function come(who: UpstreamPerson, { browser = openBrowser(service), query = '', headers = {} } = {}) {
    const back = await upstream.approve(await begin(browser, query, headers), who);
    const { location } = await browser.get(pathOf(back));
    return { browser, location, error: location.searchParams.get('error'), code: location.searchParams.get('code') };
  }
  async function signIn(who: UpstreamPerson) {
    const { browser, error, code } = await come(who);
    expect(error).toBeNull();
    const { status, body } = await exchange(browser, code);
    expect(status).toStrictEqualFor(body, 200);
    return { ...body.data, browser, userId: String(claimsOf(body.data.accessToken)['sub']) };
  }
  return { upstream, owner, organizationId, domain, scope, connection, change, remove, start, begin, come, signIn };
}
type World = Awaited<ReturnType<typeof makeWorld>>;

const isSignedIn = async (token: string) => (await ask('GET', '/api/me', { token })).status;
const countOf = async (table: string) =>
  Number((await service.database.query<{ n: string }>(sql(`SELECT count(*) AS n FROM ${table}`)))[0]?.n);

describe('an organization signs its people in by its own provider', () => {
  test('the first sign-in makes the person a member, the next finds them by their subject', async () => {
    const world = await makeWorld();
    const who = person(world.domain);
    const first = await world.signIn(who);
    expect(peers.people.get(world.organizationId)?.has(first.userId)).toBe(true);
    const me = await ask('GET', '/api/me', { token: first.accessToken });
    expect([me.body.data.email, me.body.data.isVerified, me.body.data.user.name]).toStrictEqual([who['email'], true, who['name']]);
    expect((await world.signIn(who)).userId).toBe(first.userId);
  });

  test('a changed address upstream is the same person, and is taken over when it is free', async () => {
    const world = await makeWorld();
    const who = person(world.domain);
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
    const who = person(world.domain);
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
  });
});

/** As tenancy does: the person is remembered as one who left. */
function remove({ organizationId }: World, userId: string): void {
  peers.people.get(organizationId)?.delete(userId);
  peers.departed.add(`${organizationId}:${userId}`);
}

/** Every path by which an outer identity could become a person here, and what comes of it. */
type Path = { readonly who: (world: World) => Promise<UpstreamPerson> | UpstreamPerson; readonly error: string };
const paths: Readonly<Record<string, Path>> = {
  'an address outside of the proven domains': { who: () => person('elsewhere.example.org'), error: 'address_not_allowed' },
  'an address in a subdomain of a proven domain': { who: ({ domain }) => person(`sub.${domain}`), error: 'address_not_allowed' },
  'no address at all': { who: ({ domain }) => person(domain, { email: undefined }), error: 'address_not_allowed' },
  'an address that the provider has not verified': {
    who: ({ domain }) => person(domain, { email_verified: false }),
    error: 'address_not_verified',
  },
  'a word for verified that is no boolean': {
    who: ({ domain }) => person(domain, { email_verified: 'true' }),
    error: 'address_not_verified',
  },
  'the address of a person who holds it': {
    who: async () => person('example.com', { email: (await registered(service)).email }),
    error: 'link_needed',
  },
  'an address that somebody registered and never proved': {
    who: async () => person('example.com', { email: (await registered(service, { verified: false })).email }),
    error: 'address_not_held',
  },
  'a new subject with the address of a person of this connection': {
    who: async (world) => {
      const known = person(world.domain);
      await world.signIn(known);
      return { ...known, sub: `another-${newId()}` };
    },
    error: 'link_needed',
  },
  'a linked person who was removed from the organization': {
    who: async (world) => {
      const known = person(world.domain);
      const { userId } = await world.signIn(known);
      remove(world, userId);
      return known;
    },
    error: 'not_a_member',
  },
  'a linked person whose domain the organization has lost': {
    who: async (world) => {
      const known = person(world.domain);
      await world.signIn(known);
      peers.provenDomains.get(world.organizationId)?.delete(world.domain);
      return known;
    },
    error: 'address_not_allowed',
  },
  'an organization without room': {
    who: (world) => {
      peers.full.add(world.organizationId);
      return person(world.domain);
    },
    error: 'organization_full',
  },
};

describe('takeover: path and result', () => {
  for (const [path, { who, error }] of Object.entries(paths))
    test(`${path}: ${error}, without a session or a link`, async () => {
      const world = await makeWorld();
      const known = await who(world);
      const [sessions, before] = [await countOf('sessions'), await peers.people.get(world.organizationId)?.size];
      expect((await world.come(known)).error).toBe(error);
      expect([await countOf('sessions'), peers.people.get(world.organizationId)?.size]).toStrictEqual([sessions, before]);
    });

  test('the same subject at another connection is somebody else', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const who = person(one.domain);
    const { userId } = await one.signIn(who);
    expect((await other.come(who)).error).toBe('address_not_allowed');
    expect((await other.signIn(person(other.domain, { sub: who.sub }))).userId).not.toBe(userId);
  });

  test('an organization without room makes and links nobody', async () => {
    const world = await makeWorld();
    const { email, accessToken } = await registered(service);
    const [people, links] = [await countOf('users'), await countOf('connection_links')];
    peers.full.add(world.organizationId);
    expect((await world.come(person(world.domain))).error).toBe('organization_full');
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await world.come(person('example.com', { email }), { query: '?action=connect', headers })).error).toBe('organization_full');
    expect([await countOf('users'), await countOf('connection_links')]).toStrictEqual([people, links]);
  });

  test('after a crash before the membership the next sign-in makes up for it', async () => {
    const world = await makeWorld();
    const who = person(world.domain);
    await world.signIn(who);
    peers.people.get(world.organizationId)?.clear();
    const { userId } = await world.signIn(who);
    expect(peers.people.get(world.organizationId)?.has(userId)).toBe(true);
  });
});

describe('tampering', () => {
  test('an answer is good once, in the browser that began, with its own state', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const back = await world.upstream.approve(await world.begin(browser), person(world.domain));
    expect((await openBrowser(service).get(pathOf(back))).location.searchParams.get('error')).toBe('invalid_state');
    expect((await browser.get(pathOf(back))).location.searchParams.get('error')).toBe('invalid_state');
    expect((await browser.get(pathOf(withParameter(back, 'state', 'x'.repeat(43))))).location.searchParams.get('error')).toBe(
      'invalid_state',
    );
  });

  test('the answer of one connection at the callback of another is refused, by state and by issuer', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const browser = openBrowser(service);
    const back = await one.upstream.approve(await one.begin(browser), person(one.domain));
    const astray = `${pathOf(other.connection.callbackUrl)}${back.search}`;
    expect((await browser.get(astray)).location.searchParams.get('error')).toBe('invalid_state');
    const second = await one.upstream.approve(await one.begin(browser), person(one.domain));
    const mixed = withParameter(second, 'iss', other.upstream.issuer);
    expect((await browser.get(pathOf(mixed))).location.searchParams.get('error')).toBe('access_denied');
    const third = await one.upstream.approve(await one.begin(browser), person(one.domain));
    expect((await browser.get(pathOf(withParameter(third, 'iss')))).location.searchParams.get('error')).toBe('access_denied');
  });

  test('a code of another attempt does not fit: nonce and verifier are its own', async () => {
    const world = await makeWorld();
    const [one, other] = [openBrowser(service), openBrowser(service)];
    const first = await world.upstream.approve(await world.begin(one), person(world.domain));
    const second = await world.upstream.approve(await world.begin(other), person(world.domain));
    const swapped = withParameter(second, 'code', first.searchParams.get('code') ?? '');
    expect((await other.get(pathOf(swapped))).location.searchParams.get('error')).toBe('access_denied');
  });

  test('an ID token for another nonce is refused', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const location = withParameter(await world.begin(browser), 'nonce', 'another');
    const back = await world.upstream.approve(location, person(world.domain));
    expect((await browser.get(pathOf(back))).location.searchParams.get('error')).toMatch(/^(access_denied|temporarily_unavailable)$/);
  });
});

describe('what ends it', () => {
  for (const [how, end] of Object.entries({
    'switched off': async (world: World) => world.change({ status: 'disabled' }),
    deleted: async (world: World) => world.remove(),
  }))
    test(`${how}: sessions that came by it end, codes and starts are refused, others go on`, async () => {
      const world = await makeWorld();
      const { accessToken, refreshToken } = await world.signIn(person(world.domain));
      const waiting = await world.come(person(world.domain));
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
    const { refreshToken } = await world.signIn(person(world.domain));
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

  test('the provider is down: clear words, and a password goes on', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const back = await world.upstream.approve(await world.begin(browser), person(world.domain));
    world.upstream.setDown(true);
    expect((await browser.get(pathOf(back))).location.searchParams.get('error')).toBe('temporarily_unavailable');
    expect((await login(service, world.owner.email)).status).toBe(200);
  });
});

describe('a person links it by their own word', () => {
  async function withAccount(world: World) {
    const account = await registered(service);
    const headers = { authorization: `Bearer ${account.accessToken}` };
    return { account, connect: (who: UpstreamPerson) => world.come(who, { query: '?action=connect', headers }) };
  }

  test('with an address that the account holds: linked, a member, told by mail; later the same person', async () => {
    const world = await makeWorld();
    const { account, connect } = await withAccount(world);
    const who = person('example.com', { email: account.email });
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
    expect((await connect(person('example.com'))).error).toBe('address_not_yours');
    expect((await connect(person('example.com', { email: (await registered(service)).email }))).error).toBe('address_taken');
  });

  test('not in a session that came by an organization’s provider', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const who = person('example.com');
    const { accessToken } = await one.signIn(who);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await other.come(person('example.com', { email: who['email'] }), { query: '?action=connect', headers })).error).toBe(
      'own_way_needed',
    );
  });
});

describe('what an attacker tries', () => {
  const foreign = { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' };

  for (const [site, headers] of Object.entries({
    'a link of another site': foreign,
    'a link in a mail': { 'sec-fetch-site': 'none' },
    'a browser that does not say': { 'sec-fetch-site': undefined },
  }))
    test(`${site} signs its visitor in as nobody without a click`, async () => {
      const world = await makeWorld();
      const who = person(world.domain);
      const { browser, code } = await world.come(who, { headers });
      const asked = await exchange(browser, code, {}, { isConfirmed: true });
      expect(asked.status).toStrictEqualFor(asked.body, 200);
      const { continueAs, accessToken } = asked.body.data;
      expect([accessToken, continueAs.name, continueAs.email, continueAs.connection]).toStrictEqual([
        undefined,
        who['name'],
        who['email'],
        'Our login',
      ]);
      expect(asked.headers['set-cookie']).toBeUndefined();
      // Not without the answer, and not in another browser.
      expect((await exchange(openBrowser(service), continueAs.code, {}, { isConfirmed: true })).status).toBe(400);
    });

  test('who goes on is signed in; the question is asked once, and its code is good once', async () => {
    const world = await makeWorld();
    const { browser, code } = await world.come(person(world.domain), { headers: foreign });
    const { continueAs } = (await exchange(browser, code)).body.data;
    const done = await exchange(browser, continueAs.code, {}, { isConfirmed: true });
    expect([done.status, done.body.data.continueAs]).toStrictEqual([200, undefined]);
    expect((await exchange(browser, continueAs.code, {}, { isConfirmed: true })).status).toBe(400);
  });

  test('the session of another person is never replaced without a click, also from our own page', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const { email } = await registered(service);
    const own = await browser.post('/api/auth/login', credentialsOf(email));
    expect(own.status).toStrictEqualFor(own.body, 200);
    const { code } = await world.come(person(world.domain), { browser });
    const asked = await exchange(browser, code);
    expect(asked.body.data.accessToken).toBeUndefined();
    expect((await exchange(browser, asked.body.data.continueAs.code, {}, { isConfirmed: true })).status).toBe(200);
  });

  test('the same person is not asked again', async () => {
    const world = await makeWorld();
    const who = person(world.domain);
    const { browser } = await world.signIn(who);
    const { code } = await world.come(who, { browser, headers: foreign });
    expect(claimsOf((await exchange(browser, code)).body.data.accessToken)['connection']).toBe(world.connection.id);
  });

  test('a connection without a proven domain, or of a suspended organization, leads nowhere', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const back = await world.upstream.approve(await world.begin(browser), person(world.domain));
    peers.provenDomains.delete(world.organizationId);
    let asked = 0;
    world.upstream.answers.set('/token', (_request, response) => {
      asked += 1;
      response.writeHead(400).end();
    });
    expect((await ask('GET', world.start)).status).toBe(404);
    expect((await browser.get(pathOf(back))).location.searchParams.get('error')).toBe('access_denied');
    // The code stays unspent: nothing of ours goes to a provider that speaks for no address.
    expect(asked).toBe(0);
    peers.provenDomains.set(world.organizationId, new Set([world.domain]));
    peers.closed.add(world.organizationId);
    expect((await ask('GET', world.start)).status).toBe(404);
    await world.change({ status: 'disabled' });
    peers.provenDomains.delete(world.organizationId);
    const on = await world.change({ status: 'active' });
    expect([on.status, on.body.translationKey]).toStrictEqual([409, 'errors.connection.noProvenDomain']);
  });

  test('who was removed is no member again: neither by signing in nor by a link made anew', async () => {
    const world = await makeWorld();
    const account = await registered(service);
    const headers = { authorization: `Bearer ${account.accessToken}` };
    const who = person('example.com', { email: account.email });
    expect((await world.come(who, { query: '?action=connect', headers })).error).toBeNull();
    remove(world, account.userId);
    const { body } = await ask('GET', '/api/me/authentication-methods', { token: account.accessToken });
    const link = body.data.items.find(({ provider }: { provider: string }) => provider.startsWith('connections/'));
    expect((await ask('DELETE', `/api/me/authentication-methods/${link.id}`, { token: account.accessToken })).status).toBe(200);
    const links = await countOf('connection_links');
    expect((await world.come(who, { query: '?action=connect', headers })).error).toBe('not_a_member');
    expect(await countOf('connection_links')).toBe(links);
    // An invitation takes them back.
    peers.departed.clear();
    expect((await world.come(who, { query: '?action=connect', headers })).error).toBeNull();
  });

  /** The person has another way to sign in, in place of that by the connection. */
  const unlink = (userId: string) =>
    service.database.query(
      sql(`UPDATE authentication_methods SET provider = 'codehost', provider_id = id WHERE user_id = $1 AND provider LIKE 'connections/%'`),
      [userId],
    );

  for (const [how, leave] of Object.entries({
    'their way to sign in is deleted': unlink,
    'they are deleted for good': (userId: string) => service.database.query(sql('DELETE FROM users WHERE id = $1'), [userId]),
  }))
    test(`a subject that has led to a person makes no new one, once ${how}; linked by their own word it leads on`, async () => {
      const world = await makeWorld();
      const who = person('example.com');
      const { userId } = await world.signIn(who);
      remove(world, userId);
      await leave(userId);
      await service.database.query(sql('DELETE FROM proven_addresses WHERE address = $1'), [who['email']]);
      const people = await countOf('users');
      expect((await world.come(who)).error).toBe('not_a_member');
      expect(await countOf('users')).toBe(people);
      // An invitation lets them in with a way of their own, and then they link it.
      const account = await registered(service);
      const headers = { authorization: `Bearer ${account.accessToken}` };
      const same = { ...who, email: account.email };
      expect((await world.come(same, { query: '?action=connect', headers })).error).toBeNull();
      expect((await world.signIn(same)).userId).toBe(account.userId);
    });

  test('an unverified address of a known subject makes and links nobody when the link goes at this moment', async () => {
    const world = await makeWorld();
    const who = person(world.domain);
    const { userId } = await world.signIn(who);
    const account = await registered(service);
    const headers = { authorization: `Bearer ${account.accessToken}` };
    const own = person('example.com', { email: account.email });
    expect((await world.come(own, { query: '?action=connect', headers })).error).toBeNull();
    const unverified = { email_verified: false };
    peers.onJudge = async () => void (await unlink(userId));
    const made = await world.come({ ...who, ...unverified });
    peers.onJudge = async () => void (await unlink(account.userId));
    const linked = await world.come({ ...own, ...unverified }, { query: '?action=connect', headers });
    peers.onJudge = async () => undefined;
    expect([made.error, linked.error]).toStrictEqual(['address_not_verified', 'address_not_verified']);
  });

  test('confirming with another account at the provider makes no person, and with their own it makes nothing', async () => {
    const world = await makeWorld();
    const who = person(world.domain);
    const { accessToken } = await world.signIn(who);
    const headers = { authorization: `Bearer ${accessToken}` };
    const people = await countOf('users');
    const confirm = (as: UpstreamPerson) => world.come(as, { query: '?action=confirm', headers });
    expect((await confirm(person(world.domain))).error).toBe('access_denied');
    expect(await countOf('users')).toBe(people);
    const { location, error } = await confirm(who);
    expect([error, location.searchParams.has('confirmation')]).toStrictEqual([null, true]);
    expect(await countOf('users')).toBe(people);
  });

  test('an address that equals another only after folding is not vouched for', async () => {
    const world = await makeWorld();
    const email = `\u212Aada.${newId()}@${world.domain}`;
    expect((await world.come(person(world.domain, { email }))).error).toMatch(/^address_not_(verified|allowed)$/);
  });

  test('a default role that was deleted since gives Viewer', async () => {
    const world = await makeWorld();
    peers.verdicts.set(world.connection.defaultRoleId, 'not-found');
    await world.signIn(person(world.domain));
    expect(peers.admitted.at(-1)).toMatchObject({ roleId: builtInRoleId('organization', world.organizationId, 'Viewer') });
  });

  test('a platform administrator gets nothing by a connection, also where they become one later', async () => {
    const world = await makeWorld();
    const who = person(world.domain);
    const { accessToken, userId } = await world.signIn(who);
    await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [userId]);
    expect((await ask('GET', '/api/platform/service-accounts', { token: accessToken })).status).toBe(403);
    expect((await world.come(who)).error).toBe('access_denied');
  });

  test('its log says why a sign-in was refused, and nothing of an error of ours', async () => {
    const world = await makeWorld();
    peers.onJudge = async () => {
      throw new Error('postgres://inside');
    };
    const { error } = await world.come(person(world.domain));
    peers.onJudge = async () => undefined;
    expect(error).toMatch(/^(server_error|temporarily_unavailable)$/);
    await world.come(person('elsewhere.example.org'));
    const rows = await service.database.query<{ reason: string | null }>(
      sql(`SELECT detail ->> 'reason' AS reason FROM audit_log WHERE scope_id = $1 AND action = 'oauth.login' ORDER BY at`),
      [world.organizationId],
    );
    expect(rows.map(({ reason }) => reason)).toStrictEqual([null, 'the organization has not proven the domain of the address']);
  });

  test('an issuer that does not answer at an activation is known on to the others', async () => {
    const world = await makeWorld();
    const other = await makeWorld(world.upstream);
    await world.change({ status: 'disabled' });
    const document = '/.well-known/openid-configuration';
    world.upstream.answers.set(document, (_request, response) => void response.writeHead(500).end());
    expect((await world.change({ status: 'active' })).status).toBe(400);
    await other.begin(openBrowser(service));
  });

  test('its rows of the audit log are in the organization’s log, refused ones too', async () => {
    const world = await makeWorld();
    await world.signIn(person(world.domain));
    await world.come(person('elsewhere.example.org'));
    const rows = await service.database.query<{ action: string; outcome: string }>(
      sql('SELECT action, outcome FROM audit_log WHERE scope_id = $1 AND action = $2 ORDER BY at'),
      [world.organizationId, 'oauth.login'],
    );
    expect(rows.map(({ outcome }) => outcome)).toStrictEqual(['ok', 'refused']);
    expect(JSON.parse(peers.admitted.at(-1)?.auditJson ?? '{}')).toMatchObject({
      action: 'connection.member-added',
      scope_id: world.organizationId,
    });
  });
});

describe('rotation of AUTH_FACTOR_SECRETS', () => {
  const secretsOf = (values: string) => createSecretsAtRest(deriveKeys(values, 'connection'));
  const reseal = (values: string) => service.database.transaction((tx) => resealBatch(tx, connectionStore, secretsOf(values), undefined));

  test('the secret is sealed anew, stays good, and one whose key is missing is refused in words', async () => {
    const world = await makeWorld();
    const before = 'the secret before of thirty-two letters';
    const next = 'the next secret also of thirty-two letters';
    expect((await reseal(`${next},${before}`)).unreadable).toBe(0);
    const lost = await ask('GET', world.start);
    expect([lost.status, lost.body.translationKey]).toStrictEqual([409, 'errors.connection.secretLost']);
    await reseal(`${before},${next}`);
    await world.signIn(person(world.domain));
    // Entered again, it is read again.
    await reseal(`${next},${before}`);
    expect((await world.change({ oidc: { clientSecret: upstreamClient.clientSecret } })).status).toBe(200);
    await world.signIn(person(world.domain));
    await reseal(`${before},${next}`);
  });
});

describe('what may be set', () => {
  test('never Owner, no role that is not there, no issuer with a query', async () => {
    const world = await makeWorld();
    const oidc = { issuer: world.upstream.issuer, ...upstreamClient };
    const fields = { scope: world.scope, type: 'oidc', name: 'Other', oidc };
    const create = (more: object) => ask('POST', '/api/connections', { token: world.owner.accessToken, body: { ...fields, ...more } });
    const [owner, gone, above] = [newId(), newId(), newId()];
    peers.builtInRoles.set(owner, 1);
    peers.verdicts.set(gone, 'not-found');
    peers.verdicts.set(above, 'forbidden');
    const answers = [await create({ defaultRoleId: owner }), await create({ defaultRoleId: gone }), await create({ defaultRoleId: above })];
    expect(answers.map(({ status }) => status)).toStrictEqual([400, 404, 403]);
    expect((await create({ defaultRoleId: newId(), oidc: { ...oidc, issuer: `${world.upstream.issuer}?a=b` } })).status).toBe(400);
    expect((await world.change({ defaultRoleId: owner })).status).toBe(400);
  });

  test('who may not give the default role neither replaces the client nor switches it on', async () => {
    const world = await makeWorld();
    await world.change({ status: 'disabled' });
    peers.verdicts.set(world.connection.defaultRoleId, 'above-own-rank');
    const changes = [{ status: 'active' }, { oidc: { clientSecret: 'another' } }, { oidc: { clientId: 'another' } }, { name: 'Other' }];
    const answers = [];
    for (const change of changes) answers.push(await world.change(change));
    expect(answers.map(({ status }) => status)).toStrictEqual([403, 403, 403, 200]);
    // A role that is gone gives Viewer, which the caller may give.
    peers.verdicts.set(world.connection.defaultRoleId, 'not-found');
    expect((await world.change({ status: 'active' })).status).toBe(200);
  });

  test('another organization neither sees nor changes it', async () => {
    const world = await makeWorld();
    const scope = { tenant: 'organization', id: newId() };
    const { accessToken: token } = await registered(service);
    const path = `/api/connections/${world.connection.id}`;
    expect((await ask('GET', `${path}?tenant=organization&scopeId=${scope.id}`, { token })).status).toBe(404);
    expect((await ask('PATCH', path, { token, body: { scope, status: 'disabled' } })).status).toBe(404);
    expect((await ask('DELETE', `${path}?tenant=organization&scopeId=${scope.id}`, { token })).status).toBe(404);
  });
});
