import { requestContext } from '@tessera/kernel/telemetry';
import type { EdgeContext } from './context.ts';

/** Connection-level headers end at each hop (RFC 9110 7.6.1); the length and host are those of the next hop. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What only we may say. The prefixes: x-tessera-, x-forwarded-. */
const ours = new Set(['forwarded', 'x-real-ip', 'x-request-id', 'traceparent', 'host', 'content-length', 'expect', 'accept-encoding']);

const isOurs = (name: string): boolean => ours.has(name) || name.startsWith('x-tessera-') || name.startsWith('x-forwarded-');

/** Names that a Connection header takes out of the message, too. */
const namedByConnection = (connection: string | undefined): ReadonlySet<string> | undefined => {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names);
};

/** The headers for a service: the client's own without what only we may say, then what we say. Flat pairs. */
export const inwardHeaders = (
  rawHeaders: readonly string[],
  connection: string | undefined,
  edge: EdgeContext,
  credential: string,
): string[] => {
  const dropped = namedByConnection(connection);
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (hopByHop.has(name) || isOurs(name) || dropped?.has(name)) continue;
    headers.push(name, rawHeaders[index + 1] ?? '');
  }
  headers.push('x-request-id', edge.requestId, 'traceparent', requestContext.getStore()?.traceparent ?? edge.traceparent);
  headers.push('x-tessera-client-ip', edge.address, 'x-tessera-service', credential);
  return headers;
};

/** What a service says of itself stays inside. */
const inner = new Set(['server', 'x-powered-by', 'x-request-id', 'traceparent', 'date']);

export const isOutward = (name: string): boolean => !hopByHop.has(name) && !inner.has(name) && !name.startsWith('x-tessera-');

/** A client may name its request; anything that could trouble a log is replaced. */
export const isRequestId = (value: unknown): value is string => typeof value === 'string' && /^[\w.-]{8,100}$/.test(value);
