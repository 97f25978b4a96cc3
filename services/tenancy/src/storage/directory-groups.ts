/** The groups that an organization's directory sends, and the people in them. Scoped work. */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { type DirectoryList, type DirectoryPage, listOf } from './directory-list.ts';
import { changedNow, query } from './query.ts';

const columns = ['id', 'organizationId', 'externalId', 'attributes', 'version', 'createdAt', 'updatedAt'] as const;

export type DirectoryGroup = Awaited<ReturnType<typeof findDirectoryGroup>> & {};

function byId(organizationId: string, id: string) {
  return query.selectFrom('directory_groups').where('organizationId', '=', organizationId).where('id', '=', id).select(columns);
}

export function findDirectoryGroup(tx: Transaction, organizationId: string, id: string) {
  return tx.one(byId(organizationId, id));
}

/** Locks the row until the commit. */
export function lockDirectoryGroup(tx: Transaction, organizationId: string, id: string): Promise<DirectoryGroup | undefined> {
  return tx.one(byId(organizationId, id).forUpdate());
}

export type NewDirectoryGroup = Pick<DirectoryGroup, 'id' | 'organizationId' | 'externalId' | 'attributes'>;

/** A taken externalId is a unique violation. */
export async function insertDirectoryGroup(tx: Transaction, row: NewDirectoryGroup): Promise<DirectoryGroup> {
  const inserted = await tx.one(query.insertInto('directory_groups').values(row).returning(columns));
  if (inserted === undefined) throw new Error('an insert returned no row');
  return inserted;
}

/** A change that the directory sees, and which raises the version. */
export function updateDirectoryGroup(
  tx: Transaction,
  { organizationId, id, externalId, attributes }: NewDirectoryGroup,
): Promise<DirectoryGroup | undefined> {
  return tx.one(
    query
      .updateTable('directory_groups')
      .set({ externalId, attributes, updatedAt: changedNow, version: sql<number>`version + 1` })
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .returning(columns),
  );
}

export function deleteDirectoryGroup(tx: Transaction, organizationId: string, id: string): Promise<number> {
  return tx.execute(query.deleteFrom('directory_groups').where('organizationId', '=', organizationId).where('id', '=', id));
}

export function listDirectoryGroups(tx: Transaction, organizationId: string, asked: DirectoryList): Promise<DirectoryPage<DirectoryGroup>> {
  const load = (ids: readonly string[]) =>
    tx.query(query.selectFrom('directory_groups').where('organizationId', '=', organizationId).where('id', 'in', ids).select(columns));
  return listOf<DirectoryGroup>(tx, { table: 'directory_groups', organizationId, load }, asked);
}

type Of = { readonly organizationId: string; readonly groupId: string };
type OfUsers = Of & { readonly ids: readonly string[] };

/** Locks the rows of these people, in the order of their ids. Returns the known ids. */
export async function lockDirectoryUsers(tx: Transaction, organizationId: string, ids: readonly string[]): Promise<readonly string[]> {
  return (await tx.query(lockUsers, { organizationId, ids })).map(({ id }) => id);
}
const lockUsers = statement('directory_groups_lock_users', (p: Params<Omit<OfUsers, 'groupId'>>) =>
  query
    .selectFrom('directory_users')
    .where('organizationId', '=', p.organizationId)
    .where('id', '=', ({ fn }) => fn.any(p.ids))
    .orderBy('id')
    .select('id')
    .forNoKeyUpdate(),
);

export async function listGroupMemberIds(tx: Transaction, of: Of): Promise<readonly string[]> {
  return (await tx.query(memberIds, of)).map(({ directoryUserId }) => directoryUserId);
}
const memberIds = statement('directory_groups_member_ids', (p: Params<Of>) =>
  query
    .selectFrom('directory_group_members')
    .where('organizationId', '=', p.organizationId)
    .where('groupId', '=', p.groupId)
    .select('directoryUserId'),
);

