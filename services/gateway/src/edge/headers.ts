import type { IncomingHttpHeaders } from 'node:http';
import type { EdgeContext } from './context.ts';

/** Headers of one connection are not forwarded (RFC 9110 7.6.1). */
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

/**
 * Headers that only the gateway sets, or that belong to one hop. So do x-tessera-* and
 * x-forwarded-*.
 */
const gatewayHeaders = new Set([
  'forwarded',
  'x-real-ip',
  'x-request-id',
  'traceparent',
  'host',
  'content-length',
  'expect',
  'accept-encoding',
]);

const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** The name of a forwarded header in lower case. Empty if the header is not forwarded. */
function forwardedName(raw: string): string {
  const name = raw.toLowerCase();
  const isDropped =
    !token.test(raw) || hopByHop.has(name) || gatewayHeaders.has(name) || name.startsWith('x-tessera-') || name.startsWith('x-forwarded-');
  return isDropped ? '' : name;
}

/**
 * Names as the client wrote them. Clients can invent names: the cache holds a bounded number of
 * short ones.
 */
const forwardedNames = new Map<string, string>();
const maxNames = 1_000;
const maxNameLength = 40;

function cachedForwardedName(raw: string): string {
  const known = forwardedNames.get(raw);
  if (known !== undefined) return known;
  const name = forwardedName(raw);
  if (forwardedNames.size < maxNames && raw.length <= maxNameLength) forwardedNames.set(raw, name);
  return name;
}

/** Names that a Connection header lists are not forwarded, too. */
function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names);
}

/**
 * The request headers for a service: the forwarded ones of the client, then the gateway's own. Flat
 * pairs.
 */
export function upstreamHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  edge: EdgeContext,
  credential: string,
): string[] {
  const dropped = namedByConnection(connection);
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = cachedForwardedName(rawHeaders[index] ?? '');
    if (name !== '' && !dropped?.has(name)) headers.push(name, rawHeaders[index + 1] ?? '');
  }
  headers.push('x-request-id', edge.requestId, 'traceparent', edge.traceparent);
  headers.push('x-tessera-client-ip', edge.address, 'x-tessera-service', credential);
  if (edge.provenKey !== undefined) headers.push('x-tessera-proven-key', edge.provenKey);
  return headers;
}

/** Response headers about the service or its connection are not for clients. */
const internalHeaders = new Set([...hopByHop, 'server', 'x-powered-by', 'x-request-id', 'traceparent', 'date']);

/** The response headers of a service that are for the client. Flat pairs. */
export function clientHeaders(given: IncomingHttpHeaders): string[] {
  const headers: string[] = [];
  for (const name in given) {
    if (internalHeaders.has(name) || name.startsWith('x-tessera-')) continue;
    const value = given[name];
    if (typeof value === 'string') headers.push(name, value);
    else for (const one of value ?? []) headers.push(name, one);
  }
  return headers;
}
