/** Which scopes an authorization request asks for, where the library and we differ. */
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { requireClientApp } from './clients.ts';
import { askedScopes, keepOfflineAccess } from './offline-access.ts';
import { openidOf } from './request.ts';

/**
 * A request without `scope` asks for the scopes of the app, with `resource` for those of these
 * resources (RFC 6749 section 3.3), as if it named each. What is about the person must be named:
 * the standard scopes are never part of it. Who names scopes of which none is left gets no others.
 */
export async function readScopes(ctx: KoaContextWithOIDC, value: unknown, client: Client): Promise<void> {
  keepOfflineAccess(ctx, value, client);
  const { params, requestParamOIDCScopes: known } = ctx.oidc;
  if (params === undefined || known.size > 0) return;
  const asked = askedScopes(ctx);
  const scopes = asked.length > 0 ? [] : await scopesOfApp(ctx, client);
  if (scopes.length === 0) throw new errors.InvalidScope('the request names no scope that the app has', asked.join(' '));
  params['scope'] = scopes.join(' ');
}

async function scopesOfApp(ctx: KoaContextWithOIDC, { clientId }: Client): Promise<readonly string[]> {
  const request = openidOf(ctx);
  // The platform's own clients have none.
  if (request.issuer.scope === undefined) return [];
  const { scopes } = await requireClientApp(clientId, request);
  const servers = Object.values(ctx.oidc.resourceServers ?? {});
  return servers.length === 0 ? scopes : scopes.filter((name) => servers.some((server) => server.scopes.has(name)));
}
