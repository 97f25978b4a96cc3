export const home = '/console';
/** A longer address comes from no page of this product. */
const mostCharacters = 2_000;

/**
 * Where a sign-in leads: a page of this product, whatever the address says. Addresses of the API
 * are none: a request there could change something. `/graphql` without a query is the IDE.
 */
export function safeReturn(wanted: string | undefined, origin: string = window.location.origin): string {
  if (wanted === undefined || wanted.length > mostCharacters || !/^\/(?![/\\])/.test(wanted) || /[\\\s\p{C}]/u.test(wanted)) return home;
  if (!URL.canParse(wanted, origin)) return home;
  const { origin: there, pathname, search, hash } = new URL(wanted, origin);
  if (there === origin && pathname === '/graphql' && search === '') return pathname + hash;
  const path = decodedPath(pathname);
  if (there !== origin || isAmbiguous.test(path) || /^\/(api|graphql|auth\/callback)(\/|$)/.test(path)) return home;
  return pathname + search + hash;
}

/** What a proxy may read as another path or another host. */
const isAmbiguous = /\/\/|\\|\/\.\.?(\/|$)/;

/** The same path may be spelt with percent signs. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path).toLowerCase();
  } catch {
    return '/api';
  }
}
