/** Claims of an app (decision 43): what it hears, of whom, and what it never hears. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { ClaimMapping } from '@tessera/rules/claims';
import * as client from 'openid-client';
import { until } from '../../../../../test/support/until.ts';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { callbackUri, type OpenidApp, openidOf } from '../../testing/openid.ts';
import { join, projectsOf } from '../../testing/project.ts';
import { claimsOf, registered } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const { peers, database } = service;
const scope = 'openid profile offline_access order:read';

const claim = (name: string, source: string, place: ClaimMapping['in'] = 'idToken'): ClaimMapping => ({ name, source, in: place });
const everywhere = (name: string, source: string) =>
  (['idToken', 'userinfo', 'accessToken'] as const).map((place) => claim(name, source, place));
const appWith = (claims: readonly ClaimMapping[], columns: Readonly<Record<string, unknown>> = {}) =>
  openid.makeClient({ ...columns, claims: JSON.stringify(claims) });

/** A person of the project, or of an organization that uses it. */
async function personOf(app: OpenidApp, metadata: object = {}, placeId = app.scope.id) {
  const userAgent = `browser ${newId()}`;
  const known = await registered(service, { userAgent });
  join(peers, placeId, known.userId);
  peers.permissions.set(known.userId, ['order:read']);
  await database.query({ text: 'UPDATE users SET metadata = $1 WHERE id = $2' }, [metadata, known.userId]);
  const browser = openBrowser(service, { userAgent });
  browser.cookies.set('refresh_token', known.refreshToken);
  return { ...known, browser };
}
type Person = Awaited<ReturnType<typeof personOf>>;

function customerOf(app: OpenidApp, grantMetadata: object) {
  const [, projectId = ''] = app.scope.id.split(':');
  const organizationId = newId();
  const customer = { organizationId, name: 'Acme', slug: `acme-${organizationId.slice(-12)}` };
  peers.customers.set(app.scope.id, [...(peers.customers.get(app.scope.id) ?? []), customer]);
  const placeId = `${organizationId}:${projectId}`;
  peers.grantMetadata.set(placeId, JSON.stringify(grantMetadata));
  return { ...customer, placeId };
}

/** What the app hears of one sign-in. */
async function hears(app: OpenidApp, { browser, userId }: Person, parameters: Readonly<Record<string, string>> = {}) {
  const { tokens, config } = await openid.signIn(app, browser, { scope, ...parameters });
  const userinfo: Record<string, unknown> = { ...(await client.fetchUserInfo(config, tokens.access_token, userId)) };
  return { idToken: claimsOf(tokens.id_token ?? ''), userinfo, accessToken: claimsOf(tokens.access_token), tokens, config };
}

const manage = (app: OpenidApp, change: object, token = openid.owner.accessToken) =>
  service.ask('PATCH', `/api/project-apps/${app.id}`, { body: { scope: app.scope, ...change }, token });
const shown = async ({ id, scope: { tenant, id: scopeId } }: OpenidApp) => {
  const path = `/api/project-apps?tenant=${tenant}&scopeId=${scopeId}&ids=${id}`;
  return (await service.ask('GET', path, { token: openid.owner.accessToken })).body.data.items[0];
};

