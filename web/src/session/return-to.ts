export const home = '/console';

/**
 * Where a sign-in leads: a page of this product, whatever the address says. Addresses of the API
 * are none: a request there could change something.
 */
export function safeReturn(wanted: string | undefined, origin: string = window.location.origin): string {
  if (wanted === undefined || !/^\/(?![/\\])/.test(wanted) || /[\\\s\p{C}]/u.test(wanted)) return home;
  if (!URL.canParse(wanted, origin)) return home;
  const { origin: there, pathname, search, hash } = new URL(wanted, origin);
  if (there !== origin || /^\/(api|graphql|auth\/callback)(\/|$)/.test(decodedPath(pathname))) return home;
  return pathname + search + hash;
}

/** The same path may be spelt with percent signs. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path).toLowerCase();
  } catch {
    return '/api';
  }
}
