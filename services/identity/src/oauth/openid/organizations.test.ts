/** One project, many organizations that use it: for which of them a person signs in. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import * as client from 'openid-client';
import { until } from '../../../../../test/support/until.ts';
import { pageConsentsOfApp } from '../../apps/storage/project-app-consents.ts';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { callbackUri, type OpenidApp, openidOf } from '../../testing/openid.ts';
import { join, projectsOf } from '../../testing/project.ts';
import { claimsOf, registered } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const { peers, database } = service;
const scope = 'openid email offline_access order:read';

type Customer = { readonly organizationId: string; readonly name: string; readonly slug: string };

/** An app of a project that two organizations use, and people of them. */
async function product(columns: Readonly<Record<string, unknown>> = {}, of: object = {}) {
  const app = await openid.makeClient(columns, of);
  const addCustomer = (name: string): Customer => {
    const organizationId = newId();
    const customer = { organizationId, name, slug: `${name.toLowerCase()}-${organizationId.slice(-12)}` };
    peers.customers.set(app.scope.id, [...(peers.customers.get(app.scope.id) ?? []), customer]);
    return customer;
  };
  const [acme, birch] = [addCustomer('Acme'), addCustomer('Birch')];
  /** Of customers; undefined stands for the project itself. */
  const personOf = async (...places: readonly (Customer | undefined)[]) => {
    const userAgent = `browser ${newId()}`;
    const known = await registered(service, { userAgent });
    for (const place of places) join(peers, place?.organizationId ?? app.scope.id, known.userId);
    peers.permissions.set(known.userId, ['order:read']);
    const browser = openBrowser(service, { userAgent });
    browser.cookies.set('refresh_token', known.refreshToken);
    return { ...known, browser };
  };
  const [ownerId = '', projectId = ''] = app.scope.id.split(':');
  const placeOf = ({ organizationId }: Customer) => `${organizationId}:${projectId}`;
  return { app, acme, birch, personOf, placeOf, ownerId, projectId };
}
type World = Awaited<ReturnType<typeof product>>;
type Person = Awaited<ReturnType<World['personOf']>>;
type Parameters = Readonly<Record<string, string>>;

/** Where one request leads at first: a page, or the app. */
async function first(app: OpenidApp, { browser }: Person, parameters: Parameters = {}) {
  const config = await openid.discover(app);
  const { url } = await openid.request(config, { scope, ...parameters });
  const { location } = await browser.get(pathOf(url));
  const id = location.searchParams.get('interaction');
  const asked = id === null ? undefined : (await browser.get(`/api/auth/interactions/${id}`)).body.data;
  const answer = (body: object) => browser.post(`/api/auth/interactions/${id}`, body);
  const shown = Object.fromEntries(location.searchParams);
  return { location, asked, answer, shown, error: shown['error'], hasCode: shown['code'] !== undefined };
}

/** Signs in; `chosen` is what the person chooses when they are asked. */
async function signIn(app: OpenidApp, { browser }: Person, parameters: Parameters = {}, chosen?: string) {
  const config = await openid.discover(app);
  const { url, checks } = await openid.request(config, { scope, ...parameters });
  let visit = await browser.get(pathOf(url));
  const pages: string[] = [];
  for (let hops = 0; hops < 8 && !visit.location.href.startsWith(callbackUri); hops += 1) {
    const id = visit.location.searchParams.get('interaction');
    const { prompt } = (await browser.get(`/api/auth/interactions/${id}`)).body.data;
    pages.push(prompt);
    const body = prompt === 'organization' ? { action: 'continue', organizationId: chosen } : { action: 'consent' };
    const answered = await browser.post(`/api/auth/interactions/${id}`, body);
    expect(answered.status).toStrictEqualFor(answered.body, 200);
    visit = await browser.get(pathOf(answered.body.data.redirectTo));
  }
  const tokens = await client.authorizationCodeGrant(config, visit.location, checks);
  const token = { access: tokens.access_token, refresh: tokens.refresh_token ?? '' };
  return { config, tokens, token, access: claimsOf(tokens.access_token), idToken: tokens.claims(), pages };
}
type SignedIn = Awaited<ReturnType<typeof signIn>>;

const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code,
  );
const refresh = ({ config, token }: SignedIn) => client.refreshTokenGrant(config, token.refresh);

