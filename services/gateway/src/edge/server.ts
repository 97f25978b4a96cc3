import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { refuseBrokenRequest, refuseMisshapenRequest } from './failures.ts';

/** Bounds for clients that are slow, silent or many. */
const bounds: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  /** Longer than the 60 s of common load balancers, so that they close first and never send into a closed connection. */
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5_000,
  noDelay: true,
  /** Most requests are a head and nothing else: no stream has to come to its end for them. */
  optimizeEmptyRequests: true,
  /** Node's own refusal would have neither a body nor a name: ours is below. */
  requireHostHeader: false,
};
const maxHeaders = 100;
const maxConnections = 20_000;

export type Tls = { readonly GATEWAY_TLS_CERT: string; readonly GATEWAY_TLS_KEY: string };

/** What every answer carries is told once more here: what is no request never reaches those who know it. */
export function createEdgeServer(listener: RequestListener, tls: Tls | undefined, defaults: ReadonlyMap<string, string>) {
  const listen: RequestListener = (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') refuseMisshapenRequest(response, defaults);
    else listener(request, response);
  };
  const server =
    tls === undefined
      ? createServer(bounds, listen)
      : createTlsServer(
          { ...bounds, cert: readFileSync(tls.GATEWAY_TLS_CERT), key: readFileSync(tls.GATEWAY_TLS_KEY), minVersion: 'TLSv1.2' },
          listen,
        );
  server.maxHeadersCount = maxHeaders;
  server.maxConnections = maxConnections;
  server.on('clientError', (error: Error, socket: Socket) => refuseBrokenRequest(error, socket, defaults));
  // An expectation that nobody knows may be ignored (RFC 9110 10.1.1); refused by Node it would be counted and named by nobody.
  server.on('checkExpectation', listen);
  return server;
}
