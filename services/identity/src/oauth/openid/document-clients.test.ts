/**
 * Clients that are not registered: known by a document at an address of their own, let in by the
 * project, and ended by it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { issuerOf } from '@tessera/kernel/tokens';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { assertWithin, until } from '../../../../../test/support/until.ts';
import { pathOf } from '../../testing/browser.ts';
import { startDocumentHost } from '../../testing/document-host.ts';
import { refused } from '../../testing/exchange.ts';
import { startOauth } from '../../testing/oauth.ts';
import { type OpenidApp, openidOf } from '../../testing/openid.ts';
import { join, projectsOf } from '../../testing/project.ts';
import { appUrl, claimsOf } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: appUrl, WEBHOOK_ALLOW_PRIVATE: 'true' });
let host: Awaited<ReturnType<typeof startDocumentHost>>;
const hosts: (typeof host)[] = [];
afterAll(async () => {
  await service.stop();
  await Promise.all(hosts.map((one) => one.stop()));
});
const openid = openidOf(service, await projectsOf(service));
const { owner } = openid;
const asked = 'openid order:read';
let paths = 0;
const newPath = () => {
  paths += 1;
  return `/client-${paths}.json`;
};

type Project = { readonly scope: OpenidApp['scope']; readonly issuer: string };
let project: Project;
beforeEach(async () => {
  // Documents of a host, and from an address, are counted.
  host = await startDocumentHost();
  hosts.push(host);
  const scope = { tenant: 'organizationProject', id: `${newId()}:${newId()}` };
  join(service.peers, scope.id.slice(0, 36), owner.userId);
  project = { scope, issuer: issuerOf(appUrl, scope) };
});

const rule = async (changes: object = {}) => {
  const body = {
    scope: project.scope,
    allowClientMetadataDocuments: true,
    clientDomains: [host.host],
    clientScopes: ['order:read', 'order:write'],
    ...changes,
  };
  return service.ask('PUT', '/api/client-documents', { body, token: owner.accessToken });
};

/** The client of this document, as the tests call apps. */
const clientOf = (url: string): OpenidApp => ({ ...project, id: '', clientId: url, roleId: '', clientSecret: '' });
let people = 0;
const person = async () => {
  people += 1;
  const ip = `198.51.${Math.floor(people / 200)}.${people % 200}`;
  const known = await openid.person(clientOf(''), undefined, ip);
  service.peers.permissions.set(known.userId, ['order:read', 'order:write']);
  return known;
};
type Known = Awaited<ReturnType<typeof person>>;

const configOf = (url: string) => openid.discover(clientOf(url), client.None());
const requestOf = async (url: string, parameters: Readonly<Record<string, string>> = {}) =>
  openid.request(await configOf(url), { redirect_uri: host.callback, scope: asked, ...parameters });

/** What a browser is answered at authorize: where it goes, or the error of the page. */
async function answerAt(url: string, { browser }: Known, parameters: Readonly<Record<string, string>> = {}) {
  const request = new URL(`${project.issuer}/oauth/authorize`);
  const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
  const given = { client_id: url, response_type: 'code', redirect_uri: host.callback, scope: asked, ...challenge, ...parameters };
  request.search = new URLSearchParams(given).toString();
  const { location, body } = await browser.get(pathOf(request));
  return location.searchParams.get('error') ?? (location.pathname === '/' ? body : location.pathname);
}
const consents = '/auth/project/consent';

async function signIn(url: string, { browser }: Known, parameters: Readonly<Record<string, string>> = {}) {
  const config = await configOf(url);
  const { url: address, checks } = await requestOf(url, parameters);
  const { location } = await openid.follow(browser, address);
  return { config, tokens: await client.authorizationCodeGrant(config, location, checks) };
}
const refresh = (config: client.Configuration, token = '') => client.refreshTokenGrant(config, token);
const rowsOf = async () =>
  service.database.query<{ name: string; document_url: string }>(
    { text: 'SELECT name, document_url FROM project_apps WHERE scope_id = $1 AND deleted_at IS NULL' },
    [project.scope.id],
  );

