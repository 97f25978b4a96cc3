import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import * as client from 'openid-client';
import { until } from '../../../../../test/support/until.ts';
import { openBrowser, pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const received: string[] = [];
const app = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    received.push(body);
    response.end();
  });
});
await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
/** Takes requests and never answers them. */
const silent = createServer(() => undefined);
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
const place = app.address();
const appAddress = typeof place === 'object' && place !== null ? `http://127.0.0.1:${place.port}/logout` : '';
const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test', WEBHOOK_ALLOW_PRIVATE: 'true' });
afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  await service.stop();
  app.close();
});
const openid = openidOf(service, await projectsOf(service));
const afterLogout = 'https://client.example/bye';

async function signedIn(columns: Readonly<Record<string, unknown>> = {}) {
  const made = await openid.makeClient({ post_logout_redirect_uris: [afterLogout], ...columns });
  const person = await openid.person(made);
  const { config, tokens } = await openid.signIn(made, person.browser);
  return { made, person, config, tokens };
}
function logoutUrl(config: client.Configuration, tokens: { id_token?: string }, changes: Readonly<Record<string, string>> = {}) {
  return client.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: afterLogout,
    state: 's',
    ...changes,
  });
}

describe('RP-initiated logout', () => {
  for (const [action, staysSignedIn] of [
    ['continue', false],
    ['deny', true],
  ] as const) {
    test(`the tokens of the app end, and after '${action}' the person is ${staysSignedIn ? 'still' : 'not'} signed in to Tessera`, async () => {
      const { person, config, tokens } = await signedIn();
      const { location } = await person.browser.get(pathOf(logoutUrl(config, tokens)));
      expect(location.pathname).toBe('/auth/logout');
      const path = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
      expect((await person.browser.get(path)).body.data).toMatchObject({ prompt: 'logout', app: { name: 'Shop' } });
      const { body } = await person.browser.post(path, { action });
      expect(body.data.redirectTo).toBe(`${afterLogout}?state=s`);
      expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
      const me = await service.ask('GET', '/api/me', { token: person.accessToken });
      expect(me.status).toBe(staysSignedIn ? 200 : 401);
    });
  }

  test('a browser without a session goes straight back to the app', async () => {
    const { config, tokens } = await signedIn();
    const { location } = await openBrowser(service).get(pathOf(logoutUrl(config, tokens)));
    expect(location.href).toBe(`${afterLogout}?state=s`);
  });

  test('an address that is not registered, and a forged hint, end at an error page', async () => {
    const { config, tokens, person } = await signedIn();
    const html = { accept: 'text/html' };
    const [head, payload] = (tokens.id_token ?? '').split('.');
    const forged = { id_token_hint: `${head}.${payload}.${'A'.repeat(342)}` };
    for (const changes of [{ post_logout_redirect_uri: 'https://attacker.example/' }, forged]) {
      const { location } = await person.browser.get(pathOf(logoutUrl(config, tokens, changes)), html);
      expect(location.pathname).toBe('/auth/error');
    }
  });
});

test('the end of a session sends a logout token to its apps', async () => {
  const { made, person, tokens } = await signedIn({ backchannel_logout_uri: appAddress });
  await service.ask('POST', '/api/auth/logout', { token: person.accessToken, body: {} });
  for (let tries = 0; tries < 200 && received.length === 0; tries += 1) await sleep(50);
  const token = new URLSearchParams(received[0]).get('logout_token') ?? '';
  expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).typ).toBe('logout+jwt');
  expect(claimsOf(token)).toMatchObject({
    iss: made.issuer,
    aud: made.clientId,
    sub: person.userId,
    sid: tokens.claims()?.['sid'],
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
  expect(claimsOf(token)).not.toHaveProperty('nonce');
});

test('an address that never answers holds up the logout of no other tenant', async () => {
  const place = silent.address();
  const address = typeof place === 'object' && place !== null ? `http://127.0.0.1:${place.port}/` : '';
  const [hanging, { made }] = [
    await openid.makeClient({ backchannel_logout_uri: address }),
    await signedIn({ backchannel_logout_uri: appAddress }),
  ];
  const owner = await openid.person(hanging);
  const text = `INSERT INTO openid_visits (session_id, project_app_id, user_id, attempts, due_at, expires_at)
    SELECT gen_random_uuid(), $1, $2, 0, now() - interval '1 minute', now() + interval '1 day' FROM generate_series(1, $3)`;
  await service.database.query({ text }, [hanging.id, owner.userId, 300]);
  await service.database.query({ text }, [made.id, owner.userId, 1]);
  const isTold = (body: string) => claimsOf(new URLSearchParams(body).get('logout_token') ?? '')['aud'] === made.clientId;
  await until(() => received.some(isTold));
});

test('a machine app gets a token that acts by its role', async () => {
  const roleId = newId();
  const columns = { type: 'machine', grant_types: ['client_credentials'], role_id: roleId, redirect_uris: [], scopes: [] };
  const made = await openid.makeClient(columns);
  const config = await openid.discover(made);
  const tokens = await client.clientCredentialsGrant(config);
  expect(claimsOf(tokens.access_token)).toMatchObject({
    iss: made.issuer,
    aud: 'http://tessera.test',
    type: 'apiKey',
    sub: made.id,
    roleId,
    client_id: made.clientId,
    scope: { tenant: `${made.scope.tenant}User`, id: `${made.scope.id}:${made.id}` },
  });
  expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(true);
  service.peers.verdicts.set(roleId, 'escalation');
  await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({ error: 'invalid_grant' });
});

test('a machine app that revokes its token ends it for every service that verifies tokens, and for no other token', async () => {
  const columns = { type: 'machine', grant_types: ['client_credentials'], role_id: newId(), redirect_uris: [], scopes: [] };
  const made = await openid.makeClient(columns);
  const config = await openid.discover(made);
  const [revoked, kept] = [await client.clientCredentialsGrant(config), await client.clientCredentialsGrant(config)];
  await client.tokenRevocation(config, revoked.access_token);
  expect((await client.tokenIntrospection(config, revoked.access_token)).active).toBe(false);
  expect((await client.tokenIntrospection(config, kept.access_token)).active).toBe(true);
  const { revocations } = await service.revocations.list({ cursor: '' });
  const ids = revocations.map(({ value }) => value);
  expect(ids).toContain(claimsOf(revoked.access_token)['jti']);
  expect(ids).not.toContain(claimsOf(kept.access_token)['jti']);
});