async function stateOf({ config, token }: SignedIn, { userId }: Person) {
  const [access, fresh] = await Promise.all([token.access, token.refresh].map((one) => client.tokenIntrospection(config, one)));
  const userinfo = await refused(client.fetchUserInfo(config, token.access, userId));
  return { access: access?.active, refresh: fresh?.active, userinfo: userinfo === 'accepted' };
}
const alive = { access: true, refresh: true, userinfo: true };
const ended = { access: false, refresh: false, userinfo: false };

describe('the organization of a sign-in', () => {
  test('is the only one that a person has, and the tokens are for it, at the issuer of the project', async () => {
    const { app, acme, personOf, placeOf } = await product();
    const person = await personOf(acme);
    const { access, idToken, pages, config, token } = await signIn(app, person);
    expect(pages).toStrictEqual(['consent']);
    for (const action of ['openid.token', 'openid.interaction']) {
      const rows = (await service.auditOf(action)).filter((row) => row.actor_id === person.userId);
      expect(rows.map((row) => row.scope_id)).toStrictEqual([placeOf(acme)]);
    }
    const named = { org_id: acme.organizationId, org_slug: acme.slug };
    expect(access).toMatchObject({ ...named, iss: app.issuer, aud: app.clientId, sub: person.userId, scopes: ['order:read'] });
    expect(access['scope']).toStrictEqual({ tenant: 'organizationProjectUser', id: `${placeOf(acme)}:${person.userId}` });
    expect(idToken).toMatchObject({ ...named, iss: app.issuer, sub: person.userId });
    expect(await client.fetchUserInfo(config, token.access, person.userId)).toMatchObject(named);
    expect(await client.tokenIntrospection(config, token.access)).toMatchObject({ active: true, ...named });
  });

  test('is chosen by id, by slug, by the scope value or on the page, and the person is the same in all', async () => {
    const { app, acme, birch, personOf } = await product();
    const person = await personOf(acme, birch);
    const ways: readonly (readonly [Customer, Parameters])[] = [
      [acme, { organization: acme.organizationId }],
      [birch, { organization: birch.slug }],
      [acme, { scope: `${scope} organization:${acme.organizationId}` }],
      [birch, { organization: birch.slug, scope: `${scope} organization:${birch.organizationId}` }],
    ];
    for (const [{ organizationId }, parameters] of ways) {
      const { access, idToken, tokens } = await signIn(app, person, parameters);
      expect([access['org_id'], idToken?.['org_id'], access['sub']]).toStrictEqual([organizationId, organizationId, person.userId]);
      expect(tokens.scope?.split(' ').toSorted()).toStrictEqual(scope.split(' ').toSorted());
    }
    const shown = [acme, birch].map(({ organizationId: id, name, slug }) => ({ id, name, slug }));
    expect((await first(app, person)).asked).toMatchObject({ prompt: 'organization', organizations: shown, organization: null });
    expect((await signIn(app, person, {}, birch.organizationId)).access['org_id']).toBe(birch.organizationId);
  });

  test('is remembered in the browser for this person, until they ask to choose again', async () => {
    const { app, acme, birch, personOf } = await product();
    const [person, other] = [await personOf(acme, birch), await personOf(acme, birch)];
    expect((await first(app, person, { prompt: 'none' })).error).toBe('interaction_required');
    expect((await signIn(app, person, {}, birch.organizationId)).pages).toStrictEqual(['organization', 'consent']);
    expect((await first(app, person, { prompt: 'none' })).hasCode).toBe(true);
    expect((await signIn(app, person)).access['org_id']).toBe(birch.organizationId);
    expect((await first(app, person, { prompt: 'select_account' })).asked.prompt).toBe('organization');
    expect((await signIn(app, person, { prompt: 'select_account' }, acme.organizationId)).access['org_id']).toBe(acme.organizationId);
    // Another person in the same browser.
    for (const [name, value] of person.browser.cookies) if (name.startsWith('openid_organization')) other.browser.cookies.set(name, value);
    expect((await first(app, other)).asked.prompt).toBe('organization');
  });

  test('is not asked of a person who has one, also by select_account', async () => {
    const { app, acme, personOf } = await product();
    expect((await signIn(app, await personOf(acme), { prompt: 'select_account' })).pages).toStrictEqual(['consent']);
  });

  test('in which the person is not, and one that does not exist, are one refusal', async () => {
    const { app, acme, birch, personOf } = await product();
    const [person, elsewhere] = [await personOf(acme), await product()];
    const error_description = 'is no member of an organization of this name that uses the project';
    const names = [birch.organizationId, birch.slug, elsewhere.acme.slug, newId(), 'unknown', 'x'.repeat(500)];
    for (const organization of names)
      for (const more of [{}, { prompt: 'none' }]) {
        const { shown } = await first(app, person, { organization, ...more });
        expect(shown).toStrictEqualFor(organization, { error: 'access_denied', error_description, state: shown['state'], iss: app.issuer });
      }
    const both = { organization: acme.slug, scope: `openid organization:${birch.organizationId}` };
    expect((await first(app, person, both)).error).toBe('access_denied');
  });

  test('of a person who has none: a page says so, and the app hears access_denied', async () => {
    const { app, personOf } = await product();
    const person = await personOf();
    const { asked, answer } = await first(app, person);
    expect(asked).toMatchObject({ prompt: 'organization', organizations: [] });
    expect((await answer({ action: 'continue', organizationId: newId() })).status).toBe(400);
    const { body } = await answer({ action: 'deny' });
    expect((await person.browser.get(pathOf(body.data.redirectTo))).location.searchParams.get('error')).toBe('access_denied');
    expect((await first(app, person, { prompt: 'none' })).error).toBe('access_denied');
  });

  test('is the project’s own, as before, for those who are in the project itself', async () => {
    const { app, acme, personOf, ownerId } = await product();
    const own = await personOf(undefined);
    const { access, idToken } = await signIn(app, own);
    expect(access['scope']).toMatchObject({ id: `${app.scope.id}:${own.userId}` });
    expect([access['org_id'], idToken?.['org_id']]).toStrictEqual([undefined, undefined]);
    const both = await personOf(undefined, acme);
    const { asked } = await first(app, both);
    expect(asked.organizations.map(({ id }: { id: string }) => id)).toStrictEqual([ownerId, acme.organizationId]);
    expect((await signIn(app, both, {}, ownerId)).access['org_id']).toBeUndefined();
    expect((await signIn(app, both, { organization: acme.slug })).access['org_id']).toBe(acme.organizationId);
  });

  test('without a customer is the project’s own: a stranger is refused at once, as before', async () => {
    const app = await openid.makeClient();
    const stranger = await openid.person({ ...app, scope: { ...app.scope, id: 'elsewhere' } });
    expect((await first(app, stranger)).error).toBe('access_denied');
  });

  test('can not be chosen in the project of an account', async () => {
    const app = await openid.makeClient({}, {}, 'accountProject');
    const person = await openid.person(app);
    expect((await first(app, person, { organization: newId() })).error).toBe('access_denied');
    expect((await first(app, person)).asked.prompt).toBe('consent');
  });
});

