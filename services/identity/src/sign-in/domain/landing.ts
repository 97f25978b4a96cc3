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
 * The landing that a request names: a page (its path, or its whole address), or a loopback address
 * on any port but the product's own (RFC 8252 7.3). Undefined for every other address.
 */
export function readLanding(redirect: string, frontendUrl: string, appUrl: string): Landing | undefined {
  if (redirect.length > longest || /[\s\\\p{C}]/u.test(redirect) || redirect.includes('#')) return undefined;
  const isPath = /^\/(?!\/)/.test(redirect);
  if (!isPath && !URL.canParse(redirect)) return undefined;
  const url = new URL(isPath ? frontendUrl + redirect : redirect);
  const [frontend, app] = [new URL(frontendUrl), new URL(appUrl)];
  if (url.username !== '' || url.password !== '') return undefined;
  if (url.origin === frontend.origin) return isPage(url, frontend, app) ? { kind: 'frontend', url: url.href } : undefined;
  if (isPath || url.protocol !== 'http:' || !isLoopback(url)) return undefined;
  // By another name of this machine the product's own port is no command line.
  return isLoopback(app) && url.port === app.port ? undefined : { kind: 'cli', url: url.href };
}

/** The hosted pages that take an outcome. No other address of the product receives a code. */
const hostedPages = ['/auth/callback', '/auth/confirmed'];

/**
 * On the product's own origin the hosted pages only, spelt as they are. A frontend of one's own has
 * the pages below its path, because other sites may share its host; at the product's host it needs
 * a path of its own, or else it has the same pages. The parser has resolved dot segments.
 */
function isPage({ pathname }: URL, frontend: URL, app: URL): boolean {
  const base = pathOf(frontend);
  if (frontend.origin === app.origin && pathOf(app).startsWith(base)) return hostedPages.some((page) => pathname === base + page);
  return (pathname === base || pathname.startsWith(`${base}/`)) && !isAmbiguous(pathname);
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}

/** What the server that answers may read as another path, once it has decoded it. */
function isAmbiguous(pathname: string): boolean {
  return /\/\/|%(?:2[ef5]|5c|00)/i.test(pathname) || /%(?![\da-f]{2})/i.test(pathname);
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
