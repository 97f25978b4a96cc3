/** Sign-in by an organization's SAML provider, from the request to the session. */
import { inflateRawSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import { describeUnless } from '../../../../../test/support/unless.ts';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { exchange } from '../../testing/platform.ts';
import { openSamlIdp, type ResponseParts, type SamlIdp, withoutXmlsec } from '../../testing/saml-idp.ts';
import { claimsOf, registered, startIdentity } from '../../testing/service.ts';

const cleanup = new AsyncDisposableStack();
const service = await startIdentity({ WEBHOOK_ALLOW_PRIVATE: 'true', SECURITY_FRONTEND_URL: 'https://app.example.com' });
cleanup.defer(() => service.stop());
afterAll(() => cleanup.disposeAsync());
const { ask, peers } = service;
const ssoUrl = 'https://idp.birch.example/sso';

/** An organization with a proven domain and an active SAML connection. */
async function makeWorld(idp: SamlIdp = openSamlIdp(cleanup)) {
  const owner = await registered(service);
  const organizationId = newId();
  const domain = `${newId()}.example.net`;
  const scope = { tenant: 'organization', id: organizationId };
  peers.provenDomains.set(organizationId, new Set([domain]));
  const body = { scope, type: 'saml', name: 'Our login', defaultRoleId: newId() };
  const made = await ask('POST', '/api/connections', { token: owner.accessToken, body });
  expect(made.status).toStrictEqualFor(made.body, 201);
  const connection = made.body.data;
  const change = (more: object) =>
    ask('PATCH', `/api/connections/${connection.id}`, { token: owner.accessToken, body: { scope, ...more } });
  const active = await change({ saml: { metadataXml: idp.metadata(ssoUrl) }, status: 'active' });
  expect(active.status).toStrictEqualFor(active.body, 200);

  /** The request that the browser carries to the provider. */
  async function begin(browser = openBrowser(service)) {
    const {
      status,
      body: fault,
      location,
    } = await browser.get(`/api/auth/connections/${connection.id}`, { 'sec-fetch-site': 'same-origin' });
    expect(status).toStrictEqualFor(fault, 302);
    const request = inflateRawSync(Buffer.from(location.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    const id = / ID="([^"]+)"/.exec(request)?.[1] ?? '';
    return { browser, location, request, id, state: location.searchParams.get('RelayState') ?? '' };
  }
  const respond = (inResponseTo: string, parts: Partial<ResponseParts> = {}) =>
    idp.respond({ acsUrl: connection.acsUrl, audience: connection.spEntityId, inResponseTo, ...parts });
  /** The form of the provider: without any cookie, as browsers send it from another site. */
  async function post(xml: string, state: string) {
    const answer = await ask('POST', pathOf(new URL(connection.acsUrl)), {
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.birch.example' },
      body: new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: state }).toString(),
    });
    return { status: answer.status, location: new URL(String(answer.headers.location)) };
  }
  async function come(who: Partial<ResponseParts>, started?: Awaited<ReturnType<typeof begin>>) {
    const { browser, id, state } = started ?? (await begin());
    const posted = await post(respond(id, who), state);
    expect(posted.status).toBe(303);
    const { location } = await browser.get(pathOf(posted.location));
    return { browser, posted, location, error: location.searchParams.get('error'), code: location.searchParams.get('code') };
  }
  return { idp, owner, organizationId, domain, scope, connection, change, begin, respond, post, come };
}

const person = (domain: string) => ({ nameId: newId(), attributes: { email: [`ann.${newId()}@${domain}`], displayName: ['Ann Birch'] } });

