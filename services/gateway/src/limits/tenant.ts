import { requestContext } from '@tessera/kernel/telemetry';
import type { TokenVerifier } from '@tessera/kernel/tokens';
import { LRUCache } from 'lru-cache';
import type { EdgeContext } from '../edge/context.ts';

/** The tenant that a request counts for. Undefined without a valid token. */
export type TenantOf = (authorization: string | undefined, edge: EdgeContext) => string | undefined | Promise<string | undefined>;

type Known = { readonly authorization: string; readonly tenant: string; readonly untilMs: number };

/**
 * The tenant is the scope of a verified token: a forged token must not use up the limit of another
 * tenant. A session without a scope counts for its user.
 */
export function createTenantOf(verifier: TokenVerifier): TenantOf {
  const knownByEnd = new LRUCache<string, Known>({ max: 10_000 });
  const verified = async (authorization: string): Promise<string | undefined> => {
    const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
    if (token === undefined) return undefined;
    try {
      const { scope, sub } = await verifier.verify(token);
      const tenant = scope === undefined ? `user:${sub}` : `${scope.tenant}:${withoutUser(scope.id)}`;
      knownByEnd.set(endOf(authorization), { authorization, tenant, untilMs: performance.now() + cachedMs });
      return tenant;
    } catch {
      return undefined;
    }
  };
  return (authorization, edge) => {
    if (authorization === undefined) return undefined;
    const known = knownByEnd.get(endOf(authorization));
    if (known?.authorization === authorization && known.untilMs > edge.arrivedMs) return known.tenant;
    return requestContext.run(edge, verified, authorization);
  };
}

/**
 * A verified token is cached for so long. Whether it is revoked meanwhile is checked by its
 * service.
 */
const cachedMs = 30_000;

/**
 * The cache key is the end of the signature, and the whole token is compared: hashing all of it
 * costs more than the limits.
 */
function endOf(authorization: string): string {
  return authorization.slice(-32);
}

/** The id of a token's scope ends in the user, behind the tenant. */
function withoutUser(id: string): string {
  return id.split(':').slice(0, 2).join(':');
}
