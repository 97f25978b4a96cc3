/** People, as providers see them. */
import { isId } from '@tessera/kernel/ids';
import { parseScope } from '@tessera/kernel/scope';
import type { Account, AccountClaims, KoaContextWithOIDC } from 'oidc-provider';
import { vouchedApp } from '../../apps/voucher.ts';
import { addressOf } from '../../ground/domain/people.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { findOwner } from '../../people/address-owner.ts';
import { heldAddressesOf } from '../../people/domain/proven-address.ts';
import { findProfile, type Profile } from '../../people/storage/people.ts';
import { demandsOf, unmetDemand } from '../../sign-in/demands.ts';
import { requiredConnection } from '../../sign-in/enforcement.ts';
import { isWithinReach, secondFactorIn } from '../../sign-in/own-level.ts';
import { findSignedInSession } from '../../sign-in/storage/sessions.ts';
import type { OauthDeps } from '../deps.ts';
import { claimsOfApp } from './app-claims.ts';
import { requireClientApp } from './clients.ts';
import { isInPlace } from './organizations.ts';
import { mappedClaims, type OpenidRequest, openidOf } from './request.ts';

/** OpenID Connect Core 5.4: the claims that each scope gives. */
export const claimsOfScopes = {
  openid: ['sub', 'acr', 'amr', 'auth_time', 'org_id', 'org_slug'],
  profile: ['name', 'picture', 'updated_at'],
  email: ['email', 'email_verified'],
};

type Source = {
  readonly kind: string;
  readonly clientId?: string | undefined;
  readonly acr?: string | undefined;
  readonly authTime?: number | undefined;
  readonly amr?: readonly string[] | undefined;
  readonly sessionUid?: string | undefined;
};

/**
 * Undefined for a person who is gone. For a token the person must still be one of the project's,
 * the app must stand, and the sign-in must be what it demands: nothing is remembered, so each end
 * shows at once.
 */
export async function findAccount(ctx: KoaContextWithOIDC, sub: string, source?: Source): Promise<Account | undefined> {
  const request = openidOf(ctx);
  const { context, issuer } = request;
  const profile = await findProfile(context.deps.database, sub);
  if (profile === undefined) return undefined;
  let client: ProjectApp | undefined;
  if (source?.clientId !== undefined && issuer.scope !== undefined) {
    const app = await requireClientApp(source.clientId, request);
    const [isHere, vouched, isSure, hasCome] = await Promise.all([
      isInPlace(sub, app, request),
      vouchedApp(app, context.deps),
      isSureEnough(source, app, request),
      hasComeAsRequired(sub, source, app, request),
    ]);
    if (!isHere || vouched === undefined || !isSure || !hasCome) return undefined;
    client = app;
  }
  return {
    accountId: sub,
    claims: async (use, scope) => {
      const place = use === 'userinfo' ? 'userinfo' : 'idToken';
      const of = { userId: sub, scopes: new Set(scope.split(' ')), profile };
      const mapped = client === undefined ? {} : await claimsOfApp(client, place, of, request);
      return { ...(await claimsOf(profile, scope, context.deps)), ...organizationClaims(request), [mappedClaims]: mapped };
    },
  };
}

/** What ID tokens, access tokens, userinfo and introspection say of the organization. */
export function organizationClaims({ organization }: Pick<OpenidRequest, 'organization'>) {
  return organization === undefined ? {} : { org_id: organization.organizationId, org_slug: organization.slug };
}

/** Access tokens do not say how the person signed in. Those from before end with the demand. */
async function isSureEnough(
  { kind, acr, authTime, amr, sessionUid = '' }: Source,
  app: ProjectApp,
  { context, organizationId }: OpenidRequest,
): Promise<boolean> {
  if (kind === 'AccessToken') return true;
  const { deps, now } = context;
  const demands = await demandsOf(app, deps, organizationId);
  const session = demands.requireSecondFactor && isId(sessionUid) ? await findSignedInSession(deps.database, sessionUid, now) : undefined;
  const byProvider = session === undefined ? undefined : await secondFactorIn(session, deps.database);
  const level = { acr, amr, authenticatedAtMs: authTime === undefined ? undefined : authTime * 1_000, secondFactorIn: byProvider };
  return unmetDemand(demands, level, now) === undefined;
}

/** Whether the session of the token came by the connection that the organization demands. */
export async function hasComeAsRequired(
  userId: string,
  { sessionUid = '' }: Pick<Source, 'sessionUid'>,
  { scope }: ProjectApp,
  { context, organizationId: customerId }: OpenidRequest,
): Promise<boolean> {
  const { deps, now } = context;
  const session = isId(sessionUid) ? await findSignedInSession(deps.database, sessionUid, now) : undefined;
  const { amr = [], connectionId = null, authenticatedAt = '' } = session ?? {};
  const place = customerId ?? parseScope(scope).organizationId;
  if (!(await isWithinReach({ amr, connectionId }, place, deps.database))) return false;
  const coming = { userId, amr, connectionId, authenticatedAtMs: Date.parse(authenticatedAt) };
  return (await requiredConnection(coming, { scope, customerId }, deps)) === undefined;
}

/**
 * Those that the granted scopes allow are picked from them by the library. Apps link accounts by a
 * verified address, so the account must hold it: the link of the mail alone may have been opened
 * for a stranger. While two accounts dispute an address it is verified for neither.
 */
async function claimsOf({ id, name, picturePath, updatedAt, methods }: Profile, scope: string, deps: OauthDeps): Promise<AccountClaims> {
  const email = scope.split(' ').includes('email') ? addressOf(methods) : null;
  return {
    sub: id,
    name,
    updated_at: Math.floor(Date.parse(updatedAt) / 1_000),
    ...(picturePath === null ? {} : { picture: deps.settings.appUrl + picturePath }),
    ...(email === null ? {} : { email, email_verified: await isOwnedBy(id, email, methods, deps) }),
  };
}

async function isOwnedBy(id: string, email: string, methods: Profile['methods'], { database }: OauthDeps): Promise<boolean> {
  return heldAddressesOf(methods).includes(email) && (await findOwner(database, email)) === id;
}
