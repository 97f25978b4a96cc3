import { sql, type Transaction } from '@tessera/kernel/postgres';
import { countText, memberTotal, narrowed, orderedText, parameters, type Source, searchCondition, windowOf } from './ordered-page.ts';

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

function sourceOf(place: PeoplePlace, { search, sortField, ids }: PeopleQuery, bind: (value: unknown) => string): Source {
  const [table, tenant, tenantId] =
    'organizationId' in place
      ? ['organization_users', 'organization_id', place.organizationId]
      : ['project_users', 'project_id', place.projectId];
  const searched = searchCondition(search, bind);
  const tenantParameter = bind(tenantId);
  return {
    table,
    id: 'user_id',
    key: columns[sortField],
    scan: 'user_created_at',
    where: [`${tenant} = ${tenantParameter}`, ...(ids ? [`user_id = ANY (${bind(ids)}::uuid[])`] : [])],
    ...('organizationId' in place && !ids ? { total: memberTotal(tenantParameter) } : {}),
    ...(searched === undefined ? {} : { search: searched }),
  };
}

/** The ids of one page of a tenant's people, in order, and how many there are: two statements, whatever the size of the tenant. */
export async function pagePeople(
  tx: Transaction,
  place: PeoplePlace,
  query: PeopleQuery,
): Promise<{ userIds: string[]; totalCount: number }> {
  const counting = parameters();
  const countSql = sql(`/* people_count */ ${countText(sourceOf(place, query, counting.bind))}`);
  const counted = await tx.one<{ count: number; hits: string[] | null }>(countSql, counting.values);
  const totalCount = counted?.count ?? 0;
  const { isReversed, limit, offset } = windowOf(totalCount, query.page, query.limit);
  if (limit === 0) return { userIds: [], totalCount };

  const { bind, values } = parameters();
  const source = sourceOf(place, narrowed(query, counted?.hits), bind);
  const direction = (query.sortOrder === 'asc') !== isReversed ? 'ASC' : 'DESC';
  const page = orderedText(source, direction, { limit, offset });
  const rows = await tx.query<{ id: string }>(
    sql(`/* people_page */ SELECT id FROM (${page}) AS page ORDER BY key ${query.sortOrder}, id ${query.sortOrder}`),
    values,
  );
  return { userIds: rows.map(({ id }) => id), totalCount };
}
