/** A test of a connection shows what a provider says; its answer opens no session. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { deleteExpired } from '../../retention.ts';
import { openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { type ConnectionWorld, startConnections, upstreamPerson } from '../../testing/connections.ts';
import { registered } from '../../testing/service.ts';
import { upstreamClient } from '../../testing/upstream.ts';

const service = await startConnections();
afterAll(() => service.stop());
const { ask, peers, makeWorld } = service;

const inScope = ({ organizationId }: ConnectionWorld) => `tenant=organization&scopeId=${organizationId}`;

async function start(world: ConnectionWorld, { token = world.owner.accessToken, scope = world.scope } = {}) {
  return ask('POST', `/api/connections/${world.connection.id}/tests`, { token, body: { scope } });
}

async function begin(world: ConnectionWorld) {
  const { status, body } = await start(world);
  expect(status).toStrictEqualFor(body, 201);
  return body.data as { readonly id: string; readonly url: string };
}

/** Through the provider and back, in one browser. */
async function run(world: ConnectionWorld, who: Parameters<ConnectionWorld['come']>[0], alter = (back: URL) => back) {
  const { id, url } = await begin(world);
  const browser = openBrowser(service);
  const away = await browser.get(pathOf(new URL(url)));
  expect(away.status).toStrictEqualFor(away.body, 302);
  const back = alter(await world.upstream.approve(away.location, who));
  const end = await browser.get(pathOf(back));
  return { id, browser, back, end, result: await read(world, id) };
}

async function read(world: ConnectionWorld, id: string) {
  const path = `/api/connections/${world.connection.id}/tests/${id}?${inScope(world)}`;
  const { status, body } = await ask('GET', path, { token: world.owner.accessToken });
  expect(status).toStrictEqualFor(body, 200);
  return body.data;
}

async function connectionOf(world: ConnectionWorld) {
  return (await ask('GET', `/api/connections/${world.connection.id}?${inScope(world)}`, { token: world.owner.accessToken })).body.data;
}

/** Everything that a sign-in could change. */
async function contents() {
  const tables = [
    'users',
    'authentication_methods',
    'sessions',
    'connection_links',
    'connection_subjects',
    'mail_jobs',
    'proven_addresses',
  ];
  const rows = await Promise.all(
    tables.map((table) =>
      service.database.query<{ t: string }>(
        sql(`SELECT coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS t FROM ${table} AS t`),
      ),
    ),
  );
  return [...rows.map(([row]) => row?.t), peers.admitted.length];
}

const kindsOf = ({ findings }: { readonly findings: readonly { readonly kind: string }[] }) => findings.map(({ kind }) => kind);

