/** One page of the people of an organization or a project. Raw SQL: see README.md. */
import { composed, type Transaction } from '@tessera/kernel/postgres';
import { type Bind, bindRange, type Direction, pageText, parameters, rowsWithIds, type Source, searchCondition } from './ordered-page.ts';
import { type SearchTotals, statsText } from './search-totals.ts';

export type PeopleSort = 'name' | 'email' | 'createdAt' | 'updatedAt';
export type PeoplePlace = { readonly organizationId: string } | { readonly projectId: string };
export type PeopleQuery = {
  readonly page: number;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly sortField: PeopleSort;
  readonly sortOrder: Direction;
  readonly ids?: readonly string[] | undefined;
};

const columns: Record<PeopleSort, string> = { name: 'name', email: 'email', createdAt: 'user_created_at', updatedAt: 'user_updated_at' };

type Pivot = { readonly table: string; readonly tenant: string; readonly tenantId: string };

function pivotOf(place: PeoplePlace): Pivot {
  return 'organizationId' in place
    ? { table: 'organization_users', tenant: 'organization_id', tenantId: place.organizationId }
    : { table: 'project_users', tenant: 'project_id', tenantId: place.projectId };
}

function sourceOf({ table, tenant }: Pivot, tenantId: string, { search, sortField, ids }: PeopleQuery, bind: Bind): Source {
  const ownRows = `${tenant} = ${tenantId}`;
  return {
    table: ids ? rowsWithIds(table, ownRows, 'user_id', bind(ids)) : table,
    id: 'user_id',
    key: columns[sortField],
    isKeyNullable: sortField === 'email',
    where: [ownRows, ...searchCondition(search, bind)],
  };
}

type PeoplePage = { userIds: string[]; totalCount: number };
type Row = { readonly id: string | null; readonly people: number; readonly version: string | null };

/** The user ids of the page, in order, and the total: one statement. */
export async function pagePeople(tx: Transaction, totals: SearchTotals, place: PeoplePlace, query: PeopleQuery): Promise<PeoplePage> {
  const { page, limit, sortOrder } = query;
  const { bind, values } = parameters();
  const pivot = pivotOf(place);
  const tenantId = bind(pivot.tenantId);
  const [stats, total] =
    'organizationId' in place
      ? [statsText(tenantId), totals.totalText(place.organizationId, query, bind)]
      : ['stats AS (SELECT NULL AS version)', undefined];
  const source = { ...sourceOf(pivot, tenantId, query, bind), total };
  const rows = await tx.query<Row>(
    composed(`/* people_page */ WITH ${stats}, ${pageText(source, sortOrder, bindRange(bind, limit, (page - 1) * limit))}
      SELECT page.id, counted.total AS people, stats.version FROM counted LEFT JOIN stats ON true LEFT JOIN page ON true
      ORDER BY page.key ${sortOrder}, page.id ${sortOrder}`),
    values,
  );
  const [first] = rows;
  if (first === undefined) throw new Error('a count returned no row');
  if ('organizationId' in place) totals.remember(place.organizationId, query, first);
  return { userIds: rows.flatMap(({ id }) => id ?? []), totalCount: first.people };
}
