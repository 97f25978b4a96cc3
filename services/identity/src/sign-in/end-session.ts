/** The end of a session by its person. */
import { callerOf, type HandleContext } from '@tessera/kernel/operation';
import type { Revocation } from '../ground/storage/revocations.ts';
import type { SignInDeps } from './deps.ts';
import { endGrantedSessions, endSession } from './storage/sessions.ts';

export type EndedSession = { readonly revocations: readonly Revocation[]; readonly isCurrent: boolean };
type Ending = { readonly id: string; readonly endGranted?: boolean | undefined };

/**
 * Ends a session of the caller, and with `endGranted` those that it granted to programs. Undefined
 * when the caller has no such session. Announce the revocations after the commit.
 */
export async function endOwnSession(
  { id, endGranted = false }: Ending,
  context: HandleContext<SignInDeps>,
): Promise<EndedSession | undefined> {
  const { tx, deps, now, audit } = context;
  const { userId, claims } = callerOf(context);
  if (!(await endSession(tx, userId, id))) return undefined;
  const granted = endGranted ? await endGrantedSessions(tx, userId, id) : [];
  audit({ targetType: 'UserSession', targetId: id, ...(granted.length === 0 ? {} : { detail: { grantedSessions: granted } }) });
  return { revocations: await deps.revoker.revokeSessions(tx, [id, ...granted], now), isCurrent: id === claims.jti };
}

/** After the commit: its tokens are refused, and a browser that ended its own forgets it. */
export function announceEnd(
  { revocations, isCurrent }: EndedSession,
  { deps, response }: Pick<HandleContext<SignInDeps>, 'deps' | 'response'>,
) {
  deps.revoker.announce(revocations);
  if (isCurrent) deps.sessions.clearCookie(response);
}
