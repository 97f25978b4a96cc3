import type { Claims } from './claims.ts';
import { IntrospectionUnavailable, KeysUnavailable, TokenRefused } from './errors.ts';
import type { Verifier } from './verifier.ts';

export type Outcome =
  | { readonly claims: Claims }
  | {
      readonly status: 401 | 503;
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

const bearer = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i;

/**
 * Turns an Authorization header into claims or a ready response. The response never says why a
 * token was refused.
 */
export async function authenticate(verifier: Verifier, authorization: string | undefined): Promise<Outcome> {
  const token = bearer.exec(authorization ?? '')?.[1];
  if (token === undefined) return unauthenticated('Bearer');
  try {
    return { claims: await verifier.verify(token) };
  } catch (error) {
    if (error instanceof TokenRefused) return unauthenticated('Bearer error="invalid_token"');
    if (error instanceof KeysUnavailable || error instanceof IntrospectionUnavailable)
      return {
        status: 503,
        headers: { 'retry-after': '5' },
        body: { error: 'Token verification is unavailable', code: 'SERVICE_UNAVAILABLE' },
      };
    throw error;
  }
}

function unauthenticated(challenge: string): Outcome {
  return { status: 401, headers: { 'www-authenticate': challenge }, body: { error: 'Authentication required', code: 'UNAUTHENTICATED' } };
}