describe('a test shows what came and what it became', () => {
  test('of a connection that is not active, and changes nobody', async () => {
    const world = await makeWorld();
    await world.change({ status: 'disabled' });
    const who = upstreamPerson(world.domain);
    const before = await contents();
    const { id, end, result } = await run(world, who);
    expect(await contents()).toStrictEqual(before);
    expect(end.location.pathname).toBe(`/console/org/${world.organizationId}/connections/${world.connection.id}`);
    expect(Object.fromEntries(end.location.searchParams)).toStrictEqual({ test: id });
    expect([end.headers['set-cookie']].flat().join()).not.toContain('refresh');
    expect(result).toMatchObject({
      status: 'passed',
      cause: null,
      became: { subject: who.sub, email: who['email'], name: who['name'], isEmailVerified: true, isDomainProven: true, person: 'new' },
      findings: [],
    });
    const came = new Map(result.came.map(({ name, values }: { name: string; values: string[] }) => [name, values]));
    expect(came.get('email')).toStrictEqual([who['email']]);
    expect(came.get('email_verified')).toStrictEqual(['true']);
    // Nothing of the protocol, and no token.
    expect(['nonce', 'at_hash', 'sid'].filter((name) => came.has(name))).toStrictEqual([]);
    expect(JSON.stringify(result)).not.toMatch(/eyJ/);
  });

  test('and a known person is known; one that has an account is to link it', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    await world.signIn(who);
    const known = await run(world, who);
    expect([known.result.status, known.result.became.person]).toStrictEqual(['passed', 'known']);
    const { email } = await registered(service);
    peers.provenDomains.get(world.organizationId)?.add(email.split('@')[1] ?? '');
    const other = await run(world, upstreamPerson('', { email }));
    expect([other.result.status, kindsOf(other.result)]).toStrictEqual(['refused', ['link-needed']]);
  });

  for (const [code, more] of Object.entries({
    'address-not-allowed': { email: 'ann@elsewhere.example.org' },
    'no-address': { email: undefined },
    'address-not-verified': { email_verified: false },
  }))
    test(`${code} is named, where a sign-in is refused for it`, async () => {
      const world = await makeWorld();
      const { result } = await run(world, upstreamPerson(world.domain, more));
      expect([result.status, kindsOf(result)]).toStrictEqual(['refused', [code]]);
      expect(result.findings[0].isBlocking).toBe(true);
      expect((await connectionOf(world)).testedAt).toBe(null);
    });

  test('a domain that is not proven at all is named', async () => {
    const world = await makeWorld();
    peers.provenDomains.delete(world.organizationId);
    expect(kindsOf((await run(world, upstreamPerson(world.domain))).result)).toStrictEqual(['no-domain']);
  });

  test('the lines of the mapping that apply, and its claims that did not come', async () => {
    const world = await makeWorld();
    const [one, other] = [newId(), newId()];
    const roleMapping = [
      { claim: 'name', value: 'Ann Birch', roleId: one },
      { claim: 'groups', value: 'admins', roleId: other },
    ];
    expect((await world.change({ roleMapping })).status).toBe(200);
    const { result } = await run(world, upstreamPerson(world.domain, { name: 'Ann Birch' }));
    expect(result.became.mapped).toStrictEqual([{ claim: 'name', value: 'Ann Birch', roleId: one, grantId: null }]);
    expect(result.became.roles.map(({ roleId }: { roleId: string }) => roleId)).toStrictEqual([one]);
    expect(result.findings).toStrictEqual([{ kind: 'claim-missing', isBlocking: false, claims: ['groups'] }]);
    const nobody = await run(world, upstreamPerson(world.domain));
    expect(kindsOf(nobody.result)).toStrictEqual(['claim-missing', 'nothing-mapped']);
  });
});

describe('a test that fails names the cause', () => {
  const document = '/.well-known/openid-configuration';

  test('the provider refuses, does not take the secret, or does not answer', async () => {
    const world = await makeWorld();
    const refused = await run(world, upstreamPerson(world.domain), (back) => {
      const said = new URL(`${back.origin}${back.pathname}`);
      for (const name of ['state', 'iss']) said.searchParams.set(name, back.searchParams.get(name) ?? '');
      said.searchParams.set('error', 'access_denied');
      said.searchParams.set('error_description', 'AADSTS50105: not assigned eyJhbGciOi.eyJzdWIiOi.c2ln');
      return said;
    });
    expect(refused.result).toMatchObject({
      status: 'failed',
      cause: { kind: 'upstream-error', upstreamError: 'access_denied', upstreamDescription: 'AADSTS50105: not assigned …' },
    });
    await world.change({ oidc: { clientSecret: 'not the one of the provider' } });
    expect((await run(world, upstreamPerson(world.domain))).result.cause.kind).toBe('client-refused');
    await world.change({ oidc: { clientSecret: upstreamClient.clientSecret } });
    const { id, url } = await begin(world);
    const browser = openBrowser(service);
    const back = await world.upstream.approve((await browser.get(pathOf(new URL(url)))).location, upstreamPerson(world.domain));
    world.upstream.setDown(true);
    await browser.get(pathOf(back));
    world.upstream.setDown(false);
    expect((await read(world, id)).cause.kind).toBe('unreachable');
  });

  test('an issuer that calls itself otherwise, before anybody is sent there', async () => {
    const world = await makeWorld();
    const oidc = { issuer: `${world.upstream.issuer}/other`, ...upstreamClient };
    const fields = { scope: world.scope, type: 'oidc', name: 'Other', oidc, defaultRoleId: newId() };
    const made = await ask('POST', '/api/connections', { token: world.owner.accessToken, body: fields });
    world.upstream.answers.set(`/other${document}`, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ issuer: world.upstream.issuer }));
    });
    const other = { ...world, connection: made.body.data };
    const { id, url } = await begin(other);
    const landed = await openBrowser(service).get(pathOf(new URL(url)));
    expect(landed.location.searchParams.get('test')).toBe(id);
    expect((await read(other, id)).cause.kind).toBe('issuer');
  });

  const now = () => Math.floor(Date.now() / 1_000);
  for (const [kind, claims] of [
    ['audience', { aud: 'another client' }],
    ['issuer', { iss: 'https://other.example.com' }],
    ['clock', { iat: now() - 7_200, exp: now() - 3_600 }],
    ['request', { nonce: 'another' }],
  ] as const)
    test(`an ID token with a wrong ${kind}`, async () => {
      const world = await makeWorld();
      const { result } = await answerWith(world, claims);
      expect(result).toMatchObject({ status: 'failed', cause: { kind } });
    });

  test('an ID token that another key has signed', async () => {
    const world = await makeWorld();
    const { result } = await answerWith(world, {}, true);
    expect(result).toMatchObject({ status: 'failed', cause: { kind: 'signature' } });
  });

  /** The provider's token endpoint, answered here: keys of the test, claims as given. */
  async function answerWith(world: ConnectionWorld, claims: object, isForeign = false) {
    const [own, foreign] = [await generateKeyPair('RS256', { extractable: true }), await generateKeyPair('RS256')];
    const { id, url } = await begin(world);
    const browser = openBrowser(service);
    const { location } = await browser.get(pathOf(new URL(url)));
    const who = upstreamPerson(world.domain);
    const back = await world.upstream.approve(location, who);
    const idToken = await new SignJWT({
      ...who,
      iss: world.upstream.issuer,
      aud: upstreamClient.clientId,
      nonce: location.searchParams.get('nonce'),
      iat: now(),
      exp: now() + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'of the test' })
      .sign(isForeign ? foreign.privateKey : own.privateKey);
    const jwk = { ...(await exportJWK(own.publicKey)), kid: 'of the test', use: 'sig', alg: 'RS256' };
    const json = (body: object) => (_request: unknown, response: import('node:http').ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    world.upstream.answers.set('/token', json({ access_token: 'a', token_type: 'Bearer', id_token: idToken }));
    world.upstream.answers.set('/jwks', json({ keys: [jwk] }));
    await browser.get(pathOf(back));
    return { result: await read(world, id) };
  }
});

