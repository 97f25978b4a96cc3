import { failures } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { clearTags, setTags, type TagChange } from '../storage/entity-tags.ts';
import { deleteEntity, type EntityTable, findEntities } from '../storage/scoped-entity.ts';

function nameOf({ entity }: EntityTable): string {
  return `${entity.charAt(0).toUpperCase()}${entity.slice(1)}`;
}

/** The row of this id in this scope; 404 for one that is not there, or is somebody else's. */
export async function findOne<Row extends { readonly id: string }>(
  tx: Transaction,
  table: EntityTable<Row>,
  scope: ParsedScope,
  id: string,
): Promise<Row> {
  const [row] = await findEntities(tx, table, scope, [id]);
  if (row === undefined) throw failures.notFound(nameOf(table));
  return row;
}

/** All of these, or 404: a reference to something outside the scope is a reference to nothing. */
export async function findAll<Row extends { readonly id: string }>(
  tx: Transaction,
  table: EntityTable<Row>,
  scope: ParsedScope,
  ids: readonly string[],
): Promise<Row[]> {
  const rows = await findEntities(tx, table, scope, ids);
  if (rows.length !== ids.length) throw failures.notFound(nameOf(table));
  return rows;
}

/** Tags an entity of this service as the input says. */
export async function tagEntity(tx: Transaction, table: EntityTable, scope: ParsedScope, id: string, change: TagChange): Promise<void> {
  if (table.entity !== 'tag') await setTags(tx, scope, table.entity, id, change);
}

/** Deletes a row and what only hangs on it; answers with the row as it was, and when it went. */
export async function removeOne<Row extends { readonly id: string; readonly deletedAt: string | null }>(
  tx: Transaction,
  table: EntityTable,
  scope: ParsedScope,
  row: Row,
  { hard, now }: { hard: boolean; now: Date },
): Promise<Row> {
  if (!(await deleteEntity(tx, table, scope, row.id, hard))) throw failures.notFound(nameOf(table));
  if (table.entity !== 'tag') await clearTags(tx, scope, table.entity, row.id);
  return { ...row, deletedAt: now.toISOString() };
}
