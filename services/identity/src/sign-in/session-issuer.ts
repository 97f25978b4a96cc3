/**
 * Issues sessions: the one way in for password, registration and OAuth alike.
 *
 * Before the transaction `plan` chooses the session id and has the access token signed, so that a signing service that is down leaves
 * nothing behind; within it `open` makes the session stand; after the commit `settle` answers with the tokens.
 */

import { newId } from '@tessera/kernel/ids';
import type { ResponseEffects } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { TokenScope } from '@tessera/kernel/scope';
import type { SignRequest } from '@tessera/proto/types/keys.v1';
import { isVerified, refreshExpiry } from '../domain/session.ts';
import { openSession, openSessionUsing } from '../storage/sessions.ts';
import { deviceKey, hashToken, newOpaqueToken } from '../tokens/opaque-token.ts';

export const refreshCookie = 'refresh_token';

export type Device = { readonly userAgent: string; readonly ipAddress: string };

/** Whom an access token is for. `methods` decide whether it says that the person is verified. */
export type TokenHolder = {
  readonly userId: string;
  readonly methods: readonly { readonly isVerified: boolean }[];
  readonly scope: TokenScope | null;
};

export type SessionPlan = TokenHolder & {
  readonly sessionId: string;
  /** The device has a session already, which is to go on. */
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
  /** A fresh access token of a session. The only place where the claims of session tokens are made. */
  signAccessToken(sessionId: string, holder: TokenHolder): Promise<string>;
  /** `known`: the session that this device has had so far, which is to go on. Only a forecast: it may end meanwhile. */
  plan(holder: TokenHolder, device: Device, known: string | undefined): Promise<SessionPlan>;
  open(tx: Transaction, plan: SessionPlan, authenticationMethodId: string, now: Date): Promise<OpenedSession>;
  /** Behind a password that was compared; undefined when it is another one now, or method or person have gone. */
  openByPassword(
    tx: Transaction,
    plan: SessionPlan,
    method: { readonly id: string; readonly passwordHash: string },
    now: Date,
  ): Promise<OpenedSession | undefined>;
  settle(opened: OpenedSession): Promise<Tokens>;
  /** Until when a refresh token that is issued now may be used. */
  refreshExpiry(now: Date): Date;
  setCookie(response: ResponseEffects, refreshToken: string): void;
  clearCookie(response: ResponseEffects): void;
};

const secondsPerDay = 86_400;

export function createSessionIssuer(options: IssuerOptions): SessionIssuer {
  const { sign, appUrl, accessTokenSeconds, refreshTokenDays } = options;
  const secure = appUrl.startsWith('https:');

  async function signAccessToken(sessionId: string, { userId, methods, scope }: TokenHolder): Promise<string> {
    const claims = { isVerified: isVerified(methods), ...(scope === null ? {} : { scope }) };
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

  function newSession({ userId, scope, device, sessionId, isReused }: SessionPlan, authenticationMethodId: string, now: Date) {
    const refreshToken = newOpaqueToken();
    const session = {
      // A session that was to be reused may have ended meanwhile: its id is revoked, and no other session may get it.
      id: isReused ? newId() : sessionId,
      userId,
      scope,
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
    // Callers pass the whole request: nothing but these two says which device it is, least of all the request's own id.
    async plan({ userId, methods, scope }, { userAgent, ipAddress }, known) {
      const device = { userAgent, ipAddress };
      const sessionId = known ?? newId();
      const accessToken = await signAccessToken(sessionId, { userId, methods, scope });
      return { userId, methods, scope, device, sessionId, isReused: known !== undefined, accessToken };
    },
    async open(tx, plan, authenticationMethodId, now) {
      const { refreshToken, session } = newSession(plan, authenticationMethodId, now);
      return { plan, sessionId: await openSession(tx, session, now), refreshToken };
    },
    async openByPassword(tx, plan, method, now) {
      const { refreshToken, session } = newSession(plan, method.id, now);
      const sessionId = await openSessionUsing(tx, session, method.passwordHash, now);
      return sessionId === undefined ? undefined : { plan, sessionId, refreshToken };
    },
    async settle({ plan, sessionId, refreshToken }) {
      // Another session stands than the one planned: that of another first login of this device at once, or a new one in place of one that ended.
      const accessToken = sessionId === plan.sessionId ? plan.accessToken : await signAccessToken(sessionId, plan);
      return { accessToken, refreshToken };
    },
    refreshExpiry: (now) => refreshExpiry(now, refreshTokenDays),
    setCookie: (response, value) =>
      response.setCookie({ name: refreshCookie, value, maxAgeSeconds: refreshTokenDays * secondsPerDay, secure }),
    clearCookie: (response) => response.setCookie({ name: refreshCookie, value: '', maxAgeSeconds: 0, secure }),
  };
}
