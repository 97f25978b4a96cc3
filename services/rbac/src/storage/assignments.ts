import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { type Found, type Linked, linkedAcross, readAcross } from './across.ts';
import type { RoleRow } from './records.ts';
import { roleTable } from './scoped-entity.ts';

/** Who holds which role. Every look-up asks user and scope together. */
const insert = statement(
  'rbac_assign',
  `INSERT INTO role_assignments (tenant, scope_id, user_id, role_id) SELECT $1, $2, $3, unnest($4::uuid[]) ON CONFLICT DO NOTHING`,
);
const removeOthers = statement(
  'rbac_unassign_others',
  `DELETE FROM role_assignments WHERE tenant = $1 AND scope_id = $2 AND user_id = $3 AND role_id <> ALL ($4::uuid[])`,
);
const removeUser = statement('rbac_unassign_user', 'DELETE FROM role_assignments WHERE tenant = $1 AND scope_id = $2 AND user_id = $3');
const removeRole = statement(
  'rbac_unassign_role',
  'DELETE FROM role_assignments WHERE tenant = $1 AND scope_id = $2 AND role_id = $3 RETURNING user_id AS "userId"',
);
const usersLeft = statement(
  'rbac_users_with_roles',
  'SELECT DISTINCT user_id AS "userId" FROM role_assignments WHERE tenant = $1 AND scope_id = $2 AND user_id = ANY ($3::uuid[])',
);

/** Adds roles; the callers have checked that they are the scope's. */
export function assignRoles(tx: Transaction, scope: ParsedScope, userId: string, roleIds: readonly string[]): Promise<number> {
  return tx.execute(insert, [scope.tenant, scope.id, userId, roleIds]);
}

/** Leaves the user exactly these roles. */
export async function replaceRoles(tx: Transaction, scope: ParsedScope, userId: string, roleIds: readonly string[]): Promise<void> {
  await tx.execute(removeOthers, [scope.tenant, scope.id, userId, roleIds]);
  if (roleIds.length > 0) await assignRoles(tx, scope, userId, roleIds);
}

const insertDeparture = statement(
  'rbac_insert_departure',
  `INSERT INTO departures (tenant, scope_id, user_id) SELECT $1, $2, unnest($3::uuid[]) ON CONFLICT DO NOTHING`,
);
const deleteDeparture = statement('rbac_delete_departure', 'DELETE FROM departures WHERE tenant = $1 AND scope_id = $2 AND user_id = $3');
const findDeparture = statement(
  'rbac_find_departure',
  'SELECT 1 AS found FROM departures WHERE tenant = $1 AND scope_id = $2 AND user_id = $3',
);

/** These users are out of the scope: until they join again nothing gives them roles there. */
export async function noteDepartures(tx: Transaction, scope: ParsedScope, userIds: readonly string[]): Promise<void> {
  if (userIds.length > 0) await tx.execute(insertDeparture, [scope.tenant, scope.id, userIds]);
}
export function noteArrival(tx: Transaction, scope: ParsedScope, userId: string): Promise<number> {
  return tx.execute(deleteDeparture, [scope.tenant, scope.id, userId]);
}
export async function hasDeparted(tx: Transaction, scope: ParsedScope, userId: string): Promise<boolean> {
  return (await tx.one(findDeparture, [scope.tenant, scope.id, userId])) !== undefined;
}

/** Takes all roles of a user who leaves. */
export async function removeAssignments(tx: Transaction, scope: ParsedScope, userId: string): Promise<void> {
  await tx.execute(removeUser, [scope.tenant, scope.id, userId]);
  await noteDepartures(tx, scope, [userId]);
}

/** Takes a role from everybody; returns the users who have no role left in the scope. */
export async function takeRoleFromAll(tx: Transaction, scope: ParsedScope, roleId: string): Promise<string[]> {
  const removed = (await tx.query<{ userId: string }>(removeRole, [scope.tenant, scope.id, roleId])).map(({ userId }) => userId);
  if (removed.length === 0) return [];
  const left = new Set((await tx.query<{ userId: string }>(usersLeft, [scope.tenant, scope.id, removed])).map(({ userId }) => userId));
  return removed.filter((userId) => !left.has(userId));
}

