/** An organization that a person makes as they sign in to an app: who may, and how often. */
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import * as client from 'openid-client';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { callbackUri, type OpenidApp, openidOf } from '../../testing/openid.ts';
import { join, projectsOf } from '../../testing/project.ts';
import { type Answer, claimsOf, registered } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const { peers, database } = service;
const none = async () => undefined;
beforeEach(() => {
  peers.signUps.length = 0;
  peers.onSignUp = none;
  peers.verdicts.clear();
});

const appOf = (columns: Readonly<Record<string, unknown>> = {}) => openid.makeClient({ allow_organization_sign_up: true, ...columns });

async function stranger(options: Parameters<typeof registered>[1] = {}) {
  const { userAgent = `browser ${newId()}` } = options;
  const known = await registered(service, { ...options, userAgent });
  const browser = openBrowser(service, { userAgent });
  browser.cookies.set('refresh_token', known.refreshToken);
  return { ...known, browser, userAgent };
}
type Person = Awaited<ReturnType<typeof stranger>>;

/** Begins a sign-in: what the browser is shown, and its answers. */
async function begin(app: OpenidApp, { browser }: Pick<Person, 'browser'>, parameters: Readonly<Record<string, string>> = {}) {
  const config = await openid.discover(app);
  const { url, checks } = await openid.request(config, { scope: 'openid email offline_access', ...parameters });
  const { location } = await browser.get(pathOf(url));
  const id = location.searchParams.get('interaction') ?? '';
  const asked = async () => (await browser.get(`/api/auth/interactions/${id}`)).body.data;
  const answer = (body: object) => browser.post(`/api/auth/interactions/${id}`, { action: 'continue', ...body });
  /** The pages after this one, up to the tokens. */
  const finish = async (redirectTo: string) => {
    let visit = await browser.get(pathOf(redirectTo));
    const pages: string[] = [];
    for (let hops = 0; hops < 4 && !visit.location.href.startsWith(callbackUri); hops += 1) {
      const next = `/api/auth/interactions/${visit.location.searchParams.get('interaction')}`;
      pages.push((await browser.get(next)).body.data.prompt);
      visit = await browser.get(pathOf((await browser.post(next, { action: 'consent' })).body.data.redirectTo));
    }
    return { pages, tokens: await client.authorizationCodeGrant(config, visit.location, checks) };
  };
  return { error: location.searchParams.get('error'), asked, answer, finish };
}

const outcome = ({ status, body }: Answer) => (body.success === true ? [status] : [status, body.code]);
const named = { organizationName: 'Acme' };

