import type { HandleContext } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../deps.ts';
import { errors } from '../errors.ts';
import { findOwnLimits, type Limited, lockCount } from '../storage/quotas.ts';

/** 409 when the account or organization is at its limit. The count holds until the commit. */
export async function assertRoom(of: Limited, id: string, { tx, deps }: HandleContext<TenancyDeps>): Promise<void> {
  const limit = (await findOwnLimits(tx))[of] ?? deps.quotas[of];
  if (limit === 0) return;
  const used = await lockCount(tx, id, of);
  if (used >= limit) throw errors.quotaExceeded({ params: { limit, used }, extensions: { quota: of, limit, used } });
}
