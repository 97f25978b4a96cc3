import { inwardHeaders } from '../edge/headers.ts';
import { type ForwardedBody, hasBody, noBody, readBody } from './body.ts';
import type { Call, Done } from './call.ts';
import { type Answering, Exchange, type ExchangeEnd } from './exchange.ts';
import { upstreamFailure, wasConnectionLost, wasNeverSent } from './failure.ts';
import { type Replica, restReplica, type ServiceName, type Upstream } from './upstream.ts';

export type ProxyOptions = Answering & {
  readonly upstream: Upstream;
  readonly bodyLimitBytes: number;
  /** Proves to the service that the gateway speaks; made anew before it expires. */
  readonly credential: (service: ServiceName) => string;
};

/** Hands a request to a service and streams the answer back. Fails with a standard error as long as nothing was answered. */
export function forward(call: Call, options: ProxyOptions, done: Done): void {
  const { request } = call;
  const sendOn = (body: ForwardedBody) => send(1, call, body, options, done);
  if (hasBody(request)) readBody(request, options.bodyLimitBytes).then(sendOn).catch(done);
  else sendOn(noBody);
}

/** To one replica, and to the next one where that can't do anything twice. */
function send(attempt: number, call: Call, body: ForwardedBody, options: ProxyOptions, done: Done): void {
  const { upstream } = options;
  const replica = upstream.next();
  exchange(replica, call, body, options, (end) => {
    if (end.kind === 'done' || end.isAnswered || call.response.destroyed) done();
    else if (body.kind === 'stream' && body.stream.errored !== null) done(body.stream.errored);
    else {
      if (wasNeverSent(end.error)) restReplica(replica);
      if (mayTryAgain(end.error, attempt, call, body, upstream)) send(attempt + 1, call, body, options, done);
      else done(upstreamFailure(upstream.name, end.error));
    }
  });
}

function mayTryAgain(error: Error, attempt: number, { request: { method } }: Call, body: ForwardedBody, upstream: Upstream): boolean {
  const mayRepeat = body.kind === 'none' && (method === 'GET' || method === 'HEAD');
  const isSafe = body.kind !== 'stream' && (wasNeverSent(error) || (mayRepeat && wasConnectionLost(error)));
  return isSafe && attempt < Math.max(upstream.replicas.length, mayRepeat ? 2 : 1);
}

function exchange(replica: Replica, call: Call, body: ForwardedBody, options: ProxyOptions, end: (end: ExchangeEnd) => void): void {
  const { request, edge } = call;
  const headers = inwardHeaders(request.rawHeaders, request.headers.connection, edge, options.credential(options.upstream.name));
  const { url: path = '/' } = request;
  const method = request.method as 'GET';
  const handler = new Exchange(call, options, end);
  if (body.kind !== 'stream') {
    const { patienceMs } = options;
    const bytes = body.kind === 'none' ? null : body.bytes;
    replica.connections.ask({ path, method, headers, body: bytes, patienceMs, isForAll: false }, handler);
    return;
  }
  if (body.lengthHeader !== undefined) headers.push('content-length', body.lengthHeader);
  replica.patient.dispatch({ path, method, headers, body: body.stream }, handler);
}
