import { isLoopback } from '../../apps/domain/redirect-uri.ts';

/**
 * The redirect target after a platform sign-in: a page of the frontend, or a command line on this
 * machine.
 */
export type Landing = { readonly kind: 'frontend' | 'cli'; readonly url: string };

const longest = 2_000;
const frontendPage = '/auth/callback';

export function defaultLanding(frontendUrl: string): Landing {
  return { kind: 'frontend', url: frontendUrl + frontendPage };
}

/**
 * The landing that a request names: a path of the frontend (or its whole address), or a loopback
 * address on any port (RFC 8252 7.3). Undefined for every other address.
 */
export function readLanding(redirect: string, frontendUrl: string, appUrl: string): Landing | undefined {
  if (redirect.length > longest || /[\s\\\p{C}]/u.test(redirect) || redirect.includes('#')) return undefined;
  const isPath = /^\/(?!\/)/.test(redirect);
  if (!isPath && !URL.canParse(redirect)) return undefined;
  const url = new URL(isPath ? frontendUrl + redirect : redirect);
  if (url.username !== '' || url.password !== '') return undefined;
  if (isWithin(url, new URL(frontendUrl))) return isEndpoint(url, appUrl) ? undefined : { kind: 'frontend', url: url.href };
  return !isPath && url.protocol === 'http:' && isLoopback(url) ? { kind: 'cli', url: url.href } : undefined;
}

/** No page: a one-time code in the address of an endpoint would be read by what answers there. */
const endpoints = /^\/(?:api|oauth|graphql|\.well-known)(?:\/|$)|^\/(?:org|acc)\/[^/]+\/prj\//i;

/** Also by an encoded address: the server that answers may decode it. */
function isEndpoint({ origin, pathname }: URL, appUrl: string): boolean {
  if (origin !== new URL(appUrl).origin) return false;
  try {
    return endpoints.test(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}

/**
 * Also below the frontend's path, because other sites may share its host. The parser has resolved
 * dot segments.
 */
function isWithin(url: URL, frontend: URL): boolean {
  const base = frontend.pathname.replace(/\/$/, '');
  return url.origin === frontend.origin && (url.pathname === base || url.pathname.startsWith(`${base}/`));
}

/** Shows which port asks for the code, and sends it there at a click. */
const programPage = '/auth/program';

/**
 * Where the browser goes with a one-time code. A code for a loopback port waits on a page of ours
 * for a click, because any program of the machine may listen there (RFC 8252 8.6).
 */
export function landWithCode(landing: Landing, code: Readonly<Record<string, string>>, frontendUrl: string): string {
  if (landing.kind === 'frontend') return landWith(landing, code);
  return landWith({ kind: 'frontend', url: frontendUrl + programPage }, { redirect: landing.url, ...code });
}

/** The landing with the outcome in its query. */
export function landWith({ url }: Landing, outcome: Readonly<Record<string, string>>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(outcome)) address.searchParams.set(name, value);
  return address.href;
}
