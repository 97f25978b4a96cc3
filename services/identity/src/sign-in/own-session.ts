import type { OperationContext } from '@tessera/kernel/operation';
import { browserSession } from './browser-session.ts';
import type { SignInDeps } from './deps.ts';

/**
 * Whose session the request comes with: its bearer token, or the refresh cookie of the browser,
 * which is read and not spent. Undefined without one.
 */
export async function findCaller(context: OperationContext<SignInDeps>): Promise<string | undefined> {
  const { actor, deps, request } = context;
  if (actor.kind === 'token') return actor.claims.type === 'session' ? actor.userId : undefined;
  // Other sites can make a browser send the cookie.
  if (request.origin !== undefined && !deps.settings.cookieOrigins.includes(request.origin)) return undefined;
  const session = await browserSession(context);
  return session?.isCurrentToken === true ? session.userId : undefined;
}
