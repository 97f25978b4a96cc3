import type { Redirect } from '../../ground/context.ts';
import type { ConfiguredProvider } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import { errors } from '../errors.ts';
import { readRequest } from './read-request.ts';
import { isFromOwnPage, requireOwner } from './require-owner.ts';
import { goToProvider } from './trip.ts';

/** GET /api/auth/{provider}. */
export function startPlatformSignIn(context: ProtocolContext, configured: ConfiguredProvider): Promise<Redirect> {
  return startSignIn(context, configured, {});
}

/** The same at any identity provider. */
export async function startSignIn(
  context: ProtocolContext,
  configured: ConfiguredProvider,
  hint: { readonly loginHint?: string },
): Promise<Redirect> {
  const { isFresh, ...parameters } = readRequest(context);
  const { action, landing } = parameters;
  if (landing.kind === 'cli') assertNotFromAnotherSite(context);
  const owner = action === 'connect' || action === 'confirm' ? { connecting: await requireOwner(context, action) } : {};
  const demand = isFresh ? { freshSinceMs: context.now.getTime() } : {};
  return goToProvider(context, configured, {
    kind: 'platform',
    ...hint,
    ...(isFresh ? { maxAgeSeconds: 0 } : {}),
    remember: (trip) =>
      context.deps.platformFlows.remember({ ...parameters, ...owner, ...demand, ...trip, isForeign: !isFromOwnPage(context) }),
  });
}

/**
 * The code goes to a port of the person's machine, where another program may listen. A command line
 * opens this address itself; a link or picture of another site may not begin it (RFC 8252 8.6).
 */
function assertNotFromAnotherSite({ cameFrom: { fetchSite } }: ProtocolContext): void {
  if (fetchSite === 'cross-site' || fetchSite === 'same-site') throw errors.untrustedOrigin();
}