describe('a consent', () => {
  test('for one organization is asked again for another, and ends in all by one withdrawal', async () => {
    const { app, acme, birch, personOf } = await product();
    const person = await personOf(acme, birch);
    const pagesFor = async ({ slug }: Customer) => (await signIn(app, person, { organization: slug })).pages;
    expect([await pagesFor(acme), await pagesFor(acme), await pagesFor(birch)]).toStrictEqual([['consent'], [], ['consent']]);
    const { data } = (await service.ask('GET', '/api/me/consents', { token: person.accessToken })).body;
    expect(data.totalCount).toBe(2);
    expect((await pageConsentsOfApp(database, app.id, {})).totalCount).toBe(0);
    expect((await service.ask('DELETE', `/api/me/consents/${app.clientId}`, { token: person.accessToken })).status).toBe(200);
    expect([await pagesFor(acme), await pagesFor(birch)]).toStrictEqual([['consent'], ['consent']]);
  });

  test('names the organization on its page, and joins nobody to the project itself', async () => {
    const { app, acme, personOf } = await product({}, { allowSignUp: true });
    const person = await personOf(acme);
    const { asked } = await first(app, person);
    expect(asked).toMatchObject({ prompt: 'consent', joins: false, organization: { id: acme.organizationId, name: 'Acme' } });
    await signIn(app, person);
    expect(peers.people.get(app.scope.id)?.has(person.userId) ?? false).toBe(false);
  });

  test('stays with the organization that its page named, although another was chosen in a second tab', async () => {
    const { app, acme, birch, personOf } = await product();
    const person = await personOf(acme, birch);
    const tab = await first(app, person);
    const { body } = await tab.answer({ action: 'continue', organizationId: acme.organizationId });
    const { location } = await person.browser.get(pathOf(body.data.redirectTo));
    const page = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
    const [resume = ['', '']] = [...person.browser.cookies].filter(([name]) => name.endsWith('_resume'));
    await (await first(app, person, { prompt: 'select_account' })).answer({ action: 'continue', organizationId: birch.organizationId });
    expect((await person.browser.get(page)).body.data).toMatchObject({ prompt: 'consent', organization: { name: 'Acme' } });
    const allowed = await person.browser.post(page, { action: 'consent' });
    // A browser sends each interaction its own cookie.
    person.browser.cookies.set(...resume);
    expect((await person.browser.get(pathOf(allowed.body.data.redirectTo))).location.searchParams.has('code')).toBe(true);
    const organizations = (from: string) =>
      database.query({ text: `SELECT organization_id AS id FROM ${from} AND user_id = $1` }, [person.userId]);
    const acmeAlone = [{ id: acme.organizationId }];
    expect(await organizations('project_app_grant_consents WHERE true')).toStrictEqual(acmeAlone);
    expect(await organizations(`openid_artifacts WHERE model = 'AuthorizationCode'`)).toStrictEqual(acmeAlone);
  });
});