describeUnless(withoutXmlsec)('an organization signs its people in by SAML', () => {
  test('the request names us, the first answer makes a member, the next finds them by their subject', async () => {
    const world = await makeWorld();
    const { request, location, ...started } = await world.begin();
    expect(location.origin + location.pathname).toBe(ssoUrl);
    expect(request).toContain(`AssertionConsumerServiceURL="${world.connection.acsUrl}"`);
    expect(request).toContain(`>${world.connection.spEntityId}</`);
    const who = person(world.domain);
    const first = await world.come(who, { ...started, request, location });
    expect(first.error).toBeNull();
    const session = await exchange(first.browser, first.code);
    expect(session.status).toStrictEqualFor(session.body, 200);
    const userId = claimsOf(session.body.data.accessToken)['sub'];
    expect(peers.people.get(world.organizationId)).toStrictEqual(new Set([userId]));
    // Another address, the same subject.
    const again = await world.come({ ...who, attributes: { email: [`married.${newId()}@${world.domain}`] } });
    const { body } = await exchange(again.browser, again.code);
    expect(claimsOf(body.data.accessToken)['sub']).toBe(userId);
  });

  test('an answer belongs to one request of one browser, once, at its own connection', async () => {
    const world = await makeWorld();
    const other = await makeWorld(world.idp);
    const who = person(world.domain);
    const mine = await world.begin();
    // Of another request: stolen, or the attacker's own, injected into another browser.
    const theirs = await world.begin();
    expect((await world.come(who, { ...mine, id: theirs.id })).error).toBe('access_denied');
    // Another browser carries it on.
    const started = await world.begin();
    const posted = await world.post(world.respond(started.id, who), started.state);
    expect((await openBrowser(service).get(pathOf(posted.location))).location.searchParams.get('error')).toBe('invalid_state');
    // Its state is used up with that.
    expect((await started.browser.get(pathOf(posted.location))).location.searchParams.get('error')).toBe('invalid_state');
    // Twice.
    const twice = await world.begin();
    const xml = world.respond(twice.id, who);
    const [one, two] = [await world.post(xml, twice.state), await world.post(xml, twice.state)];
    expect((await twice.browser.get(pathOf(one.location))).location.searchParams.get('error')).toBeNull();
    expect((await twice.browser.get(pathOf(two.location))).location.searchParams.get('error')).toBe('invalid_state');
    // Signed by the same provider, for the other organization's address.
    const crossed = await other.begin();
    expect((await other.post(world.respond(crossed.id, who), crossed.state)).status).toBe(303);
    const wrong = await other.post(world.respond(crossed.id, who), crossed.state);
    expect((await crossed.browser.get(pathOf(wrong.location))).location.searchParams.get('error')).toBe('access_denied');
    // Begun at the provider: nothing of it is read.
    const lone = await world.post(world.respond('_of-nobody', who), '');
    expect((await openBrowser(service).get(pathOf(lone.location))).location.searchParams.get('error')).toBe('invalid_state');
  });

  test('it speaks for proven domains only, and unsigned answers say nothing', async () => {
    const world = await makeWorld();
    expect((await world.come({ attributes: { email: ['ann@elsewhere.example.org'] } })).error).toBe('address_not_allowed');
    expect((await world.come({ attributes: {} })).error).toBe('address_not_allowed');
    expect((await world.come({ ...person(world.domain), signs: 'none' })).error).toBe('access_denied');
  });

  test('what is read back, and which metadata is taken', async () => {
    const world = await makeWorld();
    const { data } = (
      await ask('GET', `/api/connections/${world.connection.id}?tenant=organization&scopeId=${world.organizationId}`, {
        token: world.owner.accessToken,
      })
    ).body;
    expect(data).toMatchObject({
      type: 'saml',
      oidc: null,
      callbackUrl: null,
      acsUrl: world.connection.acsUrl,
      saml: {
        metadataUrl: null,
        entityId: world.idp.entityId,
        ssoUrl,
        certificates: [{ fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      },
    });
    const metadata = await ask('GET', pathOf(data.spMetadataUrl));
    expect([metadata.status, metadata.body]).toStrictEqual([200, expect.stringContaining(data.acsUrl)]);
    const another = openSamlIdp(cleanup, 'https://idp.other.example');
    const refused = [
      { saml: { metadataXml: another.metadata(ssoUrl) } },
      { saml: { metadataXml: world.idp.metadata('javascript:alert(1)') } },
      { saml: { metadataXml: '<a/>' } },
      { saml: { metadataUrl: 'http://127.0.0.1:9/metadata' } },
      { saml: {} },
      { oidc: { clientId: 'x' } },
    ];
    const answers = await Promise.all(refused.map((fields) => world.change(fields)));
    expect(answers.map(({ status, body }) => [status, body.code])).toStrictEqual(refused.map(() => [400, 'VALIDATION_ERROR']));
    const draft = await ask('POST', '/api/connections', {
      token: world.owner.accessToken,
      body: { scope: world.scope, type: 'saml', name: 'Draft', defaultRoleId: newId() },
    });
    const on = await ask('PATCH', `/api/connections/${draft.body.data.id}`, {
      token: world.owner.accessToken,
      body: { scope: world.scope, status: 'active' },
    });
    expect([on.status, on.body.extensions.field]).toStrictEqual([400, 'status']);
  });

  test('the keys of a connection that people sign in by are replaced by Owners alone', async () => {
    const world = await makeWorld();
    const metadata = (sso: string) => ({ saml: { metadataXml: world.idp.metadata(sso) } });
    const roleOfOwners = ownerRoleId(world.organizationId);
    peers.verdicts.set(roleOfOwners, 'above-own-rank');
    // There is no link yet.
    const moved = 'https://login.birch.example/sso';
    expect((await world.change(metadata(moved))).status).toBe(200);
    const { browser, code } = await world.come(person(world.domain));
    expect((await exchange(browser, code)).status).toBe(200);
    const refused = await world.change(metadata(ssoUrl));
    expect([refused.status, refused.body.translationKey]).toStrictEqual([403, 'errors.connection.keysByOwners']);
    // The same metadata again changes nothing.
    expect((await world.change(metadata(moved))).status).toBe(200);
    peers.verdicts.set(roleOfOwners, 'allowed');
    expect((await world.change(metadata(ssoUrl))).status).toBe(200);
    // Nor by an Owner's helper who may not give the default role.
    peers.verdicts.set(world.connection.defaultRoleId, 'above-own-rank');
    expect((await world.change(metadata(moved))).status).toBe(403);
  });

  test('a test of one that is off shows the attributes, signs nobody in, and its answer is of no sign-in', async () => {
    const world = await makeWorld();
    const { accessToken: token } = world.owner;
    const path = `/api/connections/${world.connection.id}`;
    expect((await world.change({ status: 'disabled' })).status).toBe(200);
    async function start() {
      const begun = await ask('POST', `${path}/tests`, { token, body: { scope: world.scope } });
      expect(begun.status).toStrictEqualFor(begun.body, 201);
      const browser = openBrowser(service);
      const { location } = await browser.get(pathOf(begun.body.data.url));
      const request = inflateRawSync(Buffer.from(location.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
      return {
        browser,
        testId: begun.body.data.id,
        id: / ID="([^"]+)"/.exec(request)?.[1] ?? '',
        state: location.searchParams.get('RelayState') ?? '',
      };
    }
    const read = async (testId: string) =>
      (await ask('GET', `${path}/tests/${testId}?tenant=organization&scopeId=${world.organizationId}`, { token })).body.data;
    async function run(parts: Partial<ResponseParts>, inResponseTo?: string) {
      const { browser, testId, id, state } = await start();
      const posted = await world.post(world.respond(inResponseTo ?? id, parts), state);
      const { location } = await browser.get(pathOf(posted.location));
      expect(Object.fromEntries(location.searchParams)).toStrictEqual({ test: testId });
      return read(testId);
    }
    const who = person(world.domain);
    const good = await run(who);
    expect(good).toMatchObject({
      status: 'passed',
      became: { subject: who.nameId, name: 'Ann Birch', person: 'new', isDomainProven: true },
    });
    const came = good.came.map(({ name, values }: { name: string; values: string[] }) => [name, values]);
    expect(came).toContainEqual(['email', who.attributes.email]);
    expect(came).toContainEqual(['NameID', [who.nameId]]);
    expect(peers.people.get(world.organizationId)?.size ?? 0).toBe(0);
    const causes = [];
    for (const parts of [
      { ...who, signs: 'none' as const },
      { ...who, audience: 'https://other.example' },
    ])
      causes.push((await run(parts)).cause.kind);
    causes.push((await run(who, '_of-another-request')).cause.kind);
    expect(causes).toStrictEqual(['signature', 'audience', 'request']);
    // The answer to a test, in a sign-in of the same browser, and the other way round.
    expect((await world.change({ status: 'active' })).status).toBe(200);
    const [test, signIn] = [await start(), await world.begin()];
    const swapped = await world.post(world.respond(test.id, who), signIn.state);
    expect((await signIn.browser.get(pathOf(swapped.location))).location.searchParams.get('error')).toBe('access_denied');
    const back = await world.post(world.respond(signIn.id, who), test.state);
    expect((await test.browser.get(pathOf(back.location))).location.searchParams.get('code')).toBeNull();
    expect((await read(test.testId)).cause.kind).toBe('request');
  });

  test('a draft without metadata is not tested', async () => {
    const world = await makeWorld();
    const { accessToken: token } = world.owner;
    const fields = { scope: world.scope, type: 'saml', name: 'Draft', defaultRoleId: newId() };
    const draft = await ask('POST', '/api/connections', { token, body: fields });
    const begun = await ask('POST', `/api/connections/${draft.body.data.id}/tests`, { token, body: { scope: world.scope } });
    expect([begun.status, begun.body.translationKey]).toStrictEqual([409, 'errors.connection.noMetadata']);
  });
});
