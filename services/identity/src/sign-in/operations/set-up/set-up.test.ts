/** A set-up link: what its holder can do, and every way in which it ends (decision 37). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { until } from '../../../../../../test/support/until.ts';
import { openBrowser, pathOf } from '../../../testing/browser.ts';
import { startConnections } from '../../../testing/connections.ts';
import { registered } from '../../../testing/service.ts';
import { startUpstream, type Upstream, upstreamClient } from '../../../testing/upstream.ts';

const service = await startConnections();
const { ask, peers } = service;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.register(['https://app.example.com/']);
});
afterAll(async () => {
  await service.stop();
  await upstream.stop();
});

const origin = { origin: 'https://app.example.com' };
const base = '/api/connections/set-up-links';

async function makeLink(body: object = {}) {
  const owner = await registered(service);
  const organizationId = newId();
  const scope = { tenant: 'organization', id: organizationId };
  peers.people.set(organizationId, new Set([owner.userId]));
  const made = await ask('POST', base, { token: owner.accessToken, body: { scope, ...body } });
  expect(made.status).toStrictEqualFor(made.body, 201);
  const { id, url } = made.body.data;
  const token = new URL(url).hash.replace('#token=', '');
  const list = async () => {
    const answer = await ask('GET', `${base}?tenant=organization&scopeId=${organizationId}`, { token: owner.accessToken });
    expect(answer.status).toStrictEqualFor(answer.body, 200);
    return answer.body.data.items;
  };
  const revoke = () => ask('DELETE', `${base}/${id}?tenant=organization&scopeId=${organizationId}`, { token: owner.accessToken });
  const switchOn = (connectionId: string) =>
    ask('PATCH', `/api/connections/${connectionId}`, { token: owner.accessToken, body: { scope, status: 'active' } });
  const rows = (action: string) =>
    service.database.query<{ operation: string; outcome: string; actor: string | null; detail: Record<string, unknown> }>(
      sql(`SELECT operation, outcome, actor_id AS actor, detail FROM audit_log WHERE scope_id = $1 AND action = $2 ORDER BY at`),
      [organizationId, action],
    );
  return { owner, organizationId, scope, id: String(id), url: String(url), token, list, revoke, switchOn, rows };
}

/** A browser that has pressed "Begin". */
async function begin({ token, id }: { readonly token: string; readonly id: string }, browser = openBrowser(service)) {
  const begun = await browser.post(`${base}/redeem`, { token }, origin);
  const path = `/api/set-up/${id}`;
  const change = {
    domain: () => browser.post(`${path}/domains`, { domain: 'acme.example.net' }, origin),
    connection: (more: object = {}) =>
      browser.put(
        `${path}/connection`,
        { type: 'oidc', name: 'Acme', oidc: { issuer: upstream.issuer, ...upstreamClient }, ...more },
        origin,
      ),
    finish: () => browser.post(`${path}/finish`, {}, origin),
  };
  return { browser, begun, path, read: () => browser.get(path), ...change };
}

