import { olderThan, prune } from '@tessera/kernel/events';
import type { Database } from '@tessera/kernel/postgres';
import { type SqlBool, sql } from 'kysely';
import { groupTable, permissionTable, resourceTable, roleTable, tagTable } from './entity-tables.ts';

const deletedRetentionDays = 90;
/** Longer than the longest period that is shown. */
const countRetentionDays = 40;

/** So long the roles of an ended grant wait for a new one of the pair (decision 18). */
const grantRetentionDays = 30;

/**
 * Deletes rows that were softly deleted long ago, and departures older than any request that is
 * under way.
 */
export async function pruneAll(db: Database): Promise<void> {
  for (const { table, entity } of [roleTable, groupTable, permissionTable, resourceTable, tagTable]) {
    const isOld = olderThan('deletedAt', deletedRetentionDays);
    if (entity !== 'tag') {
      const old = sql`SELECT id FROM ${sql.table(table)} WHERE ${isOld}`;
      await prune(db, 'entity_tags', sql<SqlBool>`entity = ${entity} AND entity_id IN (${old})`);
    }
    await prune(db, table, isOld);
  }
  const ended = sql`SELECT scope_id FROM project_grants WHERE ${olderThan('endedAt', grantRetentionDays)}`;
  await prune(db, 'role_assignments', sql<SqlBool>`tenant = 'organizationProject' AND scope_id IN (${ended})`);
  await prune(db, 'departures', olderThan('leftAt', 1));
  await prune(db, 'decision_counts', olderThan('at', countRetentionDays));
}
