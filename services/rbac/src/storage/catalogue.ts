import type { Database } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { listAcross, placeOf } from './across.ts';
import type { GroupRow, RoleRow } from './records.ts';
import { type EntityTable, groupTable, roleTable } from './scoped-entity.ts';

const listOf = async <Row>(database: Database, table: EntityTable, scopes: readonly ParsedScope[]): Promise<Row[][]> => {
  const distinct = [...new Map(scopes.map((scope) => [placeOf(scope), scope])).values()];
  const found = Map.groupBy(await database.across(distinct, (tx) => listAcross<Row>(tx, table, distinct)), ({ at }) => at);
  return scopes.map((scope) => found.get(placeOf(scope)) ?? []);
};

/** Everything defined in each scope, by name. */
export const listRolesOf = (database: Database, scopes: readonly ParsedScope[]): Promise<RoleRow[][]> =>
  listOf(database, roleTable, scopes);
export const listGroupsOf = (database: Database, scopes: readonly ParsedScope[]): Promise<GroupRow[][]> =>
  listOf(database, groupTable, scopes);
