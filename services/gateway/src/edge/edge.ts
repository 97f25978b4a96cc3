import type { IncomingMessage } from 'node:http';
import { acceptTraceparent, type Metrics, type RunningSpan, requestContext, startSpan } from '@tessera/kernel/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessLog } from './access-log.ts';
import { contextOf, type EdgeContext, type EdgeOptions, isPreflight, requestIdOf } from './context.ts';
import type { CorsPolicy } from './cors.ts';
import { newTraceparent } from './ids.ts';

const noOrigins: CorsPolicy = { origins: new Set(), isOpen: false };

type RouteOptions = FastifyRequest['routeOptions'];
export type Observers = {
  readonly metrics: Metrics;
  readonly accessLog: AccessLog;
  /** Told of each answer, by the authorization with which the request was counted. */
  readonly answered?: (edge: EdgeContext, authorization: string, status: number) => void;
};

/**
 * Runs for every request before anything else: context and span; and reports every response.
 */
export function installEdge(app: FastifyInstance, options: EdgeOptions, observers: Observers): void {
  app.decorateRequest('edge');
  const withoutOrigins = { ...options, cors: noOrigins };
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, routeOptions } = request;
    const requestId = requestIdOf(raw);
    const parent = acceptTraceparent(one(raw.headers['traceparent']));
    const span = spanOf(raw, routeOptions, requestId, parent);
    const identity = { requestId, traceparent: span?.traceparent ?? parent ?? newTraceparent(), span };
    request.edge = contextOf(raw, identity, routeOptions.config.cors === 'service' ? withoutOrigins : options);
    report(request, routeOptions, reply, observers);
    requestContext.run(request.edge, done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    addHeaders(reply, request.edge, options.responseDefaults);
    done(null, payload);
  });
}

/** Answers CORS preflights, once they are counted. */
export function installPreflights(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isPreflight(request.raw) && request.routeOptions.config.cors !== 'service') reply.code(204).send();
    else done();
  });
}

/**
 * Whether the router can read the path. Fastify would refuse one that it can't read before any
 * hook.
 */
export function isWellFormed(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURI(url.slice(0, url.search(/[?#]|$/)));
    return true;
  } catch {
    return false;
  }
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/**
 * The span of the request, below the client's if it sent one, else the root of a new trace. Probes
 * have none.
 */
function spanOf(
  { method }: IncomingMessage,
  { url: route = 'unmatched', config }: RouteOptions,
  requestId: string,
  parent: string | undefined,
): RunningSpan | undefined {
  if (config.limit === 'none') return undefined;
  const attributes = { 'http.request.method': method, 'http.route': route };
  return startSpan(`${method} ${route}`, { kind: 'server', attributes }, { requestId, traceparent: parent });
}

/**
 * 'close' comes after the last byte of the response, or when the client has disconnected before.
 */
function report(
  { method, edge, raw }: FastifyRequest,
  { url: route, config }: RouteOptions,
  reply: FastifyReply,
  { metrics, accessLog, answered }: Observers,
): void {
  const { socket } = raw;
  const { authorization } = raw.headers;
  const { span } = edge;
  const bytesBefore = socket.bytesWritten ?? 0;
  reply.raw.on('close', () => {
    const { statusCode: status, writableFinished } = reply.raw;
    const seconds = (performance.now() - edge.arrivedMs) / 1_000;
    span?.note({ 'http.response.status_code': status });
    span?.end(status >= 500 ? new Error(String(status)) : undefined);
    metrics.observeRequest({ method, route, status, seconds });
    if (authorization !== undefined) answered?.(edge, authorization, status);
    if (accessLog === undefined || config.limit === 'none') return;
    const bytes = (socket.bytesWritten ?? 0) - bytesBefore;
    accessLog(edge, { method, httpVersion: raw.httpVersion, route, status, seconds, bytes, isAborted: !writableFinished });
  });
}

function addHeaders(reply: FastifyReply, edge: EdgeContext, defaults: ReadonlyMap<string, string>): void {
  for (const [name, value] of defaults) if (!reply.hasHeader(name)) reply.header(name, value);
  const { responseHeaders } = edge;
  for (let index = 0; index + 1 < responseHeaders.length; index += 2) {
    const name = responseHeaders[index] ?? '';
    const value = responseHeaders[index + 1] ?? '';
    const present = name === 'vary' ? reply.getHeader('vary') : undefined;
    reply.header(name, present === undefined ? value : `${present}, ${value}`);
  }
}