const heldBy = { join: 'role_assignments l ON l.role_id = e.id AND l.tenant = s.tenant AND l.scope_id = s.id', owner: 'l.user_id' };

/** The roles of many users in exactly these scopes: only the scopes' own. */
export function listRolesOfUsers(tx: Transaction, scopes: readonly ParsedScope[], userIds: readonly string[]): Promise<Linked<RoleRow>[]> {
  return linkedAcross<RoleRow>(tx, roleTable, scopes, heldBy, userIds);
}

export type Holding = Found<{ readonly ownerId: string; readonly userId: string }>;

/** Who holds these roles, in each of the scopes. */
export function listUsersOfRoles(tx: Transaction, scopes: readonly ParsedScope[], roleIds: readonly string[]): Promise<Holding[]> {
  return readAcross(
    tx,
    scopes,
    () => ({
      select: 'a.role_id AS "ownerId", a.user_id AS "userId"',
      from: 'JOIN role_assignments a ON a.tenant = s.tenant AND a.scope_id = s.id WHERE a.role_id = ANY ($4::uuid[])',
    }),
    [roleIds],
  );
}

/** Who holds a role with these groups, in each of the scopes. */
export function listUsersOfGroups(tx: Transaction, scopes: readonly ParsedScope[], groupIds: readonly string[]): Promise<Holding[]> {
  return readAcross(
    tx,
    scopes,
    () => ({
      select: 'held.group_id AS "ownerId", held.user_id AS "userId"',
      from: `CROSS JOIN LATERAL (SELECT DISTINCT rg.group_id, a.user_id FROM role_groups rg JOIN roles r ON r.id = rg.role_id AND r.deleted_at IS NULL
        JOIN role_assignments a ON a.role_id = r.id AND a.tenant = s.tenant AND a.scope_id = s.id WHERE rg.group_id = ANY ($4::uuid[])) AS held`,
    }),
    [groupIds],
  );
}

const owners = statement(
  'rbac_owners',
  `SELECT a.user_id AS "userId" FROM role_assignments a
   JOIN organization_roles p ON p.role_id = a.role_id AND p.organization_id = $1
   JOIN roles r ON r.id = a.role_id AND r.is_built_in AND r.rank = 1
   WHERE a.tenant = 'organization' AND a.scope_id = $1::uuid::text`,
);
/** The Owners of an organization. */
export async function listOwners(tx: Transaction, organizationId: string): Promise<string[]> {
  return (await tx.query<{ userId: string }>(owners, [organizationId])).map(({ userId }) => userId);
}

const owned = statement(
  'rbac_owned_organizations',
  `SELECT a.scope_id AS "organizationId",
     (SELECT count(*) FROM role_assignments other WHERE other.tenant = 'organization' AND other.scope_id = a.scope_id AND other.role_id = a.role_id)::int AS "ownerCount"
   FROM role_assignments a
   JOIN tenants t ON t.tenant = a.tenant AND t.id = a.scope_id AND t.deleted_at IS NULL
   JOIN roles r ON r.id = a.role_id AND r.is_built_in AND r.rank = 1
   WHERE a.tenant = 'organization' AND a.user_id = $1 ORDER BY a.scope_id`,
);
export type Ownership = { readonly organizationId: string; readonly ownerCount: number };
export function listOwnedOrganizations(database: Database, userId: string): Promise<Ownership[]> {
  return database.query<Ownership>(owned, [userId]);
}

const scopesOfUser = statement(
  'rbac_scopes_of_user',
  'SELECT DISTINCT tenant, scope_id AS id FROM role_assignments WHERE user_id = $1 ORDER BY tenant, scope_id',
);
/** Every scope in which the user holds a role; as the owner only. */
export function listScopesOfUser<Scope>(tx: Transaction, userId: string): Promise<Scope[]> {
  return tx.query<Scope>(scopesOfUser, [userId]);
}
