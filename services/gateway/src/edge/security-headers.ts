/** Protections of every answer, unless the answer brings its own: [name, value]. */
export const securityHeaders = (isHttps: boolean): ReadonlyMap<string, string> =>
  new Map([
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
    ['cache-control', 'no-store'],
    ...(isHttps ? ([['strict-transport-security', 'max-age=31536000; includeSubDomains']] as const) : []),
  ]);
