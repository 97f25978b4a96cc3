/**
 * What a request without `scope` asks for (RFC 6749 section 3.3): never more than one that names
 * all scopes.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const orders = 'https://orders.example.com/mcp';
const own = ['order:read', 'order:write', 'invoice:pay'];
const native = { type: 'native', token_endpoint_auth_method: 'none' };
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

type App = Awaited<ReturnType<typeof openid.makeClient>>;
type Parameters = Readonly<Record<string, string>>;

async function shop(columns: object = {}, permissions: readonly string[] = own, scopes: readonly string[] = own) {
  const app = await openid.makeClient({ ...columns }, { scopes });
  service.peers.resourceServers.set(`${app.scope.id} ${orders}`, ['order']);
  const person = await openid.person(app);
  service.peers.permissions.set(person.userId, [...permissions]);
  return { app, ...person };
}

/** A request with these parameters alone; what openid-client adds by itself is taken away. */
async function requestWithout(app: App, { scope = '', ...parameters }: Parameters = {}) {
  const config = await openid.discover(app, client.None());
  const { url, checks } = await openid.request(config, parameters);
  url.searchParams.delete('nonce');
  if (scope === '') url.searchParams.delete('scope');
  else url.searchParams.set('scope', scope);
  return { config, url, checks: { pkceCodeVerifier: checks.pkceCodeVerifier, expectedState: checks.expectedState } };
}

async function tokensOf({ app, browser }: Awaited<ReturnType<typeof shop>>, parameters: Parameters = {}) {
  const { config, url, checks } = await requestWithout(app, parameters);
  const { location } = await openid.follow(browser, url);
  return client.authorizationCodeGrant(config, location, checks);
}

async function errorOf({ app, browser }: Awaited<ReturnType<typeof shop>>, parameters: Parameters = {}) {
  const { url } = await requestWithout(app, parameters);
  return (await openid.follow(browser, url)).location.searchParams.get('error');
}

const shape = (tokens: Awaited<ReturnType<typeof tokensOf>>) => {
  const { aud, scopes, scp } = claimsOf(tokens.access_token);
  return { aud, scopes, scp, scope: tokens.scope, others: Object.keys(tokens).filter((name) => /^(id|refresh)_token$/.test(name)) };
};

describe('a request without scope', () => {
  test('gets what one gets that names each scope of the app, and nothing about the person', async () => {
    for (const parameters of [{}, { resource: orders }]) {
      for (const columns of [native, { ...native, is_first_party: true }]) {
        const [silent, named] = [await shop(columns), await shop(columns)];
        const implied = shape(await tokensOf(silent, parameters));
        const scope = 'resource' in parameters ? 'order:read order:write' : own.join(' ');
        const expected = shape(await tokensOf(named, { ...parameters, scope }));
        const aud = 'resource' in parameters ? [silent.app.clientId, orders] : silent.app.clientId;
        expect(implied).toStrictEqualFor({ parameters, columns }, { ...expected, aud });
        expect([implied.scope?.split(' ').toSorted(), implied.others]).toStrictEqual([scope.split(' ').toSorted(), []]);
      }
    }
  });

  test('gets only what the person holds', async () => {
    const world = await shop(native, ['order:read', 'User:Delete']);
    expect(shape(await tokensOf(world))).toMatchObject({ scopes: ['order:read'], scope: 'order:read' });
  });

  test('shows each scope on the consent page, and gets what was chosen there', async () => {
    const { app, browser } = await shop(native);
    const { config, url, checks } = await requestWithout(app, { resource: orders });
    const { location } = await browser.get(pathOf(url));
    const page = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
    const { data } = (await browser.get(page)).body;
    expect([data.prompt, data.scopes.map(({ name }: { name: string }) => name)]).toStrictEqual(['consent', ['order:read', 'order:write']]);
    const answered = await browser.post(page, { action: 'consent', scopes: ['order:read'] });
    const back = await browser.get(pathOf(answered.body.data.redirectTo));
    const tokens = await client.authorizationCodeGrant(config, back.location, checks);
    expect(shape(tokens).scopes).toStrictEqual(['order:read']);
  });

  test('is no way around a consent: what it asks for is asked as if it was named', async () => {
    const world = await shop({ token_endpoint_auth_method: 'none' });
    expect(await errorOf(world, { prompt: 'none' })).toBe('consent_required');
    await tokensOf(world, { scope: 'order:read' });
    // The person has allowed one of three.
    expect(await errorOf(world, { prompt: 'none' })).toBe('consent_required');
    expect(await errorOf(world, { prompt: 'none', scope: own.join(' ') })).toBe('consent_required');
    expect(shape(await tokensOf(world, { prompt: 'none', scope: 'order:read' })).scopes).toStrictEqual(['order:read']);
    await tokensOf(world);
    expect(shape(await tokensOf(world, { prompt: 'none' })).scopes).toStrictEqual(own);
  });

  test('is the same when it is pushed, and of a device', async () => {
    const world = await shop({ ...native, grant_types: ['authorization_code', deviceGrant] });
    const { app, browser } = world;
    const { config, url, checks } = await requestWithout(app);
    const pushed = await client.buildAuthorizationUrlWithPAR(config, url.searchParams);
    const { location } = await openid.follow(browser, pushed);
    expect(shape(await client.authorizationCodeGrant(config, location, checks)).scopes).toStrictEqual(own);
    const device = await client.initiateDeviceAuthorization(config, {});
    const { body } = await browser.post('/api/auth/device', { userCode: device.user_code });
    const { data } = (await browser.get(`/api/auth/interactions/${body.data.id}`)).body;
    expect([data.prompt, data.scopes.map(({ name }: { name: string }) => name)]).toStrictEqual(['device', own]);
  });
});

describe('invalid_scope', () => {
  test('is the answer when the app has no scopes of its own, or none for the resource', async () => {
    expect(await errorOf(await shop(native, own, []))).toBe('invalid_scope');
    expect(await errorOf(await shop(native, own, ['invoice:pay']), { resource: orders })).toBe('invalid_scope');
  });

  // The library drops each of these, and a request without a scope would get all of the app's.
  test.each(['offline_access', 'unknown:scope', 'unknown:one unknown:two'])('is the answer to %s alone, also pushed', async (scope) => {
    const world = await shop({ ...native, grant_types: ['authorization_code'] });
    expect(await errorOf(world, { scope })).toBe('invalid_scope');
    expect(await errorOf(world, { scope, resource: orders })).toBe('invalid_scope');
    const { config, url } = await requestWithout(world.app, { scope });
    const pushing = client.buildAuthorizationUrlWithPAR(config, url.searchParams);
    await expect(pushing).rejects.toMatchObject({ error: 'invalid_scope' });
  });
});
