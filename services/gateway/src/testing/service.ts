import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';

export type StandIn = { readonly app: FastifyInstance; readonly url: string };

/** Starts a service that returns each request as JSON, on `socketPath` or on a free port. */
export async function startService(
  cleanup: AsyncDisposableStack,
  routes: (app: FastifyInstance) => void = () => {},
  socketPath?: string,
): Promise<StandIn> {
  const app = Fastify({ bodyLimit: 16 * 1024 * 1024, forceCloseConnections: true });
  app.get('/ready', () => ({ status: 'ready' }));
  routes(app);
  app.all('/*', (request) => ({
    success: true,
    data: { method: request.method, url: request.url, headers: request.headers, body: request.body },
  }));
  const address = await app.listen(socketPath === undefined ? { host: '127.0.0.1', port: 0 } : { path: socketPath });
  cleanup.defer(() => app.close());
  return { app, url: socketPath === undefined ? address : `unix:${socketPath}` };
}

/** Starts a server of Node on a free port until the test ends. Returns its address. */
export async function listen(cleanup: AsyncDisposableStack, server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanup.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The configuration of a gateway with one stand-in for all services. */
export function allServicesAt(url: string): Record<string, string> {
  return { IDENTITY_HTTP_URL: url, TENANCY_HTTP_URL: url, RBAC_HTTP_URL: url, KEYS_HTTP_URL: url };
}
