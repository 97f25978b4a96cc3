import { type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { acrossQuery, type Found, readAcross } from './across.ts';
import { noteDepartures } from './departures.ts';
import { roleTable } from './entity-tables.ts';
import { rolesOfUsersAcross } from './linked.ts';
import { deleteMemberMetadata, type LeftGrant, leaveProjects } from './member-metadata.ts';
import { query } from './query.ts';

/**
 * Who holds which role. A role counts only in its own scope, so each look-up names user and scope.
 */
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
const isByDirectory = sql<boolean>`'directory' = ANY (sources)`;
const removeOthers = statement('rbac_unassign_others', (p: Params<RolesOfUser>) =>
  ofUser(p)
    .where(({ eb, fn, not }) => not(eb('roleId', '=', fn.any(p.roleIds))))
    .where(sql<boolean>`NOT ${isByDirectory}`),
);
function leftToDirectory(p: Params<OfUser>) {
  return query
    .updateTable('role_assignments')
    .set({ sources: sql`array_remove(sources, 'hand')` })
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('userId', '=', p.userId)
    .where(isByDirectory);
}
const leaveToDirectory = statement('rbac_leave_to_directory', (p: Params<RolesOfUser>) =>
  leftToDirectory(p).where(({ eb, fn, not }) => not(eb('roleId', '=', fn.any(p.roleIds)))),
);
const removeTaken = statement('rbac_unassign_taken', (p: Params<RolesOfUser>) =>
  ofUser(p)
    .where('roleId', '=', ({ fn }) => fn.any(p.roleIds))
    .where(sql<boolean>`NOT ${isByDirectory}`),
);
const leaveTaken = statement('rbac_leave_taken_to_directory', (p: Params<RolesOfUser>) =>
  leftToDirectory(p).where('roleId', '=', ({ fn }) => fn.any(p.roleIds)),
);
const removeUser = statement('rbac_unassign_user', (p: Params<OfUser>) => ofUser(p));
const removeRole = statement('rbac_unassign_role', (p: Params<InScope & { roleId: string }>) =>
  query
    .deleteFrom('role_assignments')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('roleId', '=', p.roleId)
    .returning(['userId', 'subjectType']),
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

const insertForAll = statement('rbac_assign_to_all', (p: Params<InScope & { roleId: string; userIds: readonly string[] }>) =>
  query
    .insertInto('role_assignments')
    .columns(['tenant', 'scopeId', 'userId', 'roleId'])
    .expression(
      query.selectNoFrom([
        sql`${p.tenant}`.as('tenant'),
        sql`${p.scopeId}`.as('scopeId'),
        sql`unnest(${p.userIds}::uuid[])`.as('userId'),
        sql`${p.roleId}::uuid`.as('roleId'),
      ]),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

/** The same of one role for many people. */
export async function assignToAll(tx: Transaction, { tenant, id }: ParsedScope, roleId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length > 0) await tx.execute(insertForAll, { tenant, scopeId: id, roleId, userIds });
}

/** The same, by what an identity provider says. */
export async function giveFrom(
  tx: Transaction,
  { tenant, id: scopeId }: ParsedScope,
  { userId, roleIds, source }: { readonly userId: string; readonly roleIds: readonly string[]; readonly source: string },
): Promise<void> {
  const rows = roleIds.map((roleId) => ({ tenant, scopeId, userId, roleId, source }));
  if (rows.length > 0)
    await tx.execute(
      query
        .insertInto('role_assignments')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing()),
    );
}

/** What a group of the directory gives, too, stays by the directory alone. */
export async function takeRoles(tx: Transaction, { tenant, id }: ParsedScope, userId: string, roleIds: readonly string[]): Promise<void> {
  if (roleIds.length === 0) return;
  const held = { tenant, scopeId: id, userId, roleIds };
  await tx.execute(leaveTaken, held);
  await tx.execute(removeTaken, held);
}

export type Source = {
  /** Null for a person. */
  readonly source: string | null;
  readonly isByDirectory: boolean;
};

const sourcesOfUsers = statement('rbac_sources_of_users', (p: Params<InScope & { userIds: readonly string[] }>) =>
  query
    .selectFrom('role_assignments')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('userId', '=', ({ fn }) => fn.any(p.userIds))
    .where(sql<boolean>`'hand' = ANY (sources)`)
    .select(['userId', 'roleId', 'source', 'sources']),
);

/** The roles that people or an identity provider have given these users here, by their ids. */
export async function listSourcesOf(
  tx: Transaction,
  { tenant, id }: ParsedScope,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Source>>> {
  const rows = await tx.query(sourcesOfUsers, { tenant, scopeId: id, userIds });
  const byUser = Map.groupBy(rows, ({ userId }) => userId);
  const sourcesIn = (own: typeof rows) =>
    new Map(own.map(({ roleId, source, sources }) => [roleId, { source, isByDirectory: sources.includes('directory') }]));
  return new Map([...byUser].map(([userId, own]) => [userId, sourcesIn(own)]));
}

/** The same of one user. */
export async function listSources(tx: Transaction, scope: ParsedScope, userId: string): Promise<ReadonlyMap<string, Source>> {
  return (await listSourcesOf(tx, scope, [userId])).get(userId) ?? new Map();
}

/** Leaves the user exactly these roles, and those that come from the directory. */
export async function replaceRoles(tx: Transaction, scope: ParsedScope, userId: string, roleIds: readonly string[]): Promise<void> {
  const others = { tenant: scope.tenant, scopeId: scope.id, userId, roleIds };
  await Promise.all([tx.execute(removeOthers, others), tx.execute(leaveToDirectory, others)]);
  if (roleIds.length > 0) await assignRoles(tx, scope, userId, roleIds);
}

/**
 * Takes all that a user has who leaves; from an organization also what they have in its projects.
 * Returns the grants in which they held roles.
 */
export async function removeAssignments(tx: Transaction, scope: ParsedScope, userId: string): Promise<readonly LeftGrant[]> {
  await tx.execute(removeUser, { tenant: scope.tenant, scopeId: scope.id, userId });
  await deleteMemberMetadata(tx, scope, userId);
  const left = scope.tenant === 'organization' ? await leaveProjects(tx, scope.organizationId, userId) : [];
  await noteDepartures(tx, scope, [userId]);
  return left;
}

export type TakenRole = {
  readonly userCount: number;
  readonly withoutRole: readonly string[];
  /** Service accounts that had it: all of its holders, or left without a role. */
  readonly serviceAccounts: readonly string[];
};

/**
 * Takes a role from all its holders; returns how many, and those who have no role left in the
 * scope.
 */
export async function takeRoleFromAll(tx: Transaction, scope: ParsedScope, roleId: string): Promise<TakenRole> {
  const inScope = { tenant: scope.tenant, scopeId: scope.id };
  const taken = await tx.query(removeRole, { ...inScope, roleId });
  if (taken.length === 0) return { userCount: 0, withoutRole: [], serviceAccounts: [] };
  const holders = new Set(
    (await tx.query(findHolders, { ...inScope, userIds: taken.map(({ userId }) => userId) })).map(({ userId }) => userId),
  );
  const people = taken.filter(({ subjectType }) => subjectType === 'user').map(({ userId }) => userId);
  const services = taken.filter(({ subjectType }) => subjectType === 'serviceAccount').map(({ userId }) => userId);
  return {
    userCount: people.length,
    withoutRole: people.filter((userId) => !holders.has(userId)),
    serviceAccounts: people.length === 0 ? services : services.filter((userId) => !holders.has(userId)),
  };
}

/** The roles of many users in exactly these scopes: only the scopes' own. */
export function listRolesOfUsers(tx: Transaction, scopes: readonly ParsedScope[], userIds: readonly string[]) {
  return readAcross(tx, rolesOfUsersAcross, scopes, { ownerIds: userIds });
}

type Owners = { readonly ownerIds: readonly string[] };
export type Holding = Found<{ readonly ownerId: string; readonly userId: string }>;

const usersOfRoles = acrossQuery('rbac_users_of_roles', roleTable.levels, (_, asked, p: Params<Owners>) =>
  query
    .selectFrom(asked.as('s'))
    .innerJoin('role_assignments as a', (join) => join.onRef('a.tenant', '=', 's.tenant').onRef('a.scopeId', '=', 's.id'))
    .where('a.roleId', '=', ({ fn }) => fn.any(p.ownerIds))
    .where('a.subjectType', '=', sql.lit('user'))
    .select(['a.roleId as ownerId', 'a.userId']),
);

/** Who holds these roles, in each of the scopes. */
export function listUsersOfRoles(tx: Transaction, scopes: readonly ParsedScope[], roleIds: readonly string[]): Promise<Holding[]> {
  return readAcross(tx, usersOfRoles, scopes, { ownerIds: roleIds });
}

const usersOfGroups = acrossQuery('rbac_users_of_groups', roleTable.levels, (_, asked, p: Params<Owners>) =>
  query
    .selectFrom(asked.as('s'))
    .innerJoin('role_assignments as a', (join) => join.onRef('a.tenant', '=', 's.tenant').onRef('a.scopeId', '=', 's.id'))
    .innerJoin('roles as r', 'r.id', 'a.roleId')
    .innerJoin('role_groups as rg', 'rg.roleId', 'r.id')
    .where('r.deletedAt', 'is', null)
    .where('a.subjectType', '=', sql.lit('user'))
    .where('rg.groupId', '=', ({ fn }) => fn.any(p.ownerIds))
    .select(['rg.groupId as ownerId', 'a.userId'])
    .distinct(),
);

/** Who holds a role with these groups, in each of the scopes. */
export function listUsersOfGroups(tx: Transaction, scopes: readonly ParsedScope[], groupIds: readonly string[]): Promise<Holding[]> {
  return readAcross(tx, usersOfGroups, scopes, { ownerIds: groupIds });
}

function ownerAssignments() {
  return query
    .selectFrom('role_assignments as a')
    .innerJoin('roles as r', 'r.id', 'a.roleId')
    .where('r.isBuiltIn', '=', sql.lit(true))
    .where('r.rank', '=', sql.lit(1))
    .where('a.tenant', '=', sql.lit('organization'))
    .where('a.subjectType', '=', sql.lit('user'));
}

const owners = statement('rbac_owners', (p: Params<{ organizationId: string }>) =>
  ownerAssignments()
    .innerJoin('organization_roles as p', 'p.roleId', 'a.roleId')
    .where('p.organizationId', '=', p.organizationId)
    .where('a.scopeId', '=', sql<string>`${p.organizationId}::uuid::text`)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('organization_member_metadata as m')
            .where('m.organizationId', '=', p.organizationId)
            .whereRef('m.userId', '=', 'a.userId')
            .where('m.blockedAt', 'is not', null)
            .select(sql.lit(1).as('one')),
        ),
      ),
    )
    .select('a.userId'),
);
/** The Owners of an organization who are not blocked in it. */
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
        .where('other.subjectType', '=', sql.lit('user'))
        .where(({ exists, not, selectFrom: from }) =>
          not(
            exists(
              from('organization_member_metadata as m')
                .where(sql<boolean>`m.organization_id::text = other.scope_id`)
                .whereRef('m.userId', '=', 'other.userId')
                .where('m.blockedAt', 'is not', null)
                .select(sql.lit(1).as('one')),
            ),
          ),
        )
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

