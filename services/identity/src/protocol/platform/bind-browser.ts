import { newOpaqueToken } from '../../tokens/opaque-token.ts';
import type { ProtocolContext } from '../context.ts';
import { digest } from '../flow.ts';

const tokenShape = /^[\w-]{43}$/;

/** `__Host-` keeps neighbours on other subdomains from planting their own (RFC 6265bis 4.1.3.2); it needs https. */
const cookieName = (appUrl: string) => (appUrl.startsWith('https:') ? '__Host-oauth_flow' : 'oauth_flow');

function cookieOf({ deps, request }: Pick<ProtocolContext, 'deps' | 'request'>): string | undefined {
  const value = request.cookies[cookieName(deps.settings.appUrl)];
  return value !== undefined && tokenShape.test(value) ? value : undefined;
}

/** Marks the browser that begins a flow (HttpOnly, SameSite=Lax); flows in several tabs share the mark. Its digest goes with the flow. */
export function bindBrowser(context: ProtocolContext): string {
  const { deps, response } = context;
  const mark = cookieOf(context) ?? newOpaqueToken();
  const secure = deps.settings.appUrl.startsWith('https:');
  const maxAgeSeconds = deps.oauth.platformFlows.seconds + deps.oauth.codes.seconds;
  response.setCookie({ name: cookieName(deps.settings.appUrl), value: mark, maxAgeSeconds, secure });
  return digest(mark);
}

/** Whether this is the browser that began the flow: a state or a code that somebody was tricked into following is worth nothing. */
export function isSameBrowser(browser: string, context: Pick<ProtocolContext, 'deps' | 'request'>): boolean {
  const mark = cookieOf(context);
  return mark !== undefined && digest(mark) === browser;
}
