import type { TokenVerifier } from '@tessera/kernel/tokens';
import { LRUCache } from 'lru-cache';

/** Whose share of the per-tenant limit a request takes; undefined when it carries no valid token. */
export type TenantOf = (authorization: string | undefined) => string | undefined | Promise<string | undefined>;

/**
 * By the scope of a verified token: a forged one must not use up somebody else's share. A session without a scope
 * counts for its user.
 */
export const createTenantOf = (verifier: TokenVerifier): TenantOf => {
  const known = new LRUCache<string, string>({ max: 10_000, ttl: rememberedMs });
  const verified = async (authorization: string): Promise<string | undefined> => {
    const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
    if (token === undefined) return undefined;
    try {
      const { scope, sub } = await verifier.verify(token);
      const tenant = scope === undefined ? `user:${sub}` : `${scope.tenant}:${withoutUser(scope.id)}`;
      known.set(authorization, tenant);
      return tenant;
    } catch {
      return undefined;
    }
  };
  return (authorization) => (authorization === undefined ? undefined : (known.get(authorization) ?? verified(authorization)));
};

/** A token that was good counts on for so long; only its service says whether it still opens anything. */
const rememberedMs = 30_000;

/** A token's scope ends in the user; the tenant is what stands before. */
const withoutUser = (id: string): string => id.split(':').slice(0, 2).join(':');
