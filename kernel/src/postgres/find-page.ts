import {
  type AliasedExpression,
  type Compilable,
  type Expression,
  type SelectQueryBuilder,
  type SqlBool,
  type StringReference,
  sql,
} from 'kysely';
import { compiled, type Params, type PreparedQuery, placeholders } from './statement.ts';
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
  limit(count: number | Expression<number>): Rows<Row>;
  offset(count: number | Expression<number>): Rows<Row>;
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

type Description<From extends Rows<unknown>, Row> = Omit<PageOptions<From, Row>, 'input'>;

function within(value: number, least: number, most: number, field: string): number {
  if (!Number.isInteger(value) || value < least || value > most) throw new RangeError(`${field} must be from ${least} to ${most}.`);
  return value;
}

type AnyColumn = string | Expression<unknown>;

function expressionOf(column: AnyColumn): Expression<unknown> {
  return typeof column === 'string' ? sql.ref(column) : column;
}

/** What a call gives to the compiled queries of its page, beside the values of the list. */
type PageValues = {
  readonly pagePattern: string;
  readonly pageIds: readonly string[];
  readonly pageLimit: number;
  readonly pageOffset: number;
};

/** Each combination has SQL of its own; the values of a call change none of it. */
type Variant = {
  readonly column: AnyColumn;
  readonly order: 'asc' | 'desc';
  readonly isSearched: boolean;
  readonly isByIds: boolean;
};

type PageQueries<Row> = {
  readonly rows: PreparedQuery<PageValues, Row>;
  /** Compiled at the first page that does not tell its count. */
  readonly count: () => PreparedQuery<PageValues, { readonly count: number }>;
};

const page: Params<PageValues> = placeholders;

function matches(columns: readonly AnyColumn[]): Expression<SqlBool> {
  const each = columns.map((column) => sql`${expressionOf(column)} ilike ${page.pagePattern}`);
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/** A search is planned by its text each time. */
function compilePage<From extends Rows<unknown>, Row>(
  { name, from, select, search = [], id }: Description<From, Row>,
  { column, order, isSearched, isByIds }: Variant,
): PageQueries<Row> {
  const conditions = [
    ...(isSearched ? [matches(search)] : []),
    ...(isByIds ? [sql<SqlBool>`${expressionOf(id)} = any(${page.pageIds}::uuid[])`] : []),
  ];
  const narrow = <Result>(rows: Rows<Result>): Rows<Result> =>
    conditions.reduce((narrowed, condition) => narrowed.where(condition), rows.modifyFront(sql`/* ${sql.raw(name)} */`));
  const sorted = narrow(select(from)).orderBy(expressionOf(column), order);
  const stable = column === id ? sorted : sorted.orderBy(expressionOf(id), order);
  let count: PreparedQuery<PageValues, { readonly count: number }> | undefined;
  return {
    rows: compiled(stable.limit(page.pageLimit).offset(page.pageOffset), !isSearched),
    count: () => {
      count ??= compiled(narrow(from.clearSelect()).select(sql<number>`count(*)`.as('count')), !isSearched);
      return count;
    },
  };
}

type Reader = Pick<Transaction, 'query'>;

/** One page, and the count unless the page tells it. */
async function runPage<From extends Rows<unknown>, Row>(
  tx: Reader,
  { search = [], sort }: Pick<Description<From, Row>, 'search' | 'sort'>,
  queriesOf: (variant: Variant) => PageQueries<Row>,
  { values, input }: { readonly values: object; readonly input: PageRequest },
): Promise<Page<Row>> {
  const limit = within(input.limit ?? 50, 1, longestPage, 'limit');
  const offset = (within(input.page ?? 1, 1, 10_000_000, 'page') - 1) * limit;
  const field = input.sortField ?? sort.default;
  const column: AnyColumn | undefined = Object.hasOwn(sort.fields, field) ? sort.fields[field] : undefined;
  if (column === undefined) throw new RangeError(`sortField cannot be '${field}'.`);
  const text = search.length === 0 ? '' : (input.search?.trim() ?? '');
  const { rows: rowsQuery, count } = queriesOf({
    column,
    order: input.sortOrder ?? 'asc',
    isSearched: text !== '',
    isByIds: input.ids !== undefined,
  });
  const pagePattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const given = { ...values, pagePattern, pageIds: input.ids ?? [], pageLimit: limit, pageOffset: offset };
  const rows = await tx.query(rowsQuery, given);
  const isEnd = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isEnd) return { rows, totalCount: offset + rows.length, hasNextPage: false };
  const [total] = await tx.query(count(), given);
  const totalCount = total?.count ?? 0;
  return { rows, totalCount, hasNextPage: offset + rows.length < totalCount };
}

/** For a list whose conditions differ from call to call: its queries are built for this one. */
export function findPage<From extends Rows<unknown>, Row>(tx: Reader, { input, ...list }: PageOptions<From, Row>): Promise<Page<Row>> {
  return runPage(tx, list, (variant) => compilePage(list, variant), { values: {}, input });
}

export type PageList<Input, Row> = (tx: Reader, values: Input, input: PageRequest) => Promise<Page<Row>>;

/**
 * For a list that is always the same but for its values. A module constant, as `statement` is: each
 * combination of order, search and ids is compiled at its first use, and kept.
 */
export function pageList<Input extends object, From extends Rows<unknown>, Row>(
  describe: (params: Params<Input>) => Description<From, Row>,
): PageList<Input, Row> {
  let list: Description<From, Row> | undefined;
  const kept = new Map<AnyColumn, Map<string, PageQueries<Row>>>();
  return (tx, values, input) => {
    list ??= describe(placeholders);
    const described = list;
    const queriesOf = (variant: Variant): PageQueries<Row> => {
      const ofColumn = kept.get(variant.column) ?? new Map<string, PageQueries<Row>>();
      const key = `${variant.order} ${variant.isSearched} ${variant.isByIds}`;
      const queries = ofColumn.get(key) ?? compilePage(described, variant);
      kept.set(variant.column, ofColumn.set(key, queries));
      return queries;
    };
    return runPage(tx, described, queriesOf, { values, input });
  };
}
