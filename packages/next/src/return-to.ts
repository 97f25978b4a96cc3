/**
 * Where a person goes after the sign-in, as a whole address: of this application, else its start.
 * The parser of addresses decides, as in a browser: `//host`, `/\host` and `/<tab>/host` are other
 * origins.
 */
export function returnAddress(returnTo: string | null | undefined, baseUrl: string): string {
  const start = `${baseUrl}/`;
  if (typeof returnTo !== 'string' || !returnTo.startsWith('/') || returnTo.length > 2_000 || !URL.canParse(returnTo, start)) return start;
  const url = new URL(returnTo, start);
  return url.origin === baseUrl ? url.href : start;
}
