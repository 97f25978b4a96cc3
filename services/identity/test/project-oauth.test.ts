import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@tessera/kernel/ids';
import type { FakeUser } from '../../../test/fake-provider/provider.ts';
import type { ProjectScope } from '../src/domain/oauth/project-app.ts';
import { insertAppToken } from '../src/storage/project-app-tokens.ts';
import { findProjectApp, holdProjectApp } from '../src/storage/project-apps.ts';
import { openBrowser, pathOf, type Visit, withParameter } from './browser.ts';
import { frontendUrl, type OauthService, providerUser, startOauth } from './oauth.ts';
import { appUrl, claimsOf, type Registered, registered } from './service.ts';

const authorize = '/api/auth/project/authorize';
const callback = '/api/auth/project/callback';
const redirectUri = 'https://client.example/cb?from=tessera';
const clientState = 'the app’s own & state';

let service: OauthService;
let owner: Registered;
before(async () => {
  service = await startOauth();
  owner = await registered(service);
});
after(async () => service.stop());

type App = { readonly id: string; readonly clientId: string; readonly scope: { tenant: string; id: string }; readonly roleId: string };

async function makeApp(changes: object = {}, tenant = 'organizationProject', on = service, by = owner): Promise<App> {
  const scope = { tenant, id: `${newId()}:${newId()}` };
  const roleId = newId();
  const body = { scope, name: 'Shop', redirectUris: [redirectUri], scopes: ['order:read', 'order:write'], ...changes };
  const signUp = 'allowSignUp' in changes ? { signUpRoleId: roleId } : {};
  const answer = await on.ask('POST', '/api/project-apps', { body: { ...body, ...signUp }, token: by.accessToken });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { ...answer.body.data, scope, roleId };
}

const member = (app: App, userId: string) => service.peers.people.set(app.scope.id, new Set([userId]));

const requestOf = (app: Pick<App, 'clientId'>, changes: Readonly<Record<string, string>> = {}) =>
  `${authorize}?${new URLSearchParams({ client_id: app.clientId, redirect_uri: redirectUri, state: clientState, ...changes })}`;

const fragmentOf = ({ location }: Visit) => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

/** Through the provider and back: where the browser ends up. */
async function signIn(app: App, user: FakeUser, on = service): Promise<Visit> {
  const browser = openBrowser(on);
  const { location, status, body } = await browser.get(requestOf(app, { provider: 'codehost' }));
  assert.equal(status, 302, JSON.stringify(body));
  return browser.get(pathOf(await on.provider.approve(location.href, user)));
}

async function requestLink(app: Pick<App, 'clientId'>, email: string, changes: object = {}, on = service) {
  const body = { client_id: app.clientId, redirect_uri: redirectUri, state: clientState, email, ...changes };
  return on.ask('POST', '/api/auth/project/email/request', { body });
}

const linkIn = async (email: string, count = 1, on = service): Promise<string> => {
  const found = (await on.mails(email, count)).filter(({ template }) => template === 'magic-link');
  return String(found.at(-1)?.data.url);
};

const refused = { error: 'access_denied', state: clientState };

