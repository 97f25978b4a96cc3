import { isId } from '@tessera/kernel/ids';
import { issuerOf, type ProjectScope, type SigningScope } from './signing-scope.ts';
import { BadTokenRequest } from './token-request.ts';

/** What both kinds may say. Never `type`, `scope` or `scopes`: they open nothing. */
const idTokenClaims = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'nonce',
  'auth_time',
  'acr',
  'amr',
  'sid',
  'at_hash',
  'name',
  'email',
  'email_verified',
  'picture',
  'updated_at',
  'org_id',
  'org_slug',
];
const logoutTokenClaims = ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'sid', 'events'];
const logoutType = 'logout+jwt';

export type IdToken = { readonly kid: string; readonly alg: 'RS256' | 'ES256'; readonly usedScope: ProjectScope | undefined };
type Rules = { readonly appUrl: string; readonly longestLifetimeSeconds: number };

/**
 * The `kid` of a signing input (RFC 7515 section 5.1) that is an ID token or a logout token of this
 * issuer. oidc-provider writes the header, which has no `typ` for an ID token: verifiers of ours
 * demand `typ` JWT, so they refuse it for that reason, too. `usedScope`: where it names another
 * organization than the project's, which must use the project.
 */
export function acceptIdToken(scope: SigningScope, signingInput: string, { appUrl, longestLifetimeSeconds }: Rules): IdToken {
  const [header, payload, ...more] = signingInput.split('.');
  assertHolds(more.length === 0, 'a signing input has two parts');
  const { alg, kid, typ, ...rest } = parsePart(header);
  assertHolds(
    (alg === 'RS256' || alg === 'ES256') && Object.keys(rest).length === 0 && (typ === undefined || typ === logoutType),
    'header',
  );
  assertHolds(typeof kid === 'string' && isId(kid), 'kid');
  const claims = parsePart(payload);
  const allowed = typ === logoutType ? logoutTokenClaims : idTokenClaims;
  const unknown = Object.keys(claims).find((name) => !allowed.includes(name));
  assertHolds(unknown === undefined, `the claim ${unknown} is not allowed in an ID token`);
  const { iss, sub, aud, exp, iat } = claims;
  assertHolds(iss === issuerOf(scope, appUrl), 'iss');
  assertHolds(typeof sub === 'string' && isId(sub), 'sub');
  assertHolds(typeof aud === 'string' && aud !== '' && aud !== appUrl, 'the audience of an ID token is a client');
  const lives = Number.isInteger(exp) && Number.isInteger(iat) ? Number(exp) - Number(iat) : 0;
  assertHolds(lives > 0 && lives <= longestLifetimeSeconds, 'exp');
  return { kid, alg, usedScope: usedScopeOf(scope, claims) };
}

function usedScopeOf({ tenant, id }: SigningScope, claims: Readonly<Record<string, unknown>>): ProjectScope | undefined {
  const { org_id: organizationId } = claims;
  const [parentId, projectId] = id.split(':');
  if (organizationId === undefined) {
    assertHolds(claims['org_slug'] === undefined, 'org_slug comes with org_id');
    return undefined;
  }
  assertHolds(tenant === 'organizationProject' && typeof organizationId === 'string' && isId(organizationId), 'org_id');
  return organizationId === parentId ? undefined : { tenant, id: `${organizationId}:${projectId}` };
}

function parsePart(part: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Falls through: invalid JSON is refused like a value that is no object.
  }
  throw new BadTokenRequest('a part of the signing input is no object');
}

function assertHolds(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BadTokenRequest(what);
}