describe('a client that is known by a document', () => {
  test('signs a person in with nothing registered; the token names its address, and what acts is called by its domain', async () => {
    expect((await rule()).body.data).toMatchObject({ allowClientMetadataDocuments: true, clientDomains: [host.host] });
    const url = host.serve(newPath(), { grant_types: ['authorization_code', 'refresh_token'] });
    const known = await person();
    const { config, tokens } = await signIn(url, known, { scope: `${asked} offline_access`, prompt: 'consent' });
    expect(claimsOf(tokens.access_token)).toMatchObject({ client_id: url, aud: url, scopes: ['order:read'], sub: known.userId });
    const again = await refresh(config, tokens.refresh_token);
    expect(claimsOf(again.access_token).client_id).toBe(url);
    const agents = await service.ask('GET', '/api/me/agents', { token: known.accessToken });
    expect(agents.body.data.items).toMatchObject([{ app: { name: host.host, domain: host.host, documentUrl: url } }]);
    const listed = await service.ask('GET', `/api/project-apps?tenant=${project.scope.tenant}&scopeId=${project.scope.id}`, {
      token: owner.accessToken,
    });
    expect(listed.body.data.items).toMatchObject([{ name: host.host, documentUrl: url, type: 'spa' }]);
  });

  test('is told of in the discovery of projects that let one in, and of no other', async () => {
    const discovery = async () => (await service.ask('GET', pathOf(`${project.issuer}/.well-known/openid-configuration`))).body;
    expect((await discovery()).client_id_metadata_document_supported).toBeUndefined();
    await rule();
    expect((await discovery()).client_id_metadata_document_supported).toBe(true);
    await rule({ allowClientMetadataDocuments: false });
    expect((await discovery()).client_id_metadata_document_supported).toBeUndefined();
  });

  test('signs its requests with the key of its document, and with no other', async () => {
    await rule();
    const [{ privateKey, publicKey }, stranger] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const keys = { jwks: { keys: [await exportJWK(publicKey)] }, token_endpoint_auth_method: 'private_key_jwt' };
    const url = host.serve(newPath(), keys);
    const known = await person();
    const tokensBy = async (key: typeof privateKey) => {
      const config = await openid.discover(clientOf(url), client.PrivateKeyJwt(key));
      const { url: address, checks } = await requestOf(url);
      const { location } = await openid.follow(known.browser, address);
      return client.authorizationCodeGrant(config, location, checks);
    };
    expect(await refused(tokensBy(stranger.privateKey))).toBe('invalid_client');
    expect(claimsOf((await tokensBy(privateKey)).access_token).client_id).toBe(url);
  });

  test('of one address is another client in another project, with consents of its own', async () => {
    await rule();
    const url = host.serve(newPath());
    const known = await person();
    await signIn(url, known);
    const first = project;
    const scope = { tenant: 'organizationProject', id: `${newId()}:${newId()}` };
    join(service.peers, scope.id.slice(0, 36), owner.userId);
    project = { scope, issuer: issuerOf(appUrl, scope) };
    join(service.peers, scope.id, known.userId);
    expect(await answerAt(url, known)).toMatchObject({ error: 'invalid_client' });
    await rule();
    expect(await answerAt(url, known)).toBe(consents);
    project = first;
    expect(await answerAt(url, known)).toBe('/callback');
  });
});