describe('a person who has no organization there', () => {
  test('makes one by its name, and signs in for it', async () => {
    const [app, person] = [await appOf(), await stranger()];
    const { asked, answer, finish } = await begin(app, person);
    expect(await asked()).toMatchObject({ prompt: 'organization', organizations: [], canSignUp: true });
    const answered = await answer(named);
    expect(outcome(answered)).toStrictEqual([200]);
    const { pages, tokens } = await finish(answered.body.data.redirectTo);
    const [made] = peers.customers.get(app.scope.id) ?? [];
    expect([pages, tokens.claims()?.['org_id'], tokens.claims()?.sub]).toStrictEqual([['consent'], made?.organizationId, person.userId]);
    expect(claimsOf(tokens.access_token)).toMatchObject({ org_id: made?.organizationId, org_slug: made?.slug });
    const known = { userId: person.userId, email: person.email, name: 'Acme', project: app.scope, appId: app.id };
    expect(peers.signUps).toMatchObject([{ ...known, language: 'en' }]);
    const rows = (await service.auditOf('openid.interaction')).filter((row) => row.actor_id === person.userId);
    const [, projectId] = app.scope.id.split(':');
    expect(rows.map((row) => row.scope_id)).toStrictEqual([`${made?.organizationId}:${projectId}`, `${made?.organizationId}:${projectId}`]);
    // From now on it is the only one.
    expect((await begin(app, person, { prompt: 'none' })).error).toBeNull();
  });

  test('makes one, however often it is pressed and in however many tabs', async () => {
    const [app, person] = [await appOf(), await stranger()];
    const [first, second] = [await begin(app, person), await begin(app, person)];
    const answers = await Promise.all([first.answer(named), first.answer(named), second.answer(named)]);
    expect(answers.map(outcome)).toStrictEqual([[200], [200], [200]]);
    expect(peers.signUps.length).toBe(1);
    expect(outcome(await second.answer({ organizationName: 'Birch' }))).toStrictEqual([409, 'CONFLICT']);
  });

  test('finds it after an answer that was lost', async () => {
    const [app, person] = [await appOf(), await stranger()];
    const { asked, answer, finish } = await begin(app, person);
    peers.onSignUp = async () => Promise.reject(failures.unavailable('tenancy'));
    expect(outcome(await answer(named))).toStrictEqual([503, 'SERVICE_UNAVAILABLE']);
    peers.onSignUp = none;
    // Read again, the page shows it; sent again, the answer is for the same one.
    const [made] = peers.customers.get(app.scope.id) ?? [];
    expect(await asked()).toMatchObject({ organizations: [{ id: made?.organizationId, name: 'Acme' }], canSignUp: false });
    const { tokens } = await finish((await answer(named)).body.data.redirectTo);
    expect([tokens.claims()?.['org_id'], peers.signUps.length]).toStrictEqual([made?.organizationId, 1]);
  });

  test('may be the first of all, and joins nobody to the project itself', async () => {
    const [app, person] = [await appOf(), await stranger()];
    await (await begin(app, person)).answer(named);
    expect(peers.people.get(app.scope.id)?.has(person.userId) ?? false).toBe(false);
  });

  test('is asked also by a pushed request, and the app hears of it with prompt=none', async () => {
    const [app, person] = [await appOf(), await stranger()];
    const config = await openid.discover(app);
    const { url } = await openid.request(config, { scope: 'openid' });
    const pushed = await client.buildAuthorizationUrlWithPAR(config, Object.fromEntries(url.searchParams));
    const { location } = await person.browser.get(pathOf(pushed));
    const { data } = (await person.browser.get(`/api/auth/interactions/${location.searchParams.get('interaction')}`)).body;
    expect(data).toMatchObject({ prompt: 'organization', canSignUp: true });
    expect((await begin(app, person, { prompt: 'none' })).error).toBe('interaction_required');
    // A name is no wish for a new one.
    for (const organization of ['acme', newId()]) expect((await begin(app, person, { organization })).error).toBe('access_denied');
    expect(peers.signUps).toStrictEqual([]);
  });

  test('makes one for a device', async () => {
    const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
    const app = await appOf({ type: 'native', token_endpoint_auth_method: 'none', grant_types: ['authorization_code', deviceGrant] });
    const { browser } = await stranger();
    const config = await openid.discover(app, client.None());
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
    const entered = (await browser.post('/api/auth/device', { userCode: device.user_code })).body.data;
    expect(entered).toMatchObject({ prompt: 'organization', canSignUp: true });
    const answered = await browser.post(`/api/auth/interactions/${entered.id}`, { action: 'continue', ...named });
    const { location } = await browser.get(pathOf(answered.body.data.redirectTo), { accept: 'text/html' });
    const confirm = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
    expect((await browser.get(confirm)).body.data).toMatchObject({ prompt: 'device', organization: { name: 'Acme' } });
    const allowed = await browser.post(confirm, { action: 'consent' });
    await browser.get(pathOf(allowed.body.data.redirectTo), { accept: 'text/html' });
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
    expect(tokens.claims()?.['org_id']).toBe(peers.customers.get(app.scope.id)?.[0]?.organizationId);
  });
});

