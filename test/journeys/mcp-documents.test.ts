/**
 * An MCP client that is not registered: the official SDK, known by a document at its own https
 * address, signs a person in and calls a tool. A token for one server opens no other one.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from '@jest/globals';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { issuerOf } from '@tessera/kernel/tokens';
import { decodeJwt } from 'jose';
import { makeCertificate, withoutOpenssl } from '../../services/gateway/src/testing/certificate.ts';
import { startMcpServer } from '../support/mcp-server.ts';
import { openPersonsBrowser, sayYes } from '../support/packages/person-browser.ts';
import { startSignIn } from '../support/sign-in.ts';
import { testUnless } from '../support/unless.ts';
import { assertWithin, until } from '../support/until.ts';
import { dataOf } from '../support/world.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const scope = 'order:read';
const callback = 'http://127.0.0.1:8091/callback';

/** The host of the client’s document, over https. */
async function serveDocument(): Promise<{ readonly host: string; readonly url: string; readonly certificate: string }> {
  const { cert, key } = makeCertificate(cleanup);
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_request, response) => {
    const document = { client_id: url, client_name: 'The agent of the test', redirect_uris: ['http://127.0.0.1/callback'] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.defer(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const url = `https://${host}/agent.json`;
  return { host, url, certificate: cert };
}

/** What an MCP client keeps. It has no client id: it says where its document is. */
function keeperOf(clientMetadataUrl: string) {
  const kept: { tokens?: OAuthTokens; verifier?: string; authorize?: URL; client?: { client_id: string } } = {};
  const provider = {
    redirectUrl: callback,
    clientMetadataUrl,
    clientMetadata: { redirect_uris: [callback], token_endpoint_auth_method: 'none', client_name: 'The agent of the test' },
    clientInformation: () => kept.client,
    saveClientInformation(information: { client_id: string }) {
      kept.client = information;
    },
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

testUnless(withoutOpenssl)(
  'the official MCP client is known by its document: it signs in, calls its tool and no other server, and ends with the switch',
  async () => {
    const agent = await serveDocument();
    const env = { NODE_EXTRA_CA_CERTS: agent.certificate, WEBHOOK_ALLOW_PRIVATE: 'true' };
    const { stack, close, createShop, decide } = await startSignIn({ env });
    cleanup.defer(close);
    const { owner, project, roleId } = await createShop();
    dataOf(await owner.client.patch(`/api/users/${owner.userId}`, { scope: project, roleIds: [roleId] }, owner.token));
    const issuer = issuerOf(stack.url, project);
    const [orders, invoices] = [
      await startMcpServer({ slug: 'order', issuer, owner, project }, cleanup),
      await startMcpServer({ slug: 'invoice', issuer, owner, project }, cleanup),
    ];
    const rules = (changes: object) =>
      owner.client.call('PUT', '/api/client-documents', { body: { scope: project, ...changes }, token: owner.token });
    dataOf(await rules({ allowClientMetadataDocuments: true, clientDomains: [agent.host], clientScopes: [scope] }));

    const { kept, provider } = keeperOf(agent.url);
    const connect = () => {
      const transport = new StreamableHTTPClientTransport(new URL(orders), { authProvider: provider });
      const client = new Client({ name: 'agent', version: '1.0.0' });
      cleanup.defer(() => client.close());
      return { transport, client, connected: client.connect(transport) };
    };
    const first = connect();
    await expect(first.connected).rejects.toBeInstanceOf(UnauthorizedError);
    expect(kept.authorize?.searchParams.get('client_id')).toBe(agent.url);
    const browser = await openPersonsBrowser(stack, owner.email);
    const back = await sayYes(browser, kept.authorize?.href ?? '', callback);
    await first.transport.finishAuth(back.searchParams.get('code') ?? '');
    const token = kept.tokens?.access_token ?? '';
    expect(decodeJwt(token)).toMatchObject({ client_id: agent.url, aud: [agent.url, orders], scopes: [scope], sub: owner.userId });
    const { client, connected } = connect();
    await connected;
    expect((await client.callTool({ name: 'list' })).content).toStrictEqual([{ type: 'text', text: `orders of ${owner.userId}` }]);

    const call = async (server: string) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      return (await fetch(server, { method: 'POST', headers, body })).status;
    };
    expect([await call(orders), await call(invoices)]).toStrictEqual([200, 401]);
    const agents = dataOf(await owner.client.get('/api/me/agents', owner.token)).items;
    expect(agents).toMatchObject([{ app: { name: agent.host, domain: agent.host, documentUrl: agent.url } }]);
    expect((await decide(token, 'order', 'read'))[0]).toBe(true);
    await assertWithin(1_000, async () => {
      dataOf(await rules({ allowClientMetadataDocuments: false }));
      await until(async () => (await decide(token, 'order', 'read'))[0] === 401);
    });
  },
);