describe('what its holder does', () => {
  test('proves a domain and enters a provider, which stays a draft of the default role Viewer that nobody comes in by', async () => {
    const link = await makeLink();
    const { begun, browser, path, read, domain, connection, finish } = await begin(link);
    expect([begun.status, begun.body.data.id]).toStrictEqual([200, link.id]);
    const first = await domain();
    expect(first.body.data).toMatchObject({ domain: 'acme.example.net', status: 'pending' });
    const checked = await browser.post(`${path}/domains/${first.body.data.id}/verify`, {}, origin);
    expect(checked.body.data.status).toBe('verified');
    const saved = await connection();
    expect(saved.status).toStrictEqualFor(saved.body, 200);
    expect(JSON.stringify(saved.body)).not.toContain(upstreamClient.clientSecret);
    expect((await read()).body.data).toMatchObject({
      organization: expect.any(String),
      madeBy: expect.stringContaining('ada'),
      connection: { isDraft: true, name: 'Acme' },
    });
    const [{ connectionId }] = await link.list();
    const made = await service.database.query(sql('SELECT status, is_enforced, role_mapping, created_by FROM connections WHERE id = $1'), [
      connectionId,
    ]);
    expect(made).toStrictEqual([{ status: 'draft', is_enforced: false, role_mapping: [], created_by: link.owner.userId }]);
    expect((await ask('GET', `/api/auth/connections/${connectionId}`)).status).not.toBe(302);
    expect((await finish()).status).toBe(200);
    expect(peers.setUpDomains.at(-1)?.caller).toMatchObject({ linkId: link.id, madeBy: link.owner.userId });
    const told = () =>
      peers.events.filter(
        ({ event: { type, payloadJson } }) =>
          type === 'connection.ownersTold' && payloadJson.includes('set-up-finished') && payloadJson.includes(link.organizationId),
      );
    await until(async () => told().length > 0);
    expect(told()).toHaveLength(1);
    const rows = await link.rows('connection.created');
    const named = { setUpLinkId: link.id, setUpLinkMadeBy: link.owner.userId };
    expect(rows).toMatchObject([{ operation: 'saveSetUpConnection', outcome: 'ok', actor: null, detail: named }]);
  });

  test('reads nothing that another link or the organization has made', async () => {
    const link = await makeLink();
    peers.setUpDomains.push({
      linkId: newId(),
      caller: {
        ...({ organizationId: link.organizationId, linkId: '', madeBy: '', requestId: '' } as const),
        ipAddress: '',
        userAgent: '',
      },
      domain: { id: newId(), domain: 'secret.example.net', status: 'verified', recordName: '', recordValue: '' },
    });
    const { read } = await begin(link);
    const shown = (await read()).body.data;
    expect([shown.domains, shown.connection]).toStrictEqual([[], null]);
    expect(Object.keys(shown).toSorted()).toStrictEqual([
      'acsUrl',
      'callbackUrl',
      'connection',
      'directory',
      'domains',
      'expiresAt',
      'finishedAt',
      'id',
      'madeBy',
      'organization',
      'spEntityId',
      'spMetadataUrl',
      'test',
    ]);
  });

  test('a secret is sent to no other provider than the one it was entered for', async () => {
    const { connection } = await begin(await makeLink());
    const { clientId } = upstreamClient;
    expect((await connection({ oidc: { issuer: upstream.issuer, clientId } })).status).toBe(400);
    expect((await connection()).status).toBe(200);
    expect((await connection({ name: 'Renamed', oidc: { issuer: upstream.issuer, clientId } })).body.data.connection.name).toBe('Renamed');
    expect((await connection({ oidc: { issuer: upstream.issuer, clientId: 'another' } })).status).toBe(400);
  });

  test('sets no role, mapping, enforcement or status', async () => {
    const { connection } = await begin(await makeLink());
    for (const more of [
      { defaultRoleId: newId() },
      { roleMapping: [] },
      { isEnforced: true },
      { status: 'active' },
      { breakGlassUserIds: [] },
    ])
      expect([more, (await connection(more)).status]).toStrictEqual([more, 400]);
  });

  test('an issuer that is no provider, or is not reached, is refused before it is kept', async () => {
    const { connection, read } = await begin(await makeLink());
    const oidc = { ...upstreamClient, issuer: `${upstream.issuer}/nothing` };
    expect((await connection({ oidc })).body).toMatchObject({ code: 'VALIDATION_ERROR', extensions: { field: 'oidc.issuer' } });
    expect((await read()).body.data.connection).toBeNull();
  });
});

