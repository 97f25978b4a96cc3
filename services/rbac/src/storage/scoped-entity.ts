import { composed, type Page, type PageRequest, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { type AliasableExpression, type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { levelId, levelOf, type Pivoted, readScope, valuesOf } from './across.ts';
import type { EntityTable } from './entity-tables.ts';
import { query } from './query.ts';

export type ListInput = PageRequest & {
  readonly tagIds?: readonly string[] | undefined;
  readonly isBuiltIn?: boolean | undefined;
};

/**
 * One page of the scope's rows, or of the built-in or own ones; `tagIds`: those that carry every
 * one of the tags.
 */
export async function listEntities<Row>(
  tx: Transaction,
  table: EntityTable<Row>,
  scope: ParsedScope,
  { tagIds = [], isBuiltIn, ...input }: ListInput,
): Promise<Page<Row>> {
  const pages = table.pages[levelOf(scope)];
  if (pages === undefined) return { rows: [], totalCount: 0, hasNextPage: false };
  const scoped = valuesOf(scope);
  const tags = [...new Set(tagIds)];
  const tagged = { tagIds: tags, tagCount: tags.length };
  if (isBuiltIn === undefined)
    return tags.length === 0 ? pages.every(tx, scoped, input) : pages.tagged(tx, { ...scoped, ...tagged }, input);
  if (pages.ofKind === undefined) throw new Error(`${table.table} has no built-in rows`);
  const ofKind = { ...scoped, isBuiltIn };
  return tags.length === 0 ? pages.ofKind.every(tx, ofKind, input) : pages.ofKind.tagged(tx, { ...ofKind, ...tagged }, input);
}

/** The rows with these ids that the scope has, in the order asked; the others are left out. */
export async function findEntities<Row extends { readonly id: string }>(
  tx: Transaction,
  table: EntityTable<Row>,
  scope: ParsedScope,
  ids: readonly string[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = await readScope(tx, table.byIds, scope, { ids: [...new Set(ids)] });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Every row of the scope, by name. */
export function listAll<Row>(tx: Transaction, table: EntityTable<Row>, scope: ParsedScope): Promise<Row[]> {
  return readScope(tx, table.all, scope, {});
}

/** Inserts the row and its pivot. */
export async function insertEntity<Fields>(
  tx: Transaction,
  table: EntityTable<unknown, Fields>,
  scope: ParsedScope,
  id: string,
  fields: Fields,
): Promise<void> {
  const pivot = table.pivots[levelOf(scope)];
  if (pivot === undefined) throw new Error(`${table.table} has no pivot in ${scope.tenant}`);
  await tx.execute(composed(table.insert(id, fields)));
  await tx.execute(composed(pivot.add(levelId(scope), id, fields)));
}

const { and, eb, exists } = expressionBuilder<{ e: { id: string; deletedAt: string | null } }, 'e'>();

/** The living row `e` with this id, when the pivot has it for the scope. */
function isOwn(pivot: AliasableExpression<Pivoted>, scope: ParsedScope, id: string): Expression<SqlBool> {
  const held = query
    .selectFrom(pivot.as('p'))
    .where('p.levelId', '=', levelId(scope))
    .where('p.entityId', '=', sql.ref<string>('e.id'))
    .select(sql.lit(1).as('held'));
  return and([eb('e.id', '=', id), eb('e.deletedAt', 'is', null), exists(held)]);
}

/** When a row of the scope was changed last; locks it until the commit. */
export function lockEntity(tx: Transaction, { table }: EntityTable, id: string): Promise<{ readonly updatedAt: string } | undefined> {
  return tx.one(query.selectFrom(table).where('id', '=', id).select('updatedAt').forUpdate());
}

/** Changes a row that the scope has. False when it has none with this id. */
export async function updateEntity<Fields>(
  tx: Transaction,
  table: EntityTable<unknown, Fields>,
  scope: ParsedScope,
  id: string,
  fields: Partial<Fields>,
): Promise<boolean> {
  const pivot = table.pivots[levelOf(scope)];
  if (pivot === undefined) return false;
  return (await tx.execute(composed(table.update(fields).where(isOwn(pivot.own ?? pivot.rows, scope, id))))) > 0;
}

/** Deletes a row that the scope has: softly, or with everything that hangs on it. */
export async function deleteEntity(tx: Transaction, table: EntityTable, scope: ParsedScope, id: string, hard: boolean): Promise<boolean> {
  const pivot = table.pivots[levelOf(scope)];
  if (pivot === undefined) return false;
  const change = hard ? table.hardDelete() : table.softDelete();
  return (await tx.execute(composed(change.where(isOwn(pivot.own ?? pivot.rows, scope, id))))) > 0;
}