export async function addGroupMembers(tx: Transaction, of: OfUsers): Promise<void> {
  if (of.ids.length > 0) await tx.execute(insertMembers, of);
}
const insertMembers = statement('directory_groups_add_members', (p: Params<OfUsers>) =>
  query
    .insertInto('directory_group_members')
    .columns(['organizationId', 'groupId', 'directoryUserId'])
    .expression(
      query.selectNoFrom([
        sql<string>`${p.organizationId}::uuid`.as('organizationId'),
        sql<string>`${p.groupId}::uuid`.as('groupId'),
        sql<string>`unnest(${p.ids}::uuid[])`.as('directoryUserId'),
      ]),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

export async function removeGroupMembers(tx: Transaction, of: OfUsers): Promise<void> {
  if (of.ids.length > 0) await tx.execute(deleteMembers, of);
}
const deleteMembers = statement('directory_groups_remove_members', (p: Params<OfUsers>) =>
  query
    .deleteFrom('directory_group_members')
    .where('organizationId', '=', p.organizationId)
    .where('groupId', '=', p.groupId)
    .where('directoryUserId', '=', ({ fn }) => fn.any(p.ids)),
);

export type ShownMember = { readonly groupId: string; readonly id: string; readonly userName: unknown };

/** The members of these groups, so many at most. */
export function listGroupMembers(
  tx: Transaction,
  of: { readonly organizationId: string; readonly groupIds: readonly string[]; readonly limit: number },
): Promise<ShownMember[]> {
  return tx.query(shownMembers, of);
}
const shownMembers = statement(
  'directory_groups_shown_members',
  (p: Params<{ organizationId: string; groupIds: readonly string[]; limit: number }>) =>
    query
      .selectFrom('directory_group_members as m')
      .innerJoin('directory_users as u', 'u.id', 'm.directoryUserId')
      .where('m.organizationId', '=', p.organizationId)
      .where('m.groupId', '=', ({ fn }) => fn.any(p.groupIds))
      .orderBy('m.groupId')
      .orderBy('m.directoryUserId')
      .limit(p.limit)
      .select(['m.groupId', 'u.id', sql<unknown>`u.attributes -> 'userName'`.as('userName')]),
);

export type GroupOfUser = { readonly directoryUserId: string; readonly id: string; readonly displayName: string };

/** The groups of these people of the directory. */
export function listGroupsOfUsers(tx: Transaction, organizationId: string, ids: readonly string[]): Promise<GroupOfUser[]> {
  return tx.query(groupsOfUsers, { organizationId, ids });
}
const groupsOfUsers = statement('directory_groups_of_users', (p: Params<Omit<OfUsers, 'groupId'>>) =>
  query
    .selectFrom('directory_group_members as m')
    .innerJoin('directory_groups as g', 'g.id', 'm.groupId')
    .where('m.organizationId', '=', p.organizationId)
    .where('m.directoryUserId', '=', ({ fn }) => fn.any(p.ids))
    .orderBy('m.groupId')
    .select(['m.directoryUserId', 'g.id', sql<string>`coalesce(g.attributes ->> 'displayName', '')`.as('displayName')]),
);

export type GroupState = { readonly id: string; readonly name: string; readonly memberCount: number };

/** The groups as other services know them. */
export async function listGroupStates(tx: Transaction, organizationId: string, ids: readonly string[]): Promise<GroupState[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query(groupStates, { organizationId, ids });
  return rows.map(({ memberCount, ...row }) => ({ ...row, memberCount: Number(memberCount) }));
}
const groupStates = statement('directory_groups_states', (p: Params<Omit<OfUsers, 'groupId'>>) =>
  query
    .selectFrom('directory_groups as g')
    .where('g.organizationId', '=', p.organizationId)
    .where('g.id', '=', ({ fn }) => fn.any(p.ids))
    .select(({ selectFrom }) => [
      'g.id',
      sql<string>`coalesce(g.attributes ->> 'displayName', '')`.as('name'),
      selectFrom('directory_group_members as m')
        .whereRef('m.groupId', '=', 'g.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('memberCount'),
    ]),
);

/** A member who is detached is in no group for other services. */
export type PersonState = { readonly userId: string; readonly groupIds: readonly string[]; readonly isDetached?: boolean };

/** The accounts of these people of the directory, each with all groups that they are in. */
export function listPersonStates(tx: Transaction, organizationId: string, ids: readonly string[]): Promise<PersonState[]> {
  return tx.query<PersonState>(personStates, [organizationId, ids]);
}
// An aggregate over a left join.
const personStates = statement(
  'directory_groups_person_states',
  `SELECT u.user_id AS "userId", o.detached_at IS NOT NULL AS "isDetached",
     coalesce(array_agg(m.group_id::text) FILTER (WHERE m.group_id IS NOT NULL AND o.detached_at IS NULL), '{}') AS "groupIds"
   FROM directory_users u LEFT JOIN directory_group_members m ON m.directory_user_id = u.id
   LEFT JOIN organization_users o ON o.organization_id = u.organization_id AND o.user_id = u.user_id
   WHERE u.organization_id = $1 AND u.id = ANY ($2::uuid[]) AND u.user_id IS NOT NULL GROUP BY u.user_id, o.detached_at ORDER BY u.user_id`,
);

/** The directory's rows of those of the people who are in a group. */
export async function listRowsInGroups(tx: Transaction, organizationId: string, userIds: readonly string[]): Promise<readonly string[]> {
  return (await tx.query(rowsInGroups, { organizationId, userIds })).map(({ id }) => id);
}
const rowsInGroups = statement('directory_groups_rows_in_groups', (p: Params<{ organizationId: string; userIds: readonly string[] }>) =>
  query
    .selectFrom('directory_users as u')
    .where('u.organizationId', '=', p.organizationId)
    .where('u.userId', '=', ({ fn }) => fn.any(p.userIds))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('directory_group_members as m').whereRef('m.directoryUserId', '=', 'u.id').select('m.groupId')),
    )
    .orderBy('u.id')
    .select('u.id'),
);
