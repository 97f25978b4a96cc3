import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createProvider, ProviderFailure, ProviderRefusal } from './provider.ts';

const attempt = { redirectUri: 'https://tessera.test/api/auth/acme/callback', state: 's', codeVerifier: 'v'.repeat(43) };
const callback = new URLSearchParams({ code: 'c', state: 's' });

describe('a provider that is not what it should be', () => {
  const answers = new Map<string, RequestListener>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
    const respond = answers.get(request.url ?? '');
    if (respond) respond(request, response);
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"id":1,"sub":"x"}');
  });
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  const json =
    (body: unknown, status = 200): RequestListener =>
    (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const token = json({ access_token: 't', token_type: 'bearer' });

  function identify(given: Readonly<Record<string, RequestListener>>) {
    answers.clear();
    asked.length = 0;
    for (const [path, answer] of Object.entries(given)) answers.set(path, answer);
    const provider = createProvider({
      name: 'acme',
      clientId: 'id',
      clientSecret: 'secret',
      profile: 'openid',
      clientAuthentication: 'post',
      authorizeUrl: `${url}/authorize`,
      tokenUrl: `${url}/token`,
      apiUrl: `${url}/userinfo`,
      callbackUrl: undefined,
      projectCallbackUrl: undefined,
      issuer: undefined,
      scopes: undefined,
      tenant: undefined,
      hostedDomain: undefined,
      teamId: undefined,
      keyId: undefined,
    });
    return provider.identify(callback, attempt);
  }

  test('what it answers well is who signed in', async () => {
    const identity = await identify({ '/token': token, '/userinfo': json({ sub: 'x' }) });
    expect(identity).toStrictEqual({ provider: 'acme', providerId: 'x', name: null, email: null, isEmailVerified: false });
  });

  test('a profile that is not answered with 200 is none, whatever stands in it', async () => {
    for (const status of [201, 404, 500])
      await expect(identify({ '/token': token, '/userinfo': json({ sub: 'x' }, status) })).rejects.toThrow(ProviderFailure);
  });

  test('a redirect is not followed: it would carry the secret or the token elsewhere', async () => {
    const away: RequestListener = (_, response) => void response.writeHead(307, { location: `${url}/elsewhere` }).end();
    const elsewhere = { '/elsewhere': json({ access_token: 't', token_type: 'bearer', sub: 'x' }) };
    await expect(identify({ ...elsewhere, '/token': away })).rejects.toThrow(ProviderFailure);
    await expect(identify({ ...elsewhere, '/token': token, '/userinfo': away })).rejects.toThrow(ProviderFailure);
    expect(asked.every((request) => !request.startsWith('/elsewhere'))).toStrictEqualFor(asked.join(), true);
  });

  test('an answer without end is left', async () => {
    const endless: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ sub: 'x', padding: 'x'.repeat(600 * 1_024) }));
    };
    await expect(identify({ '/token': token, '/userinfo': endless })).rejects.toThrow(ProviderFailure);
  });

  test('a code that it does not take is a refusal, a token endpoint that breaks is not', async () => {
    await expect(identify({ '/token': json({ error: 'invalid_grant' }, 400) })).rejects.toThrow(ProviderRefusal);
    await expect(identify({ '/token': json({ error: 'server_error' }, 500) })).rejects.toThrow(ProviderFailure);
  });

  test('the token goes into the header, never into an address', async () => {
    await identify({ '/token': token, '/userinfo': json({ sub: 'x' }) });
    expect(asked).toStrictEqual(['/token', '/userinfo Bearer t']);
  });
});
