import type { HandleContext } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../deps.ts';
import { errors } from '../errors.ts';
import { findOwnLimits, type Limited, lockCount } from '../storage/quotas.ts';

type Context = Pick<HandleContext<TenancyDeps>, 'tx'> & { readonly deps: Pick<TenancyDeps, 'quotas'> };

/**
 * 409 when the account or organization is at its limit. The count holds until the commit. False
 * without a limit.
 */
export async function assertRoom(of: Limited, id: string, { tx, deps }: Context): Promise<boolean> {
  const limit = (await findOwnLimits(tx))[of] ?? deps.quotas[of];
  if (limit === 0) return false;
  const used = await lockCount(tx, id, of);
  if (used < limit) return true;
  throw errors.quotaExceeded({ params: { limit, used }, extensions: { quota: of, limit, used } });
}
