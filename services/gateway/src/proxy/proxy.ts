import type { Dispatcher } from 'undici';
import { upstreamHeaders } from '../edge/headers.ts';
import { type Bodies, type Call, hasBody } from '../limits/bodies.ts';
import { type ResponseOptions, relay } from './exchange.ts';
import { type Replica, type Retry, type ServiceName, tryReplicas, type Upstream } from './upstream.ts';

export type ProxyOptions = ResponseOptions & {
  readonly upstream: Upstream;
  readonly timeoutMs: number;
  readonly bodies: Bodies;
  readonly bodyLimitBytes: number;
  /**
   * Proves to the service that the gateway is the caller. It expires, so each request asks for one.
   */
  readonly credential: (service: ServiceName) => string;
};

/**
 * Forwards a request to a service and streams the response back. Rejects with a standard error if
 * the client got no response. Answers with the body that was sent.
 */
export async function forward(call: Call, options: ProxyOptions): Promise<Buffer | null> {
  const { request } = call;
  const body = hasBody(request) ? await options.bodies.read(call, options.bodyLimitBytes) : null;
  await tryReplicas(options.upstream, retryOf(request.method, body), (replica) => send(replica, call, body, options));
  return body;
}

function retryOf(method: string | undefined, body: Buffer | null): Retry {
  return body === null && (method === 'GET' || method === 'HEAD') ? 'if-lost' : 'if-not-sent';
}

function send(replica: Replica, call: Call, body: Buffer | null, options: ProxyOptions): Promise<void> {
  const { request, edge } = call;
  const headers = upstreamHeaders(request.rawHeaders, request.headers.connection, edge, options.credential(options.upstream.name));
  const { url: path = '/' } = request;
  const method = request.method as Dispatcher.HttpMethod;
  return relay(replica.pool, { path, method, headers, body }, call, options, options.timeoutMs);
}
