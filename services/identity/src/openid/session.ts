import type { ProtocolContext } from '../protocol/context.ts';
import { refreshCookie } from '../sign-in/session-tokens.ts';
import { findSessionOfRefreshToken, type SignedInSession } from '../storage/sessions.ts';
import { hashToken } from '../tokens/opaque-token.ts';

const longestToken = 200;

/** The platform session of the browser, by its refresh cookie, which this does not spend. */
export async function browserSession({
  request,
  deps,
  now,
}: Pick<ProtocolContext, 'request' | 'deps' | 'now'>): Promise<SignedInSession | undefined> {
  const token = request.cookies[refreshCookie];
  if (token === undefined || token === '' || token.length > longestToken) return undefined;
  return findSessionOfRefreshToken(deps.database, hashToken(token), now);
}