describe('what the page says', () => {
  test('of the client: its domain; its own name stands beside it as its own word, and one that deceives is none', async () => {
    await rule();
    const known = await person();
    const shown = async (name: unknown) => {
      const { url } = await requestOf(host.serve(newPath(), { client_name: name }));
      const { location } = await known.browser.get(pathOf(url));
      const { body } = await known.browser.get(`/api/auth/interactions/${location.searchParams.get('interaction')}`);
      return body.data.app;
    };
    expect(await shown('Your Bank')).toMatchObject({
      name: host.host,
      logoUrl: null,
      document: { domain: host.host, ownName: 'Your Bank', isOnDevice: false },
    });
    for (const name of ['gro.elpmaxe\u202e', 'a\u200bb', 'x'.repeat(81), '', 7])
      expect((await shown(name)).document.ownName).toStrictEqualFor(name, null);
  });

  test('of a client on the device: that any program may have asked in its name; it asks each time, whatever was allowed', async () => {
    await rule();
    const url = host.serve(newPath(), { redirect_uris: ['http://127.0.0.1/callback'] });
    const known = await person();
    // RFC 8252 section 7.3: the port is the program's own.
    const here = { redirect_uri: 'http://127.0.0.1:51234/callback' };
    await signIn(url, known, here);
    expect(await answerAt(url, known, here)).toBe(consents);
    expect(await answerAt(url, known, { ...here, redirect_uri: 'http://127.0.0.1:51235/callback' })).toBe(consents);
    expect(await answerAt(url, known, { ...here, prompt: 'none' })).toBe('interaction_required');
    const { url: address } = await requestOf(url, here);
    const { location } = await known.browser.get(pathOf(address));
    const { body } = await known.browser.get(`/api/auth/interactions/${location.searchParams.get('interaction')}`);
    expect(body.data.app.document).toMatchObject({ isOnDevice: true });
    for (const uri of ['http://127.0.0.1:51234/other', 'http://127.0.0.2/callback', 'http://localhost/callback'])
      expect(await answerAt(url, known, { redirect_uri: uri })).toMatchObject({ error: 'invalid_redirect_uri' });
    expect(await answerAt(url, known, { ...here, code_challenge: '', code_challenge_method: '' })).toBe('invalid_request');
  });
});

