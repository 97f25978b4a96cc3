import { formatCookies, parseCookies } from './cookies.ts';
import type { Keeper } from './keeper.ts';
import type { Settings } from './options.ts';

/** Lets the request go on, with these headers. */
type GoOn = (headers: Headers) => Promise<Response>;

/**
 * Renews the session before the page reads it, because a page cannot set cookies, and turns away
 * who is not signed in where `isProtected` says so. One door more: pages and routes ask `auth`.
 */
export function createProxy(settings: Settings, keeper: Keeper, goOn: GoOn) {
  const { baseUrl, path } = settings;
  return async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const url = new URL(`${pathname}${search}`.replace(/^\/+/, '/'), baseUrl);
    const isOfRoutes = pathname === path || pathname.startsWith(`${path}/`);
    // The routes read the cookie themselves, and set it.
    if (isOfRoutes) return goOn(request.headers);
    const { kept, jar, cookies } = await keeper.renewed(parseCookies(request.headers.get('cookie')));
    const headers = new Headers(request.headers);
    if (cookies.length > 0) headers.set('cookie', formatCookies(jar));
    const response = kept === undefined && settings.isProtected(decoded(url)) ? turnedAway(request, url) : await goOn(headers);
    for (const cookie of cookies) response.headers.append('set-cookie', cookie);
    // A cache on the way must not give one person's cookie to another.
    if (cookies.length > 0) response.headers.set('cache-control', 'private, no-store');
    return response;
  };

  function turnedAway(request: Request, url: URL): Response {
    const isPage = request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html');
    if (!isPage) return Response.json({ error: 'Authentication required', code: 'UNAUTHENTICATED' }, { status: 401 });
    const address = new URL(`${path}/sign-in`, baseUrl);
    address.searchParams.set('returnTo', `${url.pathname}${url.search}`);
    return new Response(null, { status: 302, headers: { location: address.href, 'cache-control': 'no-store' } });
  }
}

/** With the path that Next.js routes by: `/%61pp` is the page `/app`. */
function decoded(url: URL): URL {
  const plain = new URL(url);
  try {
    plain.pathname = decodeURIComponent(url.pathname);
  } catch {
    // No path of a page: Next.js answers 400.
  }
  return plain;
}
