import { bindBrowser } from '../../ground/browser-binding.ts';
import type { Redirect } from '../../ground/context.ts';
import { newOpaqueToken } from '../../ground/tokens/opaque-token.ts';
import type { ConfiguredProvider } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import { errors } from '../errors.ts';
import { readRequest } from './read-request.ts';
import { requireOwner } from './require-owner.ts';

/** GET /api/auth/{provider}: the authorization request (RFC 6749 4.1.1, RFC 7636 4.3). */
export async function startPlatformSignIn(context: ProtocolContext, { provider, callbacks }: ConfiguredProvider): Promise<Redirect> {
  const { isFresh, ...parameters } = readRequest(context);
  const { action, landing } = parameters;
  if (landing.kind === 'cli') assertNotFromAnotherSite(context);
  const owner = action === 'connect' || action === 'confirm' ? { connecting: await requireOwner(context, action) } : {};
  const { request, response, deps } = context;
  const { platformFlows, codes } = deps;
  const browser = bindBrowser(request, response, deps.settings.appUrl, platformFlows.seconds + codes.seconds);
  const codeVerifier = newOpaqueToken();
  const demand = isFresh ? { freshSinceMs: context.now.getTime() } : {};
  const state = await platformFlows.remember({ ...parameters, ...owner, ...demand, provider: provider.name, browser, codeVerifier });
  const attempt = { redirectUri: callbacks.platform, state, codeVerifier };
  return { location: await (isFresh ? provider.authorizationUrl(attempt, 0) : provider.authorizationUrl(attempt)) };
}

/**
 * The code goes to a port of the person's machine, where another program may listen. A command line
 * opens this address itself; a link or picture of another site may not begin it (RFC 8252 8.6).
 */
function assertNotFromAnotherSite({ cameFrom: { fetchSite } }: ProtocolContext): void {
  if (fetchSite === 'cross-site' || fetchSite === 'same-site') throw errors.untrustedOrigin();
}
