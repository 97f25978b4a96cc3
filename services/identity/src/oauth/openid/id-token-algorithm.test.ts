/** ID tokens and logout tokens by ES256 (OpenID Connect Core 1.0 section 2). */
import { createServer } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { until } from '../../../../../test/support/until.ts';
import { pathOf } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { jwksOf } from '../../testing/peers.ts';
import { projectsOf } from '../../testing/project.ts';

const received: string[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    received.push(body);
    response.end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const place = receiver.address();
const receiverAddress = typeof place === 'object' && place !== null ? `http://127.0.0.1:${place.port}/logout` : '';
const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test', WEBHOOK_ALLOW_PRIVATE: 'true' });
afterAll(async () => {
  await service.stop();
  receiver.close();
});
const openid = openidOf(service, await projectsOf(service));
const afterLogout = 'https://client.example/bye';

/** A sign-in in which openid-client demands this algorithm of the ID token. */
async function signInWith(alg: 'RS256' | 'ES256', columns: Readonly<Record<string, unknown>> = {}) {
  const app = await openid.makeClient({ id_token_signed_response_alg: alg, ...columns });
  const person = await openid.person(app);
  const config = await openid.discover(app, undefined, { id_token_signed_response_alg: alg });
  const { url, checks } = await openid.request(config, { scope: 'openid' });
  const { location } = await openid.follow(person.browser, url);
  const tokens = await client.authorizationCodeGrant(config, location, checks);
  return { app, person, config, tokens };
}

const algOf = (token: string | undefined) => decodeProtectedHeader(token ?? '').alg;

test('the ID token of an app that chose ES256 is signed by it, the access token by RS256; its neighbour’s stays', async () => {
  const { app, config, tokens } = await signInWith('ES256');
  expect([algOf(tokens.id_token), algOf(tokens.access_token)]).toStrictEqual(['ES256', 'RS256']);
  expect(config.serverMetadata()['id_token_signing_alg_values_supported']).toStrictEqual(['RS256', 'ES256']);
  const keys = createLocalJWKSet(jwksOf(app.scope));
  const { payload } = await jwtVerify(tokens.id_token ?? '', keys, { issuer: app.issuer, audience: app.clientId, algorithms: ['ES256'] });
  expect(payload.sub).toBe(tokens.claims()?.sub);
  expect(algOf((await signInWith('RS256')).tokens.id_token)).toBe('RS256');
});

test('it opens nothing of the API, and is a hint at the logout', async () => {
  const { person, config, tokens } = await signInWith('ES256', { post_logout_redirect_uris: [afterLogout] });
  const opened = await service.ask('GET', '/api/me', { token: tokens.id_token ?? '' });
  expect([opened.status, opened.body.code]).toStrictEqual([401, 'UNAUTHENTICATED']);
  const url = client.buildEndSessionUrl(config, { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: afterLogout });
  const { location } = await person.browser.get(pathOf(url));
  expect(location.pathname).toBe('/auth/logout');
});

test('the logout token has the same algorithm', async () => {
  const { app, person } = await signInWith('ES256', { backchannel_logout_uri: receiverAddress });
  await service.ask('POST', '/api/auth/logout', { token: person.accessToken, body: {} });
  await until(() => received.length > 0);
  const token = new URLSearchParams(received[0]).get('logout_token') ?? '';
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'logout+jwt' });
  await jwtVerify(token, createLocalJWKSet(jwksOf(app.scope)), { audience: app.clientId });
});

test('the field is changed by PATCH, and refused where an app gets no ID tokens', async () => {
  const app = await openid.makeClient();
  const change = (idTokenSignedResponseAlg: string) =>
    service.ask('PATCH', `/api/project-apps/${app.id}`, {
      token: openid.owner.accessToken,
      body: { scope: app.scope, idTokenSignedResponseAlg },
    });
  const changed = await change('ES256');
  expect([changed.status, changed.body.data?.idTokenSignedResponseAlg]).toStrictEqual([200, 'ES256']);
  const unknown = await change('none');
  expect([unknown.status, unknown.body.extensions?.field]).toStrictEqual([400, 'idTokenSignedResponseAlg']);
  const untyped = await service.ask('POST', '/api/project-apps', {
    token: openid.owner.accessToken,
    body: { scope: app.scope, name: 'x', redirectUris: ['https://client.example/callback'], idTokenSignedResponseAlg: 'ES256' },
  });
  expect([untyped.status, untyped.body.extensions?.field]).toStrictEqual([400, 'idTokenSignedResponseAlg']);
});
