import { composed, type Database, type Statement } from '@tessera/kernel/postgres';
import type { Tenant } from '@tessera/kernel/scope';
import type { EntityTable } from './scoped-entity.ts';

export type Home = { readonly id: string; readonly tenant: Tenant; readonly scopeId: string };

function whereIs({ entity, pivots }: EntityTable): Statement {
  const parts = Object.entries(pivots).map(([level, pivot]) =>
    level === 'project'
      ? `SELECT p.${entity}_id AS id, t.tenant, t.id AS "scopeId" FROM ${pivot} p JOIN tenants t ON t.project_id = p.project_id WHERE p.${entity}_id = ANY ($1::uuid[])`
      : `SELECT p.${entity}_id AS id, '${level}' AS tenant, p.${level}_id::text AS "scopeId" FROM ${pivot} p WHERE p.${entity}_id = ANY ($1::uuid[])`,
  );
  return composed(parts.join(' UNION ALL '));
}

/** In which scope each of these entities is; as the owner, for federated references that come with an id alone. */
export function homesOf(database: Database, table: EntityTable, ids: readonly string[]): Promise<Home[]> {
  return database.query<Home>(whereIs(table), [ids]);
}
