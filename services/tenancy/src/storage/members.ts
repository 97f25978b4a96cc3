import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { lockDirectoryUserOf, lockUnlinked, noteEntry, noteLeaving } from './directory-users.ts';
import { livingPerson, query } from './query.ts';

export type Addition = 'added' | 'already' | 'no-organization' | 'no-person';

/**
 * Adds an existing person to an existing organization, with their current name and address. Both
 * rows stay locked until the commit, so a deletion or rename happens entirely before or after.
 */
export async function addMember(tx: Transaction, organizationId: string, userId: string): Promise<Addition> {
  const addition = await insertMember(tx, organizationId, userId);
  if (addition === 'added') await tx.execute(forgetDeparture, { organizationId, userId });
  return addition;
}
type Member = { readonly organizationId: string; readonly userId: string };
const forgetDeparture = statement('members_forget_departure', (p: Params<Member>) =>
  query.deleteFrom('departed_members').where('organizationId', '=', p.organizationId).where('userId', '=', p.userId),
);

/**
 * Adds a person whom the organization's own identity provider or directory admits. `left`: the
 * person was a member before, and the transaction must roll back. This is checked after the insert,
 * which waits for a removal that runs in parallel.
 */
export async function readmitMember(tx: Transaction, organizationId: string, userId: string): Promise<Addition | 'left'> {
  const addition = await insertMember(tx, organizationId, userId);
  if (addition !== 'added') return addition;
  return (await hasDeparted(tx, organizationId, userId)) ? 'left' : 'added';
}

const findDeparture = statement('members_find_departure', (p: Params<{ organizationId: string; userId: string }>) =>
  query.selectFrom('departed_members').where('organizationId', '=', p.organizationId).where('userId', '=', p.userId).select('userId'),
);

/** Whether the person was a member, and has accepted no invitation since. */
export async function hasDeparted(db: Pick<Transaction, 'query'>, organizationId: string, userId: string): Promise<boolean> {
  return (await db.query(findDeparture, { organizationId, userId })).length > 0;
}

async function insertMember(tx: Transaction, organizationId: string, userId: string): Promise<Addition> {
  // All work locks the directory's row before the membership.
  const directoryUserId = await lockUnlinked(tx, organizationId, userId);
  const outcome = await tx.one(insert, { organizationId, userId });
  if (!outcome?.hasOrganization) return 'no-organization';
  if (!outcome.hasPerson) return 'no-person';
  if (!outcome.isAdded) return 'already';
  if (directoryUserId !== undefined) await noteEntry(tx, { organizationId, id: directoryUserId }, { userId, hasLeft: false });
  return 'added';
}

const insert = statement('members_insert', (p: Params<Member>) =>
  query
    .with('organization', (db) =>
      db
        .selectFrom('organizations')
        .where('id', '=', p.organizationId)
        .where('deletedAt', 'is', null)
        .where('closingFor', 'is', null)
        .select('id')
        .forShare(),
    )
    .with('person', () => livingPerson(p.userId))
    .with('added', (db) =>
      db
        .insertInto('organization_users')
        .columns(['organizationId', 'userId', 'name', 'email', 'userCreatedAt', 'userUpdatedAt'])
        .expression(({ selectFrom }) =>
          selectFrom(['organization as o', 'person as p']).select(['o.id', 'userId', 'name', 'email', 'createdAt', 'updatedAt']),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('userId'),
    )
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('organization')).as('hasOrganization'),
      exists(selectFrom('person')).as('hasPerson'),
      exists(selectFrom('added')).as('isAdded'),
    ]),
);

/**
 * Ends a membership. With `endedAt`, the time of a past event, a membership that began later stays.
 * True if a row was deleted.
 */
export async function removeMember(tx: Transaction, organizationId: string, userId: string, endedAt?: string): Promise<boolean> {
  const membership = query.deleteFrom('organization_users').where('organizationId', '=', organizationId).where('userId', '=', userId);
  // Events carry milliseconds, the column has microseconds.
  const began = sql<string>`date_trunc('milliseconds', joined_at)`;
  // All work locks the directory's row before the membership.
  await lockDirectoryUserOf(tx, organizationId, userId);
  const isRemoved = (await tx.execute(endedAt === undefined ? membership : membership.where(began, '<=', endedAt))) > 0;
  if (isRemoved) await noteLeaving(tx, organizationId, userId);
  return isRemoved;
}

const find = statement('members_find', (p: Params<{ organizationId: string; userId: string }>) =>
  query
    .selectFrom('organization_users')
    .where('organizationId', '=', p.organizationId)
    .where('userId', '=', p.userId)
    .select(['userId', 'name', 'email', 'joinedAt', 'userUpdatedAt as updatedAt', 'detachedAt']),
);

export async function findMember(tx: Pick<Transaction, 'query'>, organizationId: string, userId: string) {
  const [member] = await tx.query(find, { organizationId, userId });
  return member;
}