describe('a test of the provider that was entered', () => {
  type Browser = ReturnType<typeof openBrowser>;
  const own = { 'sec-fetch-site': 'same-origin' };
  const who = (more: object = {}) => ({ sub: newId(), name: 'Grace', email: `grace@acme.example.net`, email_verified: true, ...more });

  async function withProvider() {
    const link = await makeLink();
    peers.provenDomains.set(link.organizationId, new Set(['acme.example.net']));
    const page = await begin(link);
    const saved = await page.connection();
    upstream.register([saved.body.data.callbackUrl]);
    const start = () => page.browser.post(`${page.path}/tests`, {}, origin);
    const [{ connectionId }] = await link.list();
    return { ...link, ...page, start, connectionId: String(connectionId) };
  }
  /** To the provider and back; where the browser ends up. */
  async function go(browser: Browser, url: string, person = who(), back = browser) {
    const { location } = await browser.get(pathOf(url), own);
    if (!location.href.startsWith(upstream.issuer)) return location;
    return (await back.get(pathOf(await upstream.approve(location, person)))).location;
  }

  test('shows on the page what came and what is missing, makes nobody, and stands in the log', async () => {
    const { browser, start, read, id, rows, organizationId, owner, connectionId, scope } = await withProvider();
    const begun = await start();
    expect(begun.status).toStrictEqualFor(begun.body, 201);
    const people = await service.countOf('users');
    const landing = await go(browser, begun.body.data.url);
    expect([landing.pathname, landing.searchParams.get('link')]).toStrictEqual(['/set-up', id]);
    expect((await read()).body.data.test).toMatchObject({
      status: 'passed',
      cause: null,
      became: { email: 'grace@acme.example.net', isDomainProven: true },
      findings: [],
    });
    expect(await service.countOf('users')).toBe(people);
    expect(peers.people.get(organizationId)).toStrictEqual(new Set([owner.userId]));
    const named = { outcome: 'ok', actor: null, detail: { setUpLinkId: id } };
    expect(await rows('connection.test-started')).toMatchObject([{ operation: 'startSetUpTest', ...named }]);
    expect(await rows('connection.tested')).toMatchObject([{ operation: 'connectionTest', ...named }]);
    // An Owner who looks at it before it is switched on sees the same.
    const tests = await ask('GET', `/api/connections/${connectionId}/tests?tenant=organization&scopeId=${scope.id}`, {
      token: owner.accessToken,
    });
    expect(tests.body.data.items).toMatchObject([{ status: 'passed', createdBy: null }]);
    // Entered anew it has not been tested.
    expect(
      (
        await browser.put(
          `/api/set-up/${id}/connection`,
          { type: 'oidc', name: 'Other', oidc: { issuer: upstream.issuer, ...upstreamClient } },
          origin,
        )
      ).body.data.test,
    ).toBeNull();
    const [row] = await service.database.query<{ at: unknown }>(sql('SELECT tested_at AS at FROM connections WHERE id = $1'), [
      connectionId,
    ]);
    expect(row?.at).toBeNull();
  });

  test('names what is missing, and says nothing of accounts, members and the organization’s mapping', async () => {
    const { browser, start, read, owner, connectionId, scope, organizationId } = await withProvider();
    const shown = async (person: object) => {
      await go(browser, (await start()).body.data.url, who(person));
      return (await read()).body.data.test;
    };
    const kinds = async (person: object) => (await shown(person)).findings.map(({ kind }: { kind: string }) => kind);
    expect(await kinds({ email: undefined })).toStrictEqual(['no-address']);
    expect(await kinds({ email: 'grace@elsewhere.example' })).toStrictEqual(['address-not-allowed']);
    expect(await kinds({ email_verified: false, name: undefined })).toStrictEqual(['address-not-verified', 'no-name']);
    const roleMapping = [{ claim: 'secret-claim', value: 'x', roleId: newId() }];
    const mapped = await ask('PATCH', `/api/connections/${connectionId}`, { token: owner.accessToken, body: { scope, roleMapping } });
    expect(mapped.status).toStrictEqualFor(mapped.body, 200);
    peers.provenDomains.get(organizationId)?.add('example.com');
    const known = await shown({ email: owner.email });
    const stranger = await shown({ email: `nobody.${newId()}@example.com` });
    expect([known.status, known.findings]).toStrictEqual(['passed', []]);
    expect([stranger.status, stranger.findings]).toStrictEqual(['passed', []]);
    expect(Object.keys(known.became).toSorted()).toStrictEqual(['email', 'isDomainProven', 'name', 'subject']);
    expect(JSON.stringify(known)).not.toContain('secret-claim');
  });

  test('shows no test that somebody of the organization has made', async () => {
    const { read, owner, connectionId, scope } = await withProvider();
    const admin = openBrowser(service);
    const begun = await ask('POST', `/api/connections/${connectionId}/tests`, { token: owner.accessToken, body: { scope } });
    const landing = await go(admin, begun.body.data.url);
    expect(landing.pathname).toBe(`/console/org/${scope.id}/connections/${connectionId}`);
    expect((await read()).body.data.test).toBeNull();
  });

  test('is of its own link and browser: not begun by another, not opened and not ended in another', async () => {
    const [one, other] = [await withProvider(), await withProvider()];
    expect((await other.browser.post(`${one.path}/tests`, {}, origin)).status).toBe(404);
    expect((await one.browser.post(`${one.path}/tests`, {}, { origin: 'https://evil.example' })).status).toBe(403);
    upstream.register([one, other].map(({ connectionId }) => `http://tessera.test/api/auth/connections/${connectionId}/callback`));
    for (const stranger of [openBrowser(service), other.browser]) {
      const { url } = (await one.start()).body.data;
      expect((await go(stranger, url)).searchParams.get('error')).toBe('invalid_state');
      expect((await one.read()).body.data.test.status).toBe('waiting');
    }
    const { url } = (await one.start()).body.data;
    expect((await go(one.browser, url, who(), other.browser)).searchParams.get('error')).toBe('invalid_state');
    expect([(await one.read()).body.data.test.status, (await other.read()).body.data.test]).toStrictEqual(['opened', null]);
    // The address is of one connection, and good once.
    const again = (await one.start()).body.data.url;
    expect((await go(one.browser, again.replace(one.connectionId, other.connectionId))).searchParams.get('error')).toBe('invalid_state');
    const last = (await one.start()).body.data.url;
    expect((await go(one.browser, last)).pathname).toBe('/set-up');
    expect((await go(one.browser, last)).searchParams.get('error')).toBe('invalid_state');
  });

  test('does not go on once the link has ended, neither to the provider nor back', async () => {
    const before = await withProvider();
    const { url } = (await before.start()).body.data;
    await before.revoke();
    expect((await go(before.browser, url)).searchParams.get('error')).toBe('invalid_state');
    expect((await before.start()).body.translationKey).toBe('errors.setUp.ended');
    const between = await withProvider();
    const { location } = await between.browser.get(pathOf((await between.start()).body.data.url), own);
    const back = await upstream.approve(location, who());
    peers.people.set(between.organizationId, new Set());
    expect((await between.browser.get(pathOf(back))).location.searchParams.get('error')).toBe('invalid_state');
    const [row] = await service.database.query<{ status: string }>(sql('SELECT status FROM connection_tests WHERE connection_id = $1'), [
      between.connectionId,
    ]);
    expect(row?.status).toBe('opened');
  });

  test('needs a provider to be entered, and a link that is not used up', async () => {
    const { browser, path } = await begin(await makeLink());
    expect((await browser.post(`${path}/tests`, {}, origin)).status).toBe(404);
    const { start, finish } = await withProvider();
    expect((await finish()).status).toBe(200);
    expect((await start()).body.translationKey).toBe('errors.setUp.finished');
  });
});