const memberRoles = statement('rbac_member_roles', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('role_assignments as a')
    .innerJoin('roles as r', 'r.id', 'a.roleId')
    .where('a.userId', '=', p.userId)
    .where('a.tenant', '=', sql.lit('organization'))
    .where('a.subjectType', '=', sql.lit('user'))
    .distinctOn('a.scopeId')
    .orderBy('a.scopeId')
    .orderBy(sql`r.rank nulls last`)
    .orderBy('r.name')
    .select(['a.scopeId as organizationId', 'r.name']),
);
/** The highest role of the user in each organization: a built-in one before its own. */
export function listMemberRoles(database: Database, userId: string) {
  return database.query(memberRoles, { userId });
}

const scopesOfUser = statement('rbac_scopes_of_user', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('role_assignments')
    .select(['tenant', 'scopeId as id'])
    .distinct()
    .where('userId', '=', p.userId)
    .where('subjectType', '=', sql.lit('user'))
    .orderBy('tenant')
    .orderBy('scopeId'),
);
/** Every scope in which the user holds a role; only the owner of the tables sees all of them. */
export function listScopesOfUser(tx: Transaction, userId: string): Promise<Scope[]> {
  return tx.query(scopesOfUser, { userId });
}

const holdersOfScopes = statement('rbac_count_holders', (p: Params<{ scopeIds: readonly string[] }>) =>
  query
    .selectFrom('role_assignments')
    .where('tenant', '=', 'organizationProject')
    .where('scopeId', '=', ({ fn }) => fn.any(p.scopeIds))
    .groupBy('scopeId')
    .select(['scopeId', ({ fn }) => fn.count<number>('userId').distinct().as('count')]),
);

/** How many users hold a role in each of these projects. Runs as the owner of the tables. */
export async function countHolders(db: Pick<Database, 'query'>, scopeIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return new Map((await db.query(holdersOfScopes, { scopeIds })).map(({ scopeId, count }) => [scopeId, Number(count)]));
}

type HolderPage = { readonly after: string; readonly limit: number };
const holdersPage = statement('rbac_page_holders', (p: Params<InScope & HolderPage>) =>
  query
    .selectFrom('role_assignments')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where(sql<boolean>`(${p.after}::text = '' or user_id::text > ${p.after}::text)`)
    .groupBy('userId')
    .orderBy('userId')
    .limit(p.limit)
    .select('userId'),
);

/** Users who hold a role in exactly this scope, by id. Runs as the owner of the tables. */
export async function pageHolders(
  db: Pick<Database, 'query'>,
  { tenant, id: scopeId }: Scope,
  { after, limit }: HolderPage,
): Promise<{ readonly userIds: string[]; readonly totalCount: number }> {
  const [rows, counts] = await Promise.all([db.query(holdersPage, { tenant, scopeId, after, limit }), countHolders(db, [scopeId])]);
  return { userIds: rows.map(({ userId }) => userId), totalCount: counts.get(scopeId) ?? 0 };
}
