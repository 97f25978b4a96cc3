/** What an organization's provider is believed once an Owner has decided it (decision 23). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import { until } from '../../../../../test/support/until.ts';
import { openBrowser } from '../../testing/browser.ts';
import { type ConnectionWorld, removeMember, startConnections, upstreamPerson } from '../../testing/connections.ts';
import { exchange } from '../../testing/platform.ts';
import { claimsOf, credentialsOf, login, registered } from '../../testing/service.ts';

const service = await startConnections();
afterAll(() => service.stop());
const { ask, peers, makeWorld, countOf } = service;

async function linking() {
  const world = await makeWorld();
  const on = await world.change({ linkOnProvenDomain: true });
  expect(on.status).toStrictEqualFor(on.body, 200);
  return world;
}
const subjectOf = (email: string, more = {}) => upstreamPerson('example.com', { email, ...more });
const signedIn = async (world: ConnectionWorld, email: string) => claimsOf((await world.signIn(subjectOf(email))).accessToken);

describe('an account that holds an address of a proven domain', () => {
  test('is linked without its word once an Owner has decided it, and every proven address is told', async () => {
    const world = await linking();
    const { email, userId } = await registered(service);
    const claims = await signedIn(world, email);
    expect([claims['sub'], claims['amr'], claims['connection_organization']]).toStrictEqual([
      userId,
      ['fed', 'org', 'orglink'],
      world.organizationId,
    ]);
    expect((await service.mails(email, 2)).at(-1)).toMatchObject({
      template: 'connection-linked',
      data: { connectionName: 'Our login', email },
    });
    const [row] = await service.database.query<{ detail: object }>(
      sql(`SELECT detail FROM audit_log WHERE action = 'authentication-method.created' AND actor_id = $1 AND scope_id = $2`),
      [userId, world.organizationId],
    );
    expect(row).toMatchObject({ detail: { by: 'domain' } });
  });

  test('is not linked while it is off, and the Owners are told when it is switched on', async () => {
    const world = await makeWorld();
    const { email } = await registered(service);
    expect((await world.come(subjectOf(email))).error).toBe('link_needed');
    await world.change({ linkOnProvenDomain: true });
    await until(async () =>
      peers.events.some(
        ({ event: { type, payloadJson } }) =>
          type === 'connection.ownersTold' && payloadJson.includes(world.organizationId) && payloadJson.includes('connection-believed'),
      ),
    );
  });

  const never: Readonly<Record<string, (world: ConnectionWorld) => Promise<string>>> = {
    'an Owner of the organization': async ({ organizationId }) => {
      const account = await registered(service);
      peers.people.set(organizationId, new Set([account.userId]));
      peers.heldRoles.set(account.userId, [ownerRoleId(organizationId)]);
      return account.email;
    },
    'an administrator of the platform': async () => {
      const account = await registered(service);
      await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [account.userId]);
      return account.email;
    },
  };
  for (const [who, make] of Object.entries(never))
    test(`of ${who} is never linked without a word: the provider's administrator would be one`, async () => {
      const world = await linking();
      const email = await make(world);
      const links = await countOf('connection_links');
      expect((await world.come(subjectOf(email))).error).toBe('link_needed');
      expect(await countOf('connection_links')).toBe(links);
    });

  test('is not linked by an unverified address, one that it has registered only, or after it left', async () => {
    const world = await linking();
    const [held, unproven, left] = [await registered(service), await registered(service, { verified: false }), await registered(service)];
    removeMember(service, world.organizationId, left.userId);
    const errorOf = async (email: string, more = {}) => (await world.come(subjectOf(email, more))).error;
    expect(await errorOf(held.email, { email_verified: false })).toBe('address_not_verified');
    expect(await errorOf(unproven.email)).toBe('address_not_held');
    expect(await errorOf(left.email)).toBe('not_a_member');
    peers.provenDomains.get(world.organizationId)?.delete('example.com');
    expect(await errorOf(held.email)).toBe('address_not_allowed');
  });

  test('stays unlinked once its person has ended such a link, whatever subject comes', async () => {
    const world = await linking();
    const { email, accessToken: token } = await registered(service);
    await world.signIn(subjectOf(email));
    const { body } = await ask('GET', '/api/me/authentication-methods', { token });
    const link = body.data.items.find(({ provider }: { provider: string }) => provider.startsWith('connections/'));
    expect((await ask('DELETE', `/api/me/authentication-methods/${link.id}`, { token })).status).toBe(200);
    expect((await world.come(subjectOf(email))).error).toBe('link_needed');
  });
});

describe('what such a sign-in opens', () => {
  test('is the organization: nothing of the person, until a way of their own has confirmed it', async () => {
    const world = await linking();
    const { email } = await registered(service);
    const { password } = credentialsOf(email).providerData;
    const { accessToken: token } = await world.signIn(subjectOf(email));
    const statusOf = async (method: 'GET' | 'PATCH' | 'POST', path: string, asked = token, body?: object) => {
      const answer = await ask(method, path, { token: asked, ...(body === undefined ? {} : { body }) });
      return [answer.status, answer.body.code];
    };
    const refused = [403, 'FRESH_SIGN_IN_REQUIRED'];
    expect((await statusOf('GET', '/api/me'))[0]).toBe(200);
    for (const path of ['/api/me/export', '/api/me/sessions', '/api/me/consents', '/api/me/agents'])
      expect([path, ...(await statusOf('GET', path))]).toStrictEqual([path, ...refused]);
    expect(await statusOf('PATCH', '/api/me', token, { name: 'Eve' })).toStrictEqual(refused);
    const confirmed = await ask('POST', '/api/auth/confirm', { token, body: { method: 'password', password } });
    expect(confirmed.status).toStrictEqualFor(confirmed.body, 200);
    const { accessToken } = confirmed.body.data;
    expect(claimsOf(accessToken)['amr']).not.toContain('orglink');
    expect((await statusOf('GET', '/api/me/sessions', accessToken))[0]).toBe(200);
  });

  test('stays so when the provider confirms it again', async () => {
    const world = await linking();
    const { email } = await registered(service);
    const who = subjectOf(email);
    const { accessToken: token, browser } = await world.signIn(who);
    const { location } = await world.come(who, { browser, query: '?action=confirm', headers: { authorization: `Bearer ${token}` } });
    const code = location.searchParams.get('confirmation');
    const confirmed = await ask('POST', '/api/auth/confirm', { token, body: { method: 'provider', code } });
    expect(confirmed.status).toStrictEqualFor(confirmed.body, 200);
    expect(claimsOf(confirmed.body.data.accessToken)['amr']).toContain('orglink');
  });

  test('is everything once the person has connected it by their word', async () => {
    const world = await linking();
    const { email } = await registered(service);
    const who = subjectOf(email);
    await world.signIn(who);
    const { body } = await login(service, email);
    const headers = { authorization: `Bearer ${body.data.accessToken}` };
    expect((await world.come(who, { query: '?action=connect', headers })).error).toBeNull();
    expect(claimsOf((await world.signIn(who)).accessToken)['amr']).toStrictEqual(['fed', 'org']);
  });

  test('ends when an Owner takes it back: the sessions, and the next sign-in', async () => {
    const world = await linking();
    const { email } = await registered(service);
    const who = subjectOf(email);
    const { accessToken: token } = await world.signIn(who);
    expect((await world.change({ linkOnProvenDomain: false })).status).toBe(200);
    expect((await ask('GET', '/api/me', { token })).status).toBe(401);
    expect((await world.come(who)).error).toBe('link_needed');
  });
});

describe('the authority of an Owner', () => {
  const notOwner = ({ organizationId }: ConnectionWorld) => peers.verdicts.set(ownerRoleId(organizationId), 'above-own-rank');

  test('is demanded to switch it on, to trust a value of acr, and to bring another client while it is on', async () => {
    const world = await linking();
    notOwner(world);
    const answers = [
      await world.change({ trustedAcr: ['mfa'] }),
      await world.change({ oidc: { clientId: 'another', clientSecret: 'another' } }),
      // An Admin may take it back.
      await world.change({ linkOnProvenDomain: false }),
      await world.change({ linkOnProvenDomain: true }),
    ];
    expect(answers.map(({ status }) => status)).toStrictEqual([403, 403, 200, 403]);
    expect(answers[0]?.body.translationKey).toBe('errors.connection.trustedByOwners');
  });
});

describe('a second factor of the provider', () => {
  const amrWith = async (world: ConnectionWorld, claims: object) => {
    const { accessToken } = await world.signIn(upstreamPerson(world.domain, claims));
    const { amr, acr } = claimsOf(accessToken);
    return [amr, acr];
  };

  test('counts where the ID token names a trusted value of acr exactly, and never as a level of the platform', async () => {
    const world = await makeWorld();
    await world.change({ trustedAcr: ['urn:example:mfa'] });
    expect(await amrWith(world, { acr: 'urn:example:mfa' })).toStrictEqual([['fed', 'orgmfa'], 'aal1']);
    for (const claims of [{}, { acr: 'urn:example:MFA' }, { acr: ['urn:example:mfa'] }, { amr: ['mfa', 'urn:example:mfa'] }])
      expect(await amrWith(world, claims)).toStrictEqual([['fed'], 'aal1']);
  });

  test('a value that is trusted no more ends the sessions that have it, and no others', async () => {
    const world = await makeWorld();
    await world.change({ trustedAcr: ['urn:example:mfa'] });
    const [strong, plain] = [
      await world.signIn(upstreamPerson(world.domain, { acr: 'urn:example:mfa' })),
      await world.signIn(upstreamPerson(world.domain)),
    ];
    await world.change({ trustedAcr: [] });
    const statuses = await Promise.all(
      [strong, plain].map(async ({ accessToken: token }) => (await ask('GET', '/api/me', { token })).status),
    );
    expect(statuses).toStrictEqual([401, 200]);
  });

  test('a value that goes between the provider and the session does not count', async () => {
    const world = await makeWorld();
    await world.change({ trustedAcr: ['urn:example:mfa'] });
    const { browser, code } = await world.come(upstreamPerson(world.domain, { acr: 'urn:example:mfa' }), { browser: openBrowser(service) });
    await world.change({ trustedAcr: [] });
    const { body } = await exchange(browser, code);
    expect(claimsOf(body.data.accessToken)['amr']).toStrictEqual(['fed']);
  });
});

test('an unknown account of another organization is no one to link', async () => {
  const world = await linking();
  const people = await countOf('users');
  await world.signIn(upstreamPerson(world.domain, { email: `${newId()}@${world.domain}` }));
  expect(await countOf('users')).toBe(people + 1);
});