describe('an end', () => {
  const signedIn = async () => {
    await rule();
    const path = newPath();
    const grants = { grant_types: ['authorization_code', 'refresh_token'] };
    const url = host.serve(path, grants);
    const known = await person();
    const signed = await signIn(url, known, { scope: `${asked} offline_access`, prompt: 'consent' });
    return { ...signed, path, grants, url, known };
  };
  const revoked = async (token: string) => {
    const { jti } = claimsOf(token);
    await until(async () => (await service.database.query({ text: 'SELECT 1 FROM revocations WHERE value = $1' }, [jti])).length === 1);
  };

  test.each([
    ['the switch', { allowClientMetadataDocuments: false }],
    ['the domain', { clientDomains: ['elsewhere.example'] }],
  ])('of %s ends tokens and refresh within a second, and what is let in again asks anew', async (_what, changes) => {
    const { config, tokens, url, known } = await signedIn();
    await assertWithin(1_000, async () => {
      expect((await rule(changes)).status).toBe(200);
      await revoked(tokens.access_token);
    });
    expect(await refused(refresh(config, tokens.refresh_token))).toBe('invalid_client');
    expect(await answerAt(url, known)).toMatchObject({ error: 'invalid_client' });
    await rule();
    expect(await refused(refresh(config, tokens.refresh_token))).toBe('invalid_grant');
    expect(await answerAt(url, known)).toBe(consents);
  });

  test('of a scope ends the tokens that had it', async () => {
    const { tokens, url, known } = await signedIn();
    await rule({ clientScopes: ['order:write'] });
    await revoked(tokens.access_token);
    const { tokens: next } = await signIn(url, known, { scope: 'openid order:write' });
    expect(claimsOf(next.access_token).scopes).toStrictEqual(['order:write']);
  });

  test('by the person, under what acts for them', async () => {
    const { config, tokens, known } = await signedIn();
    const agents = await service.ask('GET', '/api/me/agents', { token: known.accessToken });
    const [{ app }] = agents.body.data.items;
    expect((await service.ask('DELETE', `/api/me/agents/${app.clientId}`, { token: known.accessToken })).status).toBe(200);
    await revoked(tokens.access_token);
    expect(await refused(refresh(config, tokens.refresh_token))).toBe('invalid_grant');
  });

  test('of the right of the person who let it in: nobody gets a token any more', async () => {
    const { config, tokens, url, known } = await signedIn();
    const left = { tenant: 'organization', id: project.scope.id.slice(0, 36) };
    await service.deliver('user.left', { scope: left, userId: owner.userId });
    await revoked(tokens.access_token);
    expect(await refused(refresh(config, tokens.refresh_token))).not.toBeUndefined();
    expect(await answerAt(host.serve(newPath()), known)).toMatchObject({ error: 'invalid_client' });
    expect(await answerAt(url, known)).toBe('access_denied');
  });

  test.each([
    ['redirects', { redirect_uris: ['http://127.0.0.1:1/callback'] }],
    ['another redirect of its own', 'path'],
    ['name', { client_name: 'Another agent' }],
    ['keys', 'keys'],
  ])('of the document that was consented to (%s): its tokens end, and it asks again', async (_what, changes) => {
    const { config, tokens, path, grants, url, known } = await signedIn();
    expect(await answerAt(url, known)).toBe('/callback');
    const { publicKey } = await generateKeyPair('ES256');
    const keys = { jwks: { keys: [await exportJWK(publicKey)] }, token_endpoint_auth_method: 'private_key_jwt' };
    const more = { redirect_uris: [host.callback, `https://${host.host}/other`] };
    const change = changes === 'keys' ? keys : changes === 'path' ? more : changes;
    host.serve(path, { ...grants, ...(change as object) });
    // What was read is fresh for a minute.
    expect(await answerAt(url, known)).toBe('/callback');
    await expire();
    const redirect = 'redirect_uris' in (change as object) && changes !== 'path' ? { redirect_uri: 'http://127.0.0.1:1/callback' } : {};
    expect(await answerAt(url, known, redirect)).toBe(consents);
    await revoked(tokens.access_token);
    expect(['invalid_grant', 'invalid_client']).toContain(await refused(refresh(config, tokens.refresh_token)));
  });

  test('never comes of a document that is written in another way and says the same', async () => {
    const { tokens, path, grants, url, known } = await signedIn();
    host.serve(path, { ...grants, contacts: ['who@example.com'], client_uri: host.base });
    await expire();
    expect(await answerAt(url, known)).toBe('/callback');
    expect(
      await service.database.query({ text: 'SELECT 1 FROM project_app_tokens WHERE id = $1' }, [claimsOf(tokens.access_token).jti]),
    ).toHaveLength(1);
  });

  test('of the document itself holds at the next look; while its host is down for less than an hour, what was read counts', async () => {
    const { config, tokens, path, url, known } = await signedIn();
    await expire();
    host.answers(path, (_request, response) => void response.writeHead(503).end());
    expect(await answerAt(url, known)).toBe('/callback');
    await expire('2 hours');
    expect(await answerAt(url, known)).toMatchObject({ error: 'invalid_client' });
    await expire();
    await passFailure();
    host.answers(path, (_request, response) => void response.writeHead(410).end());
    expect(await refused(refresh(config, tokens.refresh_token))).toBe('invalid_client');
  }, 30_000);

  async function expire(age = '2 minutes') {
    const text = `UPDATE client_documents SET read_at = now() - $1::interval, fresh_until = now() - interval '1 second'`;
    await service.database.query({ text }, [age]);
    // For a moment all requests share what one has read.
    await sleep(600);
  }
});

/** What failed is not asked for again for ten seconds. */
const passFailure = () => sleep(10_100);