describe('a refresh token', () => {
  test('keeps its organization, whatever the browser chooses later', async () => {
    const { app, acme, birch, personOf } = await product();
    const person = await personOf(acme, birch);
    const inAcme = await signIn(app, person, {}, acme.organizationId);
    const inBirch = await signIn(app, person, { organization: birch.slug });
    for (const [signedIn, { organizationId }] of [
      [inAcme, acme],
      [inBirch, birch],
    ] as const) {
      const next = await client.refreshTokenGrant(signedIn.config, signedIn.token.refresh, { organization: birch.slug });
      expect([claimsOf(next.access_token)['org_id'], next.claims()?.['org_id']]).toStrictEqual([organizationId, organizationId]);
    }
  });

  test('ends with its organization, before any event arrives, and that of another one goes on', async () => {
    const { app, acme, birch, personOf } = await product();
    const person = await personOf(acme, birch);
    const inAcme = await signIn(app, person, { organization: acme.slug });
    const inBirch = await signIn(app, person, { organization: birch.slug });
    expect(await stateOf(inAcme, person)).toStrictEqual(alive);
    peers.people.get(acme.organizationId)?.delete(person.userId);
    expect(await stateOf(inAcme, person)).toStrictEqual(ended);
    expect(await refused(refresh(inAcme))).toBe('invalid_grant');
    expect(await stateOf(inBirch, person)).toStrictEqual(alive);
    await service.deliver('user.left', { userId: person.userId, scope: { tenant: 'organization', id: birch.organizationId } });
    expect(await stateOf(inBirch, person)).toStrictEqual(ended);
  });

  test('that is spent while the organization stops using the project leaves no token behind', async () => {
    const { app, acme, personOf } = await product();
    const person = await personOf(acme);
    const signedIn = await signIn(app, person);
    const uses = peers.customers.get(app.scope.id) ?? [];
    peers.onSign = async () => {
      peers.customers.set(
        app.scope.id,
        uses.filter((one) => one !== acme),
      );
    };
    expect(await refused(refresh(signedIn))).toBe('invalid_grant');
    peers.onSign = async () => undefined;
    const left = "SELECT model FROM openid_artifacts WHERE user_id = $1 AND model IN ('RefreshToken', 'AccessToken', 'Grant')";
    expect(await database.query({ text: left }, [person.userId])).toStrictEqual([]);
    expect(await database.query({ text: 'SELECT id FROM project_app_tokens WHERE user_id = $1' }, [person.userId])).toStrictEqual([]);
  });
});