describe('the token of a directory', () => {
  test('is made once, where the link allows it, and its account has no role', async () => {
    const link = await makeLink({ allowsDirectory: true });
    const { browser, path, read, finish } = await begin(link);
    const make = () => browser.post(`${path}/directory`, {}, origin);
    const answers = await Promise.all([make(), make(), make()]);
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, 409, 409]);
    const [made] = answers.filter(({ status }) => status === 200).map(({ body }) => body.data);
    expect(made).toMatchObject({
      baseUrl: expect.stringContaining(`/scim/v2/${link.organizationId}`),
      clientSecret: expect.stringMatching(/^tds_/),
    });
    expect(JSON.stringify((await read()).body)).not.toContain(made.clientSecret);
    const [{ directoryAccountId }] = await link.list();
    expect(peers.heldRoles.get(directoryAccountId)).toStrictEqual([]);
    const kept = await service.database.query<{ row: string }>(sql(`SELECT c::text AS row FROM service_account_credentials c`));
    expect(JSON.stringify(kept)).not.toContain(made.clientSecret);
    expect((await finish()).status).toBe(200);
    expect((await make()).status).toBe(409);
  });

  test('is not made by a link without it, nor once its maker may not make service accounts any more', async () => {
    const without = await begin(await makeLink());
    expect((await without.browser.post(`${without.path}/directory`, {}, origin)).status).toBe(403);
    const link = await makeLink({ allowsDirectory: true });
    const { browser, path, read } = await begin(link);
    for (const right of ['ServiceAccount:Create', 'ServiceAccount:Update']) {
      peers.verdicts.set(right, 'escalation');
      try {
        expect((await browser.post(`${path}/directory`, {}, origin)).status).toBe(403);
        const body = { scope: link.scope, allowsDirectory: true };
        expect((await ask('POST', base, { token: link.owner.accessToken, body })).status).toBe(403);
      } finally {
        peers.verdicts.clear();
      }
    }
    expect((await read()).body.data.directory).toMatchObject({ isMade: false });
  });
});

