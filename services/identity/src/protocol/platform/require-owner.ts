import { failures } from '@tessera/kernel/errors';
import { isVerified } from '../../domain/session.ts';
import { errors } from '../../errors.ts';
import { refreshCookie } from '../../sign-in/session-tokens.ts';
import { findPresentedToken } from '../../storage/refresh-tokens.ts';
import { deviceKey, hashToken } from '../../tokens/opaque-token.ts';
import type { ProtocolContext } from '../context.ts';
import type { PlatformFlow } from '../flow.ts';

type Owner = NonNullable<PlatformFlow['connecting']>;

/** `none` is a link in a mail or another program. */
const foreignSites: ReadonlySet<string | undefined> = new Set(['cross-site', 'same-site', 'none']);

/**
 * connect adds a sign-in method to an account, which the bearer token or the refresh cookie names.
 * As an account setting it requires a verified address (specification, gating).
 */
export async function requireOwner(context: ProtocolContext, action: 'connect' | 'confirm'): Promise<Owner> {
  const { authenticatedAtMs, ...owner } = await findOwner(context);
  const isStale = context.now.getTime() - authenticatedAtMs > freshMs;
  if (action === 'connect' && isStale) throw failures.freshSignInRequired();
  return owner;
}

/** As `freshness` of the operations that add a way to sign in. */
const freshMs = 10 * 60_000;
type Found = Owner & { readonly authenticatedAtMs: number };

function findOwner(context: ProtocolContext): Promise<Found> {
  return context.request.bearerToken === undefined ? ownerOfCookie(context) : ownerOfToken(context, context.request.bearerToken);
}

async function ownerOfToken({ deps }: ProtocolContext, token: string): Promise<Found> {
  const claims = await deps.oauth.verifyToken(token);
  if (claims.type !== 'session') throw failures.forbidden();
  if (claims.isVerified !== true) throw failures.unverified();
  return { userId: claims.sub, sessionId: claims.jti, authenticatedAtMs: (claims.auth_time ?? 0) * 1_000 };
}

async function ownerOfCookie(context: ProtocolContext): Promise<Found> {
  const { deps, request, now } = context;
  const cookie = request.cookies[refreshCookie];
  if (cookie === undefined || cookie === '') throw failures.unauthenticated();
  assertOwnPage(context);
  const hash = hashToken(cookie);
  // Read, not spent: the frontend continues with the same session.
  const token = { hash, successorHash: hash, deviceKey: deviceKey(request.userAgent, request.ipAddress) };
  const presented = await findPresentedToken(deps.database, token, now);
  if (presented === undefined || presented.spentAt !== null) throw failures.unauthenticated();
  if (!isVerified(presented.methods)) throw failures.unverified();
  const { userId, sessionId, proof } = presented;
  return { userId, sessionId, authenticatedAtMs: proof.authenticatedAt.getTime() };
}

/**
 * The browser sends the cookie when any site redirects here (SameSite=Lax). A site that has signed
 * the browser in at the provider as another person could add that person's identity to this
 * account, so only our own pages may begin this (login CSRF).
 */
function assertOwnPage({ cameFrom: { fetchSite, referer }, deps }: ProtocolContext): void {
  const origin = referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : undefined;
  // Without a referrer, `same-site` may be another subdomain, which is not ours.
  if (origin !== undefined ? deps.settings.cookieOrigins.includes(origin) : !foreignSites.has(fetchSite)) return;
  throw errors.untrustedOrigin();
}
