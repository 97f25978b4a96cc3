import { composed, type Transaction } from '@tessera/kernel/postgres';

/**
 * Pages of a large tenant, in any order, searched or not, at a cost that is bounded by one scan of one index. They are read in an ordered
 * transaction: there is one plan for tenants of any size, and it follows that index.
 *
 * Without a search it is known how many there are, and a page is read from the nearer end. What a search matches can't even be estimated
 * under row-level security (the planner may not look at statistics through a policy): a page of it is read in order, and what follows
 * the page is counted from there on, so that every row is looked at once, however many match.
 */
export type Source = {
  /** A table, or some of its rows. */
  readonly table: string;
  /** Unique in the tenant; breaks ties. */
  readonly id: string;
  /** What the page is ordered by; there is an index on (tenant, key, id) that includes what is searched. */
  readonly key: string;
  /** Some have none. */
  readonly isKeyOptional?: boolean;
  /** All must hold, a search's condition too. */
  readonly where: readonly string[];
  /** How many there are without a search, where that is kept: null where it isn't known. */
  readonly total?: string;
};

export type Direction = 'ASC' | 'DESC';

/** How many members an organization has, for the transactions of its own scope: migrations/004_count_members.sql. */
export const memberTotal = (organizationId: string): string =>
  `SELECT o.count FROM organization_user_count() AS o WHERE o.organization_id = ${organizationId}`;

/** Makes a parameter of a value. */
export type Bind = (value: unknown) => string;

/** SQL parameters as they come. */
export function parameters(): { readonly values: unknown[]; readonly bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** Those of a table's rows that have one of these ids are looked up by them, in whichever order they are shown. */
export const rowsAmong = (table: string, tenant: string, id: string, ids: string): string =>
  `(SELECT * FROM ${table} WHERE ${tenant} AND ${id} = ANY (${ids}::uuid[]) OFFSET 0) AS chosen`;

/** How much of an order, and from where on: parameters, or made of them. */
export type Part = { readonly limit: string; readonly offset: string };

export const partOf = (bind: Bind, limit: number, offset: number): Part => ({
  limit: `${bind(limit)}::bigint`,
  offset: `${bind(offset)}::bigint`,
});

function rowsText({ table, id, key, where }: Source, direction: Direction): string {
  return `SELECT ${id} AS id, ${key} AS key FROM ${table} WHERE ${where.join(' AND ')} ORDER BY key ${direction}, id ${direction}`;
}

/** The (id, key) rows of one part of the order. */
export function orderedText(source: Source, direction: Direction, { limit, offset }: Part): string {
  return `${rowsText(source, direction)} LIMIT ${limit} OFFSET ${offset}`;
}

/** How many there are, counted in the order of the page's index; of those alone for which `more` holds too. */
function countOf(source: Source, ...more: readonly string[]): string {
  return `(SELECT count(*) FROM (${rowsText({ ...source, where: [...source.where, ...more] }, 'ASC')}) AS counted)`;
}

/** How many there are: what is kept, or else counted. */
export const countText = (source: Source): string =>
  source.total === undefined ? countOf(source) : `coalesce((${source.total}), ${countOf(source)})`;

/** One part of what a search finds, as `found`: rows of (id, key). `last` is the last of them. */
export function foundText(source: Source, direction: Direction, part: Part): string {
  const opposite = direction === 'ASC' ? 'DESC' : 'ASC';
  return `found AS MATERIALIZED (${orderedText(source, direction, part)}),
    last AS MATERIALIZED (SELECT key, id FROM found ORDER BY key ${opposite}, id ${opposite} LIMIT 1)`;
}

/**
 * How many a search finds in all, beside the `found` that is not past their end: those before it were passed, those behind it are counted
 * from its last row on. Nothing follows a part that is not full.
 */
export function foundTotal(source: Source, direction: Direction, { limit, offset }: Part): string {
  const { id, key, isKeyOptional = false } = source;
  const behind = direction === 'ASC' ? '>' : '<';
  const [lastKey, lastId] = ['(SELECT key FROM last)', '(SELECT id FROM last)'];
  const passed = `${offset} + (SELECT count(*) FROM found)`;
  // Two ranges: a pair (key, id) would be compared entry by entry, names in a language's order, where a key alone is compared once a leaf.
  const ties = countOf(source, `${key} = ${lastKey}`, `${id} ${behind} ${lastId}`);
  const following = `${countOf(source, `${key} ${behind} ${lastKey}`)} + ${ties}`;
  // Those without a key stand behind all others, in descending order before them, and comparing finds neither: among them all are counted.
  const keyless = direction === 'ASC' ? ` + ${countOf(source, `${key} IS NULL`)}` : '';
  return `CASE WHEN (SELECT count(*) FROM found) < ${limit} THEN ${passed}
    ${isKeyOptional ? `WHEN ${lastKey} IS NULL THEN ${countOf(source)}` : ''}
    ELSE ${passed} + ${following}${isKeyOptional ? keyless : ''} END`;
}

/** How many a search finds, for a page past their end. */
export async function countFound(tx: Transaction, sourcesOf: (bind: Bind) => readonly Source[]): Promise<number> {
  const { bind, values } = parameters();
  const counts = sourcesOf(bind).map((source) => countOf(source));
  const counted = await tx.one<{ count: number }>(composed(`/* found_count */ SELECT ${counts.join(' + ')} AS count`), values);
  return counted?.count ?? 0;
}

export type Window = { readonly isReversed: boolean; readonly limit: number; readonly offset: number };

/**
 * The part of an ordered scan that a page is. A page in the second half is read from the end, so that none costs more than half a
 * scan; its rows then come backwards.
 */
export function windowOf(totalCount: number, page: number, limit: number): Window {
  const offset = (page - 1) * limit;
  const rows = Math.max(0, Math.min(limit, totalCount - offset));
  const fromEnd = totalCount - offset - rows;
  return offset > totalCount / 2 ? { isReversed: true, limit: rows, offset: fromEnd } : { isReversed: false, limit: rows, offset };
}

/**
 * The condition of a search, if there is one: a part of the lower-cased name or address, taken literally. It is lower-cased as the column
 * is, and compared byte by byte: a language's collation takes ten times as long. What stands before the first match is then not all of
 * it, which takes half the time of LIKE where matches stand late, and of strpos() where there are any, for that counts characters.
 */
export function searchCondition(search: string | undefined, bind: Bind): readonly string[] {
  return isSearched(search)
    ? [`split_part(search, (SELECT lower(${bind(search.trim())} COLLATE "und-x-icu") COLLATE "C"), 1) <> search`]
    : [];
}

export const isSearched = (search: string | undefined): search is string => search !== undefined && search.trim() !== '';
