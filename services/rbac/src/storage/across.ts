import { composed, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import { type EntityTable, each, type Level, levelId, levelOf } from './scoped-entity.ts';

/** What is in many scopes, read at once: one statement for each level of tenants among them, however many they are. */

/** A row, and the scope in which it was found, as `placeOf` writes it. */
export type Found<Row> = Row & { readonly at: string };
export function placeOf({ tenant, id }: Scope): string {
  return `${tenant} ${id}`;
}

/** `s`: the scopes that are asked about, each with its tenant's own id. A single one, which is the most frequent, is planned as a constant. */
const askedOne = '(SELECT $1::uuid, $2::text, $3::text) AS s (level_id, tenant, id)';
const askedMany = 'unnest($1::uuid[], $2::text[], $3::text[]) AS s (level_id, tenant, id)';
const at = `s.tenant || ' ' || s.id AS at`;

/** `textOf` writes what follows SELECT and the place, for one level; undefined: nothing is there. Its own values begin at `$4`. */
export async function readAcross<Row>(
  tx: Transaction,
  scopes: readonly ParsedScope[],
  textOf: (level: Level) => { readonly select: string; readonly from: string } | undefined,
  values: readonly unknown[] = [],
): Promise<Found<Row>[]> {
  const found = await Promise.all(
    [...Map.groupBy(scopes, levelOf)].map(([level, members]) => {
      const text = textOf(level);
      if (text === undefined) return [];
      const [first, second] = members;
      const [asked, ids] =
        first !== undefined && second === undefined
          ? [askedOne, [levelId(first), first.tenant, first.id]]
          : [askedMany, [members.map(levelId), members.map(({ tenant }) => tenant), members.map(({ id }) => id)]];
      return tx.query<Found<Row>>(composed(`SELECT ${at}, ${text.select} FROM ${asked} ${text.from}`), [...ids, ...values]);
    }),
  );
  return found.flat();
}

/** A table's living rows of each scope, as `e`; undefined where the level has none. */
function rowsOf({ table, entity, pivots, alsoVisible }: EntityTable, level: Level): string | undefined {
  const pivot = pivots[level];
  const parts = [
    ...(pivot === undefined
      ? []
      : [`SELECT e.* FROM ${pivot} p JOIN ${table} e ON e.id = p.${entity}_id WHERE p.${level}_id = s.level_id AND e.deleted_at IS NULL`]),
    ...(alsoVisible === undefined ? [] : [`SELECT e.* FROM ${table} e WHERE ${alsoVisible} AND e.deleted_at IS NULL`]),
  ];
  return parts.length === 0 ? undefined : `CROSS JOIN LATERAL (${parts.join(' UNION ALL ')}) AS e`;
}

function entitiesAcross<Row>(
  tx: Transaction,
  table: EntityTable,
  scopes: readonly ParsedScope[],
  { select = '', join = '', values = [] }: { select?: string; join?: string; values?: readonly unknown[] },
): Promise<Found<Row>[]> {
  return readAcross<Row>(
    tx,
    scopes,
    (level) => {
      const rows = rowsOf(table, level);
      return rows === undefined ? undefined : { select: `${select} ${table.columns(each)}`, from: `${rows} ${join} ORDER BY e.name, e.id` };
    },
    values,
  );
}

/** Every row of the scopes, by name. */
export function listAcross<Row>(tx: Transaction, table: EntityTable, scopes: readonly ParsedScope[]): Promise<Found<Row>[]> {
  return entitiesAcross<Row>(tx, table, scopes, {});
}

/** Those of the rows with these ids that the scopes have. */
export function findAcross<Row>(
  tx: Transaction,
  table: EntityTable,
  scopes: readonly ParsedScope[],
  ids: readonly string[],
): Promise<Found<Row>[]> {
  return entitiesAcross<Row>(tx, table, scopes, { join: 'WHERE e.id = ANY ($4::uuid[])', values: [ids] });
}

export type Linked<Row> = Found<Row> & { readonly ownerId: string };

/** Rows that hang on others, of many owners at once: `link` joins `l` to `e` and says which of its columns is the owner. */
export function linkedAcross<Row>(
  tx: Transaction,
  table: EntityTable,
  scopes: readonly ParsedScope[],
  link: { readonly join: string; readonly owner: string },
  ownerIds: readonly string[],
): Promise<Linked<Row>[]> {
  return entitiesAcross<Row & { ownerId: string }>(tx, table, scopes, {
    select: `${link.owner} AS "ownerId",`,
    join: `JOIN ${link.join} WHERE ${link.owner} = ANY ($4::uuid[])`,
    values: [ownerIds],
  });
}
