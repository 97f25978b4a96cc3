import { requestContext } from '@tessera/kernel/telemetry';
import type { TokenVerifier } from '@tessera/kernel/tokens';
import { LRUCache } from 'lru-cache';
import type { EdgeContext } from '../edge/context.ts';

/** Whose share of the per-tenant limit a request takes; undefined when it carries no valid token. */
export type TenantOf = (authorization: string | undefined, edge: EdgeContext) => string | undefined | Promise<string | undefined>;

type Known = { readonly authorization: string; readonly tenant: string; readonly untilMs: number };

/**
 * By the scope of a verified token: a forged one must not use up somebody else's share. A session without a scope
 * counts for its user.
 */
export function createTenantOf(verifier: TokenVerifier): TenantOf {
  const knownByEnd = new LRUCache<string, Known>({ max: 10_000 });
  const verified = async (authorization: string): Promise<string | undefined> => {
    const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
    if (token === undefined) return undefined;
    try {
      const { scope, sub } = await verifier.verify(token);
      const tenant = scope === undefined ? `user:${sub}` : `${scope.tenant}:${withoutUser(scope.id)}`;
      knownByEnd.set(endOf(authorization), { authorization, tenant, untilMs: performance.now() + rememberedMs });
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

/** A token that was good counts on for so long; only its service says whether it still opens anything. */
const rememberedMs = 30_000;

/** A token is looked up by the end of its signature, and compared whole: making a key of all of it costs more than all limits. */
function endOf(authorization: string): string {
  return authorization.slice(-32);
}

/** A token's scope ends in the user; the tenant is what stands before. */
function withoutUser(id: string): string {
  return id.split(':').slice(0, 2).join(':');
}