describe('an app hears', () => {
  test('each claim in its place alone, with the values of now', async () => {
    const app = await appWith([
      ...everywhere('roles', 'roles'),
      claim('person', 'user.name', 'userinfo'),
      claim('city', 'user.metadata.office.city', 'accessToken'),
      claim('seat', 'member.metadata.seat'),
      claim('plan', 'grant.metadata.plan'),
    ]);
    const person = await personOf(app, { office: { city: 'Berlin' } });
    peers.roleNames.set(`${app.scope.id} ${person.userId}`, ['Editor', 'Reader']);
    peers.memberMetadata.set(person.userId, '{"seat":7}');
    const { idToken, userinfo, accessToken, tokens, config } = await hears(app, person);
    expect(idToken).toMatchObject({ roles: ['Editor', 'Reader'], seat: 7, sub: person.userId, aud: app.clientId });
    expect(userinfo).toMatchObject({ roles: ['Editor', 'Reader'], person: userinfo['name'] });
    expect(accessToken).toMatchObject({ roles: ['Editor', 'Reader'], city: 'Berlin', scopes: ['order:read'] });
    for (const name of ['city', 'person', 'plan']) expect(idToken).not.toHaveProperty(name);
    expect([userinfo['seat'], userinfo['city'], accessToken['seat'], accessToken['person']]).toStrictEqual(Array(4).fill(undefined));
    peers.roleNames.set(`${app.scope.id} ${person.userId}`, []);
    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(claimsOf(fresh.access_token)['roles']).toStrictEqual([]);
    expect(claimsOf(fresh.id_token ?? '')['roles']).toStrictEqual([]);
  });

  test('nothing of what people say of themselves without the scope profile', async () => {
    const app = await appWith([...everywhere('person', 'user.name'), ...everywhere('city', 'user.metadata.city')]);
    const { idToken, userinfo, accessToken } = await hears(app, await personOf(app, { city: 'Berlin' }), { scope: 'openid order:read' });
    for (const said of [idToken, userinfo, accessToken]) expect([said['person'], said['city']]).toStrictEqual([undefined, undefined]);
  });

  test('of a customer its own terms and name, and not what it writes of its members', async () => {
    const app = await appWith([
      ...everywhere('plan', 'grant.metadata.plan'),
      ...everywhere('company', 'organization.name'),
      ...everywhere('short', 'organization.slug'),
      ...everywhere('salary', 'member.metadata.salary'),
      ...everywhere('city', 'user.metadata.city'),
    ]);
    const [acme, other] = [customerOf(app, { plan: 'pro' }), customerOf(app, { plan: 'secret' })];
    const person = await personOf(app, { city: 'Berlin' }, acme.organizationId);
    peers.memberMetadata.set(person.userId, '{"salary":1}');
    const { idToken, userinfo, accessToken } = await hears(app, person);
    for (const said of [idToken, userinfo, accessToken]) {
      expect(said).toMatchObject({ plan: 'pro', company: acme.name, short: acme.slug, city: 'Berlin' });
      expect(said).not.toHaveProperty('salary');
    }
    expect(idToken['org_id']).not.toBe(other.organizationId);
    // An app of the product's owner asks no one.
    await database.query({ text: 'UPDATE project_apps SET is_first_party = true WHERE id = $1' }, [app.id]);
    const trusted = await hears(app, await personOf(app, { city: 'Berlin' }, acme.organizationId));
    expect([trusted.idToken['plan'], trusted.idToken['city'], trusted.userinfo['city']]).toStrictEqual(['pro', undefined, undefined]);
  });

  test('own keys alone, whatever the metadata is', async () => {
    const sources = [
      'user.metadata.list.length',
      'user.metadata.text.length',
      'user.metadata.none',
      'user.metadata.a.b.c',
      'user.metadata.n',
    ];
    const app = await appWith(sources.map((source, index) => claim(`c${index}`, source)));
    const { idToken } = await hears(app, await personOf(app, { list: [1], text: 'x', a: { b: null }, n: { x: false } }));
    expect(sources.map((_, index) => idToken[`c${index}`])).toStrictEqual([undefined, undefined, undefined, undefined, { x: false }]);
  });

  test('no claim under a reserved name, also of a row that has one', async () => {
    const names = ['sub', 'iss', 'aud', 'nonce', 'email', 'email_verified', 'org_id', 'acr', 'constructor', 'scope'];
    const app = await appWith(names.flatMap((name) => everywhere(name, 'user.metadata.x')).slice(0, 20));
    const person = await personOf(app, { x: 'stolen' });
    const { idToken, userinfo, accessToken } = await hears(app, person);
    for (const said of [idToken, userinfo, accessToken]) {
      expect(said['sub']).toBe(person.userId);
      expect(JSON.stringify(said)).not.toContain('stolen');
    }
  });
});

