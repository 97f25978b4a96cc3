import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EdgeContext } from '../edge/context.ts';
import { inwardHeaders } from '../edge/headers.ts';
import { type ForwardedBody, hasBody, noBody, readBody } from './body.ts';
import { Exchange, type ExchangeEnd } from './exchange.ts';
import { upstreamFailure, wasConnectionLost, wasNeverSent } from './failure.ts';
import { type Replica, restReplica, type ServiceName, type Upstream } from './upstream.ts';

export type ProxyOptions = {
  readonly upstream: Upstream;
  readonly bodyLimitBytes: number;
  /** Proves to the service that the gateway speaks; made anew before it expires. */
  readonly credential: (service: ServiceName) => string;
  /** What every answer carries that does not bring its own. */
  readonly responseDefaults: ReadonlyMap<string, string>;
  /** False where compressing would tell secrets by their length (CVE-2013-3587). */
  readonly compress: boolean;
};

/** A request and its answer, as Node gives them. */
export type Call = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly edge: EdgeContext };

/** Hands a request to a service and streams the answer back. Fails with a standard error as long as nothing was answered. */
export const forward = async (call: Call, options: ProxyOptions): Promise<void> => {
  const { request, response } = call;
  const { upstream } = options;
  const body = hasBody(request) ? await readBody(request, options.bodyLimitBytes) : noBody;
  const mayRepeat = body.kind === 'none' && (request.method === 'GET' || request.method === 'HEAD');
  for (let attempt = 1; ; attempt += 1) {
    const replica = upstream.next();
    const end = await exchange(replica, call, body, options);
    if (end.kind === 'done' || end.isAnswered || response.destroyed) return;
    if (body.kind === 'stream' && body.stream.errored !== null) throw body.stream.errored;
    if (wasNeverSent(end.error)) restReplica(replica);
    const isSafe = body.kind !== 'stream' && (wasNeverSent(end.error) || (mayRepeat && wasConnectionLost(end.error)));
    const attempts = Math.max(upstream.replicas.length, mayRepeat ? 2 : 1);
    if (!isSafe || attempt >= attempts) throw upstreamFailure(upstream.name, end.error);
  }
};

const exchange = (replica: Replica, call: Call, body: ForwardedBody, options: ProxyOptions): Promise<ExchangeEnd> =>
  new Promise((resolve) => {
    const { request, edge } = call;
    const headers = inwardHeaders(request.rawHeaders, request.headers.connection, edge, options.credential(options.upstream.name));
    if (body.kind === 'stream' && body.lengthHeader !== undefined) headers.push('content-length', body.lengthHeader);
    replica.dispatcher.dispatch(
      {
        path: request.url ?? '/',
        method: request.method as 'GET',
        headers,
        body: body.kind === 'none' ? null : body.kind === 'whole' ? body.bytes : body.stream,
      },
      new Exchange(call, options, resolve),
    );
  });
