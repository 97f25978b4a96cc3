import { type Expression, type SelectQueryBuilder, type SqlBool, type StringReference, sql } from 'kysely';
import { longestPage, type Page, type PageRequest } from './page-query.ts';
import { composed } from './statement.ts';
import type { Transaction } from './transaction.ts';

type Column<DB, Tables extends keyof DB> = StringReference<DB, Tables> | Expression<unknown>;

export type PageOptions<DB, Tables extends keyof DB, Row> = {
  /** Stands as a comment in the SQL, for who reads the log of slow queries. */
  readonly name: string;
  /** All rows of the list, before the search: `query.selectFrom(…).where(…)`. This is what is counted. */
  readonly from: SelectQueryBuilder<DB, Tables, object>;
  /** The columns of a row, and the joins that only these columns need. */
  readonly select: (rows: SelectQueryBuilder<DB, Tables, object>) => SelectQueryBuilder<never, never, Row>;
  readonly search?: readonly Column<DB, Tables>[];
  readonly sort: { readonly fields: Readonly<Record<string, Column<DB, Tables>>>; readonly default: string };
  /** Unique within the list: breaks ties of the order and takes `input.ids`. */
  readonly id: Column<DB, Tables>;
  readonly input: PageRequest;
};

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function within(value: number, least: number, most: number, field: string): number {
  if (!Number.isInteger(value) || value < least || value > most) throw new RangeError(`${field} must be from ${least} to ${most}.`);
  return value;
}

function expressionOf(column: string | Expression<unknown>): Expression<unknown> {
  return typeof column === 'string' ? sql.ref(column) : column;
}

function matches(columns: readonly (string | Expression<unknown>)[], text: string): Expression<SqlBool> {
  const pattern = `%${escapeLike(text)}%`;
  return sql<SqlBool>`(${sql.join(
    columns.map((column) => sql`${expressionOf(column)} ilike ${pattern}`),
    sql` or `,
  )})`;
}

/**
 * One page, and the count of all unless the page itself tells it: a page that is not full ends the list. A search is not prepared, because
 * its plan depends on the text. An unknown sort field is refused here as well, although the operation's schema refuses it before.
 */
export async function findPage<DB, Tables extends keyof DB, Row>(
  tx: Pick<Transaction, 'query'>,
  { name, from, select, search, sort, id, input }: PageOptions<DB, Tables, Row>,
): Promise<Page<Row>> {
  const limit = within(input.limit ?? 50, 1, longestPage, 'limit');
  const offset = (within(input.page ?? 1, 1, 10_000_000, 'page') - 1) * limit;
  const field = input.sortField ?? sort.default;
  const column = Object.hasOwn(sort.fields, field) ? sort.fields[field] : undefined;
  if (column === undefined) throw new RangeError(`sortField cannot be '${field}'.`);
  const order = input.sortOrder ?? 'asc';
  const text = search === undefined ? '' : (input.search?.trim() ?? '');
  const found = from
    .modifyFront(sql`/* ${sql.raw(name)} */`)
    .$if(search !== undefined && text !== '', (rows) => rows.where(matches(search ?? [], text)))
    .$if(input.ids !== undefined, (rows) => rows.where(sql<SqlBool>`${expressionOf(id)} = any(${input.ids}::uuid[])`));
  const page = select(found)
    .orderBy(expressionOf(column), order)
    .$if(column !== id, (rows) => rows.orderBy(expressionOf(id), order))
    .limit(limit)
    .offset(offset);
  const counted = found.select(sql<number>`count(*)`.as('count')).$castTo<{ count: number }>();
  const rows = await tx.query(text === '' ? composed(page) : page);
  const isEnd = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isEnd) return { rows, totalCount: offset + rows.length, hasNextPage: false };
  const [total] = await tx.query(text === '' ? composed(counted) : counted);
  const totalCount = total?.count ?? 0;
  return { rows, totalCount, hasNextPage: offset + rows.length < totalCount };
}
