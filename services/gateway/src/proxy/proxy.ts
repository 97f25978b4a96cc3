import { withSpan } from '@tessera/kernel/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inwardHeaders } from '../edge/headers.ts';
import { type ForwardedBody, readBody } from './body.ts';
import { Exchange, type ExchangeEnd } from './exchange.ts';
import { upstreamFailure, wasConnectionLost, wasNeverSent } from './failure.ts';
import { type Replica, restReplica, type ServiceName, type Upstream } from './upstream.ts';

export type ProxyOptions = {
  readonly upstream: Upstream;
  readonly bodyLimitBytes: number;
  /** Proves to the service that the gateway speaks; made anew before it expires. */
  readonly credential: (service: ServiceName) => string;
  readonly responseDefaults: ReadonlyMap<string, string>;
  /** False for answers with secrets in them. */
  readonly compress: boolean;
};

/** Hands a request to a service and streams the answer back. Fails with a standard error as long as nothing was answered. */
export const proxy =
  (options: ProxyOptions) =>
  (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const attributes = { 'http.request.method': request.method, 'http.route': request.routeOptions.url ?? '' };
    return withSpan(`proxy ${options.upstream.name}`, { kind: 'server', attributes }, () => forward(request, reply, options));
  };

const forward = async (request: FastifyRequest, reply: FastifyReply, options: ProxyOptions): Promise<void> => {
  const { upstream } = options;
  const body = await readBody(request.raw, options.bodyLimitBytes);
  const mayRepeat = body.kind === 'none' && (request.method === 'GET' || request.method === 'HEAD');
  for (let attempt = 1; ; attempt += 1) {
    const replica = upstream.next();
    const end = await exchange(replica, request, reply, body, options);
    if (end.kind === 'done') return;
    if (end.isAnswered) return;
    if (reply.raw.destroyed) {
      reply.hijack();
      return;
    }
    if (body.kind === 'stream' && body.stream.errored !== null) throw body.stream.errored;
    if (wasNeverSent(end.error)) restReplica(replica);
    const isSafe = body.kind !== 'stream' && (wasNeverSent(end.error) || (mayRepeat && wasConnectionLost(end.error)));
    const attempts = Math.max(upstream.replicas.length, mayRepeat ? 2 : 1);
    if (!isSafe || attempt >= attempts) throw upstreamFailure(upstream.name, end.error);
  }
};

const exchange = (
  replica: Replica,
  request: FastifyRequest,
  reply: FastifyReply,
  body: ForwardedBody,
  options: ProxyOptions,
): Promise<ExchangeEnd> =>
  new Promise((resolve) => {
    const { raw, edge } = request;
    const headers = inwardHeaders(raw.rawHeaders, raw.headers.connection, edge, options.credential(options.upstream.name));
    if (body.kind === 'stream' && body.lengthHeader !== undefined) headers.push('content-length', body.lengthHeader);
    const answering = {
      response: reply.raw,
      extraHeaders: edge.responseHeaders,
      defaults: options.responseDefaults,
      acceptEncoding: options.compress ? raw.headers['accept-encoding'] : undefined,
      onAnswer: () => reply.hijack(),
    };
    replica.dispatcher.dispatch(
      {
        path: raw.url ?? '/',
        method: request.method,
        headers,
        body: body.kind === 'none' ? null : body.kind === 'whole' ? body.bytes : body.stream,
      },
      new Exchange(answering, resolve),
    );
  });
