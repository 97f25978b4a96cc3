/**
 * Issues sessions, for password, registration and OAuth alike.
 *
 * `plan` runs before the transaction: it chooses the session id and signs the access token, so that
 * nothing has changed when keys is down. A registration that could not be answered would be a 409
 * at the next attempt, and a sign-in would have replaced the refresh token that the device holds.
 * `open` stores the session in the transaction. `settle` returns the tokens after the commit.
 */

import { newId } from '@tessera/kernel/ids';
import type { ResponseEffects } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { TokenScope } from '@tessera/kernel/scope';
import type { SignRequest } from '@tessera/proto/types/keys.v1';
import { acrOf, isVerified, type Proof, refreshExpiry } from '../domain/session.ts';
import { openSession } from '../storage/open-session.ts';
import { deviceKey, hashToken, newOpaqueToken } from '../tokens/opaque-token.ts';

export const refreshCookie = 'refresh_token';

export type Device = { readonly userAgent: string; readonly ipAddress: string };

/** The holder of an access token. `methods` decide the claim `isVerified`. */
export type TokenHolder = {
  readonly userId: string;
  readonly methods: readonly { readonly isVerified: boolean }[];
  readonly scope: TokenScope | null;
  readonly proof: Proof;
};

export type SessionPlan = TokenHolder & {
  readonly sessionId: string;
  /** The device has a session already, which continues. */
  readonly isReused: boolean;
  readonly accessToken: string;
  readonly device: Device;
};
export type OpenedSession = { readonly plan: SessionPlan; readonly sessionId: string; readonly refreshToken: string };
export type Tokens = { readonly accessToken: string; readonly refreshToken: string };

export type IssuerOptions = {
  readonly sign: (request: SignRequest) => Promise<{ readonly token: string }>;
  readonly appUrl: string;
  readonly accessTokenSeconds: number;
  readonly refreshTokenDays: number;
};

export type SessionIssuer = {
  /** Signs an access token of a session. No other code makes the claims of session tokens. */
  signAccessToken(sessionId: string, holder: TokenHolder): Promise<string>;
  /** `known`: the session that this device has and continues. It may end before `open`. */
  plan(holder: TokenHolder, device: Device, known: string | undefined): Promise<SessionPlan>;
  /**
   * Undefined when the method or the person was deleted, or the password has changed since it
   * matched `passwordHash`.
   */
  open(
    tx: Transaction,
    plan: SessionPlan,
    method: { readonly id: string; readonly passwordHash?: string },
    now: Date,
  ): Promise<OpenedSession | undefined>;
  settle(opened: OpenedSession): Promise<Tokens>;
  /** When a refresh token that is issued now expires. */
  refreshExpiry(now: Date): Date;
  setCookie(response: ResponseEffects, refreshToken: string): void;
  clearCookie(response: ResponseEffects): void;
};

const secondsPerDay = 86_400;

export function createSessionIssuer(options: IssuerOptions): SessionIssuer {
  const { sign, appUrl, accessTokenSeconds, refreshTokenDays } = options;
  const secure = appUrl.startsWith('https:');

  async function signAccessToken(sessionId: string, { userId, methods, scope, proof }: TokenHolder): Promise<string> {
    const { amr, authenticatedAt } = proof;
    const level = { acr: acrOf(amr), amr, auth_time: Math.floor(authenticatedAt.getTime() / 1_000) };
    const claims = { isVerified: isVerified(methods), ...level, ...(scope === null ? {} : { scope }) };
    const { token } = await sign({
      scope: { tenant: 'system', id: '' },
      type: 'session',
      subject: userId,
      tokenId: sessionId,
      audience: '',
      lifetimeSeconds: accessTokenSeconds,
      claimsJson: JSON.stringify(claims),
    });
    return token;
  }

  function newSession({ userId, scope, proof, device, sessionId, isReused }: SessionPlan, authenticationMethodId: string, now: Date) {
    const refreshToken = newOpaqueToken();
    const session = {
      // The known session may have ended meanwhile. Then its id is revoked, so a new session needs
      // a new id.
      id: isReused ? newId() : sessionId,
      userId,
      scope,
      proof,
      authenticationMethodId,
      ...device,
      audience: appUrl,
      deviceKey: deviceKey(device.userAgent, device.ipAddress),
      refreshHash: hashToken(refreshToken),
      expiresAt: refreshExpiry(now, refreshTokenDays),
    };
    return { refreshToken, session };
  }

  return {
    signAccessToken,
    // Callers pass the whole request, of which only these two fields are stored.
    async plan({ userId, methods, scope, proof }, { userAgent, ipAddress }, known) {
      const device = { userAgent, ipAddress };
      const sessionId = known ?? newId();
      const accessToken = await signAccessToken(sessionId, { userId, methods, scope, proof });
      return { userId, methods, scope, proof, device, sessionId, isReused: known !== undefined, accessToken };
    },
    async open(tx, plan, { id, passwordHash = null }, now) {
      const { refreshToken, session } = newSession(plan, id, now);
      const sessionId = await openSession(tx, session, passwordHash, now);
      return sessionId === undefined ? undefined : { plan, sessionId, refreshToken };
    },
    async settle({ plan, sessionId, refreshToken }) {
      // The stored session is another one when a parallel sign-in of the device was faster, or the
      // known session had ended.
      const accessToken = sessionId === plan.sessionId ? plan.accessToken : await signAccessToken(sessionId, plan);
      return { accessToken, refreshToken };
    },
    refreshExpiry: (now) => refreshExpiry(now, refreshTokenDays),
    setCookie: (response, value) =>
      response.setCookie({ name: refreshCookie, value, maxAgeSeconds: refreshTokenDays * secondsPerDay, secure }),
    clearCookie: (response) => response.setCookie({ name: refreshCookie, value: '', maxAgeSeconds: 0, secure }),
  };
}
