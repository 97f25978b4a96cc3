import type { TokenVerifier } from '@tessera/kernel/tokens';

/** Whose share of the per-tenant limit a request takes; undefined when it carries no valid token. */
export type TenantOf = (authorization: string | undefined) => Promise<string | undefined>;

/**
 * By the scope of a verified token: a forged one must not use up somebody else's share. A session without a scope
 * counts for its user.
 */
export const createTenantOf =
  (verifier: TokenVerifier): TenantOf =>
  async (authorization) => {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    try {
      const { scope, sub } = await verifier.verify(token);
      return scope === undefined ? `user:${sub}` : `${scope.tenant}:${withoutUser(scope.id)}`;
    } catch {
      return undefined;
    }
  };

/** A token's scope ends in the user; the tenant is what stands before. */
const withoutUser = (id: string): string => id.split(':').slice(0, 2).join(':');
