import { bindBrowser } from '../../sign-in/browser-binding.ts';
import { newOpaqueToken } from '../../tokens/opaque-token.ts';
import type { ProtocolContext, Redirect } from '../context.ts';
import type { ConfiguredProvider } from '../parts.ts';
import { readRequest } from './read-request.ts';
import { requireOwner } from './require-owner.ts';

/** GET /api/auth/{provider}: the authorization request (RFC 6749 4.1.1, RFC 7636 4.3). */
export async function startPlatformSignIn(context: ProtocolContext, { provider, callbacks }: ConfiguredProvider): Promise<Redirect> {
  const parameters = readRequest(context);
  const { action } = parameters;
  const owner = action === 'connect' || action === 'confirm' ? { connecting: await requireOwner(context, action) } : {};
  const { request, response, deps } = context;
  const { platformFlows, codes } = deps.oauth;
  const browser = bindBrowser(request, response, deps.settings.appUrl, platformFlows.seconds + codes.seconds);
  const codeVerifier = newOpaqueToken();
  const state = await platformFlows.remember({ ...parameters, ...owner, provider: provider.name, browser, codeVerifier });
  return { location: await provider.authorizationUrl({ redirectUri: callbacks.platform, state, codeVerifier }) };
}