describe('the link and the browser', () => {
  test('only a hash of the secret is kept, and the address holds it where no server sees it', async () => {
    const link = await makeLink({ email: 'it@acme.example.net' });
    expect(new URL(link.url).pathname + new URL(link.url).search).toBe('/set-up');
    const kept = await service.database.query<{ row: string }>(sql(`SELECT l::text AS row FROM set_up_links l WHERE id = $1`), [link.id]);
    const jobs = await service.database.query<{ row: string }>(sql(`SELECT j::text AS row FROM mail_jobs j`));
    expect(kept).toHaveLength(1);
    expect(JSON.stringify([kept, jobs])).not.toContain(link.token);
    expect(JSON.stringify(await link.list())).not.toContain(link.token);
  });

  test('another browser is refused, which the log tells; the first goes on, also by the link', async () => {
    const link = await makeLink();
    const first = await begin(link);
    const second = await begin(link);
    expect([second.begun.status, second.begun.body.translationKey]).toStrictEqual([409, 'errors.setUp.elsewhere']);
    expect((await second.read()).status).toBe(404);
    expect((await link.rows('set-up-link.refused')).map(({ outcome }) => outcome)).toStrictEqual(['refused']);
    expect((await begin(link, first.browser)).begun.status).toBe(200);
    expect((await first.read()).status).toBe(200);
    expect((await link.list())[0]).toMatchObject({ state: 'begun', begunFrom: expect.any(String) });
  });

  test('of browsers that begin at the same time one gets it', async () => {
    const link = await makeLink();
    const all = await Promise.all(Array.from({ length: 6 }, () => begin(link)));
    expect(all.map(({ begun }) => begun.status).toSorted()).toStrictEqual([200, 409, 409, 409, 409, 409]);
  });

  test('an id is worth nothing without the cookie, and a planted cookie begins nothing', async () => {
    const link = await makeLink();
    const planted = openBrowser(service);
    planted.cookies.set('set_up', 'a'.repeat(43));
    expect((await planted.get(`/api/set-up/${link.id}`)).status).toBe(404);
    const { read, browser } = await begin(link);
    const other = openBrowser(service);
    expect(
      [(await other.get(`/api/set-up/${link.id}`)).body, (await other.get(`/api/set-up/${newId()}`)).body].map(({ code }) => code),
    ).toStrictEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect((await read()).status).toBe(200);
    // The cookie of one link opens no other.
    expect((await browser.get(`/api/set-up/${(await makeLink()).id}`)).status).toBe(404);
  });

  test('another site, and a program without an origin, change nothing', async () => {
    const link = await makeLink();
    const { browser, path } = await begin(link);
    for (const headers of [{ origin: 'https://evil.example' }, {}, { origin: 'null' }]) {
      expect((await browser.post(`${path}/domains`, { domain: 'evil.example' }, headers)).status).toBe(403);
      expect((await browser.put(`${path}/connection`, { type: 'saml', name: 'Evil', saml: { metadataXml: 'x' } }, headers)).status).toBe(
        403,
      );
      expect((await browser.post(`${path}/finish`, {}, headers)).status).toBe(403);
      expect((await browser.post(`${base}/redeem`, { token: link.token }, headers)).status).toBe(403);
    }
  });

  test('neither the secret nor the cookie is a token of the API', async () => {
    const link = await makeLink();
    const { browser } = await begin(link);
    const place = `tenant=organization&scopeId=${link.organizationId}`;
    for (const path of [`/api/connections?${place}`, `${base}?${place}`, `/api/service-accounts?${place}`, '/api/me']) {
      expect([path, (await browser.get(path)).status]).toStrictEqual([path, 401]);
      expect([path, (await ask('GET', path, { token: link.token })).status]).toStrictEqual([path, 401]);
    }
  });

  test('requests of one link are counted', async () => {
    const { read } = await begin(await makeLink());
    const answers = await Promise.all(Array.from({ length: 70 }, read));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(5);
  });
});

