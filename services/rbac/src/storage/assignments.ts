import { type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { type Found, type Linked, linkedAcross, readAcross } from './across.ts';
import { noteDepartures } from './departures.ts';
import { query } from './query.ts';
import type { RoleRow } from './records.ts';
import { roleTable } from './scoped-entity.ts';

/** Who holds which role. A role counts only in its own scope, so each look-up names user and scope. */
type InScope = { readonly tenant: Scope['tenant']; readonly scopeId: string };
type OfUser = InScope & { readonly userId: string };
type RolesOfUser = OfUser & { readonly roleIds: readonly string[] };

function ofUser(p: Params<OfUser>) {
  return query
    .deleteFrom('role_assignments')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('userId', '=', p.userId);
}
const insert = statement('rbac_assign', (p: Params<RolesOfUser>) =>
  query
    .insertInto('role_assignments')
    .columns(['tenant', 'scopeId', 'userId', 'roleId'])
    .expression(
      query.selectNoFrom([
        sql`${p.tenant}`.as('tenant'),
        sql`${p.scopeId}`.as('scopeId'),
        sql`${p.userId}`.as('userId'),
        sql`unnest(${p.roleIds}::uuid[])`.as('roleId'),
      ]),
    )
    .onConflict((conflict) => conflict.doNothing()),
);
const removeOthers = statement('rbac_unassign_others', (p: Params<RolesOfUser>) =>
  ofUser(p).where(({ eb, fn, not }) => not(eb('roleId', '=', fn.any(p.roleIds)))),
);
const removeUser = statement('rbac_unassign_user', (p: Params<OfUser>) => ofUser(p));
const removeRole = statement('rbac_unassign_role', (p: Params<InScope & { roleId: string }>) =>
  query
    .deleteFrom('role_assignments')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('roleId', '=', p.roleId)
    .returning('userId'),
);
const findHolders = statement('rbac_users_with_roles', (p: Params<InScope & { userIds: readonly string[] }>) =>
  query
    .selectFrom('role_assignments')
    .select('userId')
    .distinct()
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('userId', '=', ({ fn }) => fn.any(p.userIds)),
);

/** Adds roles; the callers have checked that they are the scope's. */
export function assignRoles(tx: Transaction, scope: ParsedScope, userId: string, roleIds: readonly string[]): Promise<number> {
  return tx.execute(insert, { tenant: scope.tenant, scopeId: scope.id, userId, roleIds });
}

/** Leaves the user exactly these roles. */
export async function replaceRoles(tx: Transaction, scope: ParsedScope, userId: string, roleIds: readonly string[]): Promise<void> {
  await tx.execute(removeOthers, { tenant: scope.tenant, scopeId: scope.id, userId, roleIds });
  if (roleIds.length > 0) await assignRoles(tx, scope, userId, roleIds);
}

/** Takes all roles of a user who leaves. */
export async function removeAssignments(tx: Transaction, scope: ParsedScope, userId: string): Promise<void> {
  await tx.execute(removeUser, { tenant: scope.tenant, scopeId: scope.id, userId });
  await noteDepartures(tx, scope, [userId]);
}

/** Takes a role from all its holders; returns those who have no role left in the scope. */
export async function takeRoleFromAll(tx: Transaction, scope: ParsedScope, roleId: string): Promise<string[]> {
  const inScope = { tenant: scope.tenant, scopeId: scope.id };
  const userIds = (await tx.query(removeRole, { ...inScope, roleId })).map(({ userId }) => userId);
  if (userIds.length === 0) return [];
  const holders = new Set((await tx.query(findHolders, { ...inScope, userIds })).map(({ userId }) => userId));
  return userIds.filter((userId) => !holders.has(userId));
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

function ownerAssignments() {
  return query
    .selectFrom('role_assignments as a')
    .innerJoin('roles as r', 'r.id', 'a.roleId')
    .where('r.isBuiltIn', '=', sql.lit(true))
    .where('r.rank', '=', sql.lit(1))
    .where('a.tenant', '=', sql.lit('organization'));
}

const owners = statement('rbac_owners', (p: Params<{ organizationId: string }>) =>
  ownerAssignments()
    .innerJoin('organization_roles as p', 'p.roleId', 'a.roleId')
    .where('p.organizationId', '=', p.organizationId)
    .where('a.scopeId', '=', sql<string>`${p.organizationId}::uuid::text`)
    .select('a.userId'),
);
/** The Owners of an organization. */
export async function listOwners(tx: Transaction, organizationId: string): Promise<string[]> {
  return (await tx.query(owners, { organizationId })).map(({ userId }) => userId);
}

const owned = statement('rbac_owned_organizations', (p: Params<{ userId: string }>) =>
  ownerAssignments()
    .innerJoin('tenants as t', (join) => join.onRef('t.tenant', '=', 'a.tenant').onRef('t.id', '=', 'a.scopeId'))
    .where('t.deletedAt', 'is', null)
    .where('a.userId', '=', p.userId)
    .select(({ selectFrom, fn }) => [
      'a.scopeId as organizationId',
      selectFrom('role_assignments as other')
        .whereRef('other.tenant', '=', 'a.tenant')
        .whereRef('other.scopeId', '=', 'a.scopeId')
        .whereRef('other.roleId', '=', 'a.roleId')
        .select(fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('ownerCount'),
    ])
    .orderBy('a.scopeId'),
);
export type Ownership = { readonly organizationId: string; readonly ownerCount: number };
export function listOwnedOrganizations(database: Database, userId: string): Promise<Ownership[]> {
  return database.query(owned, { userId });
}

const scopesOfUser = statement('rbac_scopes_of_user', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('role_assignments')
    .select(['tenant', 'scopeId as id'])
    .distinct()
    .where('userId', '=', p.userId)
    .orderBy('tenant')
    .orderBy('scopeId'),
);
/** Every scope in which the user holds a role; only the owner of the tables sees all of them. */
export function listScopesOfUser(tx: Transaction, userId: string): Promise<Scope[]> {
  return tx.query(scopesOfUser, { userId });
}
