import { composed, type Transaction } from '@tessera/kernel/postgres';
import {
  type Bind,
  countFound,
  countText,
  foundText,
  foundTotal,
  isSearched,
  memberTotal,
  orderedText,
  parameters,
  partOf,
  rowsAmong,
  type Source,
  searchCondition,
  windowOf,
} from './ordered-page.ts';

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

function sourceOf(place: PeoplePlace, { search, sortField, ids }: PeopleQuery, bind: Bind): Source {
  const [table, tenant, tenantId] =
    'organizationId' in place
      ? ['organization_users', 'organization_id', place.organizationId]
      : ['project_users', 'project_id', place.projectId];
  const tenantParameter = bind(tenantId);
  const own = `${tenant} = ${tenantParameter}`;
  return {
    table: ids ? rowsAmong(table, own, 'user_id', bind(ids)) : table,
    id: 'user_id',
    key: columns[sortField],
    isKeyOptional: sortField === 'email',
    where: [own, ...searchCondition(search, bind)],
    ...('organizationId' in place && !ids ? { total: memberTotal(tenantParameter) } : {}),
  };
}

type PeoplePage = { userIds: string[]; totalCount: number };

/** The ids of one page of a tenant's people, in order, and how many there are: two statements at most, whatever the size of the tenant. */
export function pagePeople(tx: Transaction, place: PeoplePlace, query: PeopleQuery): Promise<PeoplePage> {
  return isSearched(query.search) ? findPeople(tx, place, query) : listPeople(tx, place, query);
}

async function listPeople(tx: Transaction, place: PeoplePlace, query: PeopleQuery): Promise<PeoplePage> {
  const counting = parameters();
  const counted = composed(`/* people_count */ SELECT ${countText(sourceOf(place, query, counting.bind))} AS count`);
  const totalCount = (await tx.one<{ count: number }>(counted, counting.values))?.count ?? 0;
  const { isReversed, limit, offset } = windowOf(totalCount, query.page, query.limit);
  if (limit === 0) return { userIds: [], totalCount };

  const { bind, values } = parameters();
  const direction = (query.sortOrder === 'asc') !== isReversed ? 'ASC' : 'DESC';
  const page = orderedText(sourceOf(place, query, bind), direction, partOf(bind, limit, offset));
  const rows = await tx.query<{ id: string }>(
    composed(`/* people_page */ SELECT id FROM (${page}) AS page ORDER BY key ${query.sortOrder}, id ${query.sortOrder}`),
    values,
  );
  return { userIds: rows.map(({ id }) => id), totalCount };
}

async function findPeople(tx: Transaction, place: PeoplePlace, query: PeopleQuery): Promise<PeoplePage> {
  const { bind, values } = parameters();
  const source = sourceOf(place, query, bind);
  const direction = query.sortOrder === 'asc' ? 'ASC' : 'DESC';
  const offset = (query.page - 1) * query.limit;
  const part = partOf(bind, query.limit, offset);
  const rows = await tx.query<{ id: string; totalCount: number }>(
    composed(`/* people_found */ WITH ${foundText(source, direction, part)}
      SELECT id, ${foundTotal(source, direction, part)} AS "totalCount" FROM found ORDER BY key ${direction}, id ${direction}`),
    values,
  );
  const totalCount = rows[0]?.totalCount ?? (offset === 0 ? 0 : await countFound(tx, (more) => [sourceOf(place, query, more)]));
  return { userIds: rows.map(({ id }) => id), totalCount };
}
