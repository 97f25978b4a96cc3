import { composed, type Database } from '@tessera/kernel/postgres';
import type { Tenant } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import type { EntityTable } from './entity-tables.ts';
import { query } from './query.ts';

export type Home = { readonly id: string; readonly tenant: Tenant; readonly scopeId: string };

type Pivot = NonNullable<EntityTable['pivots']['project']>;

function inLevel({ rows }: Pivot, tenant: 'account' | 'organization', ids: readonly string[]) {
  return query
    .selectFrom(rows.as('p'))
    .where('p.entityId', '=', ({ fn }) => fn.any(sql.val(ids)))
    .select(['p.entityId as id', sql.lit<Tenant>(tenant).as('tenant'), sql<string>`p.level_id::text`.as('scopeId')]);
}

function inProjects({ rows }: Pivot, ids: readonly string[]) {
  return query
    .selectFrom(rows.as('p'))
    .innerJoin('tenants as t', 't.projectId', 'p.levelId')
    .where('p.entityId', '=', ({ fn }) => fn.any(sql.val(ids)))
    .select(['p.entityId as id', 't.tenant', 't.id as scopeId']);
}

/**
 * The scopes of entities that are known by their id alone (federated references). Reads as the
 * owner of the tables.
 */
export async function homesOf(database: Database, { pivots }: EntityTable, ids: readonly string[]): Promise<Home[]> {
  const { account, organization, project } = pivots;
  const homes = await Promise.all([
    account === undefined ? [] : database.query(composed(inLevel(account, 'account', ids))),
    organization === undefined ? [] : database.query(composed(inLevel(organization, 'organization', ids))),
    project === undefined ? [] : database.query(composed(inProjects(project, ids))),
  ]);
  return homes.flat();
}
