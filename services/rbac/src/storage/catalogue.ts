import type { Database } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { placeOf, readAcross } from './across.ts';
import { type EntityTable, groupTable, roleTable } from './entity-tables.ts';
import type { GroupRow, RoleRow } from './records.ts';

async function listOf<Row>(database: Database, table: EntityTable<Row>, scopes: readonly ParsedScope[]): Promise<Row[][]> {
  const distinct = [...new Map(scopes.map((scope) => [placeOf(scope), scope])).values()];
  const found = Map.groupBy(await database.across(distinct, (tx) => readAcross(tx, table.all, distinct, {})), ({ at }) => at);
  return scopes.map((scope) => found.get(placeOf(scope)) ?? []);
}

/** Everything defined in each scope, by name. */
export function listRolesOf(database: Database, scopes: readonly ParsedScope[]): Promise<RoleRow[][]> {
  return listOf(database, roleTable, scopes);
}
export function listGroupsOf(database: Database, scopes: readonly ParsedScope[]): Promise<GroupRow[][]> {
  return listOf(database, groupTable, scopes);
}
