/**
 * Pages of a large tenant, in any order, searched or not, at a cost that is bounded by one scan of one index.
 *
 * What a search matches can't be estimated under row-level security (the planner may not look at statistics through a policy), so the
 * two shapes are chosen here: few hits are collected by the count and then sorted; many are read in order until the page is full.
 */
export type Source = {
  readonly table: string;
  /** Unique in the tenant; breaks ties. */
  readonly id: string;
  /** What the page is ordered by; there is an index on (tenant, key, id) that includes what is searched. */
  readonly key: string;
  readonly where: readonly string[];
  /** Leads the narrowest index that includes what is searched: where everything is counted. */
  readonly scan: string;
  /** How many there are without a search, where that is kept: null where it isn't known. */
  readonly total?: string;
  /** Left out: everybody. */
  readonly search?: Search;
};

/**
 * One condition in two words. `few` lets the planner expect that a third of all rows match, so that it reads in the order of an index until
 * it has enough; of `many`, which is cheaper where most rows match, it expects hardly any.
 */
type Search = { few(): string; many(): string };

/** How many members an organization has, for the transactions of its own scope: migrations/004_count_members.sql. */
export const memberTotal = (organizationId: string): string =>
  `SELECT o.count FROM organization_user_count() AS o WHERE o.organization_id = ${organizationId}`;

/** SQL parameters as they come. */
export function parameters(): { readonly values: unknown[]; bind(value: unknown): string } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** Up to so many hits of a search come with their count. */
const FEW = 1_000;

/** `count`, and `hits`: the ids when a search has found few. */
export function countText({ table, id, scan, total = 'SELECT NULL::bigint', where, search }: Source): string {
  const conditions = where.join(' AND ');
  // The order makes the planner count in the narrow index that has it, where it would read the whole table of a tenant that is most of it.
  if (search === undefined)
    return `SELECT coalesce((${total}), (SELECT count(*) FROM (SELECT FROM ${table} WHERE ${conditions} ORDER BY ${id}) AS counted)) AS count, NULL AS hits`;
  // Many are counted again, without keeping them: they are found soon, so that the first look was short.
  const few = `SELECT ${id} AS id FROM ${table} WHERE ${conditions} AND ${search.few()} ORDER BY ${scan}, ${id} LIMIT ${FEW + 1}`;
  const all = `SELECT search FROM ${table} WHERE ${conditions} ORDER BY ${scan}, ${id} OFFSET 0`;
  return `WITH few AS MATERIALIZED (SELECT count(*) AS n, array_agg(id) AS hits FROM (${few}) AS found)
    SELECT CASE WHEN n <= ${FEW} THEN n ELSE (SELECT count(*) FROM (${all}) AS counted WHERE ${search.many()}) END AS count,
      CASE WHEN n <= ${FEW} THEN hits END AS hits FROM few`;
}

type Part = { readonly limit: number; readonly offset: number };

/** The (id, key) rows of one part of the order. */
export function orderedText({ table, id, key, where, search }: Source, direction: 'ASC' | 'DESC', { limit, offset }: Part): string {
  const part = `LIMIT ${limit} OFFSET ${offset}`;
  const ordered = (conditions: readonly string[], more = '') =>
    `SELECT ${id} AS id, ${key} AS key${more} FROM ${table} WHERE ${conditions.join(' AND ')} ORDER BY key ${direction}, id ${direction}`;
  if (search === undefined) return `${ordered(where)} ${part}`;
  // OFFSET 0 keeps the search out of the ordered scan's own plan; filtering keeps its order.
  return `SELECT id, key FROM (${ordered(where, ', search')} OFFSET 0) AS ordered WHERE ${search.many()} ${part}`;
}

/** A search that has found few is from then on a list of ids. */
export function narrowed<Query extends { readonly search?: string | undefined; readonly ids?: readonly string[] | undefined }>(
  query: Query,
  hits: readonly string[] | null | undefined,
): Query {
  return hits ? { ...query, search: undefined, ids: hits } : query;
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
 * The condition of a search: a part of the lower-cased name or address, taken literally. Undefined: everybody. It is lower-cased as the
 * column is, and compared byte by byte: a language's collation takes ten times as long.
 */
export function searchCondition(search: string | undefined, bind: (value: unknown) => string): Search | undefined {
  if (!isSearched(search)) return undefined;
  const lowered = (text: string) => `lower(${bind(text)} COLLATE "und-x-icu") COLLATE "C"`;
  const text = search.trim();
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return { few: () => `strpos(search, ${lowered(text)}) > 0`, many: () => `search LIKE ${lowered(pattern)}` };
}

export const isSearched = (search: string | undefined): search is string => search !== undefined && search.trim() !== '';
