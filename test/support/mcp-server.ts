/** An MCP server of a project: a resource with an address, one tool, and @tessera/verifier. */
import { once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { claimsOf, protectedResource, requireToken } from '../../packages/verifier/src/express.ts';
import { createVerifier } from '../../packages/verifier/src/index.ts';
import { choosePort } from '../../tools/stack/ports.ts';
import type { ScopeValue } from './client.ts';
import { dataOf, type Person } from './world.ts';

type Options = { readonly slug: string; readonly issuer: string; readonly owner: Person; readonly project: ScopeValue };

/** Its address, which is the identifier of the resource with this slug. */
export async function startMcpServer({ slug, issuer, owner, project }: Options, cleanup: AsyncDisposableStack): Promise<string> {
  const port = await choosePort(0, '127.0.0.1');
  const resource = `http://127.0.0.1:${port}/mcp`;
  const inProject = `tenant=${project.tenant}&scopeId=${project.id}`;
  const { items } = dataOf(await owner.client.get(`/api/resources?${inProject}&isBuiltIn=false`, owner.token));
  const known = items.find((one: { readonly slug: string }) => one.slug === slug);
  if (known === undefined)
    dataOf(
      await owner.client.post('/api/resources', { scope: project, name: slug, slug, actions: ['read'], identifier: resource }, owner.token),
    );
  else dataOf(await owner.client.patch(`/api/resources/${known.id}`, { scope: project, identifier: resource }, owner.token));
  const verifier = createVerifier({ issuers: [issuer], audience: resource, types: ['projectApp'] });
  const app = express();
  app.use(protectedResource({ resource, authorizationServers: [issuer], scopesSupported: [`${slug}:read`] }));
  app.use(requireToken(verifier, { resource, scopes: [`${slug}:read`] }));
  app.post('/mcp', express.json(), async (request, response) => {
    const server = new McpServer({ name: slug, version: '1.0.0' });
    const caller = claimsOf(request).sub;
    server.registerTool('list', { description: 'Lists what there is' }, () => ({
      content: [{ type: 'text', text: `${slug}s of ${caller}` }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  app.all('/mcp', (_request, response) => void response.status(405).end());
  const listening = app.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  cleanup.defer(() => new Promise<void>((resolve) => void listening.close(() => resolve())));
  return resource;
}
