import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import * as client from 'openid-client';
import { until } from '../../../../../test/support/until.ts';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const native = { type: 'native', token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token', grant] };

type App = Awaited<ReturnType<typeof openid.makeClient>>;
type Person = Awaited<ReturnType<typeof openid.person>>;
type Device = { readonly device_code: string; readonly user_code: string };

const makeDeviceApp = (changes: object = {}, of: object = {}) => openid.makeClient({ ...native, ...changes }, of);

async function form(app: Pick<App, 'issuer'>, path: string, parameters: Readonly<Record<string, string>>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return service.ask('POST', pathOf(`${app.issuer}/oauth/${path}`), { headers, body: new URLSearchParams(parameters).toString() });
}
async function begin(app: App, scope = 'openid offline_access'): Promise<Device> {
  const { status, body } = await form(app, 'device', { client_id: app.clientId, scope });
  expect(status).toStrictEqualFor(body, 200);
  return body;
}
/** The interval is not waited for: the time of the last question is moved back. */
async function poll(app: App, { device_code: code }: Device, isPatient = true) {
  if (isPatient)
    await service.database.query(
      { text: "UPDATE openid_artifacts SET polled_at = polled_at - interval '1 minute' WHERE model = 'DeviceCode' AND issuer = $1" },
      [app.issuer],
    );
  return form(app, 'token', { grant_type: grant, client_id: app.clientId, device_code: code });
}
async function pollError(app: App, device: Device, isPatient = true): Promise<string> {
  return (await poll(app, device, isPatient)).body.error;
}

const enter = ({ browser }: Pick<Person, 'browser'>, userCode: string) => browser.post('/api/auth/device', { userCode });

/** Answers each page of the interaction until the browser is at a page that asks nothing. */
async function answer({ browser }: Pick<Person, 'browser'>, interaction: string, action = 'consent') {
  let id: string | null = interaction;
  for (let hops = 0; hops < 4; hops += 1) {
    const { body } = await browser.get(`/api/auth/interactions/${id}`);
    const given = body.data?.prompt === 'device' || action === 'deny' ? action : 'continue';
    const answered = await browser.post(`/api/auth/interactions/${id}`, { action: given });
    if (answered.status !== 200) return { status: answered.status, page: undefined };
    const { location } = await browser.get(pathOf(answered.body.data.redirectTo), { accept: 'text/html' });
    id = location.searchParams.get('interaction');
    if (id === null) return { status: 200, page: location };
  }
  throw new Error('the interaction does not end');
}
async function approve(person: Person, { user_code: code }: Device) {
  const { status, body } = await enter(person, code);
  expect(status).toStrictEqualFor(body, 200);
  return answer(person, body.data.id);
}

describe('the device grant (RFC 8628)', () => {
  test('openid-client signs a device in, by discovery alone', async () => {
    const app = await makeDeviceApp();
    const person = await openid.person(app);
    service.peers.permissions.set(person.userId, ['order:read']);
    const config = await openid.discover(app, client.None());
    expect(config.serverMetadata()).toMatchObject({ device_authorization_endpoint: `${app.issuer}/oauth/device` });
    expect(config.serverMetadata().grant_types_supported).toContain(grant);
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid email offline_access order:read order:write' });
    expect(device).toMatchObject({ verification_uri: 'http://tessera.test/auth/device', interval: 5, expires_in: 600 });
    expect(device.verification_uri_complete).toBe(`http://tessera.test/auth/device?user_code=${device.user_code}`);
    expect(device.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);

    const { body } = await enter(person, device.user_code.toLowerCase().replace('-', ' '));
    expect(body.data).toMatchObject({
      prompt: 'device',
      app: { name: 'Shop', clientId: app.clientId, project: 'Shop', organization: 'Birch' },
      account: { email: person.email },
    });
    const { page } = await answer(person, body.data.id);
    expect(page?.href).toBe('http://tessera.test/auth/device?done=allowed');

    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
    expect(tokens.claims()).toMatchObject({ iss: app.issuer, sub: person.userId, aud: app.clientId, acr: 'aal1', email: person.email });
    expect(claimsOf(tokens.access_token)).toMatchObject({ type: 'projectApp', scopes: ['order:read'] });
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await client.fetchUserInfo(config, refreshed.access_token, person.userId)).email).toBe(person.email);
  });

  test('the page shows which program at which address requested the code', async () => {
    const app = await makeDeviceApp();
    const request = { client_id: app.clientId, scope: 'openid' };
    const { body: device } = await service.ask('POST', `${pathOf(app.issuer)}/oauth/device`, {
      userAgent: 'smart-tv/1.0',
      ip: '198.51.100.7',
      body: new URLSearchParams(request).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const person = await openid.person(app);
    const { body } = await enter(person, device.user_code);
    expect(body.data.device).toStrictEqual({ userAgent: 'smart-tv/1.0', ipAddress: '198.51.100.7' });
    const { url } = await openid.request(await openid.discover(await openid.makeClient({}, { allowSignUp: true })));
    const { location } = await person.browser.get(pathOf(url));
    const other = await person.browser.get(`/api/auth/interactions/${location.searchParams.get('interaction')}`);
    expect(other.body.data.device).toBeNull();
  });

  test('a person who is not signed in signs in first', async () => {
    const app = await makeDeviceApp();
    const device = await begin(app);
    const userAgent = 'a browser before its sign-in';
    const browser = openBrowser(service, { userAgent });
    const { body } = await enter({ browser }, device.user_code);
    expect(body.data).toMatchObject({ prompt: 'sign_in', account: null });
    const person = await openid.person(app, userAgent);
    browser.cookies.set('refresh_token', person.refreshToken);
    expect((await answer({ browser }, body.data.id)).page?.search).toBe('?done=allowed');
    expect((await poll(app, device)).status).toBe(200);
  });

  test('an app that demands a second factor gets no token of a device before the person has given it', async () => {
    const app = await makeDeviceApp({ require_second_factor: true });
    const person = await openid.person(app);
    const device = await begin(app);
    expect((await enter(person, device.user_code)).body.data).toMatchObject({ prompt: 'sign_in' });
    expect(await pollError(app, device)).toBe('authorization_pending');
    await service.database.query({ text: "UPDATE sessions SET acr = 'aal2' WHERE user_id = $1" }, [person.userId]);
    await approve(person, device);
    const { status, body } = await poll(app, device);
    expect(status).toStrictEqualFor(body, 200);
    expect(claimsOf(body.id_token)).toMatchObject({ acr: 'aal2' });
  });

  test('the answers of the standard: pending, slow down, denied, expired', async () => {
    const app = await makeDeviceApp();
    const [denied, expired] = [await begin(app), await begin(app)];
    expect(await pollError(app, denied)).toBe('authorization_pending');
    expect(await pollError(app, denied, false)).toBe('slow_down');
    const pause = { text: 'SELECT poll_seconds FROM openid_artifacts WHERE issuer = $1 AND polled_at IS NOT NULL' };
    expect(await service.database.query(pause, [app.issuer])).toStrictEqual([{ poll_seconds: 10 }]);
    expect(await pollError(app, denied)).toBe('authorization_pending');
    const person = await openid.person(app);
    const { body } = await enter(person, denied.user_code);
    expect((await answer(person, body.data.id, 'deny')).page?.search).toBe('?done=refused');
    expect(await pollError(app, denied)).toBe('access_denied');

    const age = `UPDATE openid_artifacts SET payload = jsonb_set(payload, '{exp}', '1') WHERE issuer = $1`;
    await service.database.query({ text: age }, [app.issuer]);
    expect(await pollError(app, expired)).toBe('expired_token');
    expect((await enter(person, expired.user_code)).status).toBe(400);
  });

  test('waiting devices fill no audit log, refusals are in it', async () => {
    const app = await makeDeviceApp();
    const device = await begin(app);
    const before = (await service.auditOf('openid.grant')).length;
    await poll(app, device);
    await poll(app, device, false);
    expect(await service.auditOf('openid.grant')).toHaveLength(before);
    expect((await enter(await openid.person(app), device.user_code)).status).toBe(200);
    expect(await service.auditOf('openid.device')).toContainEqual(expect.objectContaining({ outcome: 'ok', scope_id: app.scope.id }));
  });

  test('many questions at once are one question, the others are too early', async () => {
    const app = await makeDeviceApp();
    const device = await begin(app);
    const answers = await Promise.all(Array.from({ length: 5 }, () => pollError(app, device, false)));
    expect(answers.toSorted()).toStrictEqual(['authorization_pending', ...Array(4).fill('slow_down')]);
  });
});

describe('attacks on the device grant', () => {
  test('a guess, a code that is over and a code of another browser are one answer', async () => {
    const app = await makeDeviceApp();
    const [taken, used] = [await begin(app), await begin(app)];
    const [person, attacker] = [await openid.person(app), await openid.person(app)];
    expect((await enter(person, taken.user_code)).status).toBe(200);
    await approve(person, used);
    const shown = async (code: string) => {
      const { status, body, headers } = await enter(attacker, code);
      return { status, code: body.code, error: body.error, cookies: headers['set-cookie'] };
    };
    const guessed = await shown('BBBB-BBBB');
    expect(guessed).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
    expect(await shown(taken.user_code)).toStrictEqual(guessed);
    expect(await shown(used.user_code)).toStrictEqual(guessed);
    // The browser that entered it may enter it again.
    expect((await enter(person, taken.user_code)).status).toBe(200);
  });

  test('the interaction is nothing in another browser, not even at the address that ends it', async () => {
    const app = await makeDeviceApp();
    const device = await begin(app);
    const [victim, attacker] = [await openid.person(app), await openid.person(app)];
    const { body } = await enter(attacker, device.user_code);
    const { id } = body.data;
    expect((await victim.browser.get(`/api/auth/interactions/${id}`)).status).toBe(404);
    expect((await victim.browser.post(`/api/auth/interactions/${id}`, { action: 'consent' })).status).toBe(404);
    const address = pathOf(`${app.issuer}/oauth/device/verification/${id}`);
    expect((await victim.browser.get(address, { accept: 'text/html' })).location.pathname).toBe('/auth/error');
    expect(await pollError(app, device)).toBe('authorization_pending');
    const foreign = { origin: 'https://attacker.example' };
    expect((await victim.browser.post('/api/auth/device', { userCode: device.user_code }, foreign)).status).toBe(403);
  });

  test('nothing is approved without an answer, and a remembered consent answers nothing', async () => {
    const app = await makeDeviceApp();
    const person = await openid.person(app);
    await approve(person, await begin(app));
    const second = await begin(app);
    const { body } = await enter(person, second.user_code);
    expect(body.data.prompt).toBe('device');
    const address = pathOf(`${app.issuer}/oauth/device/verification/${body.data.id}`);
    const { location } = await person.browser.get(address, { accept: 'text/html' });
    expect(location.pathname).toBe('/auth/device');
    expect(location.searchParams.get('done')).toBeNull();
    expect(await pollError(app, second)).toBe('authorization_pending');
  });

  test('a first-party app asks, too', async () => {
    const app = await makeDeviceApp({ is_first_party: true });
    const { body } = await enter(await openid.person(app), (await begin(app)).user_code);
    expect(body.data.prompt).toBe('device');
  });

  test('a device code is good once, and the second use ends what the first gave', async () => {
    const app = await makeDeviceApp();
    const person = await openid.person(app);
    const device = await begin(app);
    await approve(person, device);
    const { body } = await poll(app, device);
    expect((await poll(app, device)).body.error).toBe('invalid_grant');
    const refresh = { grant_type: 'refresh_token', client_id: app.clientId, refresh_token: body.refresh_token };
    expect((await form(app, 'token', refresh)).body.error).toBe('invalid_grant');
  });

  test('many devices with one code: one gets tokens', async () => {
    const app = await makeDeviceApp();
    const device = await begin(app);
    await approve(await openid.person(app), device);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => poll(app, device, at === 0)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test('of two answers at once one holds, and neither changes the other', async () => {
    const app = await makeDeviceApp();
    const device = await begin(app);
    const person = await openid.person(app);
    const other = await openid.person(app);
    const ids = [(await enter(person, device.user_code)).body.data.id, (await enter(person, device.user_code)).body.data.id];
    const pages = await Promise.all([answer(person, ids[0]), answer(person, ids[1], 'deny')]);
    const searches = pages.map(({ page }) => page?.search);
    const outcome = await poll(app, device);
    expect(searches.filter((search) => search === '?done=allowed' || search === '?done=refused')).toHaveLength(1);
    if (searches[0] === '?done=allowed') expect(outcome.status).toBe(200);
    else expect(outcome.body.error).toBe('access_denied');
    expect((await enter(other, device.user_code)).status).toBe(400);
  });

  test('a code of one project is nothing at another, nor for another client of the same', async () => {
    const app = await makeDeviceApp();
    const sibling = await makeDeviceApp();
    await service.database.query({ text: 'UPDATE project_apps SET scope_id = $2 WHERE id = $1' }, [sibling.id, app.scope.id]);
    const foreign = await makeDeviceApp();
    const device = await begin(app);
    await approve(await openid.person(app), device);
    expect(await pollError(foreign, device)).toBe('invalid_grant');
    expect(await pollError({ ...sibling, issuer: app.issuer }, device)).toBe('invalid_grant');
    expect((await poll(app, device)).status).toBe(200);
  });

  test('the digest of a device code is no device code', async () => {
    const app = await makeDeviceApp();
    await approve(await openid.person(app), await begin(app));
    const text = "SELECT encode(digest, 'hex') AS digest FROM openid_artifacts WHERE model = 'DeviceCode' AND issuer = $1";
    const [row] = await service.database.query<{ digest: string }>({ text }, [app.issuer]);
    expect((await poll(app, { device_code: `digest:${row?.digest}`, user_code: '' })).body.error).toBe('invalid_grant');
  });

  test('a person who is removed after the approval, or whose session ends, gives the device nothing', async () => {
    const ends: ((app: App, person: Person) => Promise<unknown>)[] = [
      async (app) => service.peers.people.set(app.scope.id, new Set()),
      async (_app, person) => service.ask('POST', '/api/me/logout', { token: person.accessToken }),
      async (app) =>
        service.ask('DELETE', `/api/project-apps/${app.id}?scopeId=${app.scope.id}&tenant=${app.scope.tenant}`, {
          token: openid.owner.accessToken,
        }),
    ];
    for (const end of ends) {
      const app = await makeDeviceApp();
      const person = await openid.person(app);
      const device = await begin(app);
      await approve(person, device);
      await end(app, person);
      const { status, body } = await poll(app, device);
      expect([status, ['invalid_grant', 'invalid_client'].includes(body.error)]).toStrictEqualFor(body, [
        body.error === 'invalid_client' ? 401 : 400,
        true,
      ]);
    }
  });

  test('a stranger gets no device into a project, and the refusal is audited', async () => {
    const app = await makeDeviceApp();
    const stranger = await openid.person({ ...app, scope: { ...app.scope, id: newId() } });
    const device = await begin(app);
    const { status } = await enter(stranger, device.user_code);
    expect(status).toBe(403);
    expect(await pollError(app, device)).toBe('access_denied');
    await until(async () => (await service.auditOf('openid.device_authorization')).some(({ scope_id: id }) => id === app.scope.id));
  });

  test('an app without the grant begins none, and no scope is granted that it has not', async () => {
    const app = await makeDeviceApp({ grant_types: ['authorization_code'] });
    expect((await form(app, 'device', { client_id: app.clientId, scope: 'openid' })).body.error).toBe('invalid_request');
    const other = await makeDeviceApp();
    const person = await openid.person(other);
    service.peers.permissions.set(person.userId, ['invoice:pay']);
    const device = await begin(other, 'openid invoice:pay');
    await approve(person, device);
    expect((await poll(other, device)).body.scope).toBe('openid');
  });

  test('no value that is typed or sent is kept in the clear', async () => {
    const app = await makeDeviceApp();
    const device = await begin(app);
    const rows = await service.database.query({ text: 'SELECT payload::text AS payload FROM openid_artifacts WHERE issuer = $1' }, [
      app.issuer,
    ]);
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(device.user_code.replace('-', ''));
    expect(stored).not.toContain(device.device_code);
  });
});
