import type { ProtocolContext } from '../protocol/context.ts';
import { refreshCookie } from '../sign-in/session-tokens.ts';
import { findSessionOfRefreshToken, type SignedInSession } from '../storage/sessions.ts';
import { deviceKey, hashToken } from '../tokens/opaque-token.ts';

const longestToken = 200;

/**
 * The platform session of the browser, by its refresh cookie, which this does not spend. So no
 * reuse would show that it was copied: it counts from the device that holds the session only. A
 * browser whose address has changed holds it again once its page has refreshed.
 */
export async function browserSession({
  request,
  deps,
  now,
}: Pick<ProtocolContext, 'request' | 'deps' | 'now'>): Promise<SignedInSession | undefined> {
  const token = request.cookies[refreshCookie];
  if (token === undefined || token === '' || token.length > longestToken) return undefined;
  const presented = { hash: hashToken(token), deviceKey: deviceKey(request.userAgent, request.ipAddress) };
  return findSessionOfRefreshToken(deps.database, presented, now);
}
