import type { Database } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { GroupRow, RoleRow } from './records.ts';
import { type EntityTable, groupTable, listAll, roleTable } from './scoped-entity.ts';

const sequentially = async <Row>(database: Database, table: EntityTable, scopes: readonly ParsedScope[]): Promise<Row[][]> => {
  const found: Row[][] = [];
  for (const scope of scopes) found.push(await database.scoped(scope, (tx) => listAll<Row>(tx, table, scope), { readOnly: true }));
  return found;
};

/** Everything defined in each scope, by name; each scope is read in its own transaction, as the restricted role. */
export const listRolesOf = (database: Database, scopes: readonly ParsedScope[]): Promise<RoleRow[][]> =>
  sequentially(database, roleTable, scopes);
export const listGroupsOf = (database: Database, scopes: readonly ParsedScope[]): Promise<GroupRow[][]> =>
  sequentially(database, groupTable, scopes);
