import { olderThan, prune } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';

const deletedRetentionDays = 90;
const closedInvitationRetentionDays = 400;
/** As long as the log itself. */
const endedReaderRetentionDays = 400;
const directoryRequestRetentionDays = 30;

/**
 * Removes records that were soft-deleted long ago, with their rows in other tables, invitations
 * that were closed long ago, and places that no one came to take.
 */
export async function pruneDeleted(db: Database): Promise<void> {
  for (const table of ['projects', 'organizations', 'accounts']) await prune(db, table, olderThan('deletedAt', deletedRetentionDays));
  await prune(db, 'organization_places', sql`held_until <= now()`);
  await prune(db, 'ended_organization_readers', olderThan('endedAt', endedReaderRetentionDays));
  await prune(db, 'directory_requests', olderThan('createdAt', directoryRequestRetentionDays));
  await prune(db, 'invitation_counts', sql`since <= now() - interval '1 day'`);
  const isOld = olderThan('updatedAt', closedInvitationRetentionDays);
  await prune(db, 'organization_invitations', sql`status <> 'pending' AND ${isOld}`);
}

/**
 * Leaves one row for each organization with members. A concurrent reader sees all old rows or the
 * new one, which have the same sum.
 */
export async function foldMemberCounts(tx: Transaction): Promise<void> {
  await tx.execute(
    query
      .with('folded', (db) =>
        db
          .deleteFrom('organization_user_changes')
          .where('organizationId', 'in', (eb) =>
            eb
              .selectFrom('organization_user_changes')
              .groupBy('organizationId')
              .having(({ fn }) => fn.countAll(), '>', 1)
              .select('organizationId'),
          )
          .returning(['organizationId', 'change']),
      )
      .insertInto('organization_user_changes')
      .columns(['organizationId', 'change'])
      .expression((eb) =>
        eb
          .selectFrom('folded')
          .groupBy('organizationId')
          .having(({ fn }) => fn.sum('change'), '<>', 0)
          .select(({ fn }) => ['organizationId', fn.sum('change').as('change')]),
      ),
  );
}
