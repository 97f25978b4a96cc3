import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { refuseRequestWithoutHost, refuseUnparsableRequest } from './failures.ts';

/** Bounds for clients that are slow, silent or many. */
const bounds: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  /**
   * Longer than the 60 s of common load balancers, so that they close first and never send into a
   * closed connection.
   */
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5_000,
  noDelay: true,
  /** Most requests have no body: Node then creates no stream for it. */
  optimizeEmptyRequests: true,
  /** Node would refuse without a body and a request id: `refuseRequestWithoutHost` sends both. */
  requireHostHeader: false,
};
const mostDroppedBytes = 16 * 1024 * 1024;
const mostDroppingMs = 5_000;
const droppingCheckMs = 100;
const maxHeaders = 100;
const maxConnections = 20_000;

export type Tls = { readonly GATEWAY_TLS_CERT: string; readonly GATEWAY_TLS_KEY: string };

export type EdgeServerOptions = {
  readonly tls: Tls | undefined;
  /** Malformed requests never reach the router, so the default headers are also passed in here. */
  readonly responseDefaults: ReadonlyMap<string, string>;
  /** A client that takes nothing of a waiting response for so long is disconnected. */
  readonly writeTimeoutMs: number;
};

export function createEdgeServer(listener: RequestListener, { tls, responseDefaults, writeTimeoutMs }: EdgeServerOptions) {
  const listen: RequestListener = (request, response) => {
    response.on('timeout', disconnectSlowReader);
    // Node's parser drops what follows an upgrade in the same segment: the connection must end, or
    // later responses would be taken for those of earlier requests.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    if (sendsBody(request)) response.on('finish', () => dropRest(request));
    if (request.headers.host === undefined && request.httpVersion === '1.1') refuseRequestWithoutHost(response, responseDefaults);
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
  server.timeout = writeTimeoutMs;
  server.on('clientError', (error: Error, socket: Socket) => refuseUnparsableRequest(error, socket, responseDefaults));
  // An unknown expectation may be ignored (RFC 9110 10.1.1). Node would refuse it without a request
  // id, a log line and a metric.
  server.on('checkExpectation', listen);
  return server;
}

function sendsBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/**
 * A client that is still sending reads the response only afterwards: the rest of its body is read
 * and dropped, within bounds.
 */
function dropRest(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const end = { bytes: socket.bytesRead + mostDroppedBytes, ms: performance.now() + mostDroppingMs };
  const timer = setInterval(() => {
    if (socket.bytesRead > end.bytes || performance.now() > end.ms) socket.destroy();
  }, droppingCheckMs).unref();
  request.once('close', () => clearInterval(timer));
  request.resume();
}

/**
 * Without waiting bytes, the response is still being made, which the timeouts of the services
 * bound.
 */
function disconnectSlowReader(this: ServerResponse, socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