describe('as its attacker', () => {
  test('an address that can be written in another way, or holds more than an address, names no client', async () => {
    await rule();
    const known = await person();
    const path = newPath();
    const url = host.serve(path);
    const { port } = new URL(url);
    const others = [
      `${url}#fragment`,
      `${url}?x=1`,
      `http://user@127.0.0.2:${port}${path}`,
      `http://user:pw@127.0.0.2:${port}${path}`,
      `${host.base}/.${path}`,
      `${host.base}/a/..${path}`,
      `${host.base}/%2e%2e${path}`,
      `${host.base}/`,
      host.base,
      `HTTP://127.0.0.2:${port}${path}`,
      `http://127.2:${port}${path}`,
      `http://0x7f000002:${port}${path}`,
      `http:\\\\127.0.0.2:${port}${path}`,
      `http://127.0.0.2:0${port}${path}`,
      ` ${url}`,
      `${url}\u0000`,
      'http://bücher.example/client.json',
      `ftp://127.0.0.2:${port}${path}`,
      `${url}${'x'.repeat(500)}`,
    ];
    for (const other of others) expect(['invalid_client', 'invalid_request']).toContain((await answerAt(other, known)).error);
    expect(host.asked(path)).toBe(0);
    expect(await rowsOf()).toStrictEqual([]);
    expect(await answerAt(url, known)).toBe(consents);
  });

  test('a host that is not on the list is never asked, also not by another port, a subdomain or a parent', async () => {
    await rule({ clientDomains: ['example.com', 'xn--bcher-kva.example'] });
    const path = newPath();
    const url = host.serve(path);
    const known = await person();
    for (const other of [url, 'https://a.example.com/c', 'https://example.com:8443/c', 'https://example.com.evil.example/c'])
      expect(await answerAt(other, known)).toMatchObject({ error: 'invalid_client' });
    expect(host.asked(path)).toBe(0);
  });

  test('a list takes exact hosts alone', async () => {
    for (const domain of [
      '*.example.com',
      'https://example.com',
      'example.com/',
      'Example.com',
      'bücher.example',
      'a b',
      'example.com:443',
      'u@example.com',
      '',
    ]) {
      const { status } = await rule({ clientDomains: [domain] });
      expect([domain, status]).toStrictEqual([domain, 400]);
    }
    expect((await rule({ clientScopes: ['ProjectApp:Create'] })).status).toBe(400);
    expect((await rule({ clientDomains: ['example.com', 'example.com:8443'] })).status).toBe(200);
  });

  test.each<[string, object]>([
    ['of another client id', { client_id: 'https://elsewhere.example/client' }],
    ['with a secret', { client_secret: 'known to everybody' }],
    ['with an expiry of a secret', { client_secret_expires_at: 0 }],
    ['with a secret method', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['with a redirect elsewhere', { redirect_uris: ['https://elsewhere.example/callback'] }],
    ['with one redirect of two elsewhere', { redirect_uris: ['http://127.0.0.1/callback', 'https://elsewhere.example/callback'] }],
    ['with a script as redirect', { redirect_uris: ['javascript:alert(1)'] }],
    ['with a private scheme', { redirect_uris: ['com.example.app:/callback'] }],
    ['without redirects', { redirect_uris: [] }],
    ['with redirects that are none', { redirect_uris: 'https://example.com' }],
    ['with 21 redirects', { redirect_uris: Array.from({ length: 21 }, (_, index) => `http://127.0.0.1/${index}`) }],
    ['with a method of keys without keys', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['with a symmetric key', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }],
    ['with keys elsewhere', { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://elsewhere.example/keys' }],
    ['with other grants alone', { grant_types: ['client_credentials'] }],
  ])('a document %s is refused, and leaves no row', async (_what, changes) => {
    await rule();
    const url = host.serve(newPath(), changes);
    expect(await answerAt(url, await person())).toMatchObject({ error: 'invalid_client' });
    expect(await rowsOf()).toStrictEqual([]);
  });

  test('a document asks for no more than code and refresh: no device, no machine, no exchange, and no scope that the project does not list', async () => {
    await rule({ clientScopes: ['order:read'] });
    const grants = ['authorization_code', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'];
    const url = host.serve(newPath(), { grant_types: grants, scope: 'order:write User:Delete', is_first_party: true });
    const known = await person();
    const { tokens, config } = await signIn(url, known, { scope: 'openid order:read order:write' });
    expect(claimsOf(tokens.access_token).scopes).toStrictEqual(['order:read']);
    expect(await refused(client.initiateDeviceAuthorization(config, { scope: 'openid' }))).toBe('invalid_request');
    expect(await refused(client.clientCredentialsGrant(config))).toBe('invalid_request');
  });

  test.each<[string, (path: string) => void]>([
    [
      'redirects',
      (path) => host.answers(path, (_request, response) => void response.writeHead(302, { location: host.serve(newPath()) }).end()),
    ],
    [
      'is huge',
      (path) =>
        host.answers(
          path,
          (_request, response) =>
            void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ x: 'x'.repeat(70_000) })),
        ),
    ],
    [
      'is a gzip bomb',
      (path) =>
        host.answers(path, (_request, response) => {
          response
            .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
            .end(gzipSync(Buffer.alloc(50_000_000)));
        }),
    ],
    [
      'never ends',
      (path) => host.answers(path, (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{')),
    ],
    ['is a page', (path) => host.serve(path, {}, { 'content-type': 'text/html' })],
    [
      'is no JSON',
      (path) => host.answers(path, (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{')),
    ],
    [
      'is a list',
      (path) => host.answers(path, (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('[]')),
    ],
  ])(
    'a document that %s is refused, within the time of one request',
    async (_what, serve) => {
      await rule();
      const path = newPath();
      serve(path);
      await assertWithin(6_000, async () => {
        expect(await answerAt(host.base + path, await person())).toMatchObject({ error: 'invalid_client' });
      });
      expect(await rowsOf()).toStrictEqual([]);
    },
    20_000,
  );

  test('requests at once read a document once and make one row; what failed is not asked for again at once', async () => {
    await rule();
    const path = newPath();
    const url = host.serve(path);
    const known = await person();
    const answers = await Promise.all(Array.from({ length: 20 }, () => answerAt(url, known)));
    expect(answers.every((answer) => answer === consents)).toBe(true);
    expect(host.asked(path)).toBe(1);
    expect(await rowsOf()).toHaveLength(1);
    const missing = newPath();
    for (let tries = 0; tries < 5; tries += 1)
      expect(await answerAt(host.base + missing, known)).toMatchObject({ error: 'invalid_client' });
    expect(host.asked(missing)).toBe(1);
  });

  test('a project keeps 500 of them; one that nobody has allowed makes room, and one that somebody has allowed never does', async () => {
    await rule();
    const kept = host.serve(newPath());
    const known = await person();
    await signIn(kept, known);
    const columns =
      'scope_tenant, scope_id, name, redirect_uris, scopes, enabled_providers, allow_sign_up, created_by, vouched_by, voucher, type';
    const more = 'token_endpoint_auth_method, grant_types, updated_at';
    const text = `INSERT INTO project_apps (id, client_id, document_url, created_at, ${columns}, ${more})
      SELECT gen_random_uuid(), client_id || n, document_url || n, now() - interval '1 hour', ${columns}, ${more}
      FROM project_apps, generate_series(1, 499) AS n WHERE document_url = $1`;
    await service.database.query({ text }, [kept]);
    expect(await rowsOf()).toHaveLength(500);
    const next = host.serve(newPath());
    expect(await answerAt(next, known)).toBe(consents);
    const rows = await rowsOf();
    expect(rows).toHaveLength(500);
    expect([kept, next].every((url) => rows.some((row) => row.document_url === url))).toBe(true);
    await service.database.query({ text: 'UPDATE project_apps SET created_at = now() WHERE scope_id = $1' }, [project.scope.id]);
    expect(await answerAt(host.serve(newPath()), known)).toMatchObject({ error: 'invalid_client' });
    expect(await answerAt(kept, known)).toBe('/callback');
  });

  test('a stranger makes the service read at most 20 documents a minute', async () => {
    await rule();
    const ip = '198.51.100.7';
    const before = paths;
    const ask = () => {
      const given = { client_id: host.serve(newPath()), response_type: 'code', redirect_uri: host.callback, scope: 'openid' };
      return service.ask('GET', `${pathOf(`${project.issuer}/oauth/authorize`)}?${new URLSearchParams(given)}`, { ip });
    };
    for (let count = 0; count < 30; count += 1) await ask();
    const read = Array.from({ length: paths - before }, (_, index) => host.asked(`/client-${before + index + 1}.json`));
    expect(read.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(20);
  });
});
