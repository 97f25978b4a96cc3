import { prune } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import { groupTable, permissionTable, resourceTable, roleTable, tagTable } from './scoped-entity.ts';

const deletedKeptDays = 90;

/** Deletes rows that were softly deleted long ago, and departures older than any request that is under way. */
export async function pruneAll(tx: Transaction): Promise<undefined> {
  for (const { table, entity } of [roleTable, groupTable, permissionTable, resourceTable, tagTable]) {
    const isOld = `deleted_at < now() - $1 * interval '1 day'`;
    if (entity !== 'tag') {
      const orphans = `entity = $2 AND entity_id IN (SELECT id FROM ${table} WHERE ${isOld})`;
      await prune(tx, 'entity_tags', orphans, [deletedKeptDays, entity]);
    }
    await prune(tx, table, isOld, [deletedKeptDays]);
  }
  await prune(tx, 'departures', `left_at < now() - interval '1 day'`);
  return undefined;
}
