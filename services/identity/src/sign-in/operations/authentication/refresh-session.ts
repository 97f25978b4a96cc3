import { type RequestFacts, strict } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import Type from 'typebox';
import { judgeSpentToken } from '../../../ground/domain/session.ts';
import type { Reader } from '../../../ground/storage/reader.ts';
import { deviceKey, hashToken } from '../../../ground/tokens/opaque-token.ts';
import { sessionTokens } from '../../../people/operations/entities.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { readSessionCookie } from '../../session-cookie.ts';
import { findPresentedToken, type PresentedToken, rotateRefreshToken } from '../../storage/refresh-tokens.ts';
import { endGrantedSessions, endSession } from '../../storage/sessions.ts';

type Attempt = {
  readonly hash: Buffer;
  readonly successor: string;
  readonly successorHash: Buffer;
  readonly deviceKey: Buffer;
};

export const refreshSession = operation({
  name: 'refreshSession',
  summary: 'Exchange a refresh token for new tokens of the same session',
  kind: 'mutation',
  input: strict({
    accessToken: Type.Optional(
      Type.String({ maxLength: 8_192, secret: true, description: 'May have expired; when given it must belong to the same session' }),
    ),
    refreshToken: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, secret: true, description: 'Left out by browsers, which send their cookie' }),
    ),
  }),
  output: Type.Object(sessionTokens),
  access: { open: 'the refresh token is the proof; the access token may have expired' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may stay signed in' },
  limit: 'auth',
  errors: ['UNAUTHENTICATED', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  audit: 'session.refresh',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/refresh' },
  graphql: { field: 'refreshSession', type: 'SessionTokens' },
  clauses: ['spec:auth.3', 'spec:session-states.3', 'spec:tokens.2'],

  async prepare(input, { deps, request, now }) {
    const presentedToken = input.refreshToken ?? (await cookieOf(request, deps));
    const attempts = attemptsWith(presentedToken, request, deps);
    const [attempt] = attempts;
    const presented = await find(deps.database, attempt, now);
    if (presented === undefined) throw errors.invalidRefreshToken();
    if (input.accessToken !== undefined && sessionOf(input.accessToken) !== presented.sessionId) throw errors.invalidRefreshToken();
    // Signed before the token is spent: when keys is down the session stays usable.
    const accessToken = await deps.sessions.signAccessToken(presented.sessionId, presented);
    return { attempts, presented, accessToken };
  },

  async handle(_input, context, { attempts, presented, accessToken }) {
    const { tx, deps, now, audit } = context;
    const { sessionId, userId } = presented;
    const rotated = await rotateRefreshToken(tx, attempts[0], now, deps.sessions.refreshExpiry(now));
    const { result, successor } = rotated ? { result: 'rotated', ...attempts[0] } : await judgeSpent(tx, attempts, now);
    if (result === 'unknown') throw errors.invalidRefreshToken();
    const reuse = { action: 'session.reuse-detected', outcome: 'refused', code: 'UNAUTHENTICATED' } as const;
    const entry = { actorId: userId, targetType: 'UserSession', targetId: sessionId, detail: { result } };
    audit({ ...entry, ...(result === 'reuse' ? reuse : {}) });
    if (result !== 'reuse') return { accessToken, refreshToken: successor, revocations: [] };
    await endSession(tx, userId, sessionId);
    // A thief who copied the token may have granted a program a session by it.
    const granted = await endGrantedSessions(tx, userId, sessionId);
    return { revocations: await deps.revoker.revokeSessions(tx, [sessionId, ...granted], now) };
  },

  async complete(result, { deps, response }) {
    deps.revoker.announce(result.revocations);
    if (result.accessToken === undefined) throw errors.invalidRefreshToken();
    // A repeated request gets the same token as the first one, so the order of the responses does
    // not matter for the cookie.
    deps.sessions.setCookie(response, result.refreshToken);
    return { accessToken: result.accessToken, refreshToken: result.refreshToken };
  },
});

/**
 * The cookie is accepted from known origins only, because other sites can make a browser send it.
 */
async function cookieOf(request: RequestFacts, deps: SignInDeps): Promise<string> {
  const token = await readSessionCookie(request, deps);
  if (token === undefined) throw errors.invalidRefreshToken();
  const { origin } = request;
  if (origin !== undefined && !deps.settings.cookieOrigins.includes(origin)) throw errors.untrustedOrigin();
  return token;
}

type Attempts = readonly [Attempt, ...Attempt[]];

/**
 * One for each value of the secret: a token that was just spent may have its successor by an older
 * one.
 */
function attemptsWith(token: string, { userAgent, ipAddress }: RequestFacts, { successorsOf }: SignInDeps): Attempts {
  const attempt = (successor: string): Attempt => ({
    hash: hashToken(token),
    deviceKey: deviceKey(userAgent, ipAddress),
    successor,
    successorHash: hashToken(successor),
  });
  const [first, ...others] = successorsOf(token);
  return [attempt(first), ...others.map(attempt)];
}

function find(reader: Reader, attempt: Attempt, now: Date): Promise<PresentedToken | undefined> {
  return findPresentedToken(reader, attempt, now);
}

/** The token could not be spent: it was spent before, or the session has ended meanwhile. */
async function judgeSpent(
  tx: Transaction,
  [attempt, ...others]: Attempts,
  now: Date,
): Promise<{ readonly result: 'repeat' | 'reuse' | 'unknown'; readonly successor: string }> {
  const presented = await find(tx, attempt, now);
  const { successor } = attempt;
  if (presented?.spentAt == null) return { result: 'unknown', successor };
  const { sameDevice, successorUnspent } = presented;
  const result = judgeSpentToken({ spentAt: new Date(presented.spentAt), sameDevice, successorUnspent }, now);
  const [next, ...rest] = others;
  return result === 'reuse' && next !== undefined ? judgeSpent(tx, [next, ...rest], now) : { result, successor };
}

/**
 * The session that an access token names. It is not verified: it only has to match the refresh
 * token's session.
 */
function sessionOf(accessToken: string): string | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof payload !== 'object' || payload === null || !('jti' in payload)) return undefined;
    return typeof payload.jti === 'string' ? payload.jti : undefined;
  } catch {
    return undefined;
  }
}
