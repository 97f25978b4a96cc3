import { failures } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { EntityTable } from '../storage/entity-tables.ts';
import { clearTags, listTags, setTags, type TagChange } from '../storage/entity-tags.ts';
import { deleteEntity, findEntities } from '../storage/scoped-entity.ts';

function nameOf({ entity }: EntityTable): string {
  return `${entity.charAt(0).toUpperCase()}${entity.slice(1)}`;
}

/** The entity with this id in this scope; 404 when the scope has none. */
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

/** All entities with these ids; 404 when one of them is not in the scope. */
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

type Tagged = { readonly tagIds?: readonly string[] };

/**
 * Applies the tags of the input to an entity of rbac. Returns them before and after, for the audit
 * log.
 */
export async function tagEntity(
  tx: Transaction,
  { entity }: EntityTable,
  scope: ParsedScope,
  id: string,
  change: TagChange,
): Promise<{ readonly before: Tagged; readonly after: Tagged }> {
  if (entity === 'tag') return { before: {}, after: {} };
  const { tagIds } = change;
  const carried = tagIds && (await listTags(tx, [scope], entity, [id]));
  await setTags(tx, scope, entity, id, change);
  if (carried === undefined) return { before: {}, after: {} };
  return { before: { tagIds: carried.map((tag) => tag.id).toSorted() }, after: { tagIds: [...new Set(tagIds)].toSorted() } };
}

/** Deletes an entity and its tags. Returns the entity as it was, with the time of its deletion. */
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