describe('authorize', () => {
  test('unknown client 404; redirect_uri or provider not of the app 400; never a redirect [spec:auth.13 spec:project-oauth.1]', async () => {
    const app = await makeApp({ enabledProviders: ['email'] });
    const cases: readonly [Readonly<Record<string, string>>, number, string][] = [
      [{ client_id: 'app_unknown' }, 404, 'NOT_FOUND'],
      [{ redirect_uri: 'https://client.example/cb' }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: `${redirectUri}&more=1` }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: `${redirectUri}#` }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: 'https://CLIENT.example/cb?from=tessera' }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: 'https://client.example:443/cb?from=tessera' }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: 'https://client.example/x/../cb?from=tessera' }, 400, 'BAD_USER_INPUT'],
      [{ redirect_uri: 'https://evil.example/' }, 400, 'BAD_USER_INPUT'],
      [{ provider: 'codehost' }, 400, 'BAD_USER_INPUT'],
      [{ provider: 'nobody' }, 400, 'BAD_USER_INPUT'],
      [{ client_id: '' }, 400, 'VALIDATION_ERROR'],
      [{ redirect_uri: '' }, 400, 'VALIDATION_ERROR'],
    ];
    for (const [changes, status, code] of cases) {
      const answer = await service.ask('GET', requestOf(app, changes));
      assert.deepEqual([answer.status, answer.body.code, answer.headers.location], [status, code, undefined], JSON.stringify(changes));
    }
    const twice = await service.ask('GET', `${requestOf(app)}&redirect_uri=${encodeURIComponent('https://evil.example/')}`);
    assert.deepEqual([twice.status, twice.headers.location], [400, undefined]);
  });

  test('to the provider, or to the page that asks for the address [spec:auth.9 spec:auth.16 spec:apps.4]', async () => {
    const open = await makeApp();
    const { location, headers } = await openBrowser(service).get(requestOf(open));
    assert.equal(location.origin + location.pathname, `${service.provider.url}/authorize`);
    assert.equal(location.searchParams.get('redirect_uri'), `${appUrl}/api/auth/project/callback`);
    assert.equal(location.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(Buffer.from(location.searchParams.get('state') ?? '', 'base64url').length, 32);
    assert.deepEqual([headers['cache-control'], headers['referrer-policy']], ['no-store', 'no-referrer']);
    assert.match(String(headers['set-cookie']), /^oauth_flow=[\w-]{43}; .*HttpOnly; SameSite=Lax$/);
    const byMail = await makeApp({ enabledProviders: ['email'] });
    for (const visit of [
      await openBrowser(service).get(requestOf(byMail)),
      await openBrowser(service).get(requestOf(open, { provider: 'email' })),
    ]) {
      assert.equal(visit.location.origin + visit.location.pathname, `${frontendUrl}/auth/project/email`);
      assert.deepEqual([...visit.location.searchParams.keys()], ['client_id', 'redirect_uri', 'state']);
      assert.deepEqual(
        [visit.location.searchParams.get('redirect_uri'), visit.location.searchParams.get('state')],
        [redirectUri, clientState],
      );
    }
    const bare = await openBrowser(service).get(
      `${authorize}?${new URLSearchParams({ client_id: byMail.clientId, redirect_uri: redirectUri })}`,
    );
    assert.equal(bare.location.searchParams.has('state'), false);
  });

  test('the entry page has an address of its own when configured [spec:auth.16]', async (t) => {
    const other = await startOauth({ PROJECT_OAUTH_EMAIL_ENTRY_URL: 'https://login.example/mail' });
    t.after(() => other.stop());
    const app = await makeApp({ enabledProviders: ['email'] }, 'accountProject', other, await registered(other));
    const { location } = await openBrowser(other).get(requestOf(app));
    assert.equal(location.origin + location.pathname, 'https://login.example/mail');
  });

  test('what the entry page may know of an app', async () => {
    const app = await makeApp();
    const info = await service.ask('GET', `/api/auth/project/app-info?client_id=${app.clientId}`);
    assert.deepEqual(info.body.data, { name: 'Shop', enabledProviders: ['codehost', 'email'], scopes: ['order:read', 'order:write'] });
    assert.equal((await service.ask('GET', '/api/auth/project/app-info?client_id=app_unknown')).status, 404);
  });
});

