import type { RequestFacts, ResponseEffects } from '@tessera/kernel/operation';
import { digest } from '../tokens/digest.ts';
import { newOpaqueToken } from '../tokens/opaque-token.ts';

const tokenShape = /^[\w-]{43}$/;

/**
 * `__Host-` keeps other subdomains from setting the cookie (RFC 6265bis 4.1.3.2); it requires
 * https.
 */
function cookieName(appUrl: string) {
  return appUrl.startsWith('https:') ? '__Host-oauth_flow' : 'oauth_flow';
}

function cookieOf({ cookies }: Pick<RequestFacts, 'cookies'>, appUrl: string): string | undefined {
  const value = cookies[cookieName(appUrl)];
  return value !== undefined && tokenShape.test(value) ? value : undefined;
}

/**
 * Sets a cookie in the browser that begins a flow (HttpOnly, SameSite=Lax) and returns its digest,
 * for the flow. Tabs share the cookie.
 */
export function bindBrowser(
  request: Pick<RequestFacts, 'cookies'>,
  response: ResponseEffects,
  appUrl: string,
  maxAgeSeconds: number,
): string {
  const binding = cookieOf(request, appUrl) ?? newOpaqueToken();
  response.setCookie({ name: cookieName(appUrl), value: binding, maxAgeSeconds, secure: appUrl.startsWith('https:') });
  return digest(binding);
}

/**
 * Whether this browser began the flow. A state or code in a link from an attacker is useless in
 * another browser.
 */
export function isBoundBrowser(request: Pick<RequestFacts, 'cookies'>, browser: string, appUrl: string): boolean {
  const binding = cookieOf(request, appUrl);
  return binding !== undefined && digest(binding) === browser;
}