describe('what a test must not bring about', () => {
  test('its answer is no sign-in, and an answer of a sign-in is no test', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const who = upstreamPerson(world.domain);
    const { url } = await begin(world);
    const tested = await world.upstream.approve((await browser.get(pathOf(new URL(url)))).location, who);
    const signIn = await world.upstream.approve(await world.begin(browser), who);
    const before = await contents();
    // The code of the test with the state of the sign-in, and the other way round.
    const swapped = await browser.get(pathOf(withParameter(signIn, 'code', tested.searchParams.get('code') ?? '')));
    expect(swapped.location.searchParams.get('error')).toBe('access_denied');
    const landed = await browser.get(pathOf(withParameter(tested, 'code', signIn.searchParams.get('code') ?? '')));
    expect([landed.location.searchParams.get('code'), landed.location.searchParams.has('test')]).toStrictEqual([null, true]);
    // Once more, after it is done.
    expect((await browser.get(pathOf(tested))).location.searchParams.get('error')).toBe('invalid_state');
    expect(await contents()).toStrictEqual(before);
  });

  test('its address is good once, and its answer in the browser that opened it', async () => {
    const world = await makeWorld();
    const { id, url } = await begin(world);
    const browser = openBrowser(service);
    const { location } = await browser.get(pathOf(new URL(url)));
    expect((await openBrowser(service).get(pathOf(new URL(url)))).location.searchParams.get('error')).toBe('invalid_state');
    const back = await world.upstream.approve(location, upstreamPerson(world.domain));
    expect((await openBrowser(service).get(pathOf(back))).location.searchParams.get('error')).toBe('invalid_state');
    // The state is used up with that: the test stays unfinished.
    expect((await browser.get(pathOf(back))).location.searchParams.get('error')).toBe('invalid_state');
    expect(await read(world, id)).toMatchObject({ status: 'opened', finishedAt: null, came: [] });
  });

  test('another site leads no visitor through it', async () => {
    const world = await makeWorld();
    const { id, url } = await begin(world);
    const path = pathOf(new URL(url));
    for (const fetchSite of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': fetchSite, referer: 'https://evil.example/' };
      expect((await openBrowser(service).get(path, headers)).status).toBe(403);
    }
    expect((await read(world, id)).status).toBe('waiting');
    // A page of ours does, and a person who pastes the address.
    const own = { 'sec-fetch-site': 'same-site', referer: 'https://app.example.com/' };
    expect((await openBrowser(service).get(path, own)).location.origin).toBe(world.upstream.issuer);
  });

  test('its address at another connection leads nowhere, nor its answer', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const { url } = await begin(one);
    const astray = pathOf(new URL(url)).replace(one.connection.id, other.connection.id);
    expect((await openBrowser(service).get(astray)).location.searchParams.get('error')).toBe('invalid_state');
    const browser = openBrowser(service);
    const back = await one.upstream.approve(
      (await browser.get(pathOf(new URL((await begin(one)).url)))).location,
      upstreamPerson(one.domain),
    );
    const crossed = await browser.get(`${pathOf(other.connection.callbackUrl)}${back.search}`);
    expect(crossed.location.searchParams.get('error')).toBe('invalid_state');
  });

  test('another organization neither starts nor reads it', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const { id } = await run(one, upstreamPerson(one.domain));
    const { accessToken: token } = other.owner;
    expect((await start(one, { token, scope: other.scope })).status).toBe(404);
    const paths = [`${one.connection.id}/tests`, `${one.connection.id}/tests/${id}`, `${other.connection.id}/tests/${id}`];
    const answers = await Promise.all(paths.map((path) => ask('GET', `/api/connections/${path}?${inScope(other)}`, { token })));
    expect(answers.map(({ status }) => status)).toStrictEqual([404, 404, 404]);
  });
});

