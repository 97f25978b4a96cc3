/** The command line signs in at the platform's own issuer, through the gateway, with real keys. */
import { expect, test } from '@jest/globals';
import * as openid from 'openid-client';
import { createVerifier } from '../../packages/verifier/src/index.ts';
import { createClient } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import { createPerson, dataOf, PASSWORD } from '../support/world.ts';

const stack = await openStack();
const { url } = stack;
const scope = 'openid email offline_access';

/** A browser of a person who is signed in: its cookies, and nothing else. */
async function openBrowser() {
  const person = await createPerson(stack);
  const client = createClient(url, 'a browser');
  const login = await client.post('/api/auth/login', { provider: 'email', providerId: person.email, providerData: { password: PASSWORD } });
  const cookies = new Map<string, string>();
  const keep = (headers: Readonly<Record<string, string | string[] | undefined>>) => {
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
  };
  keep(login.headers);
  const ask = async (method: string, path: string, body?: unknown) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await client.call(method, path, { body, headers: { cookie, accept: 'text/html' } });
    keep(answer.headers);
    return answer;
  };
  return { ask, person };
}

const pathOf = (address: string) => new URL(address).pathname + new URL(address).search;
const discover = () => openid.discovery(new URL(url), 'tessera-cli', undefined, openid.None(), { execute: [openid.allowInsecureRequests] });

test('discovery of the platform is served in both forms', async () => {
  const client = createClient(url);
  const { body } = await client.get('/.well-known/openid-configuration');
  expect(body).toMatchObject({ issuer: url, token_endpoint: `${url}/oauth/token`, device_authorization_endpoint: `${url}/oauth/device` });
  expect((await client.get('/.well-known/oauth-authorization-server')).body).toStrictEqual(body);
});

test('tessera-cli signs in with a device code, uses the API, refreshes, and ends at once when its session is revoked', async () => {
  const { ask, person } = await openBrowser();
  const config = await discover();
  const device = await openid.initiateDeviceAuthorization(config, { scope });
  const entered = dataOf(await ask('POST', '/api/auth/device', { userCode: device.user_code }));
  const { redirectTo } = dataOf(await ask('POST', `/api/auth/interactions/${entered.id}`, { action: 'consent' }));
  expect((await ask('GET', pathOf(String(redirectTo)))).headers['location']).toBe(`${url}/auth/device?done=allowed`);
  const tokens = await openid.pollDeviceAuthorizationGrant(config, device);
  expect(tokens.claims()).toMatchObject({ iss: url, aud: 'tessera-cli', email: person.email });

  const { access_token: token } = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
  const cli = createClient(url, 'tessera-cli');
  expect(dataOf(await cli.get('/api/me', token)).email).toBe(person.email);
  const verifier = createVerifier({ issuers: [url], audience: url, types: ['session'] });
  expect((await verifier.verify(token)).sub).toBe(tokens.claims()?.sub);
  await openid.tokenRevocation(config, token);
  expect((await cli.get('/api/me', token)).status).toBe(401);
  expect((await cli.get('/api/me', tokens.access_token)).status).toBe(401);
});

test('tessera-cli signs in at a loopback address', async () => {
  const { ask, person } = await openBrowser();
  const config = await discover();
  const verifier = openid.randomPKCECodeVerifier();
  const redirectUri = 'http://127.0.0.1:51999/callback';
  const challenge = { code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
  const address = openid.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope, state: 'a state', ...challenge });
  const page = new URL(String((await ask('GET', pathOf(address.href))).headers['location']));
  expect(page.pathname).toBe('/auth/project/consent');
  const { redirectTo } = dataOf(await ask('POST', `/api/auth/interactions/${page.searchParams.get('interaction')}`, { action: 'consent' }));
  const back = String((await ask('GET', pathOf(String(redirectTo)))).headers['location']);
  expect(back.startsWith(redirectUri)).toBe(true);
  const tokens = await openid.authorizationCodeGrant(config, new URL(back), { pkceCodeVerifier: verifier, expectedState: 'a state' });
  expect(dataOf(await createClient(url).get('/api/me', tokens.access_token)).email).toBe(person.email);
});