describe('sign-in to an app through a provider', () => {
  test('somebody new signs up where the app allows it, and gets a token capped to what both may [spec:auth.11 spec:auth.14 spec:claims.2-8 spec:claims.10-12 spec:apps.1 spec:apps.3 spec:project-oauth.2]', async () => {
    for (const tenant of ['accountProject', 'organizationProject']) {
      const app = await makeApp({ allowSignUp: true }, tenant);
      const user = providerUser();
      const first = await signIn(app, user);
      assert.equal(first.status, 302);
      assert.equal(first.location.href.split('#')[0], redirectUri);
      assert.deepEqual([first.headers['cache-control'], first.headers['referrer-policy']], ['no-store', 'no-referrer']);
      const fragment = fragmentOf(first);
      assert.deepEqual(Object.keys(fragment), ['access_token', 'token_type', 'expires_in', 'state']);
      assert.deepEqual([fragment.token_type, fragment.expires_in, fragment.state], ['Bearer', '900', clientState]);
      const claims = claimsOf(fragment.access_token ?? '');
      const [root, project] = app.scope.id.split(':');
      assert.equal(claims.iss, `${appUrl}/${tenant === 'accountProject' ? 'acc' : 'org'}/${root}/prj/${project}`);
      assert.deepEqual([claims.type, claims.aud, claims.scopes, 'isVerified' in claims], ['projectApp', app.clientId, [], false]);
      assert.deepEqual(claims.scope, { tenant: `${tenant}User`, id: `${app.scope.id}:${claims.sub}` });
      const joined = service.peers.events.filter(({ event }) => event.type === 'user.joined').at(-1);
      const payload = JSON.parse(joined?.event.payloadJson ?? '{}');
      assert.deepEqual([payload.userId, payload.scope, payload.roleIds, payload.email], [claims.sub, app.scope, [app.roleId], user.email]);

      service.peers.permissions.set(String(claims.sub), ['order:read', 'user:delete']);
      const again = claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '');
      assert.deepEqual([again.sub, again.scopes, again.jti === claims.jti], [claims.sub, ['order:read'], false]);
    }
  });

  test('an app without scopes gets a token that acts for the user: type apiKey, for the platform [spec:apps.3 spec:project-oauth.2]', async () => {
    const app = await makeApp({ scopes: [], allowSignUp: true });
    const claims = claimsOf(fragmentOf(await signIn(app, providerUser())).access_token ?? '');
    assert.deepEqual([claims.type, claims.aud, 'scopes' in claims], ['apiKey', appUrl, false]);
  });

  test('such a token is refused for somebody whom the creator of the app could not give their roles', async () => {
    const app = await makeApp({ scopes: [] });
    const person = await registered(service);
    member(app, person.userId);
    const roleId = newId();
    service.peers.heldRoles.set(person.userId, [roleId]);
    service.peers.verdicts.set(roleId, 'above-own-rank');
    const user = providerUser({ email: person.email });
    assert.deepEqual(fragmentOf(await signIn(app, user)), refused);
    service.peers.verdicts.set(roleId, 'allowed');
    assert.equal(claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '').type, 'apiKey');
  });

  test('nor does changing where the app of somebody above sends its tokens help', async () => {
    const app = await makeApp({ scopes: [] });
    member(app, owner.userId);
    const roleId = newId();
    service.peers.heldRoles.set(owner.userId, [roleId]);
    const user = providerUser({ email: owner.email });
    assert.ok(fragmentOf(await signIn(app, user)).access_token, 'the owner signs in to their own app');
    const dev = await registered(service);
    const body = { scope: app.scope, redirectUris: [redirectUri, 'https://evil.example/'] };
    assert.equal((await service.ask('PATCH', `/api/project-apps/${app.id}`, { body, token: dev.accessToken })).status, 200);
    service.peers.verdicts.set(roleId, 'above-own-rank');
    assert.deepEqual(fragmentOf(await signIn(app, user)), refused);
    service.peers.heldRoles.delete(owner.userId);

    const capped = await makeApp({ scopes: ['order:refund'] });
    service.peers.verdicts.set('order:refund', 'escalation');
    const change = { scope: capped.scope, redirectUris: [redirectUri, 'https://evil.example/'] };
    assert.equal((await service.ask('PATCH', `/api/project-apps/${capped.id}`, { body: change, token: dev.accessToken })).status, 403);
    const renamed = { scope: capped.scope, name: 'Renamed' };
    assert.equal((await service.ask('PATCH', `/api/project-apps/${capped.id}`, { body: renamed, token: dev.accessToken })).status, 200);
  });

  test('people of the project and of its organization come in without sign-up; others are refused [spec:auth.14]', async () => {
    const app = await makeApp();
    const stranger = providerUser();
    const refusal = await signIn(app, stranger);
    assert.equal(refusal.location.href.split('#')[0], redirectUri);
    assert.deepEqual(fragmentOf(refusal), refused);
    const person = await registered(service);
    const user = providerUser({ email: person.email });
    assert.deepEqual(fragmentOf(await signIn(app, user)), refused);
    for (const place of [app.scope.id, app.scope.id.split(':')[0] ?? '']) {
      service.peers.people.set(place, new Set([person.userId]));
      assert.equal(claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '').sub, person.userId);
      service.peers.people.delete(place);
    }
    const notice = (await service.mails(person.email, 2)).find(({ template }) => template === 'method-added');
    assert.equal(notice?.data.provider, 'codehost', 'the owner hears of the new way in');
    const rows = await service.auditOf('project-oauth.login');
    assert.ok(
      rows.some(
        ({ outcome, code, detail }) => outcome === 'refused' && code === 'access_denied' && detail.reason === 'not one of the project',
      ),
    );
    assert.ok(rows.some(({ outcome, actor_id }) => outcome === 'ok' && actor_id === person.userId));
  });

  test('pre-hijacking: an unverified address is nobody’s, on either side', async () => {
    const app = await makeApp();
    const victim = await registered(service);
    member(app, victim.userId);
    assert.deepEqual(fragmentOf(await signIn(app, providerUser({ email: victim.email, verified: false }))), refused);
    const squatter = await registered(service, { verified: false });
    member(app, squatter.userId);
    assert.deepEqual(fragmentOf(await signIn(app, providerUser({ email: squatter.email }))), refused);
  });

  test('ten sign-ups of one identity at once make one person', async () => {
    const app = await makeApp({ allowSignUp: true });
    const user = providerUser();
    const ends = await Promise.all(Array.from({ length: 10 }, () => signIn(app, user)));
    const subjects = ends.flatMap((end) => fragmentOf(end).access_token ?? []).map((token) => claimsOf(token).sub);
    assert.equal(new Set(subjects).size, 1);
    const [{ count = 0 } = {}] = await service.database.query<{ count: number }>(
      { text: 'SELECT count(*) FROM authentication_methods WHERE provider_id = $1' },
      [String(user.id)],
    );
    assert.equal(Number(count), 1);
  });
});

