/**
 * Opens sessions. Only `sign-in.ts` imports this file.
 *
 * `planSession` runs before the transaction: it chooses the session id and signs the access token,
 * so that nothing has changed when keys is down. A registration that could not be answered would be
 * a 409 at the next attempt, and a sign-in would have replaced the refresh token that the device
 * holds. `openPlannedSession` stores the session in the transaction. `settleSession` returns the
 * tokens after the commit.
 */
import { newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import { deviceKey, hashToken, newOpaqueToken } from '../ground/tokens/opaque-token.ts';
import type { SignInDeps } from './deps.ts';
import type { TokenHolder } from './session-tokens.ts';
import type { Granter } from './storage/granter.ts';
import { openSession } from './storage/open-session.ts';

type Deps = Pick<SignInDeps, 'sessions' | 'settings'>;

export type Device = { readonly userAgent: string; readonly ipAddress: string };

export type SessionPlan = TokenHolder & {
  readonly sessionId: string;
  /** The device has a session already, which continues. */
  readonly isReused: boolean;
  readonly accessToken: string;
  readonly device: Device;
};
export type OpenedSession = { readonly plan: SessionPlan; readonly sessionId: string; readonly refreshToken: string };
export type Tokens = { readonly accessToken: string; readonly refreshToken: string };

/** `known`: the session that this device has and continues. It may end before it is opened. */
export async function planSession(holder: TokenHolder, device: Device, known: string | null, { sessions }: Deps): Promise<SessionPlan> {
  const { userId, methods, scope, proof, connectionId, upstreamSid = null } = holder;
  const sessionId = known ?? newId();
  const accessToken = await sessions.signAccessToken(sessionId, holder);
  return { userId, methods, scope, proof, connectionId, upstreamSid, device, sessionId, isReused: known !== null, accessToken };
}

type Method = { readonly id: string; readonly passwordHash: string | null };

/**
 * Undefined when the method or the person was deleted, or the password has changed since it matched
 * `passwordHash`.
 */
export async function openPlannedSession(
  tx: Transaction,
  plan: SessionPlan,
  { id: authenticationMethodId, passwordHash }: Method,
  { deps: { sessions, settings }, now, granter }: { readonly deps: Deps; readonly now: Date; readonly granter: Granter | null },
): Promise<OpenedSession | undefined> {
  const { userId, scope, proof, connectionId, upstreamSid = null, device } = plan;
  const refreshToken = newOpaqueToken();
  const session = {
    // The known session may have ended meanwhile. Then its id is revoked, so a new session needs a
    // new id.
    id: plan.isReused ? newId() : plan.sessionId,
    userId,
    scope,
    proof,
    connectionId,
    upstreamSid,
    authenticationMethodId,
    userAgent: device.userAgent,
    ipAddress: device.ipAddress,
    audience: settings.appUrl,
    deviceKey: deviceKey(device.userAgent, device.ipAddress),
    refreshHash: hashToken(refreshToken),
    expiresAt: sessions.refreshExpiry(now),
    granter,
  };
  const sessionId = await openSession(tx, session, passwordHash, now);
  return sessionId === undefined ? undefined : { plan, sessionId, refreshToken };
}

export async function settleSession({ plan, sessionId, refreshToken }: OpenedSession, { sessions }: Deps): Promise<Tokens> {
  // The stored session is another one when a parallel sign-in of the device was faster, or the
  // known session had ended.
  const accessToken = sessionId === plan.sessionId ? plan.accessToken : await sessions.signAccessToken(sessionId, plan);
  return { accessToken, refreshToken };
}
