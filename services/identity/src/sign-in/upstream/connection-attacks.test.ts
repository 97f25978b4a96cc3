/** What an organization's provider, a link or an altered answer must not bring about. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { startConnections, upstreamPerson } from '../../testing/connections.ts';
import { exchange } from '../../testing/platform.ts';
import { claimsOf, credentialsOf, registered } from '../../testing/service.ts';

const service = await startConnections();
afterAll(() => service.stop());
const { ask, peers, makeWorld } = service;

describe('tampering', () => {
  test('an answer is good once, in the browser that began, with its own state', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const back = await world.upstream.approve(await world.begin(browser), upstreamPerson(world.domain));
    expect((await openBrowser(service).get(pathOf(back))).location.searchParams.get('error')).toBe('invalid_state');
    expect((await browser.get(pathOf(back))).location.searchParams.get('error')).toBe('invalid_state');
    expect((await browser.get(pathOf(withParameter(back, 'state', 'x'.repeat(43))))).location.searchParams.get('error')).toBe(
      'invalid_state',
    );
  });

  test('the answer of one connection at the callback of another is refused, by state and by issuer', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const browser = openBrowser(service);
    const back = await one.upstream.approve(await one.begin(browser), upstreamPerson(one.domain));
    const astray = `${pathOf(other.connection.callbackUrl)}${back.search}`;
    expect((await browser.get(astray)).location.searchParams.get('error')).toBe('invalid_state');
    const second = await one.upstream.approve(await one.begin(browser), upstreamPerson(one.domain));
    const mixed = withParameter(second, 'iss', other.upstream.issuer);
    expect((await browser.get(pathOf(mixed))).location.searchParams.get('error')).toBe('access_denied');
    const third = await one.upstream.approve(await one.begin(browser), upstreamPerson(one.domain));
    expect((await browser.get(pathOf(withParameter(third, 'iss')))).location.searchParams.get('error')).toBe('access_denied');
  });

  test('a code of another attempt does not fit: nonce and verifier are its own', async () => {
    const world = await makeWorld();
    const [one, other] = [openBrowser(service), openBrowser(service)];
    const first = await world.upstream.approve(await world.begin(one), upstreamPerson(world.domain));
    const second = await world.upstream.approve(await world.begin(other), upstreamPerson(world.domain));
    const swapped = withParameter(second, 'code', first.searchParams.get('code') ?? '');
    expect((await other.get(pathOf(swapped))).location.searchParams.get('error')).toBe('access_denied');
  });

  test('an ID token for another nonce is refused', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const location = withParameter(await world.begin(browser), 'nonce', 'another');
    const back = await world.upstream.approve(location, upstreamPerson(world.domain));
    expect((await browser.get(pathOf(back))).location.searchParams.get('error')).toMatch(/^(access_denied|temporarily_unavailable)$/);
  });
});

describe('a link that signs in', () => {
  const foreign = { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' };

  for (const [site, headers] of Object.entries({
    'a link of another site': foreign,
    'a link in a mail': { 'sec-fetch-site': 'none' },
    'a browser that does not say': { 'sec-fetch-site': undefined },
  }))
    test(`${site} signs its visitor in as nobody without a click`, async () => {
      const world = await makeWorld();
      const who = upstreamPerson(world.domain);
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
    const { browser, code } = await world.come(upstreamPerson(world.domain), { headers: foreign });
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
    const { code } = await world.come(upstreamPerson(world.domain), { browser });
    const asked = await exchange(browser, code);
    expect(asked.body.data.accessToken).toBeUndefined();
    expect((await exchange(browser, asked.body.data.continueAs.code, {}, { isConfirmed: true })).status).toBe(200);
  });

  test('the same person is not asked again', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    const { browser } = await world.signIn(who);
    const { code } = await world.come(who, { browser, headers: foreign });
    expect(claimsOf((await exchange(browser, code)).body.data.accessToken)['connection']).toBe(world.connection.id);
  });
});

describe('a connection', () => {
  test('a connection without a proven domain, or of a suspended organization, leads nowhere', async () => {
    const world = await makeWorld();
    const browser = openBrowser(service);
    const back = await world.upstream.approve(await world.begin(browser), upstreamPerson(world.domain));
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

  test('its log says why a sign-in was refused, and nothing of an error of ours', async () => {
    const world = await makeWorld();
    peers.onJudge = async () => {
      throw new Error('postgres://inside');
    };
    const { error } = await world.come(upstreamPerson(world.domain));
    peers.onJudge = async () => undefined;
    expect(error).toMatch(/^(server_error|temporarily_unavailable)$/);
    await world.come(upstreamPerson('elsewhere.example.org'));
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
    await world.signIn(upstreamPerson(world.domain));
    await world.come(upstreamPerson('elsewhere.example.org'));
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