export type MemberContact = { readonly userId: string; readonly name: string; readonly email: string | null };

const listAfter = statement('members_list_after', (p: Params<{ organizationId: string; after: string | null; most: number }>) =>
  query
    .selectFrom('organization_users')
    .where('organizationId', '=', p.organizationId)
    .where(({ eb, or }) => or([sql<boolean>`${p.after}::uuid IS NULL`, eb('userId', '>', p.after)]))
    .select(['userId', 'name', 'email'])
    .orderBy('userId')
    .limit(p.most),
);

/** By user id, from the one after `after` on. */
export function listMembersAfter(
  tx: Pick<Transaction, 'query'>,
  organizationId: string,
  after: string | undefined,
  most: number,
): Promise<MemberContact[]> {
  return tx.query(listAfter, { organizationId, after: after ?? null, most });
}

/** Whether a member of the organization has this address or this user id. */
export async function isMember(tx: Transaction, organizationId: string, email: string, userId: string | null): Promise<boolean> {
  const member = await tx.one(
    query
      .selectFrom('organization_users')
      .where('organizationId', '=', organizationId)
      .where(({ eb, or }) => or([eb('email', '=', email), eb('userId', '=', userId)]))
      .select('userId'),
  );
  return member !== undefined;
}

/** The member with this address, or with one of these ids. */
export async function findMemberBy(
  tx: Transaction,
  organizationId: string,
  email: string,
  ...userIds: readonly (string | null)[]
): Promise<string | undefined> {
  const ids = userIds.filter((id) => id !== null);
  return (await tx.one(findBy, { organizationId, email, ids }))?.userId;
}
// Of several members one whose id was given.
const findBy = statement('members_find_by', (p: Params<{ organizationId: string; email: string; ids: readonly string[] }>) =>
  query
    .selectFrom('organization_users')
    .where('organizationId', '=', p.organizationId)
    .where(({ eb, or, fn }) => or([eb('email', '=', p.email), eb('userId', '=', fn.any(p.ids))]))
    .select('userId')
    .orderBy(sql`user_id = ANY (${p.ids}::uuid[])`, 'desc')
    .limit(1),
);

type Detachment = { readonly organizationId: string; readonly userId: string; readonly at: string | null; readonly by: string | null };

const detach = statement('members_detach', (p: Params<Detachment>) =>
  query
    .updateTable('organization_users')
    .set({ detachedAt: p.at, detachedBy: p.by })
    .where('organizationId', '=', p.organizationId)
    .where('userId', '=', p.userId),
);

/** `at` null: the directory acts on the member again. The caller has locked the directory's row. */
export async function noteDetachment(tx: Transaction, detachment: Detachment): Promise<void> {
  await tx.execute(detach, detachment);
}

function detached(p: Params<{ organizationId: string; userIds: readonly string[] }>) {
  return query
    .selectFrom('organization_users')
    .where('organizationId', '=', p.organizationId)
    .where('userId', '=', ({ fn }) => fn.any(p.userIds))
    .where('detachedAt', 'is not', null)
    .select('userId');
}
const listDetached = statement('members_detached', detached);

/** Those of the people who are members on whom the directory does not act. */
export async function findDetached(tx: Transaction, organizationId: string, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  return new Set((await tx.query(listDetached, { organizationId, userIds })).map(({ userId }) => userId));
}

/** Whether the directory does not act on the member. Their row is locked until the commit. */
export async function lockIfDetached(tx: Transaction, organizationId: string, userId: string): Promise<boolean> {
  return (await tx.query(lockDetached, { organizationId, userIds: [userId] })).length > 0;
}
const lockDetached = statement('members_lock_detached', (p: Params<{ organizationId: string; userIds: readonly string[] }>) =>
  detached(p).forShare(),
);

const standings = statement('members_directory_standings', (p: Params<{ organizationId: string; userIds: readonly string[] }>) =>
  query
    .selectFrom('organization_users as m')
    .leftJoin('directory_users as d', (join) => join.onRef('d.organizationId', '=', 'm.organizationId').onRef('d.userId', '=', 'm.userId'))
    .where('m.organizationId', '=', p.organizationId)
    .where('m.userId', '=', ({ fn }) => fn.any(p.userIds))
    .where(({ eb, or }) => or([eb('d.id', 'is not', null), eb('m.detachedAt', 'is not', null)]))
    .select(['m.userId', 'm.detachedAt', 'd.active as isActive']),
);

export type DirectoryStanding = { readonly isActive: boolean | null; readonly isDetached: boolean; readonly detachedAt: string | null };

export function directoryStanding({ isActive, detachedAt }: Omit<DirectoryStanding, 'isDetached'>): DirectoryStanding {
  return { isActive, isDetached: detachedAt !== null, detachedAt };
}

/** What the directory says of these members. Those whom it has not sent are left out. */
export function listDirectoryStandings(tx: Transaction, organizationId: string, userIds: readonly string[]) {
  return tx.query(standings, { organizationId, userIds });
}
