import type { Dispatcher } from 'undici';
import { upstreamHeaders } from '../edge/headers.ts';
import { type ForwardedBody, hasBody, noBody, readBody } from './body.ts';
import { type Call, type ResponseOptions, relay } from './exchange.ts';
import { type Replica, type Retry, type ServiceName, tryReplicas, type Upstream } from './upstream.ts';

export type ProxyOptions = ResponseOptions & {
  readonly upstream: Upstream;
  readonly timeoutMs: number;
  readonly bodyLimitBytes: number;
  /**
   * Proves to the service that the gateway is the caller. It expires, so each request asks for one.
   */
  readonly credential: (service: ServiceName) => string;
};

/**
 * Forwards a request to a service and streams the response back. Rejects with a standard error if
 * the client got no response.
 */
export async function forward(call: Call, options: ProxyOptions): Promise<void> {
  const { request } = call;
  const body = hasBody(request) ? await readBody(request, options.bodyLimitBytes) : noBody;
  await tryReplicas(options.upstream, retryOf(request.method, body), (replica) => send(replica, call, body, options));
}

function retryOf(method: string | undefined, { kind }: ForwardedBody): Retry {
  if (kind === 'stream') return 'never';
  return kind === 'none' && (method === 'GET' || method === 'HEAD') ? 'if-lost' : 'if-not-sent';
}

async function send(replica: Replica, call: Call, body: ForwardedBody, options: ProxyOptions): Promise<void> {
  const { request, edge } = call;
  const headers = upstreamHeaders(request.rawHeaders, request.headers.connection, edge, options.credential(options.upstream.name));
  const { url: path = '/' } = request;
  const method = request.method as Dispatcher.HttpMethod;
  if (body.kind !== 'stream') {
    const bytes = body.kind === 'none' ? null : body.bytes;
    await relay(replica.pool, { path, method, headers, body: bytes }, call, options, options.timeoutMs);
    return;
  }
  if (body.lengthHeader !== undefined) headers.push('content-length', body.lengthHeader);
  try {
    await relay(replica.uploads, { path, method, headers, body: body.stream }, call, options, undefined);
  } catch (error) {
    throw body.stream.errored ?? error;
  }
}
