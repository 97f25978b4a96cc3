import type { Claims } from './claims.ts';
import { IntrospectionUnavailable, KeysUnavailable, TokenRefused } from './errors.ts';
import { type Dpop, proofAlgorithms } from './proof.ts';
import { isSameResource, metadataUrlOf } from './resource.ts';
import type { Verifier } from './verifier.ts';

/** What a route demands of a token, beyond what the verifier does. */
export type TokenRules = {
  /**
   * The address of this API, which the token must be for (RFC 8707). A refusal then says where the
   * API's metadata is (RFC 9728), and DPoP proofs must be of addresses of its origin.
   */
  readonly resource?: string;
  /**
   * The origin at which clients call this API, which DPoP proofs must be of: `resource` says it,
   * too. Without either no proof is accepted, because a request says only where its sender wants it
   * to have gone.
   */
  readonly origin?: string;
  /** All of them; a token without one is answered with 403. */
  readonly scopes?: readonly string[];
};

export type Call = {
  readonly authorization: string | undefined;
  /** The header `DPoP`. */
  readonly dpop?: string | undefined;
  readonly method: string;
  /** The path with the query, or the whole address, of which the origin is not read. */
  readonly url: string;
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
export async function authenticate(verifier: Verifier, call: Call, rules: TokenRules = {}): Promise<Outcome> {
  const { resource, origin = resource, scopes = [] } = rules;
  const [, scheme = 'Bearer', token] = credentials.exec(call.authorization ?? '') ?? [];
  if (token === undefined) return unauthenticated('Bearer', resource);
  const isDpop = scheme.toLowerCase() === 'dpop';
  try {
    const claims = await verifier.verify(token, { resource, dpop: isDpop ? dpopOf(call, origin) : undefined });
    // The verifier may be one of the application's own.
    if (resource !== undefined && !isSameResource(claims.resource, resource)) throw new TokenRefused('resource');
    if (scopes.every((name) => claims.scopes?.includes(name))) return { claims };
    return refused(403, challengeOf(isDpop ? 'DPoP' : 'Bearer', 'insufficient_scope', resource, scopes));
  } catch (error) {
    if (error instanceof TokenRefused) {
      // A bound token that came as Bearer must hear which scheme it needs, where it is of use.
      const isBound = origin !== undefined && (isDpop || error.reason === 'proof');
      const code = isBound && isDpop && error.reason === 'proof' ? 'invalid_dpop_proof' : 'invalid_token';
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

function dpopOf({ dpop: proof, method, url }: Call, origin: string | undefined): Dpop {
  if (origin === undefined) throw new TokenRefused('proof');
  return { proof, method, url: addressOf(url, origin) };
}

/**
 * The address that the client called. Joined as text: resolved against the origin, the path
 * `//other.example` would lead to another one. Without a path there is none.
 */
function addressOf(url: string, origin: string): string {
  const { pathname, search } = URL.canParse(url) ? new URL(url) : { pathname: url, search: '' };
  return pathname.startsWith('/') ? new URL(origin).origin + pathname + search : '';
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
  // Programs behind a proxy that drops the status look for this word, as the MCP inspector 0.17.
  const unauthorized = 'Unauthorized: this needs a valid access token';
  const body = { 401: { error: unauthorized, code: 'UNAUTHENTICATED' }, 403: { error: 'Not allowed', code: 'FORBIDDEN' } }[status];
  return { status, headers: { 'www-authenticate': challenge }, body };
}
