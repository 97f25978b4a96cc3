import { longestPage } from '@tessera/kernel/postgres';

/**
 * Pages of a large tenant, in any order, searched or not, at a cost that is bounded by one scan of one index (two past the end of a search).
 * They are read in an ordered transaction: there is one plan for tenants of any size, and it follows that index. A page and its total are
 * one statement of one snapshot.
 *
 * Where it is known how many there are, a page is read from the nearer end. What a search matches can't even be estimated under row-level
 * security (the planner may not look at statistics through a policy): a page of it is read in order, and what follows the page is counted
 * from there on, so that every row is looked at once, however many match.
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
  /** How many there are, where that is kept or remembered: null where it isn't. */
  readonly total?: string | undefined;
};

export type Direction = 'asc' | 'desc';
export const opposite: Record<Direction, Direction> = { asc: 'desc', desc: 'asc' };

/** Makes a parameter of a value. */
export type Bind = (value: unknown) => string;

/** SQL parameters as they come. */
export function parameters(): { readonly values: unknown[]; readonly bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** Those of a table's rows that have one of these ids are looked up by them, in whichever order they are shown. */
export function rowsAmong(table: string, tenant: string, id: string, ids: string): string {
  return `(SELECT * FROM ${table} WHERE ${tenant} AND ${id} = ANY (${ids}::uuid[]) OFFSET 0) AS chosen`;
}

/** How much of an order, and from where on: parameters, or made of them. */
export type Part = { readonly limit: string; readonly offset: string };

export function partOf(bind: Bind, limit: number, offset: number): Part {
  return {
    limit: `${bind(limit)}::bigint`,
    offset: `${bind(offset)}::bigint`,
  };
}

function rowsText({ table, id, key, where }: Source, direction: Direction): string {
  return `SELECT ${id} AS id, ${key} AS key FROM ${table} WHERE ${where.join(' AND ')} ORDER BY key ${direction}, id ${direction}`;
}

/** The (id, key) rows of one part of the order. */
export function orderedText(source: Source, direction: Direction, { limit, offset }: Part): string {
  return `${rowsText(source, direction)} LIMIT ${limit} OFFSET ${offset}`;
}

/** How many there are, counted in the order of the page's index; of those alone for which `more` holds too. */
export function countOf(source: Source, ...more: readonly string[]): string {
  return `(SELECT count(*) FROM (${rowsText({ ...source, where: [...source.where, ...more] }, 'asc')}) AS counted)`;
}

/**
 * Which part of either order a page is, as `part`: from the nearer end where `total` says how many there are, so that none costs more than
 * half a scan; where it is NULL, from the first. `near` and `far` are how many rows of it to read in either order: of one of them none.
 */
export function partText(total: string, { limit, offset }: Part): string {
  return `part AS MATERIALIZED (
     SELECT CASE WHEN is_far THEN 0 ELSE rows END AS near, CASE WHEN is_far THEN rows ELSE 0 END AS far,
       CASE WHEN is_far THEN greatest(0, total - ${offset} - rows) ELSE ${offset} END AS start
     FROM (SELECT total, coalesce(${offset} > total / 2, false) AS is_far, greatest(0, least(${limit}, total - ${offset})) AS rows
           FROM (SELECT (${total}) AS total OFFSET 0) AS known OFFSET 0) AS asked
   )`;
}

/** What a row of (near, far, start) says of either order. */
export function partIn(name: string, order: 'near' | 'far'): Part {
  return {
    limit: `(SELECT ${order} FROM ${name})`,
    offset: `(SELECT start FROM ${name})`,
  };
}

/** The page out of what was read of it in either order. No page is longer: the plan, which is made for any, may count on it. */
export function pageOfEither(near: string, far: string): string {
  return `page AS MATERIALIZED (SELECT * FROM (SELECT * FROM (${near}) AS near UNION ALL SELECT * FROM (${far}) AS far) AS either LIMIT ${longestPage})`;
}

/** One page as `page`, rows of (id, key), and how many there are as `counted`, a row of (total). */
export function pageText(source: Source, direction: Direction, asked: Part): string {
  return `${partText(knownOf(source), asked)}, ${foundText(source, direction, 'part')},
    counted AS MATERIALIZED (${totalText(source, direction, 'part')}),
    ${pageOfEither('SELECT * FROM found', orderedText(source, opposite[direction], partIn('part', 'far')))}`;
}

/** How many there are, where that is known. */
export function knownOf({ total }: Source): string {
  return total ?? 'SELECT NULL::bigint';
}

/** The near part of the order that `name` tells, as `found`: rows of (id, key). `seen` is how many, `last` the last of them. */
export function foundText(source: Source, direction: Direction, name: string): string {
  const back = opposite[direction];
  return `found AS MATERIALIZED (${orderedText(source, direction, partIn(name, 'near'))}),
    seen AS MATERIALIZED (SELECT count(*) AS count FROM found),
    last AS MATERIALIZED (SELECT key, id FROM found ORDER BY key ${back}, id ${back} LIMIT 1)`;
}

/**
 * How many there are, as (total). Where that isn't known, those before the `found` were passed, and those behind it are counted from its
 * last row on. Nothing follows a part that is not full. Past their end nothing is found, and all are counted.
 */
export function totalText(source: Source, direction: Direction, name: string): string {
  const { id, key, isKeyOptional = false } = source;
  const behind = direction === 'asc' ? '>' : '<';
  const [lastKey, lastId] = ['(SELECT key FROM last)', '(SELECT id FROM last)'];
  // Two ranges: a pair (key, id) would be compared entry by entry, names in a language's order, where a key alone is compared once a leaf.
  const ties = countOf(source, `${key} = ${lastKey}`, `${id} ${behind} ${lastId}`);
  const following = `${countOf(source, `${key} ${behind} ${lastKey}`)} + ${ties}`;
  // Those without a key stand behind all others, in descending order before them, and comparing finds neither: among them all are counted.
  const keyless = direction === 'asc' ? ` + ${countOf(source, `${key} IS NULL`)}` : '';
  return `SELECT coalesce((${knownOf(source)}), CASE
      WHEN seen.count < part.near AND (seen.count > 0 OR part.start = 0) THEN part.start + seen.count
      WHEN seen.count = 0${isKeyOptional ? ` OR ${lastKey} IS NULL` : ''} THEN ${countOf(source)}
      ELSE part.start + seen.count + ${following}${isKeyOptional ? keyless : ''} END) AS total
    FROM ${name} AS part, seen`;
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

export function isSearched(search: string | undefined): search is string {
  return search !== undefined && search.trim() !== '';
}