describe('a grant that changes', () => {
  const terms = { roleIds: null, allowCustomRoles: true, maxMembers: null, metadata: {} };
  const changed = ({ acme, placeOf, ownerId, projectId }: World, state: { isActive: boolean; isEnded: boolean }) =>
    service.deliver('grant.changed', {
      scope: { tenant: 'organizationProject', id: placeOf(acme) },
      grantId: newId(),
      projectId,
      ownerOrganizationId: ownerId,
      ...terms,
      ...state,
    });

  test('to suspended ends the access tokens, and the refresh token works again when it is resumed', async () => {
    const world = await product();
    const person = await world.personOf(world.acme);
    const signedIn = await signIn(world.app, person);
    const uses = peers.customers.get(world.app.scope.id) ?? [];
    peers.customers.set(world.app.scope.id, [world.birch]);
    await changed(world, { isActive: false, isEnded: false });
    expect(await stateOf(signedIn, person)).toStrictEqual(ended);
    expect(await refused(refresh(signedIn))).toBe('invalid_grant');
    peers.customers.set(world.app.scope.id, uses);
    await changed(world, { isActive: true, isEnded: false });
    expect(await refused(refresh(signedIn))).toBe('accepted');
  });

  test('to suspended while refresh tokens are spent leaves no access token alive, in either order, and a resume brings none back', async () => {
    const world = await product();
    const uses = peers.customers.get(world.app.scope.id) ?? [];
    const suspend = async () => {
      peers.customers.set(world.app.scope.id, [world.birch]);
      await changed(world, { isActive: false, isEnded: false });
    };
    for (let round = 0; round < 12; round += 1) {
      const person = await world.personOf(world.acme);
      const signedIn = await signIn(world.app, person);
      const spend = () =>
        refresh(signedIn).then(
          ({ access_token: token }) => [token],
          () => [],
        );
      const [token] =
        round % 2 === 0
          ? await Promise.all([spend(), suspend()])
          : await Promise.all([suspend(), spend()]).then(([done, spent]) => [spent, done] as const);
      const areActive = () =>
        Promise.all([signedIn.token.access, ...token].map(async (each) => (await client.tokenIntrospection(signedIn.config, each)).active));
      expect(new Set(await areActive())).toStrictEqualFor(`round ${round}`, new Set([false]));
      peers.customers.set(world.app.scope.id, uses);
      await changed(world, { isActive: true, isEnded: false });
      // The revocation is announced once its transaction is committed, not with it.
      await until(async () => !(await areActive()).includes(true));
    }
  });

  test('to ended ends everything of its organization in the project, and nothing of another one', async () => {
    const world = await product();
    const { app, acme, birch } = world;
    const person = await world.personOf(acme, birch);
    const inAcme = await signIn(app, person, { organization: acme.slug });
    const inBirch = await signIn(app, person, { organization: birch.slug });
    await changed(world, { isActive: false, isEnded: true });
    expect([await stateOf(inAcme, person), await stateOf(inBirch, person)]).toStrictEqual([ended, alive]);
    // The consent, too.
    expect((await signIn(app, person, { organization: acme.slug })).pages).toStrictEqual(['consent']);
  });

  test('takes a lost role out of the tokens at once', async () => {
    const { app, acme, personOf, placeOf } = await product();
    const person = await personOf(acme);
    const signedIn = await signIn(app, person);
    peers.permissions.set(person.userId, []);
    await service.deliver('rights.shrank', { userIds: [person.userId], scope: { tenant: 'organizationProject', id: placeOf(acme) } });
    await until(async () => !(await stateOf(signedIn, person)).access);
    expect(await stateOf(signedIn, person)).toStrictEqual({ access: false, refresh: true, userinfo: false });
    expect(claimsOf((await refresh(signedIn)).access_token)['scopes']).toStrictEqual([]);
  });
});

describe('the log before the organization is known', () => {
  test('has a sign-in where the person belongs, and nowhere while several may be chosen', async () => {
    const { app, acme, birch, personOf, placeOf } = await product();
    const cases: readonly (readonly [string, Person, string | null])[] = [
      ['of one customer', await personOf(acme), placeOf(acme)],
      ['of two', await personOf(acme, birch), null],
      ['of the project itself', await personOf(undefined), app.scope.id],
      ['of both', await personOf(undefined, acme), app.scope.id],
      ['of none', await personOf(), app.scope.id],
    ];
    for (const [name, person, expected] of cases) {
      const { cookies } = person.browser;
      cookies.delete('refresh_token');
      const { asked, answer } = await first(app, person);
      cookies.set('refresh_token', person.refreshToken);
      expect([asked.prompt, (await answer({ action: 'continue' })).status]).toStrictEqual(['sign_in', 200]);
      const rows = (await service.auditOf('openid.interaction')).filter((row) => row.actor_id === person.userId);
      expect([name, rows.map((row) => row.scope_id)]).toStrictEqual([name, [expected]]);
    }
  });

  test('names to the owner who was refused, and not which people of a customer are asked', async () => {
    const { app, acme, birch, personOf } = await product();
    const [person, own] = [await personOf(acme, birch), await personOf(undefined, acme)];
    expect((await first(app, person, { prompt: 'none' })).error).toBe('interaction_required');
    expect((await first(app, own, { prompt: 'none' })).error).toBe('interaction_required');
    expect((await first(app, person, { organization: 'unknown' })).error).toBe('access_denied');
    const rows = async () => (await service.auditOf('openid.authorization')).filter((row) => row.scope_id === app.scope.id);
    await until(async () => (await rows()).length === 3);
    const named = (await rows()).map(({ code, detail }) => `${code} ${detail.userId ?? 'nobody'}`);
    expect(named.toSorted()).toStrictEqual(
      [`access_denied ${person.userId}`, `interaction_required ${own.userId}`, 'interaction_required nobody'].toSorted(),
    );
  });
});

