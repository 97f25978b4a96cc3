/** One page of the people of an organization or a project. Raw SQL: see README.md. */
import { composed, type Transaction } from '@tessera/kernel/postgres';
import {
  type Bind,
  bindRange,
  type Direction,
  mergedText,
  pageText,
  parameters,
  type Range,
  rowsWithIds,
  type Source,
  searchCondition,
} from './ordered-page.ts';
import { type SearchTotals, statsText } from './search-totals.ts';

export type PeopleSort = 'name' | 'email' | 'createdAt' | 'updatedAt';
/**
 * The people of a project are its users, and the members of its organization or its account's
 * owner.
 */
export type PeoplePlace =
  | { readonly organizationId: string; readonly projectId?: string | undefined }
  | { readonly accountId: string; readonly projectId: string };
export type PeopleQuery = {
  readonly page: number;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly sortField: PeopleSort;
  readonly sortOrder: Direction;
  readonly ids?: readonly string[] | undefined;
};

const columns: Record<PeopleSort, string> = { name: 'name', email: 'email', createdAt: 'user_created_at', updatedAt: 'user_updated_at' };

type Rows = { readonly table: string; readonly own: string; readonly unless?: string };

function sourceOf({ table, own, unless }: Rows, { search, sortField, ids }: PeopleQuery, bind: Bind): Source {
  return {
    table: ids ? rowsWithIds(table, own, 'user_id', bind(ids)) : `${table} AS chosen`,
    id: 'user_id',
    key: columns[sortField],
    isKeyNullable: sortField === 'email',
    // A subquery for each row, because a join would read and sort the whole pivot.
    where: [
      own,
      ...(unless ? [`coalesce((SELECT false FROM ${unless} = chosen.user_id LIMIT 1), true)`] : []),
      ...searchCondition(search, bind),
    ],
  };
}

/** The owner of the account in the form of the pivots' rows. */
function ownerTable(accountId: string): string {
  return `(SELECT p.user_id, p.name, p.email, p.created_at AS user_created_at, p.updated_at AS user_updated_at,
      (lower(p.name) || E'\\n' || coalesce(p.email, '')) COLLATE "C" AS search
    FROM accounts AS a JOIN people AS p ON p.user_id = a.owner_id WHERE a.id = ${accountId} AND p.deleted_at IS NULL)`;
}

/** The CTEs `page` and `counted` (people, total). `total`: of the members, where it is known. */
function textOf(place: PeoplePlace, query: PeopleQuery, bind: Bind, total: Source['total'], range: Range): string {
  const { sortOrder } = query;
  // Of the parent too: a customer that uses the project has none of its users.
  const usersUnless = (projectId: string, parent: string, unless: string) => {
    const own = `project_id = ${bind(projectId)} AND parent_id = ${parent}`;
    return { ...sourceOf({ table: 'project_users', own, unless }, query, bind), type: 'user' };
  };
  if ('accountId' in place) {
    const account = bind(place.accountId);
    const users = usersUnless(place.projectId, account, `accounts AS a WHERE a.id = ${account} AND a.owner_id`);
    const owner = { ...sourceOf({ table: ownerTable(account), own: 'true' }, query, bind), type: 'owner' };
    return mergedText(users, owner, sortOrder, range);
  }
  const organization = bind(place.organizationId);
  const members = sourceOf({ table: 'organization_users', own: `organization_id = ${organization}` }, query, bind);
  if (place.projectId === undefined) return pageText({ ...members, total }, sortOrder, range);
  const users = usersUnless(
    place.projectId,
    organization,
    `organization_users AS m WHERE m.organization_id = ${organization} AND m.user_id`,
  );
  return mergedText({ ...members, total, type: 'member' }, users, sortOrder, range);
}

type PeoplePage = { userIds: string[]; totalCount: number };
type Row = { readonly id: string | null; readonly people: number; readonly total: number; readonly version: string | null };

/** The user ids of the page, in order, and the total: one statement. */
export async function pagePeople(tx: Transaction, totals: SearchTotals, place: PeoplePlace, query: PeopleQuery): Promise<PeoplePage> {
  const { page, limit, sortOrder } = query;
  const { bind, values } = parameters();
  const organizationId = 'organizationId' in place ? place.organizationId : undefined;
  const [stats, known] =
    organizationId === undefined
      ? ['stats AS (SELECT NULL AS version)', undefined]
      : [statsText(bind(organizationId)), totals.totalText(organizationId, query, bind)];
  const text = textOf(place, query, bind, known, bindRange(bind, limit, (page - 1) * limit));
  const rows = await tx.query<Row>(
    composed(`/* people_page */ WITH ${stats}, ${text}
      SELECT page.id, counted.people, counted.total, stats.version FROM counted LEFT JOIN stats ON true LEFT JOIN page ON true
      ORDER BY page.key ${sortOrder}, page.id ${sortOrder}`),
    values,
  );
  const [first] = rows;
  if (first === undefined) throw new Error('a count returned no row');
  if (organizationId !== undefined) totals.remember(organizationId, query, first);
  return { userIds: rows.flatMap(({ id }) => id ?? []), totalCount: first.total };
}
