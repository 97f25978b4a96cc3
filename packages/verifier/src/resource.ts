/** An API as a protected resource: where clients read which issuer it trusts (RFC 9728). */

export type ProtectedResource = {
  /** The address of the API: the `identifier` of the resource in its project. */
  readonly resource: string;
  /** The issuers of the tokens that it takes. */
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[];
  /** Its name for people. */
  readonly resourceName?: string;
  readonly resourceDocumentation?: string;
};

const wellKnown = '/.well-known/oauth-protected-resource';

/** Section 3.1: the well-known part stands before the path of the resource. */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${wellKnown}${pathname === '/' ? '' : pathname}${search}`;
}

export function metadataPathOf(resource: string): string {
  return new URL(metadataUrlOf(resource)).pathname;
}

/** Compared as addresses: `https://api.example.com` and `https://api.example.com/` are one. */
export function isSameResource(one: string | undefined, other: string): boolean {
  if (one === undefined || one === other) return one === other;
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}

export const metadataHeaders = {
  'content-type': 'application/json',
  // Clients in browsers read it, and it has no secret.
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=3600',
};

/** Section 2. */
export function metadataOf(given: ProtectedResource) {
  const { resource, authorizationServers, scopesSupported, resourceName, resourceDocumentation } = given;
  if (!URL.canParse(resource) || resource.includes('#')) throw new TypeError('resource must be an absolute URL without a fragment');
  if (authorizationServers.length === 0) throw new TypeError('authorizationServers must name an issuer');
  return {
    resource,
    authorization_servers: [...authorizationServers],
    ...(scopesSupported === undefined ? {} : { scopes_supported: [...scopesSupported] }),
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: ['ES256', 'RS256', 'PS256'],
    ...(resourceName === undefined ? {} : { resource_name: resourceName }),
    ...(resourceDocumentation === undefined ? {} : { resource_documentation: resourceDocumentation }),
  };
}