describe('each parameter tampered', () => {
  async function underWay(changes: object = { allowSignUp: true }) {
    const app = await makeApp(changes);
    const browser = openBrowser(service);
    const { location } = await browser.get(requestOf(app, { provider: 'codehost' }));
    return { app, browser, back: await service.provider.approve(location.href, providerUser()) };
  }
  const errorPage = async (path: string, status = 400, browser = openBrowser(service)) => {
    const answer = await browser.get(path);
    assert.deepEqual([answer.status, answer.headers.location], [status, undefined], JSON.stringify(answer.body));
  };

  test('state: missing, unknown, twice, replayed, of the other flow [spec:oauth-state.1]', async () => {
    const { browser, back } = await underWay();
    await errorPage(pathOf(withParameter(back, 'state')), 400, browser);
    await errorPage(pathOf(withParameter(back, 'state', 'A'.repeat(43))), 400, browser);
    await errorPage(`${pathOf(back)}&state=x`, 400, browser);
    const swapped = new URL(back);
    swapped.pathname = '/api/auth/codehost/callback';
    assert.equal((await browser.get(pathOf(swapped))).location.searchParams.get('error'), 'invalid_state');
    assert.ok(fragmentOf(await browser.get(pathOf(back))).access_token);
    await errorPage(pathOf(back), 400, browser);
  });

  test('of another browser: nobody is signed in to an app as somebody else by a link [spec:oauth-state.1]', async () => {
    const app = await makeApp();
    const thief = openBrowser(service);
    const person = await registered(service);
    const user = providerUser({ email: person.email });
    member(app, person.userId);
    const { location } = await thief.get(requestOf(app, { provider: 'codehost' }));
    const link = pathOf(await service.provider.approve(location.href, user));
    const victim = openBrowser(service);
    assert.deepEqual([(await victim.get(link)).status, (await thief.get(link)).status], [400, 400], 'and the flow is over');
    await victim.get(requestOf(app, { provider: 'codehost' }));
    const again = await thief.get(requestOf(app, { provider: 'codehost' }));
    assert.equal((await victim.get(pathOf(await service.provider.approve(again.location.href, user)))).status, 400);
    assert.ok(fragmentOf(await signIn(app, user)).access_token);
  });

  test('state: too old', async (t) => {
    const hasty = await startOauth({ OAUTH_STATE_TTL_SECONDS: '1' });
    t.after(() => hasty.stop());
    const app = await makeApp({ allowSignUp: true }, 'accountProject', hasty, await registered(hasty));
    const browser = openBrowser(hasty);
    const { location } = await browser.get(requestOf(app));
    const back = await hasty.provider.approve(location.href, providerUser());
    await sleep(1_100);
    assert.equal((await browser.get(pathOf(back))).status, 400);
  });

  test('code: missing, replayed, of another flow; iss of another provider; the provider says no or breaks', async () => {
    const end = async (change: (back: URL) => URL) => {
      const { browser, back } = await underWay();
      return fragmentOf(await browser.get(pathOf(change(new URL(back)))));
    };
    assert.deepEqual(await end((back) => withParameter(back, 'code')), refused);
    assert.deepEqual(await end((back) => withParameter(back, 'iss', 'https://evil.example')), refused);
    assert.deepEqual(await end((back) => withParameter(back, 'error', 'access_denied')), refused);
    assert.deepEqual(await end((back) => withParameter(back, 'token', 'x')), refused);
    const attacker = await underWay();
    const victim = await underWay();
    const injected = withParameter(victim.back, 'code', new URL(attacker.back).searchParams.get('code') ?? '');
    assert.deepEqual(fragmentOf(await victim.browser.get(pathOf(injected))), refused);
    const { browser, back } = await underWay();
    service.provider.failWith(500);
    const broken = await browser.get(pathOf(back)).finally(() => service.provider.failWith(undefined));
    assert.deepEqual(fragmentOf(broken), { error: 'temporarily_unavailable', state: clientState });
  });

  test('what changes at the app between the steps is asked again: redirect URI, provider, the app itself [spec:project-oauth.1]', async () => {
    const moved = await underWay();
    const change = (app: App, body: object) =>
      service.ask('PATCH', `/api/project-apps/${app.id}`, { body: { scope: app.scope, ...body }, token: owner.accessToken });
    await change(moved.app, { redirectUris: ['https://client.example/other'] });
    await errorPage(pathOf(moved.back), 400, moved.browser);
    const closed = await underWay();
    await change(closed.app, { enabledProviders: ['email'] });
    await errorPage(pathOf(closed.back), 400, closed.browser);
    const gone = await underWay();
    await service.ask('DELETE', `/api/project-apps/${gone.app.id}?tenant=${gone.app.scope.tenant}&scopeId=${gone.app.scope.id}`, {
      token: owner.accessToken,
    });
    await errorPage(pathOf(gone.back), 404, gone.browser);
    const ended = await underWay();
    await service.deliver('project.deleted', { scope: ended.app.scope, hard: false });
    await errorPage(pathOf(ended.back), 404, ended.browser);
  });

  test('parameters of the callback can’t say where it ends', async () => {
    const { browser, back } = await underWay();
    const bent = `${pathOf(back)}&redirect_uri=${encodeURIComponent('https://evil.example/')}&client_id=app_other`;
    assert.equal((await browser.get(bent)).location.origin, 'https://client.example');
  });
});

