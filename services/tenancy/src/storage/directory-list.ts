/** One page of what a directory has sent, people or groups, by a filter of SCIM. */
import type { Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { Filter } from '../domain/scim/filter.ts';
import type { Target } from '../domain/scim/schema.ts';
import { conditionOf, type Settings, sortKeyOf } from './directory-filter.ts';
import { query } from './query.ts';

/** After the row with this key and id, in the order of the list. */
export type After = { readonly key: string; readonly id: string };

export type DirectoryList = {
  readonly filter: Filter | undefined;
  readonly sortBy: Target | undefined;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly after: After | undefined;
  readonly limit: number;
  readonly settings: Settings;
};

/** A list is sorted by so many characters of the value. */
const longestKey = 300;

export type DirectoryPage<Row> = { readonly rows: readonly (Row & { readonly sortKey: string })[]; readonly total: number };

type Listed = { readonly id: string; readonly organizationId: string };

/** The ids of a page. */
async function listIds(
  tx: Transaction,
  table: 'directory_users' | 'directory_groups',
  organizationId: string,
  asked: DirectoryList,
): Promise<DirectoryPage<Pick<Listed, 'id'>>> {
  const { filter, sortBy, isDescending, offset, after, limit, settings } = asked;
  // Kysely has no name for one of two tables.
  const own = query.selectFrom(sql<Listed>`${sql.table(table)}`.as('d')).where('d.organizationId', '=', organizationId);
  const all = filter === undefined ? own : own.where(conditionOf(filter, settings));
  // The key is a part of the cursor, whose length is limited.
  const key =
    sortBy === undefined ? sql<string>`''` : sql<string>`left(${sortKeyOf(sortBy, settings)}, ${sql.lit(longestKey)}) COLLATE "C"`;
  const order = isDescending ? 'desc' : 'asc';
  const isLater = sql.raw(isDescending ? '<' : '>');
  const rest = after === undefined ? all : all.where(sql<boolean>`(${key}, d.id) ${isLater} (${after.key}::text, ${after.id}::uuid)`);
  const [rows, counted] = await Promise.all([
    limit === 0
      ? []
      : tx.query(
          (sortBy === undefined ? rest : rest.orderBy(key, order))
            .orderBy('d.id', order)
            .offset(offset)
            .limit(limit)
            .select(['d.id', key.as('sortKey')]),
        ),
    tx.one(all.select(({ fn }) => fn.countAll<number>().as('total'))),
  ]);
  return { rows, total: Number(counted?.total ?? 0) };
}

/** The rows of a page, which `load` reads by their ids in any order. */
export async function listOf<Row extends { readonly id: string }>(
  tx: Transaction,
  { table, organizationId, load }: DirectoryTable<Row>,
  asked: DirectoryList,
): Promise<DirectoryPage<Row>> {
  const { rows: page, total } = await listIds(tx, table, organizationId, asked);
  const loaded = page.length === 0 ? [] : await load(page.map(({ id }) => id));
  const byId = new Map(loaded.map((row) => [row.id, row]));
  const rows = page.flatMap(({ id, sortKey }) => {
    const row = byId.get(id);
    return row === undefined ? [] : [{ ...row, sortKey }];
  });
  return { rows, total };
}

type DirectoryTable<Row> = {
  readonly table: 'directory_users' | 'directory_groups';
  readonly organizationId: string;
  readonly load: (ids: readonly string[]) => Promise<readonly Row[]>;
};