describe('how it ends', () => {
  type Link = Awaited<ReturnType<typeof makeLink>>;
  const endings: Readonly<Record<string, readonly [string, (link: Link) => unknown]>> = {
    'it is revoked': ['revoked', ({ revoke }) => revoke()],
    'it has expired': [
      'expired',
      ({ id }) => service.database.query(sql(`UPDATE set_up_links SET expires_at = now() - interval '1 second' WHERE id = $1`), [id]),
    ],
    'its maker has left': ['ended', ({ organizationId }) => peers.people.set(organizationId, new Set())],
    'its organization is suspended': ['ended', ({ organizationId }) => peers.closed.add(organizationId)],
    'its maker may not make connections any more': ['ended', () => peers.verdicts.set('Connection:Create', 'escalation')],
    'its maker may not claim domains any more': ['ended', () => peers.verdicts.set('Domain:Create', 'escalation')],
  };
  for (const [name, [state, end]] of Object.entries(endings))
    test(`nothing more once ${name}, also before it was begun`, async () => {
      const [link, unused] = [await makeLink(), await makeLink()];
      const { read, domain, connection, finish } = await begin(link);
      expect((await connection()).status).toBe(200);
      await end(link);
      await end(unused);
      try {
        for (const one of [read, domain, connection, finish]) expect((await one()).body.translationKey).toBe('errors.setUp.ended');
        expect((await begin(unused)).begun.body.translationKey).toBe('errors.setUp.ended');
        peers.closed.delete(link.organizationId);
        expect((await link.list()).map((one: { state: string }) => one.state)).toStrictEqual([
          state === 'ended' && name.includes('suspended') ? 'begun' : state,
        ]);
      } finally {
        peers.verdicts.clear();
      }
    });

  test('while rbac or tenancy does not answer, nothing is done', async () => {
    const { domain, read } = await begin(await makeLink());
    peers.down.add('tenancy');
    try {
      for (const one of [read, domain]) expect((await one()).status).toBeGreaterThanOrEqual(500);
    } finally {
      peers.down.clear();
    }
    expect((await read()).status).toBe(200);
  });

  test('finished, it is used up: it shows what was set up and changes nothing', async () => {
    const link = await makeLink();
    const { browser, read, domain, connection, finish } = await begin(link);
    expect((await finish()).body.translationKey).toBe('errors.setUp.empty');
    expect((await connection()).status).toBe(200);
    expect((await finish()).status).toBe(200);
    for (const one of [domain, connection, finish]) expect((await one()).body.translationKey).toBe('errors.setUp.finished');
    expect((await read()).body.data.finishedAt).not.toBeNull();
    expect((await begin(link)).begun.status).toBe(409);
    expect((await begin(link, browser)).begun.status).toBe(200);
    expect((await link.revoke()).status).toBe(409);
  });

  test('of a change and the finish at the same time, none comes after the finish', async () => {
    const link = await makeLink();
    const { connection, finish, read } = await begin(link);
    expect((await connection()).status).toBe(200);
    const [changed] = await Promise.all([connection({ name: 'Late' }), finish()]);
    expect((await read()).body.data.connection.name).toBe(changed.status === 200 ? 'Late' : 'Acme');
    expect([200, 409]).toContain(changed.status);
  });

  test('nobody switches the connection on while the link can change it', async () => {
    const link = await makeLink();
    peers.provenDomains.set(link.organizationId, new Set(['acme.example.net']));
    const { connection, finish } = await begin(link);
    await connection();
    const [{ connectionId }] = await link.list();
    const early = await link.switchOn(connectionId);
    expect([early.status, early.body.translationKey]).toStrictEqual([409, 'errors.connection.setUpUnderWay']);
    expect((await finish()).status).toBe(200);
    expect((await link.switchOn(connectionId)).status).toBe(200);
  });

  test('a connection that the organization has deleted is not made again', async () => {
    const link = await makeLink();
    const { connection } = await begin(link);
    await connection();
    const [{ connectionId }] = await link.list();
    const place = `tenant=organization&scopeId=${link.organizationId}`;
    expect((await ask('DELETE', `/api/connections/${connectionId}?${place}`, { token: link.owner.accessToken })).status).toBe(200);
    expect((await connection()).body.translationKey).toBe('errors.setUp.connectionTaken');
  });

  test('it goes with its organization', async () => {
    const link = await makeLink();
    const { read } = await begin(link);
    await service.deliver('organization.deleted', { organizationId: link.organizationId, projectIds: [], hard: false });
    expect((await read()).status).toBe(404);
  });
});

