import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { refuseBrokenRequest } from './failures.ts';

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
};
const maxHeaders = 100;
const maxConnections = 20_000;

export type Tls = { readonly GATEWAY_TLS_CERT: string; readonly GATEWAY_TLS_KEY: string };

export const createEdgeServer = (listener: RequestListener, tls: Tls | undefined) => {
  const server =
    tls === undefined
      ? createServer(bounds, listener)
      : createTlsServer(
          { ...bounds, cert: readFileSync(tls.GATEWAY_TLS_CERT), key: readFileSync(tls.GATEWAY_TLS_KEY), minVersion: 'TLSv1.2' },
          listener,
        );
  server.maxHeadersCount = maxHeaders;
  server.maxConnections = maxConnections;
  server.on('clientError', refuseBrokenRequest);
  return server;
};
