/** Signs the access tokens of sessions, and keeps the cookie with the refresh token. */
import { linkedByProvider, secondFactorOfProvider } from '@tessera/kernel/authorization';
import type { ResponseEffects } from '@tessera/kernel/operation';
import type { TokenScope } from '@tessera/kernel/scope';
import type { SignRequest } from '@tessera/proto/types/keys.v1';
import { acrOf, isVerified, type Proof, refreshExpiry } from '../ground/domain/session.ts';
import { writeSessionCookie } from './session-cookie.ts';

/** The holder of an access token. `methods` decide the claim `isVerified`. */
export type TokenHolder = {
  readonly userId: string;
  readonly methods: readonly { readonly isVerified: boolean }[];
  readonly scope: TokenScope | null;
  readonly proof: Proof;
  /** The organization's provider by which the session came. */
  readonly connectionId: string | null;
  /** Of a sign-in: the session there. */
  readonly upstreamSid?: string | null;
};

export type SessionTokensOptions = {
  readonly sign: (request: SignRequest) => Promise<{ readonly token: string }>;
  readonly appUrl: string;
  readonly accessTokenSeconds: number;
  readonly refreshTokenDays: number;
  /** Whose provider a connection is; undefined for one that is deleted. It never changes. */
  readonly organizationOf: (connectionId: string) => Promise<string | undefined>;
};

export type SessionTokens = {
  /** Signs an access token of a session. No other code makes the claims of session tokens. */
  signAccessToken(sessionId: string, holder: TokenHolder): Promise<string>;
  /** When a refresh token that is issued now expires. */
  refreshExpiry(now: Date): Date;
  setCookie(response: ResponseEffects, refreshToken: string): void;
  clearCookie(response: ResponseEffects): void;
};

const secondsPerDay = 86_400;

export function createSessionTokens({
  sign,
  appUrl,
  accessTokenSeconds,
  refreshTokenDays,
  organizationOf,
}: SessionTokensOptions): SessionTokens {
  /** Without it such a session opens nothing: a part of `amr` counts there alone. */
  async function countsIn(connectionId: string, amr: readonly string[]) {
    const isAsked = amr.includes(linkedByProvider) || amr.includes(secondFactorOfProvider);
    const organizationId = isAsked ? await organizationOf(connectionId) : undefined;
    return organizationId === undefined ? {} : { connection_organization: organizationId };
  }

  return {
    async signAccessToken(sessionId, { userId, methods, scope, proof, connectionId }) {
      const { amr, authenticatedAt } = proof;
      const level = { acr: acrOf(amr), amr, auth_time: Math.floor(authenticatedAt.getTime() / 1_000) };
      const came = connectionId === null ? {} : { connection: connectionId, ...(await countsIn(connectionId, amr)) };
      const claims = { isVerified: isVerified(methods), ...level, ...came, ...(scope === null ? {} : { scope }) };
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
    },
    refreshExpiry: (now) => refreshExpiry(now, refreshTokenDays),
    setCookie: (response, value) => writeSessionCookie(response, { appUrl, value, maxAgeSeconds: refreshTokenDays * secondsPerDay }),
    clearCookie: (response) => writeSessionCookie(response, { appUrl, value: '', maxAgeSeconds: 0 }),
  };
}
