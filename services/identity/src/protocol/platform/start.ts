import { markBrowser } from '../../sign-in/browser-mark.ts';
import { newOpaqueToken } from '../../tokens/opaque-token.ts';
import type { ProtocolContext, Redirect } from '../context.ts';
import type { ConfiguredProvider } from '../parts.ts';
import { readWish } from './read-wish.ts';
import { requireOwner } from './require-owner.ts';

/** GET /api/auth/{provider}: the authorization request (RFC 6749 4.1.1, RFC 7636 4.3). */
export async function startPlatformSignIn(context: ProtocolContext, { provider, callbacks }: ConfiguredProvider): Promise<Redirect> {
  const wish = readWish(context);
  const owner = wish.action === 'connect' ? { connecting: await requireOwner(context) } : {};
  const { request, response, deps } = context;
  const { platformFlows, codes } = deps.oauth;
  const browser = markBrowser(request, response, deps.settings.appUrl, platformFlows.seconds + codes.seconds);
  const codeVerifier = newOpaqueToken();
  const state = await platformFlows.remember({ ...wish, ...owner, provider: provider.name, browser, codeVerifier });
  return { location: await provider.authorizationUrl({ redirectUri: callbacks.platform, state, codeVerifier }) };
}
