import type { OperationContext } from '@tessera/kernel/operation';
import type { IdentityDeps } from '../deps.ts';
import { findPresentedToken } from '../storage/refresh-tokens.ts';
import { deviceKey, hashToken } from '../tokens/opaque-token.ts';
import { refreshCookie } from './session-tokens.ts';

/**
 * Whose session the request comes with: its bearer token, or the refresh cookie of the browser,
 * which is read and not spent. Undefined without one.
 */
export async function findCaller({ actor, deps, request, now }: OperationContext<IdentityDeps>): Promise<string | undefined> {
  if (actor.kind === 'token') return actor.claims.type === 'session' ? actor.userId : undefined;
  const cookie = request.cookies[refreshCookie];
  if (cookie === undefined || cookie === '' || cookie.length > 200) return undefined;
  // Other sites can make a browser send it.
  if (request.origin !== undefined && !deps.settings.cookieOrigins.includes(request.origin)) return undefined;
  const hash = hashToken(cookie);
  const token = { hash, successorHash: hash, deviceKey: deviceKey(request.userAgent, request.ipAddress) };
  const presented = await findPresentedToken(deps.database, token, now);
  return presented?.spentAt === null && presented.sameDevice ? presented.userId : undefined;
}