describe('magic link', () => {
  test('once only, for a member by their verified address [spec:auth.10 spec:auth.11 spec:auth.15]', async () => {
    const app = await makeApp();
    const person = await registered(service);
    member(app, person.userId);
    const answer = await requestLink(app, person.email);
    assert.deepEqual([answer.status, answer.body], [202, { success: true, data: { success: true } }]);
    const link = await linkIn(person.email, 2);
    assert.equal(new URL(link).origin + new URL(link).pathname, appUrl + callback);
    assert.deepEqual([...new URL(link).searchParams.keys()].sort(), ['state', 'token']);
    const ends = await Promise.all(Array.from({ length: 10 }, () => openBrowser(service).get(pathOf(link))));
    assert.deepEqual(ends.map(({ status }) => status).sort(), [302, ...Array.from({ length: 9 }, () => 400)]);
    const fragment = fragmentOf(ends.find(({ status }) => status === 302) ?? assert.fail());
    assert.equal(claimsOf(fragment.access_token ?? '').sub, person.userId);
    assert.equal(fragment.state, clientState);
  });

  test('signs up a stranger where the app allows it; the address counts as verified from then on', async () => {
    const app = await makeApp({ allowSignUp: true });
    const email = `new.${newId()}@example.com`;
    await requestLink(app, email.toUpperCase());
    const first = fragmentOf(await openBrowser(service).get(pathOf(await linkIn(email))));
    const { sub } = claimsOf(first.access_token ?? '');
    const [method] = await service.database.query<{ is_verified: boolean; is_primary: boolean }>(
      { text: 'SELECT is_verified, is_primary FROM authentication_methods WHERE user_id = $1' },
      [sub],
    );
    assert.deepEqual(method, { is_verified: true, is_primary: true });
    const linked = fragmentOf(await signIn(app, providerUser({ email })));
    assert.equal(claimsOf(linked.access_token ?? '').sub, sub);
  });

  test('a wrong or missing token is refused and costs the link; HEAD takes nothing', async () => {
    const app = await makeApp({ allowSignUp: true });
    const link = async () => {
      const email = `new.${newId()}@example.com`;
      await requestLink(app, email);
      return linkIn(email);
    };
    const wrong = await link();
    assert.deepEqual(fragmentOf(await openBrowser(service).get(pathOf(withParameter(wrong, 'token', 'A'.repeat(43))))), refused);
    assert.equal((await service.ask('GET', pathOf(wrong))).status, 400);
    const none = await link();
    assert.deepEqual(fragmentOf(await openBrowser(service).get(pathOf(withParameter(none, 'token')))), refused);
    const scanned = await link();
    assert.equal((await service.ask('HEAD', pathOf(scanned))).status, 404);
    assert.ok(fragmentOf(await openBrowser(service).get(pathOf(scanned))).access_token);
  });

  test('the same answer for every app and address; mail only where it can lead somewhere [spec:auth.10]', async () => {
    const closed = await makeApp();
    const open = await makeApp({ allowSignUp: true });
    const byProviderOnly = await makeApp({ allowSignUp: true, enabledProviders: ['codehost'] });
    const squatter = await registered(service, { verified: false });
    const stranger = () => `stranger.${newId()}@example.com`;
    const cases: readonly [Pick<App, 'clientId'>, string, object][] = [
      [closed, stranger(), {}],
      [{ clientId: 'app_unknown' }, stranger(), {}],
      [open, stranger(), { redirect_uri: 'https://evil.example/' }],
      [byProviderOnly, stranger(), {}],
      [open, squatter.email, {}],
    ];
    for (const [app, email, changes] of cases) {
      const answer = await requestLink(app, email, changes);
      assert.deepEqual([answer.status, answer.body], [202, { success: true, data: { success: true } }]);
    }
    const reached = stranger();
    await requestLink(open, reached);
    await linkIn(reached);
    for (const [, email] of cases) {
      const links = (await service.mails(email, 0)).filter(({ template }) => template === 'magic-link');
      assert.equal(links.length, 0, email);
    }
    const malformed = await requestLink(open, 'no address');
    assert.deepEqual([malformed.status, malformed.body.extensions.field], [400, 'email']);
    assert.equal((await requestLink(open, reached, { unknown: 1 })).status, 400);
  });

  test('one address is not flooded: five links for one app within ten minutes', async () => {
    const app = await makeApp({ allowSignUp: true });
    const email = `busy.${newId()}@example.com`;
    for (let asked = 0; asked < 8; asked += 1) assert.equal((await requestLink(app, email)).status, 202);
    await service.mails(email, 5);
    await sleep(200);
    assert.equal((await service.mails(email, 5)).length, 5);
  });

  test('a link keeps its own app: neither the app nor the redirect can be changed by its parameters', async () => {
    const app = await makeApp({ allowSignUp: true });
    const other = await makeApp({ allowSignUp: true });
    const email = `new.${newId()}@example.com`;
    await requestLink(app, email);
    const link = withParameter(await linkIn(email), 'client_id', other.clientId);
    const { access_token = '' } = fragmentOf(await openBrowser(service).get(pathOf(link)));
    assert.equal(claimsOf(access_token).aud, app.clientId);
  });
});

