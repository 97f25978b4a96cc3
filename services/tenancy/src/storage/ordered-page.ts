/**
 * SQL for one page of a large tenant, in any order, with or without a search: see README.md. A page
 * reads at most one index once, and past the end of a search twice.
 */
import { longestPage } from '@tessera/kernel/postgres';

/** The rows that a list pages through. All fields are SQL. */
export type Source = {
  /** A table, or a subquery with an alias. */
  readonly table: string;
  /** A column that is unique within the tenant; it orders rows with equal keys. */
  readonly id: string;
  /** The sort key. An index on (tenant, key, id) exists and includes the searched column. */
  readonly key: string;
  readonly isKeyNullable?: boolean;
  /** Conditions that must all hold, including the search. */
  readonly where: readonly string[];
  /** A query for the total where it is stored or cached; it may return null. */
  readonly total?: string | undefined;
};

export type Direction = 'asc' | 'desc';
const opposite: Record<Direction, Direction> = { asc: 'desc', desc: 'asc' };

/** Adds a parameter and returns its placeholder. */
export type Bind = (value: unknown) => string;

export function parameters(): { readonly values: unknown[]; readonly bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** The rows with these ids. OFFSET 0 makes Postgres look them up by id in every sort order. */
export function rowsWithIds(table: string, tenant: string, id: string, ids: string): string {
  return `(SELECT * FROM ${table} WHERE ${tenant} AND ${id} = ANY (${ids}::uuid[]) OFFSET 0) AS chosen`;
}

/** Placeholders or subqueries for LIMIT and OFFSET. */
export type Range = { readonly limit: string; readonly offset: string };

export function bindRange(bind: Bind, limit: number, offset: number): Range {
  return { limit: `${bind(limit)}::bigint`, offset: `${bind(offset)}::bigint` };
}

function orderedText({ table, id, key, where }: Source, direction: Direction): string {
  return `SELECT ${id} AS id, ${key} AS key FROM ${table} WHERE ${where.join(' AND ')} ORDER BY key ${direction}, id ${direction}`;
}

/** The (id, key) rows of a range in this order. */
function rowsText(source: Source, direction: Direction, { limit, offset }: Range): string {
  return `${orderedText(source, direction)} LIMIT ${limit} OFFSET ${offset}`;
}

/** Counts the rows that meet `conditions` too. The ORDER BY makes Postgres use the page's index. */
function countText(source: Source, ...conditions: readonly string[]): string {
  return `(SELECT count(*) FROM (${orderedText({ ...source, where: [...source.where, ...conditions] }, 'asc')}) AS counted)`;
}

/**
 * The CTE `slice`: how many rows to read `forward` or `backward`, one of which is 0, and how many
 * to `skip`. A page in the second half of a known total is read backward from the end. With an
 * unknown total (NULL) it is read forward.
 */
function sliceText(total: string, { limit, offset }: Range): string {
  return `slice AS MATERIALIZED (
     SELECT CASE WHEN is_backward THEN 0 ELSE rows END AS forward, CASE WHEN is_backward THEN rows ELSE 0 END AS backward,
       CASE WHEN is_backward THEN greatest(0, total - ${offset} - rows) ELSE ${offset} END AS skip
     FROM (SELECT total, coalesce(${offset} > total / 2, false) AS is_backward, greatest(0, least(${limit}, total - ${offset})) AS rows
           FROM (SELECT (${total}) AS total OFFSET 0) AS known OFFSET 0) AS requested
   )`;
}

/** The range of a slice in one of its two directions. */
function rangeOf(slice: string, rows: 'forward' | 'backward'): Range {
  return { limit: `(SELECT ${rows} FROM ${slice})`, offset: `(SELECT skip FROM ${slice})` };
}

/** The CTE `page`: the rows of either direction. LIMIT tells the planner that a page is small. */
function unionText(forward: string, backward: string): string {
  return `page AS MATERIALIZED (SELECT * FROM (SELECT * FROM (${forward}) AS forward UNION ALL SELECT * FROM (${backward}) AS backward) AS both_ways
    LIMIT ${longestPage})`;
}

/** The CTEs `page` (id, key) and `counted` (people and total, the same). */
export function pageText(source: Source, direction: Direction, range: Range): string {
  return `${sliceText(knownTotal(source), range)}, ${forwardText(source, direction, 'slice')},
    counted AS MATERIALIZED (SELECT total AS people, total FROM (${totalText(source, direction, 'slice')}) AS known),
    ${unionText('SELECT * FROM forward_rows', rowsText(source, opposite[direction], rangeOf('slice', 'backward')))}`;
}

function knownTotal({ total }: Source): string {
  return total ?? 'SELECT NULL::bigint';
}

/** The CTEs `forward_rows` (id, key), `forward_count` and `last_row`. */
function forwardText(source: Source, direction: Direction, slice: string): string {
  const reverse = opposite[direction];
  return `forward_rows AS MATERIALIZED (${rowsText(source, direction, rangeOf(slice, 'forward'))}),
    forward_count AS MATERIALIZED (SELECT count(*) AS count FROM forward_rows),
    last_row AS MATERIALIZED (SELECT key, id FROM forward_rows ORDER BY key ${reverse}, id ${reverse} LIMIT 1)`;
}

/**
 * A query for the total. If it is unknown, it is what was skipped, plus the forward rows, plus a
 * count of the rows after the last one. Nothing follows a page that is not full. For an empty page
 * past the end all rows are counted.
 */
function totalText(source: Source, direction: Direction, slice: string): string {
  const { id, key, isKeyNullable = false } = source;
  const after = direction === 'asc' ? '>' : '<';
  const [lastKey, lastId] = ['(SELECT key FROM last_row)', '(SELECT id FROM last_row)'];
  // Two ranges, because comparing pairs (key, id) runs the language's collation on every entry
  // instead of once for each leaf page.
  const sameKey = countText(source, `${key} = ${lastKey}`, `${id} ${after} ${lastId}`);
  const following = `${countText(source, `${key} ${after} ${lastKey}`)} + ${sameKey}`;
  // NULL keys sort last ascending and first descending, and no comparison matches them. From a NULL
  // key on, all rows are counted.
  const nullKeys = direction === 'asc' ? ` + ${countText(source, `${key} IS NULL`)}` : '';
  return `SELECT coalesce((${knownTotal(source)}), CASE
      WHEN forward_count.count < slice.forward AND (forward_count.count > 0 OR slice.skip = 0) THEN slice.skip + forward_count.count
      WHEN forward_count.count = 0${isKeyNullable ? ` OR ${lastKey} IS NULL` : ''} THEN ${countText(source)}
      ELSE slice.skip + forward_count.count + ${following}${isKeyNullable ? nullKeys : ''} END) AS total
    FROM ${slice} AS slice, forward_count`;
}

type Merged = Source & { readonly type: string };

function entriesText({ type }: Merged, rows: string): string {
  return `SELECT '${type}' AS type, id, key FROM (${rows}) AS ${type}s`;
}

/**
 * The CTEs `page` (type, id, key) and `counted` (people, total): two index scans merged in order.
 * The rows of `few` are counted each time; `people` is the total of `many`.
 */
export function mergedText(many: Merged, few: Merged, direction: Direction, range: Range): string {
  const fewCount = '(SELECT count FROM few)';
  const reverse = opposite[direction];
  const merged = (rows: 'forward' | 'backward', order: Direction, manyRows: string) =>
    `SELECT * FROM (${entriesText(many, manyRows)}
       UNION ALL ${entriesText(few, rowsText(few, order, { limit: `(SELECT ${rows} + skip FROM slice)`, offset: '0' }))}) AS entries
     ORDER BY key ${order}, id ${order} LIMIT (SELECT ${rows} FROM slice) OFFSET (SELECT slice.skip - many_slice.skip FROM slice, many_slice)`;
  // Rows of `many` before `early` come before the page even if all of `few` come before them, so
  // they are skipped unread.
  return `few AS MATERIALIZED (SELECT ${countText(few)} AS count), ${sliceText(`(${knownTotal(many)}) + ${fewCount}`, range)},
    many_slice AS MATERIALIZED (SELECT forward + skip - early AS forward, backward + skip - early AS backward, early AS skip
      FROM (SELECT *, greatest(0, skip - ${fewCount}) AS early FROM slice OFFSET 0) AS requested),
    ${forwardText(many, direction, 'many_slice')}, many_total AS MATERIALIZED (${totalText(many, direction, 'many_slice')}),
    counted AS MATERIALIZED (SELECT many_total.total AS people, many_total.total + ${fewCount} AS total FROM many_total),
    ${unionText(
      merged('forward', direction, 'SELECT * FROM forward_rows'),
      merged('backward', reverse, rowsText(many, reverse, rangeOf('many_slice', 'backward'))),
    )}`;
}

/**
 * The condition that the lower-cased name or address contains the text. split_part() returns less
 * than the whole text if it matches; it is faster than LIKE and strpos(). The "C" collation
 * compares bytes, which takes a tenth of the time of a language's collation.
 */
export function searchCondition(search: string | undefined, bind: Bind): readonly string[] {
  return isSearched(search)
    ? [`split_part(search, (SELECT lower(${bind(search.trim())} COLLATE "und-x-icu") COLLATE "C"), 1) <> search`]
    : [];
}

export function isSearched(search: string | undefined): search is string {
  return search !== undefined && search.trim() !== '';
}
