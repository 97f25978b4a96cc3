import type { RequestFacts, ResponseEffects } from '@tessera/kernel/operation';
import { digest } from './tokens/digest.ts';
import { newOpaqueToken } from './tokens/opaque-token.ts';

const tokenShape = /^[\w-]{43}$/;

/**
 * `__Host-` keeps other subdomains from setting the cookie (RFC 6265bis 4.1.3.2); it requires
 * https.
 */
function cookieName(appUrl: string, name: string) {
  return appUrl.startsWith('https:') ? `__Host-${name}` : name;
}

const platformFlow = 'oauth_flow';

function cookieOf({ cookies }: Pick<RequestFacts, 'cookies'>, appUrl: string, name: string): string | undefined {
  const value = cookies[cookieName(appUrl, name)];
  return value !== undefined && tokenShape.test(value) ? value : undefined;
}

/**
 * Sets a cookie in the browser that begins a flow (HttpOnly, SameSite=Lax) and returns its digest,
 * for the flow. Tabs share the cookie.
 */
export function bindBrowser(
  request: Pick<RequestFacts, 'cookies'>,
  response: Pick<ResponseEffects, 'setCookie'>,
  appUrl: string,
  maxAgeSeconds: number,
  name = platformFlow,
): string {
  const binding = cookieOf(request, appUrl, name) ?? newOpaqueToken();
  response.setCookie({ name: cookieName(appUrl, name), value: binding, maxAgeSeconds, secure: appUrl.startsWith('https:') });
  return digest(binding);
}

/** The digest of the browser's cookie; undefined without one. */
export function readBrowser(request: Pick<RequestFacts, 'cookies'>, appUrl: string, name: string): string | undefined {
  const binding = cookieOf(request, appUrl, name);
  return binding === undefined ? undefined : digest(binding);
}

/** A browser on a page that may use our cookies. Programs send no origin. */
export function isTrustedOrigin({ origin }: Pick<RequestFacts, 'origin'>, cookieOrigins: readonly string[]): boolean {
  return origin !== undefined && cookieOrigins.includes(origin);
}

/**
 * Whether this browser began the flow. A state or code in a link from an attacker is useless in
 * another browser.
 */
export function isBoundBrowser(request: Pick<RequestFacts, 'cookies'>, browser: string, appUrl: string, name = platformFlow): boolean {
  const binding = cookieOf(request, appUrl, name);
  return binding !== undefined && digest(binding) === browser;
}
