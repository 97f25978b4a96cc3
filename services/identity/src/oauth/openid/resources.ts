/** Resource indicators (RFC 8707): for which API of the project a token is. */
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { type AccessToken, type Client, type ClientCredentials, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { requireClientApp } from './clients.ts';
import { openidOf } from './request.ts';

export const resourceIndicators = {
  enabled: true,
  defaultResource,
  getResourceServerInfo,
  // Without `resource` a token request gets what was granted at authorize.
  useGrantedResource: async () => true,
} as const;

/**
 * A token is for one resource: one for two would let each of them act at the other. The library
 * asks with the granted ones when the request names none.
 */
async function defaultResource(_ctx: KoaContextWithOIDC, _client: Client, oneOf?: readonly string[]): Promise<string | string[]> {
  if (oneOf !== undefined && oneOf.length > 1) throw new errors.InvalidTarget('name one of the granted resources');
  return oneOf?.[0] ?? [];
}

/**
 * Of all scopes of the app, a token for a resource has only those of what the API serves: it may
 * pass the token on, and must not be able to act elsewhere with it.
 */
async function getResourceServerInfo(ctx: KoaContextWithOIDC, identifier: string, client: Client) {
  const request = openidOf(ctx);
  const app = await requireClientApp(client.clientId, request);
  const { tenant, id } = app.scope;
  const { catalogue } = request.context.deps;
  const asked = { scope: { tenant, id }, identifier };
  const found = identifier.length > longestIdentifier ? undefined : await ignoreUnknownMethod(catalogue.findResourceServer(asked));
  if (found === undefined || found.identifier === '') throw new errors.InvalidTarget('the project has no resource with this identifier');
  const scopes = app.scopes.filter((name) => found.slugs.includes(name.slice(0, name.indexOf(':'))));
  return { scope: scopes.join(' '), audience: found.identifier, accessTokenFormat: 'opaque' as const };
}

const longestIdentifier = 2_000;

/** Of these scopes, those that a requested resource has. */
export function scopesAt(served: ReadonlySet<string>, scopes: readonly string[]): string {
  return scopes.filter((name) => served.has(name)).join(' ');
}

/** What the token's claims say of its resource and its key. */
export function boundClaims({ aud, jkt }: Pick<AccessToken | ClientCredentials, 'aud' | 'jkt'>) {
  return { ...(typeof aud === 'string' ? { resource: aud } : {}), ...(jkt === undefined ? {} : { cnf: { jkt } }) };
}
