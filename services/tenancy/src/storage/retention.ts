import { prune } from '@tessera/kernel/events';
import { statement, type Transaction } from '@tessera/kernel/postgres';

const deletedRetentionDays = 90;
const closedInvitationRetentionDays = 400;

/** What was soft-deleted long ago goes for good, with all that hangs on it; so do invitations that have long been decided. */
export async function pruneDeleted(tx: Transaction): Promise<void> {
  for (const table of ['projects', 'organizations', 'accounts'])
    await prune(tx, table, `deleted_at < now() - $1 * interval '1 day'`, [deletedRetentionDays]);
  await prune(tx, 'organization_invitations', `status <> 'pending' AND updated_at < now() - $1 * interval '1 day'`, [
    closedInvitationRetentionDays,
  ]);
}

const fold = statement(
  'retention_fold_member_counts',
  `WITH folded AS (
     DELETE FROM organization_user_changes WHERE organization_id IN (
       SELECT organization_id FROM organization_user_changes GROUP BY organization_id HAVING count(*) > 1
     ) RETURNING organization_id, change
   )
   INSERT INTO organization_user_changes (organization_id, change)
   SELECT organization_id, sum(change) FROM folded GROUP BY organization_id HAVING sum(change) <> 0`,
);

/** One row for each organization that has members. Whoever reads meanwhile sees all the rows before or the one after: the same sum. */
export async function foldMemberCounts(tx: Transaction): Promise<void> {
  await tx.execute(fold);
}
