/** Resource indicators (RFC 8707): a token for one API of a project opens no other. */
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
const invoices = 'https://invoices.example.com';
const scope = 'openid offline_access order:read invoice:pay';

/** A person of an app with two APIs, who may do everything in both. */
async function workshop(columns: Readonly<Record<string, unknown>> = {}) {
  const app = await openid.makeClient(columns, { scopes: ['order:read', 'invoice:pay'] });
  service.peers.resourceServers.set(`${app.scope.id} ${orders}`, ['order']);
  service.peers.resourceServers.set(`${app.scope.id} ${invoices}`, ['invoice']);
  const person = await openid.person(app);
  service.peers.permissions.set(person.userId, ['order:read', 'invoice:pay']);
  return { app, person };
}

const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code,
  );

describe('a token for a resource', () => {
  test('says for whom it is, and has the scopes of this API alone', async () => {
    const { app, person } = await workshop();
    const { config, tokens } = await openid.signIn(app, person.browser, { scope, resource: orders });
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: [app.clientId, orders], client_id: app.clientId, scopes: ['order:read'] });
    expect(tokens.scope).toBe('order:read');
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(claimsOf(refreshed.access_token)).toMatchObject({ aud: [app.clientId, orders], scopes: ['order:read'] });
    expect((await client.tokenIntrospection(config, refreshed.access_token)).active).toBe(true);
  });

  test('opens no userinfo: its holder is another API than the platform', async () => {
    const { app, person } = await workshop();
    const { tokens } = await openid.signIn(app, person.browser, { scope, resource: orders });
    const answer = await service.ask('GET', pathOf(`${app.issuer}/oauth/userinfo`), {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(answer.status).toBe(403);
  });

  test('without a resource is for the app alone, with all its scopes', async () => {
    const { app, person } = await workshop();
    const { tokens } = await openid.signIn(app, person.browser, { scope });
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: app.clientId, scopes: ['order:read', 'invoice:pay'] });
  });

  test('is for one of several granted ones, which the token request names', async () => {
    const { app, person } = await workshop();
    const config = await openid.discover(app);
    const { url, checks } = await openid.request(config, { scope });
    for (const resource of [orders, invoices]) url.searchParams.append('resource', resource);
    const { location } = await openid.follow(person.browser, url);
    const tokens = await client.authorizationCodeGrant(config, location, checks, { resource: orders });
    const other = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource: invoices });
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: [app.clientId, orders], scopes: ['order:read'] });
    expect(claimsOf(other.access_token)).toMatchObject({ aud: [app.clientId, invoices], scopes: ['invoice:pay'] });
    expect(await refused(client.refreshTokenGrant(config, other.refresh_token ?? ''))).toBe('invalid_target');
  });
});

describe('invalid_target', () => {
  test('is the answer to an unknown resource, at authorize and at the token endpoint', async () => {
    const { app, person } = await workshop();
    const config = await openid.discover(app);
    for (const resource of ['https://unknown.example.com', 'no uri', `${orders}#fragment`, `${orders}/x`]) {
      const { url } = await openid.request(config, { scope, resource });
      const { location } = await openid.follow(person.browser, url);
      expect([resource, location.searchParams.get('error')]).toStrictEqual([resource, 'invalid_target']);
    }
    const { tokens } = await openid.signIn(app, person.browser, { scope });
    const asked = client.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource: orders });
    expect(await refused(asked)).toBe('invalid_target');
  });

  test('is the answer to a resource that was not granted, and to one of another project', async () => {
    const { app, person } = await workshop();
    const { config, tokens } = await openid.signIn(app, person.browser, { scope, resource: orders });
    expect(await refused(client.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource: invoices }))).toBe('invalid_target');
    const elsewhere = await openid.makeClient({}, { scopes: ['order:read'] });
    const stranger = await openid.person(elsewhere);
    const { url } = await openid.request(await openid.discover(elsewhere), { scope: 'openid order:read', resource: orders });
    const { location } = await openid.follow(stranger.browser, url);
    expect(location.searchParams.get('error')).toBe('invalid_target');
  });

  test('is the answer to a refresh once the resource is gone', async () => {
    const { app, person } = await workshop();
    const { config, tokens } = await openid.signIn(app, person.browser, { scope, resource: orders });
    service.peers.resourceServers.delete(`${app.scope.id} ${orders}`);
    expect(await refused(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_target');
  });
});

describe('a machine app', () => {
  test('gets a token that is for the resource and not for the platform', async () => {
    const roleId = '01900000-0000-7000-8000-000000000001';
    const { app } = await workshop({
      type: 'machine',
      grant_types: ['client_credentials'],
      role_id: roleId,
      scopes: [],
      redirect_uris: [],
    });
    const config = await openid.discover(app);
    const forApi = await client.clientCredentialsGrant(config, { resource: orders });
    expect(claimsOf(forApi.access_token)).toMatchObject({ aud: [app.clientId, orders], type: 'apiKey' });
    expect(claimsOf((await client.clientCredentialsGrant(config)).access_token)['aud']).toBe('http://tessera.test');
    expect(await refused(client.clientCredentialsGrant(config, { resource: 'https://unknown.example.com' }))).toBe('invalid_target');
    expect((await client.tokenIntrospection(config, forApi.access_token)).active).toBe(true);
  });
});
