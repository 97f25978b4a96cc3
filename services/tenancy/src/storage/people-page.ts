import { escapeLike, sql, type Transaction } from '@tessera/kernel/postgres';

export type PeopleSort = 'name' | 'email' | 'createdAt' | 'updatedAt';
export type PeoplePlace = { readonly organizationId: string } | { readonly projectId: string };
export type PeopleQuery = {
  readonly page: number;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly sortField: PeopleSort;
  readonly sortOrder: 'asc' | 'desc';
  readonly ids?: readonly string[] | undefined;
};

const columns: Record<PeopleSort, string> = { name: 'name', email: 'email', createdAt: 'user_created_at', updatedAt: 'user_updated_at' };

/** What a search matches: a part of the lower-cased name or address, `%` and `_` taken literally. */
export function searchPattern(search: string | undefined): string | null {
  const text = search?.trim() ?? '';
  return text === '' ? null : `%${escapeLike(text)}%`;
}

type Window = { readonly isReversed: boolean; readonly limit: number; readonly offset: number };

/**
 * The part of an ordered scan that a page is. A page in the second half is read from the end, so that no page costs more than
 * half a scan; the rows then come backwards.
 */
export function windowOf(totalCount: number, page: number, limit: number): Window {
  const offset = (page - 1) * limit;
  const rows = Math.max(0, Math.min(limit, totalCount - offset));
  const fromEnd = totalCount - offset - rows;
  return offset > totalCount / 2 ? { isReversed: true, limit: rows, offset: fromEnd } : { isReversed: false, limit: rows, offset };
}

/** The ids of one page of a tenant's people, in order, and how many there are: two statements, whatever the size of the tenant. */
export async function pagePeople(
  tx: Transaction,
  place: PeoplePlace,
  query: PeopleQuery,
): Promise<{ userIds: string[]; totalCount: number }> {
  const [table, tenantColumn, tenantId] =
    'organizationId' in place
      ? ['organization_users', 'organization_id', place.organizationId]
      : ['project_users', 'project_id', place.projectId];
  const pattern = searchPattern(query.search);
  const conditions = [
    `${tenantColumn} = $1`,
    ...(pattern === null ? [] : [`search LIKE lower($2 COLLATE "und-x-icu")`]),
    ...(query.ids ? [`user_id = ANY ($${pattern === null ? 2 : 3}::uuid[])`] : []),
  ].join(' AND ');
  const values = [tenantId, ...(pattern === null ? [] : [pattern]), ...(query.ids ? [query.ids] : [])];

  const counted = await tx.one<{ count: number }>(
    sql(`/* people_count */ SELECT count(*) AS count FROM ${table} WHERE ${conditions}`),
    values,
  );
  const totalCount = counted?.count ?? 0;
  const { isReversed, limit, offset } = windowOf(totalCount, query.page, query.limit);
  if (limit === 0) return { userIds: [], totalCount };

  const direction = (query.sortOrder === 'asc') !== isReversed ? 'ASC' : 'DESC';
  const column = columns[query.sortField];
  const rows = await tx.query<{ userId: string }>(
    sql(`/* people_page */ SELECT user_id AS "userId" FROM ${table} WHERE ${conditions}
         ORDER BY ${column} ${direction}, user_id ${direction} LIMIT ${limit} OFFSET ${offset}`),
    values,
  );
  const userIds = rows.map(({ userId }) => userId);
  return { userIds: isReversed ? userIds.reverse() : userIds, totalCount };
}