describe('what an app reads of a person', () => {
  test('stands on the consent page, and more of it asks again and ends what there is', async () => {
    const app = await appWith([claim('city', 'user.metadata.city')]);
    const person = await personOf(app, { city: 'Berlin', diet: 'none' });
    const config = await openid.discover(app);
    const asked = async () => {
      const { url } = await openid.request(config, { scope });
      const { location } = await person.browser.get(pathOf(url));
      const id = location.searchParams.get('interaction');
      return id === null ? undefined : { id, ...(await person.browser.get(`/api/auth/interactions/${id}`)).body.data };
    };
    expect(await asked()).toMatchObject({ prompt: 'consent', details: ['city'] });
    const { tokens } = await hears(app, person);
    expect(await asked()).toBeUndefined();
    expect((await manage(app, { claims: [claim('town', 'user.metadata.city'), claim('seat', 'member.metadata.seat')] })).status).toBe(200);
    expect(await asked()).toBeUndefined();
    const more = [claim('town', 'user.metadata.city'), claim('diet', 'user.metadata.diet')];
    expect((await manage(app, { claims: more })).status).toBe(200);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    const page = await asked();
    expect(page).toMatchObject({ prompt: 'consent', details: ['city', 'diet'] });
    // A page that was open before named less: it is over.
    expect((await manage(app, { claims: [...more, claim('age', 'user.metadata.age')] })).status).toBe(200);
    const late = await person.browser.post(`/api/auth/interactions/${page?.id}`, { action: 'consent' });
    expect([late.status, late.body.code]).toStrictEqual([404, 'NOT_FOUND']);
    expect((await hears(app, person)).idToken).toMatchObject({ town: 'Berlin', diet: 'none' });
  });

  test('is nothing for who may not read it: the terms of customers, and people', async () => {
    const set = async (source: string) => (await manage(await appWith([]), { claims: [claim('x', source)] })).status;
    peers.denied.add('ProjectGrant:Query');
    expect([await set('grant.metadata.plan'), await set('member.metadata.seat'), await set('roles')]).toStrictEqual([403, 200, 200]);
    peers.denied.delete('ProjectGrant:Query');
    peers.denied.add('User:Query');
    const withoutPeople = [await set('member.metadata.seat'), await set('user.metadata.city'), await set('grant.metadata.plan')];
    expect(withoutPeople).toStrictEqual([403, 403, 200]);
    peers.denied.delete('User:Query');
  });
});

test('claims over 4 kB together are left out of the token, the others stay, and the app says so until they are changed', async () => {
  const claims = [claim('first', 'user.metadata.first'), claim('large', 'user.metadata.large'), claim('last', 'user.metadata.last')];
  const app = await appWith(claims);
  const person = await personOf(app, { first: 'a'.repeat(3_000), large: 'ü'.repeat(600), last: 'b'.repeat(900) });
  const { idToken } = await hears(app, person);
  expect([idToken['first'], idToken['large'], idToken['last']]).toStrictEqual(['a'.repeat(3_000), undefined, 'b'.repeat(900)]);
  await until(async () => (await shown(app)).leftOutClaims !== null);
  expect(await shown(app)).toMatchObject({ claims, leftOutClaims: { names: ['large'] } });
  const changed = await manage(app, { claims: claims.slice(0, 1) });
  expect(changed.body.data).toMatchObject({ claims: claims.slice(0, 1), leftOutClaims: null });
});

test.each([
  ['a reserved name', [claim('email', 'user.metadata.email')], 'claims.0.name'],
  ['a key of objects', [claim('__proto__', 'roles')], 'claims.0.name'],
  ['a hidden letter', [claim('pl\u0430n', 'roles')], 'claims.0.name'],
  ['no source', [claim('plan', 'project.metadata.plan')], 'claims.0.source'],
  ['a key that objects inherit', [claim('plan', 'user.metadata.constructor')], 'claims.0.source'],
  ['a name twice in one place', [claim('plan', 'roles'), claim('plan', 'user.name')], 'claims.1.name'],
  ['an unknown place', [{ ...claim('plan', 'roles'), in: 'logoutToken' }], 'claims.0.in'],
  ['more than twenty', Array.from({ length: 21 }, (_, index) => claim(`c${index}`, 'roles')), 'claims'],
])('%s is refused', async (_what, claims, field) => {
  const answer = await manage(await appWith([]), { claims });
  expect([answer.status, answer.body.extensions?.field]).toStrictEqual([400, field]);
});

test('machines and apps of the fragment flow have no claims', async () => {
  const make = (fields: object) =>
    service.ask('POST', '/api/project-apps', {
      token: openid.owner.accessToken,
      body: { name: 'X', scope: { tenant: 'organizationProject', id: `${newId()}:${newId()}` }, claims: [claim('a', 'roles')], ...fields },
    });
  for (const fields of [{ redirectUris: [callbackUri] }, { type: 'machine', redirectUris: [], roleId: newId() }]) {
    const answer = await make(fields);
    expect([answer.status, answer.body.extensions?.field]).toStrictEqual([400, 'claims']);
  }
});
