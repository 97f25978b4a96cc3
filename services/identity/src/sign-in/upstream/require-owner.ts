import { failures } from '@tessera/kernel/errors';
import { isVerified } from '../../ground/domain/session.ts';
import { browserSession } from '../browser-session.ts';
import type { ProtocolContext } from '../deps.ts';
import { errors } from '../errors.ts';
import type { PlatformFlow } from '../flow.ts';
import { readSessionCookie } from '../session-cookie.ts';

type Owner = NonNullable<PlatformFlow['connecting']>;

/** Whether a page of ours began this. A browser that says nothing of it does not count. */
export function isFromOwnPage({ cameFrom: { fetchSite, referer }, deps }: ProtocolContext): boolean {
  const origin = originOf(referer);
  return origin === undefined ? fetchSite === 'same-origin' : deps.settings.cookieOrigins.includes(origin);
}

function originOf(referer: string | undefined): string | undefined {
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : undefined;
}

/** `none` is a link in a mail or another program. */
const foreignSites: ReadonlySet<string | undefined> = new Set(['cross-site', 'same-site', 'none']);

/**
 * connect adds a sign-in method to an account, which the bearer token or the refresh cookie names.
 * As an account setting it requires a verified address (specification, gating).
 */
export async function requireOwner(context: ProtocolContext, action: 'connect' | 'confirm'): Promise<Owner> {
  const { authenticatedAtMs, isOrganizations, ...owner } = await findOwner(context);
  const isStale = isOrganizations || context.now.getTime() - authenticatedAtMs > freshMs;
  if (action === 'connect' && isStale) throw failures.freshSignInRequired();
  return owner;
}

/** As `freshness` of the operations that add a way to sign in. */
const freshMs = 10 * 60_000;
type Found = Owner & { readonly authenticatedAtMs: number; readonly isOrganizations: boolean };

function findOwner(context: ProtocolContext): Promise<Found> {
  return context.request.bearerToken === undefined ? ownerOfCookie(context) : ownerOfToken(context, context.request.bearerToken);
}

async function ownerOfToken({ deps }: ProtocolContext, token: string): Promise<Found> {
  const claims = await deps.verifyToken(token);
  if (claims.type !== 'session') throw failures.forbidden();
  if (claims.support !== undefined) throw failures.supportForbidden();
  if (claims.isVerified !== true) throw failures.unverified();
  return {
    userId: claims.sub,
    sessionId: claims.jti,
    authenticatedAtMs: (claims.auth_time ?? 0) * 1_000,
    isOrganizations: claims.amr?.includes('org') === true,
  };
}

async function ownerOfCookie(context: ProtocolContext): Promise<Found> {
  const { deps, request } = context;
  if ((await readSessionCookie(request, deps)) === undefined) throw failures.unauthenticated();
  assertOwnPage(context);
  const session = await browserSession(context);
  if (session?.isCurrentToken !== true) throw failures.unauthenticated();
  const { id: sessionId, userId, authenticatedAt, amr } = session;
  if (!isVerified(await deps.methodsOf(userId))) throw failures.unverified();
  return { userId, sessionId, authenticatedAtMs: Date.parse(authenticatedAt), isOrganizations: amr.includes('org') };
}

/**
 * The browser sends the cookie when any site redirects here (SameSite=Lax). A site that has signed
 * the browser in at the provider as another person could add that person's identity to this
 * account, so only our own pages may begin this (login CSRF).
 */
function assertOwnPage({ cameFrom: { fetchSite, referer }, deps }: ProtocolContext): void {
  const origin = originOf(referer);
  // Without a referrer, `same-site` may be another subdomain, which is not ours.
  if (origin !== undefined ? deps.settings.cookieOrigins.includes(origin) : !foreignSites.has(fetchSite)) return;
  throw errors.untrustedOrigin();
}
