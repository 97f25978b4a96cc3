import type { RequestFacts, ResponseEffects } from '@tessera/kernel/operation';
import { digest } from '../tokens/digest.ts';
import { newOpaqueToken } from '../tokens/opaque-token.ts';

const tokenShape = /^[\w-]{43}$/;

/** `__Host-` keeps neighbours on other subdomains from planting their own (RFC 6265bis 4.1.3.2); it needs https. */
function cookieName(appUrl: string) {
  return appUrl.startsWith('https:') ? '__Host-oauth_flow' : 'oauth_flow';
}

function cookieOf({ cookies }: Pick<RequestFacts, 'cookies'>, appUrl: string): string | undefined {
  const value = cookies[cookieName(appUrl)];
  return value !== undefined && tokenShape.test(value) ? value : undefined;
}

/** Marks the browser that begins a flow (HttpOnly, SameSite=Lax); flows in several tabs share the mark. Its digest goes with the flow. */
export function markBrowser(
  request: Pick<RequestFacts, 'cookies'>,
  response: ResponseEffects,
  appUrl: string,
  maxAgeSeconds: number,
): string {
  const mark = cookieOf(request, appUrl) ?? newOpaqueToken();
  response.setCookie({ name: cookieName(appUrl), value: mark, maxAgeSeconds, secure: appUrl.startsWith('https:') });
  return digest(mark);
}

/** Whether this is the browser that began the flow: a state or a code that somebody was tricked into following is worth nothing. */
export function isMarked(request: Pick<RequestFacts, 'cookies'>, browser: string, appUrl: string): boolean {
  const mark = cookieOf(request, appUrl);
  return mark !== undefined && digest(mark) === browser;
}
