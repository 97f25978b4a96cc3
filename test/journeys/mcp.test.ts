/**
 * The official MCP client finds a project's provider from nothing but the address of an MCP server,
 * signs a person in, and calls a tool. The server is protected by @tessera/verifier alone.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { issuerOf } from '@tessera/kernel/tokens';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { startMcpServer } from '../support/mcp-server.ts';
import { openPersonsBrowser, sayYes } from '../support/packages/person-browser.ts';
import { openSignIn } from '../support/sign-in.ts';
import { dataOf } from '../support/world.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const signIns = await openSignIn();
const callback = 'http://127.0.0.1:8090/callback';
const scope = 'order:read';

let shop: Awaited<ReturnType<typeof signIns.createShop>>;
let issuer: string;
let address: string;
let elsewhere: string;
beforeAll(async () => {
  shop = await signIns.createShop();
  issuer = issuerOf(signIns.stack.url, shop.project);
  const { owner, project, roleId } = shop;
  dataOf(await owner.client.patch(`/api/users/${owner.userId}`, { scope: project, roleIds: [roleId] }, owner.token));
  const serve = (slug: string) => startMcpServer({ slug, issuer, owner, project }, cleanup);
  [address, elsewhere] = [await serve('order'), await serve('invoice')];
});

const createApp = async (changes: object = {}) =>
  shop.createApp({ type: 'native', redirectUris: [callback], scopes: [scope], allowSignUp: false, signUpRoleId: null, ...changes });

/** What an MCP client keeps. `authorize` is where it sends the browser. */
function keeperOf(clientId: string) {
  const kept: { tokens?: OAuthTokens; verifier?: string; authorize?: URL } = {};
  const provider = {
    redirectUrl: callback,
    clientMetadata: { redirect_uris: [callback], token_endpoint_auth_method: 'none', client_name: 'An agent' },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => kept.tokens,
    saveTokens(tokens: OAuthTokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      kept.authorize = url;
    },
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? '',
  };
  return { kept, provider };
}

const text = async (client: Client): Promise<unknown> => (await client.callTool({ name: 'list' })).content;

test('the official MCP client signs a person in by the address of the server alone, and calls its tool', async () => {
  const { clientId } = await createApp();
  const { kept, provider } = keeperOf(clientId);
  const connect = async (url: string) => {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
    const client = new Client({ name: 'agent', version: '1.0.0' });
    cleanup.defer(() => client.close());
    return { transport, client, connected: client.connect(transport) };
  };
  const first = await connect(address);
  await expect(first.connected).rejects.toBeInstanceOf(UnauthorizedError);
  expect(kept.authorize?.href.startsWith(`${issuer}/oauth/authorize?`)).toBe(true);
  expect(kept.authorize?.searchParams.get('resource')).toBe(address);
  const browser = await openPersonsBrowser(signIns.stack, shop.owner.email);
  const back = await sayYes(browser, kept.authorize?.href ?? '', callback);
  await first.transport.finishAuth(back.searchParams.get('code') ?? '');
  const token = kept.tokens?.access_token ?? '';
  expect(decodeJwt(token)).toMatchObject({ aud: [clientId, address], scopes: [scope] });
  const { client, connected } = await connect(address);
  await connected;
  expect(await text(client)).toStrictEqual([{ type: 'text', text: `orders of ${shop.owner.userId}` }]);

  // The same token at the other server of the same project.
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const stolen = await fetch(elsewhere, { method: 'POST', headers, body: '{}' });
  expect([stolen.status, stolen.headers.get('www-authenticate')?.includes('invalid_token')]).toStrictEqual([401, true]);
});

test('a token that is bound to a key opens the API by oauth4webapi with a proof, once each, and never as Bearer', async () => {
  const { clientId } = await createApp({ dpopBoundAccessTokens: true });
  const allowed = { [oauth.allowInsecureRequests]: true };
  const url = new URL(issuer);
  const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, allowed));
  const client = { client_id: clientId };
  const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
  const verifier = oauth.generateRandomCodeVerifier();
  const authorize = new URL(server.authorization_endpoint ?? '');
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const asked = { client_id: clientId, redirect_uri: callback, response_type: 'code', scope, code_challenge: challenge };
  authorize.search = new URLSearchParams({
    ...asked,
    code_challenge_method: 'S256',
    dpop_jkt: await DPoP.calculateThumbprint(),
  }).toString();
  const browser = await openPersonsBrowser(signIns.stack, shop.owner.email);
  const back = oauth.validateAuthResponse(server, client, await sayYes(browser, authorize.href, callback));
  const options = { DPoP, ...allowed };
  const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), back, callback, verifier, options);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
  expect(tokens.token_type).toBe('dpop');

  const decide = `${signIns.stack.url}/api/auth/is-authorized`;
  const body = JSON.stringify({ permission: { resource: 'order', action: 'read' } });
  const sent: Headers[] = [];
  const ask = () =>
    oauth.protectedResourceRequest(
      tokens.access_token,
      'POST',
      new URL(decide),
      new Headers({ 'content-type': 'application/json' }),
      body,
      {
        ...options,
        [oauth.customFetch]: (address, { headers, ...init }) => {
          sent.push(new Headers(headers));
          return fetch(address, { ...init, headers } as RequestInit);
        },
      },
    );
  for (const answer of [await ask(), await ask()]) expect(await answer.json()).toMatchObject({ data: { authorized: true } });
  const [seen = new Headers()] = sent;
  const replayed = await fetch(decide, { method: 'POST', headers: seen, body });
  const asBearer = { 'content-type': 'application/json', authorization: `Bearer ${tokens.access_token}` };
  const stolen = await fetch(decide, { method: 'POST', headers: asBearer, body });
  const graphql = await fetch(`${signIns.stack.url}/graphql`, { method: 'POST', headers: asBearer, body: '{"query":"{ me { id } }"}' });
  const refused = [replayed, stolen, graphql].map(({ status, headers }) => [status, headers.get('www-authenticate')?.split(',')[0]]);
  expect(refused).toStrictEqual([
    [401, 'DPoP error="invalid_dpop_proof"'],
    [401, 'DPoP error="invalid_token"'],
    [401, 'DPoP error="invalid_token"'],
  ]);
});
