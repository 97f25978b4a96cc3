import type { Claims } from './claims.ts';
import { IntrospectionUnavailable, KeysUnavailable, TokenRefused } from './errors.ts';
import { proofAlgorithms } from './proof.ts';
import { metadataUrlOf } from './resource.ts';
import type { Verifier } from './verifier.ts';

/** What a route demands of a token, beyond what the verifier does. */
export type TokenRules = {
  /**
   * The address of this API, which the token must be for (RFC 8707). A refusal then says where the
   * API's metadata is (RFC 9728), and DPoP proofs must be of addresses of its origin.
   */
  readonly resource?: string;
  /** All of them; a token without one is answered with 403. */
  readonly scopes?: readonly string[];
};

export type Call = {
  readonly authorization: string | undefined;
  /** The header `DPoP`. */
  readonly dpop?: string | undefined;
  readonly method: string;
  /** The path with the query, or the whole address. */
  readonly url: string;
  /** Where a path went, as the request says; not read when the route names its resource. */
  readonly origin?: string | undefined;
};

export type Outcome =
  | { readonly claims: Claims }
  | {
      readonly status: 401 | 403 | 503;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: { readonly error: string; readonly code: string };
    };

const acceptedClaims = new WeakMap<object, Claims>();

export function accept(request: object, claims: Claims): void {
  acceptedClaims.set(request, claims);
}

/** The claims of a request that passed `requireToken`. */
export function claimsOf(request: object): Claims {
  const claims = acceptedClaims.get(request);
  if (claims === undefined) throw new TypeError('requireToken did not run for this request');
  return claims;
}

const credentials = /^(Bearer|DPoP) ([\w-]+\.[\w-]+\.[\w-]+)$/i;

/**
 * Turns an Authorization header into claims or a ready response. The response never says why a
 * token was refused.
 */
export async function authenticate(verifier: Verifier, call: Call, { resource, scopes = [] }: TokenRules = {}): Promise<Outcome> {
  const [, scheme = 'Bearer', token] = credentials.exec(call.authorization ?? '') ?? [];
  if (token === undefined) return unauthenticated('Bearer', resource);
  const isDpop = scheme.toLowerCase() === 'dpop';
  try {
    const claims = await verifier.verify(
      token,
      isDpop ? { dpop: { proof: call.dpop, method: call.method, url: addressOf(call, resource) } } : {},
    );
    if (resource !== undefined && !isSame(claims.resource, resource)) throw new TokenRefused('resource');
    if (scopes.every((name) => claims.scopes?.includes(name))) return { claims };
    return refused(403, challengeOf(isDpop ? 'DPoP' : 'Bearer', 'insufficient_scope', resource, scopes));
  } catch (error) {
    if (error instanceof TokenRefused) {
      // A bound token that came as Bearer must hear which scheme it needs.
      const isBound = isDpop || error.reason === 'proof';
      const code = isDpop && error.reason === 'proof' ? 'invalid_dpop_proof' : 'invalid_token';
      return refused(401, challengeOf(isBound ? 'DPoP' : 'Bearer', code, resource));
    }
    if (error instanceof KeysUnavailable || error instanceof IntrospectionUnavailable)
      return {
        status: 503,
        headers: { 'retry-after': '5' },
        body: { error: 'Token verification is unavailable', code: 'SERVICE_UNAVAILABLE' },
      };
    throw error;
  }
}

/** The address that the client called: behind a proxy only the resource says it for sure. */
function addressOf({ url, origin }: Call, resource: string | undefined): string {
  const path = URL.canParse(url) ? new URL(url) : new URL(url, origin ?? 'http://unknown.invalid');
  return resource === undefined ? path.href : new URL(path.pathname + path.search, resource).href;
}

function isSame(one: string | undefined, other: string): boolean {
  return one !== undefined && URL.canParse(one) && new URL(one).href === new URL(other).href;
}

function challengeOf(
  scheme: 'Bearer' | 'DPoP',
  error: string | undefined,
  resource: string | undefined,
  scopes: readonly string[] = [],
): string {
  const parameters = Object.entries({
    error,
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    algs: scheme === 'DPoP' ? proofAlgorithms.join(' ') : undefined,
    resource_metadata: resource === undefined ? undefined : metadataUrlOf(resource),
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]));
  return parameters.length === 0 ? scheme : `${scheme} ${parameters.join(', ')}`;
}

function unauthenticated(scheme: 'Bearer', resource: string | undefined): Outcome {
  return refused(401, challengeOf(scheme, undefined, resource));
}

function refused(status: 401 | 403, challenge: string): Outcome {
  const body = { 401: { error: 'Authentication required', code: 'UNAUTHENTICATED' }, 403: { error: 'Not allowed', code: 'FORBIDDEN' } }[
    status
  ];
  return { status, headers: { 'www-authenticate': challenge }, body };
}
