import {
  type AliasedExpression,
  type Compilable,
  type Expression,
  type SelectQueryBuilder,
  type SqlBool,
  type StringReference,
  sql,
} from 'kysely';
import { composed } from './statement.ts';
import type { Transaction } from './transaction.ts';

export type PageRequest = {
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly search?: string | undefined;
  readonly sortField?: string | undefined;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  readonly ids?: readonly string[] | undefined;
};

/** The longest page of any list: validation, queries and plans use it. */
export const longestPage = 100;

export type Page<Row> = { rows: Row[]; totalCount: number; hasNextPage: boolean };

/** A query of Kysely that can still be narrowed and put in order, whatever tables it reads. */
export interface Rows<Row> extends Compilable<Row> {
  where(condition: Expression<SqlBool>): Rows<Row>;
  orderBy(column: Expression<unknown>, direction?: 'asc' | 'desc'): Rows<Row>;
  limit(count: number): Rows<Row>;
  offset(count: number): Rows<Row>;
  modifyFront(comment: Expression<unknown>): Rows<Row>;
  clearSelect(): Rows<object>;
  select<T, Name extends string>(column: AliasedExpression<T, Name>): Rows<Row & { [N in Name]: T }>;
}

/** A column of the query: a name, checked where the tables are known, or an expression. */
type Column<From> =
  From extends SelectQueryBuilder<infer DB, infer Tables, infer _Row>
    ? StringReference<DB, Tables> | Expression<unknown>
    : string | Expression<unknown>;

export type PageOptions<From extends Rows<unknown>, Row> = {
  /** Stands as a comment in the SQL, to find it in the log of slow queries. */
  readonly name: string;
  /** All rows of the list, before the search: what is counted. */
  readonly from: From;
  readonly select: (rows: From) => Rows<Row>;
  readonly search?: readonly Column<From>[];
  readonly sort: { readonly fields: Readonly<Record<string, Column<From>>>; readonly default: string };
  /** Unique within the list: breaks ties of the order and takes `input.ids`. */
  readonly id: Column<From>;
  readonly input: PageRequest;
};

function within(value: number, least: number, most: number, field: string): number {
  if (!Number.isInteger(value) || value < least || value > most) throw new RangeError(`${field} must be from ${least} to ${most}.`);
  return value;
}

type AnyColumn = string | Expression<unknown>;

function expressionOf(column: AnyColumn): Expression<unknown> {
  return typeof column === 'string' ? sql.ref(column) : column;
}

function matches(columns: readonly AnyColumn[], text: string): Expression<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const each = columns.map((column) => sql`${expressionOf(column)} ilike ${pattern}`);
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/** One page, and the count unless the page tells it. A search is planned by its text each time. */
export async function findPage<From extends Rows<unknown>, Row>(
  tx: Pick<Transaction, 'query'>,
  { name, from, select, search = [], sort, id, input }: PageOptions<From, Row>,
): Promise<Page<Row>> {
  const limit = within(input.limit ?? 50, 1, longestPage, 'limit');
  const offset = (within(input.page ?? 1, 1, 10_000_000, 'page') - 1) * limit;
  const field = input.sortField ?? sort.default;
  const column: AnyColumn | undefined = Object.hasOwn(sort.fields, field) ? sort.fields[field] : undefined;
  if (column === undefined) throw new RangeError(`sortField cannot be '${field}'.`);
  const text = search.length === 0 ? '' : (input.search?.trim() ?? '');
  const isOneOf = (ids: readonly string[]) => sql<SqlBool>`${expressionOf(id)} = any(${ids}::uuid[])`;
  const conditions = [...(text === '' ? [] : [matches(search, text)]), ...(input.ids === undefined ? [] : [isOneOf(input.ids)])];
  const narrow = <Result>(rows: Rows<Result>): Rows<Result> =>
    conditions.reduce((narrowed, condition) => narrowed.where(condition), rows.modifyFront(sql`/* ${sql.raw(name)} */`));
  const run = <Result>(rows: Rows<Result>): Promise<Result[]> => tx.query(text === '' ? composed(rows) : rows);
  const order = (rows: Rows<Row>, by: AnyColumn): Rows<Row> => rows.orderBy(expressionOf(by), input.sortOrder ?? 'asc');
  const sorted = order(narrow(select(from)), column);
  const rows = await run((column === id ? sorted : order(sorted, id)).limit(limit).offset(offset));
  const isEnd = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isEnd) return { rows, totalCount: offset + rows.length, hasNextPage: false };
  const [total] = await run(narrow(from.clearSelect()).select(sql<number>`count(*)`.as('count')));
  const totalCount = total?.count ?? 0;
  return { rows, totalCount, hasNextPage: offset + rows.length < totalCount };
}