describe('no organization is made', () => {
  test('by an app that does not say so, or not any more', async () => {
    const person = await stranger();
    const app = await openid.makeClient();
    peers.customers.set(app.scope.id, [{ organizationId: newId(), name: 'Birch', slug: 'birch' }]);
    const { asked, answer } = await begin(app, person);
    expect(await asked()).toMatchObject({ organizations: [], canSignUp: false });
    expect(outcome(await answer(named))).toStrictEqual([403, 'FORBIDDEN']);
    const [other, before] = [await appOf(), await stranger()];
    const page = await begin(other, before);
    await database.query({ text: 'UPDATE project_apps SET allow_organization_sign_up = false WHERE id = $1' }, [other.id]);
    expect([(await page.asked()).canSignUp, outcome(await page.answer(named))]).toStrictEqual([false, [403, 'FORBIDDEN']]);
    expect(peers.signUps).toStrictEqual([]);
  });

  test('when who vouches for the app may not give the project to others now, or nobody does', async () => {
    const [app, person] = [await appOf(), await stranger()];
    const { asked, answer } = await begin(app, person);
    peers.verdicts.set('ProjectGrant:Create', 'escalation');
    expect([(await asked()).canSignUp, outcome(await answer(named))]).toStrictEqual([false, [403, 'FORBIDDEN']]);
    peers.verdicts.clear();
    await database.query({ text: 'UPDATE project_apps SET voucher = NULL WHERE id = $1' }, [app.id]);
    expect([(await asked()).canSignUp, outcome(await answer(named))]).toStrictEqual([false, [403, 'FORBIDDEN']]);
    expect(peers.signUps).toStrictEqual([]);
  });

  test('for an account that does not hold its address', async () => {
    const [app, person] = [await appOf(), await stranger({ verified: false })];
    const { asked, answer } = await begin(app, person);
    expect((await asked()).canSignUp).toBe(true);
    expect(outcome(await answer(named))).toStrictEqual([403, 'ADDRESS_NOT_HELD']);
    expect(peers.signUps).toStrictEqual([]);
  });

  test('for a person of the project or of an organization that uses it', async () => {
    const app = await appOf();
    const [own, member] = [await stranger(), await stranger()];
    join(peers, app.scope.id, own.userId);
    expect(await (await begin(app, own)).asked()).toMatchObject({ prompt: 'consent' });
    const late = await begin(app, member);
    const organizationId = newId();
    peers.customers.set(app.scope.id, [{ organizationId, name: 'Birch', slug: 'birch' }]);
    join(peers, organizationId, member.userId);
    expect(await late.asked()).toMatchObject({ organizations: [{ name: 'Birch' }], canSignUp: false });
    expect(outcome(await late.answer(named))).toStrictEqual([409, 'CONFLICT']);
  });

  test('for another person who has signed in to the browser since', async () => {
    const [app, person] = [await appOf(), await stranger()];
    const other = await stranger({ userAgent: person.userAgent });
    const { answer } = await begin(app, person);
    person.browser.cookies.set('refresh_token', other.refreshToken);
    expect(outcome(await answer(named))).toStrictEqual([404, 'NOT_FOUND']);
    person.browser.cookies.delete('refresh_token');
    expect(outcome(await answer(named))).toStrictEqual([401, 'UNAUTHENTICATED']);
    expect(peers.signUps).toStrictEqual([]);
  });

  test('by another page, with an id besides, and with a name that is none', async () => {
    const [app, person] = [await appOf(), await stranger()];
    const { answer } = await begin(app, person);
    expect(outcome(await answer({ ...named, organizationId: newId() }))).toStrictEqual([400, 'BAD_USER_INPUT']);
    for (const organizationName of ['', '   ', 'x'.repeat(256), 'a\u202Eb', 'a\nb', 7])
      expect(outcome(await answer({ organizationName }))).toStrictEqual([400, 'VALIDATION_ERROR']);
    const own = await stranger();
    join(peers, app.scope.id, own.userId);
    expect(outcome(await (await begin(app, own)).answer(named))).toStrictEqual([400, 'BAD_USER_INPUT']);
    expect(peers.signUps).toStrictEqual([]);
  });
});