describe('who makes one', () => {
  test('nobody who lacks one of the rights that it gives', async () => {
    const owner = await registered(service);
    const scope = { tenant: 'organization', id: newId() };
    peers.people.set(scope.id, new Set([owner.userId]));
    for (const right of ['Connection:Create', 'Domain:Create', 'Domain:Update']) {
      peers.verdicts.set(right, 'escalation');
      const made = await ask('POST', base, { token: owner.accessToken, body: { scope } });
      peers.verdicts.clear();
      expect([right, made.status]).toStrictEqual([right, 403]);
    }
  });

  test('ten that can still be used, for an organization', async () => {
    const link = await makeLink();
    const more = () => ask('POST', base, { token: link.owner.accessToken, body: { scope: link.scope } });
    const answers = await Promise.all(Array.from({ length: 11 }, more));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9);
    await link.revoke();
    expect((await more()).status).toBe(201);
  });

  test('another organization neither sees nor revokes it', async () => {
    const [link, other] = [await makeLink(), await makeLink()];
    const path = `${base}/${link.id}?tenant=organization&scopeId=${other.organizationId}`;
    expect((await ask('DELETE', path, { token: other.owner.accessToken })).status).toBe(404);
    expect((await other.list()).map(({ id }: { id: string }) => id)).toStrictEqual([other.id]);
  });
});
