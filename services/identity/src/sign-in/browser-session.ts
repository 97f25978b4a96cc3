import type { OperationContext, RequestFacts } from '@tessera/kernel/operation';
import { deviceKey, hashToken } from '../ground/tokens/opaque-token.ts';
import type { SignInDeps } from './deps.ts';
import { readSessionCookie } from './session-cookie.ts';
import { type BrowserSession, findSessionOfRefreshToken } from './storage/sessions.ts';

type Context = Pick<OperationContext<SignInDeps>, 'deps' | 'now'> & {
  readonly request: Pick<RequestFacts, 'cookies' | 'userAgent' | 'ipAddress'>;
};

/**
 * The platform session of the browser, by its refresh cookie, which this does not spend. So no
 * reuse would show that it was copied: it counts from the device that holds the session only. A
 * browser whose address has changed holds it again once its page has refreshed.
 */
export async function browserSession({ request, deps, now }: Context): Promise<BrowserSession | undefined> {
  const token = await readSessionCookie(request, deps);
  if (token === undefined) return undefined;
  const presented = { hash: hashToken(token), deviceKey: deviceKey(request.userAgent, request.ipAddress) };
  return findSessionOfRefreshToken(deps.database, presented, now);
}