describe('what organizations demand', () => {
  test('holds of both, at authorize and at refresh, and of no other customer', async () => {
    const { app, acme, birch, personOf, ownerId } = await product();
    const person = await personOf(acme, birch);
    const signedIn = await signIn(app, person, { organization: acme.slug });
    for (const id of [acme.organizationId, ownerId]) {
      peers.sessionPolicies.set(id, { requireSecondFactor: true });
      const { asked } = await first(app, person, { organization: acme.slug });
      expect(asked).toMatchObject({ prompt: 'sign_in', reasons: ['second_factor'] });
      expect((await first(app, person, { organization: acme.slug, prompt: 'none' })).error).toBe('interaction_required');
      expect(await refused(refresh(signedIn))).toBe('invalid_grant');
      peers.sessionPolicies.delete(id);
    }
    peers.sessionPolicies.set(acme.organizationId, { requireSecondFactor: true });
    expect((await signIn(app, person, { organization: birch.slug })).access['org_id']).toBe(birch.organizationId);
  });
});

describe('other doors', () => {
  test('a pushed request takes the organization along', async () => {
    const { app, acme, birch, personOf } = await product();
    const person = await personOf(acme, birch);
    const config = await openid.discover(app);
    const follow = async (organization: string) => {
      const { url, checks } = await openid.request(config, { scope, organization });
      const pushed = await client.buildAuthorizationUrlWithPAR(config, Object.fromEntries(url.searchParams));
      return { checks, ...(await openid.follow(person.browser, pushed)) };
    };
    const { location, checks } = await follow(birch.slug);
    expect((await client.authorizationCodeGrant(config, location, checks)).claims()?.['org_id']).toBe(birch.organizationId);
    expect((await follow('unknown')).location.searchParams.get('error')).toBe('access_denied');
  });

  test('a device gets tokens for the organization that its request names, or that the person chooses on the page', async () => {
    const grant = 'urn:ietf:params:oauth:grant-type:device_code';
    const grants = { grant_types: ['authorization_code', 'refresh_token', grant] };
    const { app, acme, birch, personOf } = await product({ type: 'native', token_endpoint_auth_method: 'none', ...grants });
    const { browser } = await personOf(acme, birch);
    const config = await openid.discover(app, client.None());
    for (const [parameters, { organizationId }] of [
      [{ organization: acme.slug }, acme],
      [{}, birch],
    ] as const) {
      const device = await client.initiateDeviceAuthorization(config, { scope, ...parameters });
      let { id, prompt } = (await browser.post('/api/auth/device', { userCode: device.user_code })).body.data;
      const prompts = [prompt];
      while (id !== null) {
        const body = prompt === 'organization' ? { action: 'continue', organizationId } : { action: 'consent' };
        const { redirectTo } = (await browser.post(`/api/auth/interactions/${id}`, body)).body.data;
        id = (await browser.get(pathOf(redirectTo), { accept: 'text/html' })).location.searchParams.get('interaction');
        if (id !== null) ({ prompt } = (await browser.get(`/api/auth/interactions/${id}`)).body.data);
        if (id !== null) prompts.push(prompt);
      }
      expect(prompts).toStrictEqual('organization' in parameters ? ['device'] : ['organization', 'device']);
      const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
      const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect([tokens.claims()?.['org_id'], claimsOf(next.access_token)['org_id']]).toStrictEqual([organizationId, organizationId]);
    }
  });

  test('a sign-out from the app ends what it has of every organization', async () => {
    const { app, acme, birch, personOf } = await product();
    const person = await personOf(acme, birch);
    const inAcme = await signIn(app, person, { organization: acme.slug });
    const inBirch = await signIn(app, person, { organization: birch.slug });
    const leave = client.buildEndSessionUrl(inAcme.config, { id_token_hint: inAcme.tokens.id_token ?? '' });
    const { location } = await person.browser.get(pathOf(leave));
    const answered = await person.browser.post(`/api/auth/interactions/${location.searchParams.get('interaction')}`, { action: 'deny' });
    expect(answered.status).toBe(200);
    expect([await stateOf(inAcme, person), await stateOf(inBirch, person)]).toStrictEqual([ended, ended]);
  });
});
