import { prune } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';

const DELETED_DAYS = 90;
const CLOSED_INVITATION_DAYS = 400;

/** What was soft-deleted long ago goes for good, with all that hangs on it; so do invitations that have long been decided. */
export async function pruneDeleted(tx: Transaction): Promise<void> {
  for (const table of ['projects', 'organizations', 'accounts'])
    await prune(tx, table, `deleted_at < now() - $1 * interval '1 day'`, [DELETED_DAYS]);
  await prune(tx, 'organization_invitations', `status <> 'pending' AND updated_at < now() - $1 * interval '1 day'`, [
    CLOSED_INVITATION_DAYS,
  ]);
}
