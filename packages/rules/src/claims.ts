/**
 * Claims that an app gets besides the standard ones, and where their values come from
 * (docs/decisions/043).
 */
export const claimPlaces = ['idToken', 'userinfo', 'accessToken'] as const;
export type ClaimPlace = (typeof claimPlaces)[number];
export type ClaimMapping = { readonly name: string; readonly source: string; readonly in: ClaimPlace };

export const mostClaims = 20;
/** What the claims of one token may have together, as JSON in UTF-8. */
export const mostClaimBytes = 4_096;

/** The sources without a key of their own, and the beginnings of those that end in one. */
export const plainSources = ['roles', 'organization.name', 'organization.slug', 'user.name'] as const;
export const metadataSources = ['grant.metadata.', 'user.metadata.', 'member.metadata.'] as const;

/**
 * Names that mean something to this platform, to OAuth, OpenID Connect, JWT or introspection, or by
 * which apps tell whose account it is. None of them can be set by who directs an app.
 */
const reservedNames: ReadonlySet<string> = new Set([
  // RFC 7519, 7800, 8693, 9068, 7662, 9396, 9449.
  ...words('iss sub aud exp nbf iat jti cnf act may_act client_id scope scp scopes active username token_type'),
  ...words('authorization_details txn toe events sub_id sub_jwk htm htu ath kid typ alg'),
  // OpenID Connect Core 2, 3 and 5.1, and its sessions.
  ...words('azp nonce auth_time acr amr at_hash c_hash s_hash sid vot vtm _claim_names _claim_sources'),
  ...words('name preferred_username profile picture email email_verified phone_number phone_number_verified updated_at'),
  ...words('verified_claims upn oid tid'),
  // Of this platform, in any of its tokens.
  ...words('org_id org_slug type roleId role_id isVerified actsInGrants resource service support connection'),
  ...words('connection_organization cid gen elevated networks mapped'),
]);

function words(text: string): string[] {
  return text.split(' ');
}

const longestName = 100;
/** A word, or an address as a name of one's own. */
const nameShape = /^(?:[A-Za-z][\w.-]*|https:\/\/[\w.-]+(?::\d+)?(?:\/[\w./-]*)?)$/;
const isOfObjects = (key: string) => key in {} || key === 'prototype';

function isReserved(name: string): boolean {
  const lower = name.toLowerCase();
  return isOfObjects(name) || lower.startsWith('tessera') || [...reservedNames].some((reserved) => reserved.toLowerCase() === lower);
}

/** The keys behind `user.metadata.` and the like; undefined for any other source. */
export function metadataPath(source: string): { readonly of: 'grant' | 'user' | 'member'; readonly keys: readonly string[] } | undefined {
  const match = /^(grant|user|member)\.metadata\.([\w-]+(?:\.[\w-]+){0,4})$/.exec(source);
  const [, of, path = ''] = match ?? [];
  if (of !== 'grant' && of !== 'user' && of !== 'member') return undefined;
  const keys = path.split('.');
  return keys.some(isOfObjects) ? undefined : { of, keys };
}

/** Why a claim cannot be: its name has a wrong form, is reserved, or its source is none. */
export function claimFault({ name, source }: Pick<ClaimMapping, 'name' | 'source'>): 'shape' | 'reserved' | 'source' | undefined {
  if (name.length > longestName || !nameShape.test(name)) return 'shape';
  if (isReserved(name)) return 'reserved';
  return plainSources.some((plain) => plain === source) || metadataPath(source) !== undefined ? undefined : 'source';
}
