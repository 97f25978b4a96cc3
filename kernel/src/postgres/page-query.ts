import { composed, sql, type Values } from './statement.ts';
import type { Transaction } from './transaction.ts';

export type PageRequest = {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly search?: string | undefined;
  readonly sortField?: string | undefined;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  readonly ids?: readonly string[] | undefined;
};

/** SQL fragments are constants of the caller; only `values` and `input` come from outside. */
export type PageQuery = {
  readonly name: string;
  readonly select: string;
  readonly from: string;
  /** All must hold; `$1`… are `values`. */
  readonly where: readonly string[];
  readonly values: Values;
  readonly search?: { readonly columns: readonly string[] };
  readonly sort: { readonly fields: Readonly<Record<string, string>>; readonly default: string };
  readonly input: PageRequest;
  /** Unique within the result; breaks ties of the order and takes `input.ids`. */
  readonly idColumn?: string;
  /** When joins in `from` only serve `select`, counting can do without them. */
  readonly countFrom?: string;
};

/** No page of any list is longer: what asks, what refuses and what is planned for go by it. */
export const longestPage = 100;

export type Page<Row> = { rows: Row[]; totalCount: number; hasNextPage: boolean };

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function within(value: number, least: number, most: number, field: string): number {
  if (!Number.isInteger(value) || value < least || value > most) throw new RangeError(`${field} must be from ${least} to ${most}.`);
  return value;
}

type Conditions = { readonly condition: string; readonly values: readonly unknown[]; readonly isSearched: boolean };

function conditionsOf({ where, values, search, input, idColumn = 'id' }: PageQuery): Conditions {
  const all = [...where];
  const bound = [...values];
  const text = input.search?.trim();
  const isSearched = search !== undefined && text !== undefined && text !== '';
  if (isSearched) {
    bound.push(`%${escapeLike(text)}%`);
    all.push(`(${search.columns.map((column) => `${column} ILIKE $${bound.length}`).join(' OR ')})`);
  }
  if (input.ids) {
    bound.push(input.ids);
    all.push(`${idColumn} = ANY($${bound.length}::uuid[])`);
  }
  return { condition: all.length > 0 ? `WHERE ${all.join(' AND ')}` : '', values: bound, isSearched };
}

/**
 * One page, and the count of all unless the page itself says it: one that is not full ends the list. A search is not prepared: its
 * plan depends on what is searched. A sort field that is not listed is refused; the operation's schema has refused it before.
 */
export async function pageQuery<Row>(tx: Pick<Transaction, 'query'>, query: PageQuery): Promise<Page<Row>> {
  const { name, select, from, countFrom = from, sort, input, idColumn = 'id' } = query;
  const limit = within(input.limit ?? 50, 1, longestPage, 'limit');
  const offset = (within(input.page ?? 1, 1, 10_000_000, 'page') - 1) * limit;
  const field = input.sortField ?? sort.default;
  const column = Object.hasOwn(sort.fields, field) ? sort.fields[field] : undefined;
  if (column === undefined) throw new RangeError(`sortField cannot be '${field}'.`);
  const order = input.sortOrder === 'desc' ? 'DESC' : 'ASC';
  const tieBreak = column === idColumn ? '' : `, ${idColumn} ${order}`;
  const { condition, values, isSearched } = conditionsOf(query);
  const made = isSearched ? sql : composed;
  const part = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  const rows = await tx.query<Row>(
    made(`/* ${name} */ SELECT ${select} FROM ${from} ${condition} ORDER BY ${column} ${order}${tieBreak} ${part}`),
    [...values, limit, offset],
  );
  const isEnd = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isEnd) return { rows, totalCount: offset + rows.length, hasNextPage: false };
  const counted = await tx.query<{ count: number }>(made(`/* ${name} */ SELECT count(*) AS count FROM ${countFrom} ${condition}`), values);
  const totalCount = counted[0]?.count ?? 0;
  return { rows, totalCount, hasNextPage: offset + rows.length < totalCount };
}
