/**
 * The browser origins that may read responses. `*` lets every origin read, but never with cookies.
 */
export type CorsPolicy = { readonly origins: ReadonlySet<string>; readonly isOpen: boolean };

export function parseCorsPolicy(text: string): CorsPolicy {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  for (const origin of origins) {
    if (origin !== '*' && (!URL.canParse(origin) || new URL(origin).origin !== origin)) throw new Error(`'${origin}' is no origin`);
  }
  return { origins: new Set(origins), isOpen: origins.includes('*') };
}

const exposed =
  'x-request-id, ratelimit, ratelimit-policy, retry-after, content-disposition, etag, idempotency-replayed, x-consistency-token, www-authenticate, ' +
  'deprecation, sunset, x-read-from';
const allowedHeaders =
  'authorization, dpop, content-type, accept-language, if-match, if-none-match, idempotency-key, x-request-id, x-consistency-token, cache-control, ' +
  'traceparent, tracestate';
const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Adds the headers that let this origin read the response. False if it may not. */
export function addCorsHeaders(headers: string[], origin: string | undefined, policy: CorsPolicy): boolean {
  if (policy.isOpen) {
    headers.push('access-control-allow-origin', '*', 'access-control-expose-headers', exposed);
    return true;
  }
  headers.push('vary', 'Origin');
  if (origin === undefined || !policy.origins.has(origin)) return false;
  headers.push('access-control-allow-origin', origin, 'access-control-allow-credentials', 'true', 'access-control-expose-headers', exposed);
  return true;
}

export function addPreflightHeaders(headers: string[]): void {
  headers.push(
    'access-control-allow-methods',
    allowedMethods,
    'access-control-allow-headers',
    allowedHeaders,
    'access-control-max-age',
    '600',
  );
}