describe('the end of tokens', () => {
  async function tokenOf(app: App, user: FakeUser) {
    return claimsOf(fragmentOf(await signIn(app, user)).access_token ?? '');
  }
  const isRevoked = async (jti: unknown) => {
    const { revocations } = await service.revocations.list({ cursor: '' });
    return revocations.some(({ kind, value }) => kind === 'jti' && value === jti);
  };

  test('an app that is deleted takes its tokens along, and only its own [spec:claims.7]', async () => {
    const [app, other] = [await makeApp({ allowSignUp: true }), await makeApp({ allowSignUp: true })];
    const [own, theirs] = [await tokenOf(app, providerUser()), await tokenOf(other, providerUser())];
    await service.ask('DELETE', `/api/project-apps/${app.id}?tenant=${app.scope.tenant}&scopeId=${app.scope.id}&hardDelete=true`, {
      token: owner.accessToken,
    });
    assert.deepEqual([await isRevoked(own.jti), await isRevoked(theirs.jti)], [true, false]);
  });

  test('an app that loses a scope takes its tokens along; other changes end nothing', async () => {
    const app = await makeApp({ allowSignUp: true });
    const token = await tokenOf(app, providerUser());
    const change = (body: object) =>
      service.ask('PATCH', `/api/project-apps/${app.id}`, { body: { scope: app.scope, ...body }, token: owner.accessToken });
    await change({ name: 'Renamed', scopes: ['order:read', 'order:write', 'order:more'] });
    assert.equal(await isRevoked(token.jti), false);
    await change({ scopes: ['order:read'] });
    assert.equal(await isRevoked(token.jti), true);
  });

  test('so do a deleted project, a deleted organization, and somebody who leaves', async () => {
    const project = await makeApp({ allowSignUp: true });
    const ofProject = await tokenOf(project, providerUser());
    await service.deliver('project.deleted', { scope: project.scope, hard: false });
    assert.equal(await isRevoked(ofProject.jti), true);

    const app = await makeApp({ allowSignUp: true });
    const ofApp = await tokenOf(app, providerUser());
    const [organizationId = '', projectId = ''] = app.scope.id.split(':');
    await service.deliver('organization.deleted', { organizationId, projectIds: [projectId], hard: false });
    assert.equal(await isRevoked(ofApp.jti), true);

    const shared = await makeApp({ allowSignUp: true });
    const [leaver, stayer] = [await tokenOf(shared, providerUser()), await tokenOf(shared, providerUser())];
    await service.deliver('user.left', { userId: leaver.sub, scope: shared.scope });
    assert.deepEqual([await isRevoked(leaver.jti), await isRevoked(stayer.jti)], [true, false]);
  });

  /** What happens at the last moment of a sign-in: while its token is signed. */
  const signInWhile = async (app: App, happens: () => Promise<unknown>): Promise<Visit> => {
    service.peers.onSign = async () => {
      service.peers.onSign = async () => undefined;
      await happens();
    };
    return signIn(app, providerUser());
  };

  test('nobody gets a token of what ended, or of an app that was changed, while it was signed', async () => {
    const leave = async (app: App) => {
      const [userId = ''] = service.peers.people.get(app.scope.id) ?? [];
      service.peers.people.get(app.scope.id)?.delete(userId);
      await service.deliver('user.left', { userId, scope: app.scope });
    };
    const ask = (method: string, app: App, body?: object) =>
      service.ask(method, `/api/project-apps/${app.id}${body ? '' : `?tenant=${app.scope.tenant}&scopeId=${app.scope.id}`}`, {
        ...(body ? { body: { scope: app.scope, ...body } } : {}),
        token: owner.accessToken,
      });
    const ends: Readonly<Record<string, (app: App) => Promise<unknown>>> = {
      'the app loses a scope': (app) => ask('PATCH', app, { scopes: ['order:read'] }),
      'the app loses the redirect URI': (app) => ask('PATCH', app, { redirectUris: ['https://other.example/'] }),
      'the app is deleted': (app) => ask('DELETE', app),
      'the project is deleted': (app) => service.deliver('project.deleted', { scope: app.scope, hard: false }),
      'the user leaves': leave,
    };
    for (const [name, happens] of Object.entries(ends)) {
      const app = await makeApp({ allowSignUp: true });
      assert.deepEqual(fragmentOf(await signInWhile(app, () => happens(app))), refused, name);
    }
  });

  test('a deleted project finds the token of a sign-in that was about to commit', async () => {
    const app = await makeApp();
    const tokenId = newId();
    let deleted: Promise<unknown> = Promise.resolve();
    await service.database.transaction(async (tx) => {
      const held = await findProjectApp(tx, app.scope as ProjectScope, app.id);
      assert.ok(held !== undefined && (await holdProjectApp(tx, held)));
      deleted = service.deliver('project.deleted', { scope: app.scope, hard: false });
      await sleep(100);
      await insertAppToken(tx, { id: tokenId, appId: app.id, userId: owner.userId, expiresAt: new Date(Date.now() + 60_000) });
    });
    await deleted;
    assert.equal(await isRevoked(tokenId), true);
  });

  test('however often an app is deleted while people sign in, no token outlives it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const app = await makeApp({ allowSignUp: true });
      // Who comes after the deletion is turned away.
      const attempts = Promise.allSettled(Array.from({ length: 6 }, () => signIn(app, providerUser())));
      await sleep(10 * round);
      await service.ask('DELETE', `/api/project-apps/${app.id}?tenant=${app.scope.tenant}&scopeId=${app.scope.id}`, {
        token: owner.accessToken,
      });
      const ends = (await attempts).flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
      const tokens = ends.flatMap((end) => fragmentOf(end).access_token ?? []);
      for (const token of tokens) assert.equal(await isRevoked(claimsOf(token).jti), true);
    }
  });
});
