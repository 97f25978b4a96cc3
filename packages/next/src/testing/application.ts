/** An application with the package, the provider that it asks, and browsers that visit it. */
import { jest } from '@jest/globals';
import { createTesseraAuth, type TesseraAuth } from '../auth.ts';
import { formatCookies } from '../cookies.ts';
import type { TesseraAuthOptions } from '../options.ts';
import { clientId, issuerUrl, startIssuer } from './issuer.ts';

export const baseUrl = 'https://app.example.com';
export const secret = 'a-secret-of-the-tests-with-enough-characters';
export const sessionCookie = '__Host-tessera-session.0';
/** The headers of a request that a page of the application itself sends. */
export const own = { 'sec-fetch-site': 'same-origin' };

export async function startApplication() {
  let clockMs = Date.now();
  const nowMs = () => clockMs;
  const issuer = await startIssuer(nowMs);
  jest.spyOn(console, 'error').mockImplementation(() => undefined);

  function optionsOf(more: Partial<TesseraAuthOptions> = {}): TesseraAuthOptions {
    const fixed = { issuer: issuerUrl, clientId, clientSecret: 'hush', baseUrl, secret, fetch: issuer.fetch, nowMs };
    return { ...fixed, isProtected: (url) => url.pathname.startsWith('/app'), ...more };
  }

  /** A browser at the application: it keeps cookies, and follows no redirect. */
  function openBrowser(more: Partial<TesseraAuthOptions> = {}) {
    let jar = new Map<string, string>();
    const seen: Headers[] = [];
    const tessera: TesseraAuth = createTesseraAuth(optionsOf(more), {
      cookies: async () => jar,
      async redirect(address) {
        throw new Error(`redirected to ${address}`);
      },
      async goOn(headers) {
        seen.push(headers);
        return new Response('page');
      },
    });
    function keep(response: Response): Response {
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      return response;
    }
    const request = (path: string, init: RequestInit = {}) =>
      new Request(new URL(path, 'http://10.0.0.7:3000'), { ...init, headers: { cookie: formatCookies(jar), ...(init.headers as object) } });
    const browser = {
      tessera,
      seen,
      jar: () => jar,
      setJar(next: ReadonlyMap<string, string>) {
        jar = new Map(next);
      },
      get: async (path: string, headers = {}) => keep(await tessera.handlers.GET(request(path, { headers }))),
      post: async (path: string, headers = {}, form = {}) =>
        keep(await tessera.handlers.POST(request(path, { method: 'POST', headers, body: new URLSearchParams(form) }))),
      page: async (path: string, headers = {}, method = 'GET') => keep(await tessera.proxy(request(path, { headers, method }))),
      async signIn(path = '/auth/sign-in') {
        const begun = await browser.get(path);
        const back = issuer.approve(begun.headers.get('location') ?? '');
        return browser.get(`${back.pathname}${back.search}`);
      },
    };
    return browser;
  }

  return {
    issuer,
    nowMs,
    optionsOf,
    openBrowser,
    later(seconds: number): void {
      clockMs += seconds * 1_000;
    },
  };
}
