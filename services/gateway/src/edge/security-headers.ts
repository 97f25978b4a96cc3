/**
 * Security headers of every response that does not set its own. Pages add those for documents
 * (`pages/html.ts`).
 */
export function securityHeaders(isHttps: boolean): ReadonlyMap<string, string> {
  return new Map([
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
    ['cache-control', 'no-store'],
    ...(isHttps ? ([['strict-transport-security', 'max-age=31536000; includeSubDomains']] as const) : []),
  ]);
}
