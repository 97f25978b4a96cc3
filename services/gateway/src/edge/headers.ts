import type { IncomingHttpHeaders } from 'node:http';
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

const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** A name as it goes inwards: in small letters, or empty when it does not. */
function inwardName(raw: string): string {
  const name = raw.toLowerCase();
  const stays =
    !token.test(raw) || hopByHop.has(name) || ours.has(name) || name.startsWith('x-tessera-') || name.startsWith('x-forwarded-');
  return stays ? '' : name;
}

/** The same, found again by how the client wrote it. Clients make up names: only so many are remembered, and no long ones. */
const inwardNames = new Map<string, string>();
const maxNames = 1_000;
const maxNameLength = 40;

function knownInwardName(raw: string): string {
  const known = inwardNames.get(raw);
  if (known !== undefined) return known;
  const name = inwardName(raw);
  if (inwardNames.size < maxNames && raw.length <= maxNameLength) inwardNames.set(raw, name);
  return name;
}

/** Names that a Connection header takes out of the message, too. */
function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names);
}

/** The headers for a service: the client's own without what only we may say, then what we say. Flat pairs. */
export function inwardHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  edge: EdgeContext,
  credential: string,
): string[] {
  const dropped = namedByConnection(connection);
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = knownInwardName(rawHeaders[index] ?? '');
    if (name !== '' && !dropped?.has(name)) headers.push(name, rawHeaders[index + 1] ?? '');
  }
  headers.push('x-request-id', edge.requestId, 'traceparent', edge.traceparent);
  headers.push('x-tessera-client-ip', edge.address, 'x-tessera-service', credential);
  return headers;
}

/** What a service says of itself and of its connection to us stays inside. */
const inner = new Set([...hopByHop, 'server', 'x-powered-by', 'x-request-id', 'traceparent', 'date']);

/** The headers of a service's answer that are for the client. Flat pairs. */
export function outwardHeaders(given: IncomingHttpHeaders): string[] {
  const headers: string[] = [];
  for (const name in given) {
    if (inner.has(name) || name.startsWith('x-tessera-')) continue;
    const value = given[name];
    if (typeof value === 'string') headers.push(name, value);
    else for (const one of value ?? []) headers.push(name, one);
  }
  return headers;
}
