import { sql, type Transaction } from '@tessera/kernel/postgres';

/**
 * Pages of a large tenant, in any order, searched or not, at a cost that is bounded by one scan of one index.
 *
 * Without a search it is known how many there are, and a page is read from the nearer end. What a search matches can't even be estimated
 * under row-level security (the planner may not look at statistics through a policy): a page of it is read in order, and what follows
 * the page is counted from there on, so that every row is looked at once, however many match.
 */
export type Source = {
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

/** How many there are: what is kept, or else counted. */
export function countText({ table, id, total = 'SELECT NULL::bigint', where }: Source): string {
  // The order makes the planner count in the narrow index that has it, where it would read the whole table of a tenant that is most of it.
  const counted = `SELECT count(*) FROM (SELECT FROM ${table} WHERE ${where.join(' AND ')} ORDER BY ${id}) AS counted`;
  return `coalesce((${total}), (${counted}))`;
}

export type Part = { readonly limit: number; readonly offset: number };

function rowsText({ table, id, key, where }: Source, direction: Direction, more = ''): string {
  return `SELECT ${id} AS id, ${key} AS key${more} FROM ${table} WHERE ${where.join(' AND ')} ORDER BY key ${direction}, id ${direction}`;
}

/** The (id, key) rows of one part of the order. */
export function orderedText(source: Source, direction: Direction, { limit, offset }: Part): string {
  return `${rowsText(source, direction)} LIMIT ${limit} OFFSET ${offset}`;
}

// With what is searched in the rows, sorting them looks to the planner as dear as it is, and the index that has their order is read.
const searched = ', search';

/** How many a search finds, counted in the order of the page's index; of those alone for which `more` holds too. */
function foundCount(source: Source, ...more: readonly string[]): string {
  return `(SELECT count(search) FROM (${rowsText({ ...source, where: [...source.where, ...more] }, 'ASC', searched)}) AS counted)`;
}

/** One part of what a search finds, as `found`: rows of (id, key). `last` is the last of them. */
export function foundText(source: Source, direction: Direction, { limit, offset }: Part): string {
  const opposite = direction === 'ASC' ? 'DESC' : 'ASC';
  return `found AS MATERIALIZED (${rowsText(source, direction, searched)} LIMIT ${limit} OFFSET ${offset}),
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
  const ties = foundCount(source, `${key} = ${lastKey}`, `${id} ${behind} ${lastId}`);
  const following = `${foundCount(source, `${key} ${behind} ${lastKey}`)} + ${ties}`;
  // Those without a key stand behind all others, in descending order before them, and comparing finds neither: among them all are counted.
  const keyless = direction === 'ASC' ? ` + ${foundCount(source, `${key} IS NULL`)}` : '';
  return `CASE WHEN (SELECT count(*) FROM found) < ${limit} THEN ${passed}
    ${isKeyOptional ? `WHEN ${lastKey} IS NULL THEN ${foundCount(source)}` : ''}
    ELSE ${passed} + ${following}${isKeyOptional ? keyless : ''} END`;
}

/** How many a search finds, for a page past their end. */
export async function countFound(tx: Transaction, sourceOf: (bind: Bind) => Source): Promise<number> {
  const { bind, values } = parameters();
  const counted = await tx.one<{ count: number }>(sql(`/* found_count */ SELECT ${foundCount(sourceOf(bind))} AS count`), values);
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
  return isSearched(search) ? [`split_part(search, lower(${bind(search.trim())} COLLATE "und-x-icu") COLLATE "C", 1) <> search`] : [];
}

export const isSearched = (search: string | undefined): search is string => search !== undefined && search.trim() !== '';