describe('what stays of it', () => {
  test('twenty of a connection, for a day, and none of one that is deleted', async () => {
    const world = await makeWorld();
    const ids = [];
    for (let count = 0; count < 22; count += 1) ids.push((await begin(world)).id);
    const list = async () =>
      (await ask('GET', `/api/connections/${world.connection.id}/tests?${inScope(world)}`, { token: world.owner.accessToken })).body.data
        .items;
    expect((await list()).map(({ id }: { id: string }) => id)).toStrictEqual(ids.toReversed().slice(0, 20));
    await service.database.query(sql(`UPDATE connection_tests SET expires_at = now() - interval '1 second' WHERE id = $1`), [ids.at(-1)]);
    expect(await list()).toHaveLength(19);
    await service.database.transaction((tx) => deleteExpired(tx, new Date()));
    const count = async () =>
      (
        await service.database.query<{ n: number }>(sql('SELECT count(*)::int AS n FROM connection_tests WHERE connection_id = $1'), [
          world.connection.id,
        ])
      )[0]?.n;
    expect(await count()).toBe(19);
    await world.change({ status: 'disabled' });
    expect((await world.remove()).status).toBe(200);
    expect(await count()).toBe(0);
  });

  test('the connection says when it passed, until client, secret, scopes or metadata change', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    expect((await connectionOf(world)).testedAt).toBe(null);
    await run(world, who);
    const { testedAt } = await connectionOf(world);
    expect(Date.parse(testedAt)).toBeGreaterThan(0);
    await world.change({ name: 'Renamed', oidc: { clientId: upstreamClient.clientId } });
    expect((await connectionOf(world)).testedAt).toBe(testedAt);
    for (const oidc of [{ clientSecret: upstreamClient.clientSecret }, { scopes: ['email'] }]) {
      await run(world, who);
      await world.change({ oidc });
      expect((await connectionOf(world)).testedAt).toBe(null);
    }
    // Changed while a test was on its way: it has tested something else.
    const { url } = await begin(world);
    const browser = openBrowser(service);
    const back = await world.upstream.approve((await browser.get(pathOf(new URL(url)))).location, who);
    await world.change({ oidc: { scopes: ['email', 'profile'] } });
    await browser.get(pathOf(back));
    expect((await connectionOf(world)).testedAt).toBe(null);
  });

  test('the log says who tested what, and nothing of the person', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    await run(world, who);
    const rows = await service.database.query<{ action: string; actor_id: string; detail: object }>(
      sql(`SELECT action, actor_id, detail FROM audit_log WHERE scope_id = $1 AND action LIKE 'connection.test%' ORDER BY at, action`),
      [world.organizationId],
    );
    expect(rows.map(({ action }) => action)).toStrictEqual(['connection.test-started', 'connection.tested']);
    expect(rows[1]?.detail).toStrictEqual({ name: 'Our login', status: 'passed' });
    expect(JSON.stringify(rows)).not.toContain(who.sub);
    expect(new Set(rows.map((row) => row.actor_id)).size).toBe(1);
  });
});
