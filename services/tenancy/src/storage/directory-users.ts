/**
 * The people whom an organization's directory sends. Scoped work, except where it says otherwise.
 */
import { composed, type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { type DirectoryList, type DirectoryPage, listOf } from './directory-list.ts';
import { changedNow, query } from './query.ts';

const columns = [
  ...(['id', 'organizationId', 'userName', 'externalId', 'email', 'attributes', 'active', 'userId', 'hasLeft'] as const),
  ...(['invitationId', 'makingSince', 'version', 'createdAt', 'updatedAt'] as const),
] as const;

export type DirectoryUser = Awaited<ReturnType<typeof findDirectoryUser>> & {};

function byId(organizationId: string, id: string) {
  return query.selectFrom('directory_users').where('organizationId', '=', organizationId).where('id', '=', id).select(columns);
}

export function findDirectoryUser(tx: Transaction, organizationId: string, id: string) {
  return tx.one(byId(organizationId, id));
}

/** Locks the row until the commit. */
export function lockDirectoryUser(tx: Transaction, organizationId: string, id: string): Promise<DirectoryUser | undefined> {
  return tx.one(byId(organizationId, id).forUpdate());
}

/** The row of a person, locked until the commit. */
export function lockDirectoryUserOf(tx: Transaction, organizationId: string, userId: string) {
  return tx.one(rowOf({ organizationId, userId }).select('own.active').forUpdate());
}

export type NewDirectoryUser = Pick<
  DirectoryUser,
  'id' | 'organizationId' | 'userName' | 'externalId' | 'email' | 'attributes' | 'active'
> & {
  readonly addresses: readonly string[];
};

/** A taken userName or externalId is a unique violation. */
export async function insertDirectoryUser(tx: Transaction, { addresses, ...row }: NewDirectoryUser): Promise<DirectoryUser> {
  const inserted = await tx.one(insert, { ...row, addresses, attributes: JSON.stringify(row.attributes) });
  if (inserted === undefined) throw new Error('an insert returned no row');
  return inserted;
}
type Insert = Omit<NewDirectoryUser, 'attributes'> & { readonly attributes: string };
const insert = statement('directory_users_insert', (p: Params<Insert>) => {
  const { id, organizationId, userName, externalId, email, active, addresses, attributes } = p;
  return query
    .insertInto('directory_users')
    .values({
      id,
      organizationId,
      userName,
      externalId,
      email,
      active,
      addresses: sql`${addresses}::text[]`,
      attributes: sql`${attributes}::jsonb`,
    })
    .returning(columns);
});

type Changed = Partial<
  Pick<DirectoryUser, 'userName' | 'externalId' | 'email' | 'attributes' | 'active' | 'userId' | 'hasLeft' | 'invitationId'>
> & {
  readonly addresses?: readonly string[];
  readonly makingSince?: string | null;
};

/** A change that the directory sees, and which raises the version. */
export function updateDirectoryUser(
  tx: Transaction,
  { organizationId, id }: Pick<DirectoryUser, 'organizationId' | 'id'>,
  { addresses, ...change }: Changed,
): Promise<DirectoryUser | undefined> {
  return tx.one(
    query
      .updateTable('directory_users')
      .set({ ...change, ...(addresses === undefined ? {} : { addresses: sql`${addresses}::text[]` }) })
      .set({ updatedAt: changedNow, version: sql<number>`version + 1` })
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .returning(columns),
  );
}

/** Stores the person and the invitation, which the directory does not see. */
export function noteEntry(
  tx: Transaction,
  { organizationId, id }: Pick<DirectoryUser, 'organizationId' | 'id'>,
  entry: Pick<Changed, 'userId' | 'hasLeft' | 'invitationId' | 'makingSince'>,
): Promise<DirectoryUser | undefined> {
  const own = query.updateTable('directory_users').where('organizationId', '=', organizationId).where('id', '=', id);
  return tx.one(composed(own.set(entry).returning(columns)));
}

/** The directory may send the person again, who then gets another id. */
export function deleteDirectoryUser(tx: Transaction, organizationId: string, id: string): Promise<number> {
  return tx.execute(query.deleteFrom('directory_users').where('organizationId', '=', organizationId).where('id', '=', id));
}

/** The field whose value another row has already. */
export async function findTaken(
  tx: Transaction,
  organizationId: string,
  { userName, externalId }: Pick<DirectoryUser, 'userName' | 'externalId'>,
  exceptId?: string,
): Promise<'userName' | 'externalId' | undefined> {
  const row = await tx.one(
    query
      .selectFrom('directory_users')
      .where('organizationId', '=', organizationId)
      .where(({ eb, or }) => or([eb('userName', '=', userName), eb('externalId', '=', externalId)]))
      .where(sql<boolean>`id IS DISTINCT FROM ${exceptId ?? null}::uuid`)
      .select('userName')
      .limit(1),
  );
  if (row === undefined) return undefined;
  return row.userName === userName ? 'userName' : 'externalId';
}

type OfPerson = { readonly organizationId: string; readonly userId: string };

/** The row of a person. */
function rowOf({ organizationId, userId }: OfPerson | Params<OfPerson>) {
  return query
    .selectFrom('directory_users as own')
    .where('own.organizationId', '=', organizationId)
    .where('own.userId', '=', userId)
    .select('own.id');
}

export function findDirectoryUserOf(tx: Transaction, organizationId: string, userId: string): Promise<{ readonly id: string } | undefined> {
  return tx.one(rowOf({ organizationId, userId }));
}

/**
 * The row without a person that has the address of a new member. It is linked to the member,
 * whichever way they joined, so that the directory can deactivate them. Locked until the commit. Of
 * several rows an active one.
 */
export async function lockUnlinked(tx: Transaction, organizationId: string, userId: string): Promise<string | undefined> {
  const [row] = await tx.query(unlinked, { organizationId, userId });
  return row?.id;
}
const unlinked = statement('directory_users_unlinked', (p: Params<{ organizationId: string; userId: string }>) =>
  query
    .selectFrom('directory_users as d')
    .where('d.organizationId', '=', p.organizationId)
    .where('d.userId', 'is', null)
    .where(({ eb, selectFrom }) => eb('d.email', '=', selectFrom('people').where('people.userId', '=', p.userId).select('people.email')))
    .where(({ not, exists }) => not(exists(rowOf(p))))
    .orderBy('d.active', 'desc')
    .orderBy('d.id')
    .limit(1)
    .select('d.id')
    .forUpdate('d'),
);

/** Links the person who has accepted the directory's invitation to its row. */
export async function noteAcceptance(tx: Transaction, organizationId: string, invitationId: string, userId: string): Promise<void> {
  await tx.execute(accepted, { organizationId, invitationId, userId });
}
const accepted = statement('directory_users_accepted', (p: Params<{ organizationId: string; invitationId: string; userId: string }>) =>
  query
    .updateTable('directory_users')
    .set({ userId: p.userId, hasLeft: false, makingSince: null })
    .where('organizationId', '=', p.organizationId)
    .where('invitationId', '=', p.invitationId)
    .where(({ not, exists }) => not(exists(rowOf(p)))),
);

/** A membership has ended. If the directory ended it, `updateDirectoryUser` resets `hasLeft`. */
export async function noteLeaving(tx: Transaction, organizationId: string, userId: string): Promise<void> {
  await tx.execute(left, { organizationId, userId });
}
const left = statement('directory_users_left', (p: Params<{ organizationId: string; userId: string }>) =>
  query.updateTable('directory_users').set({ hasLeft: true }).where('organizationId', '=', p.organizationId).where('userId', '=', p.userId),
);

/** Runs as the owner: in all organizations of a person who is deleted. */
export async function forgetPersonOfDirectories(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.updateTable('directory_users').set({ userId: null, hasLeft: true }).where('userId', '=', userId));
}

const holder = statement('directory_domain_holder', 'SELECT holder_of_domain($1) AS holder');

/** Which organization has proven the domain. The row of an own one is locked until the commit. */
export async function holderOfDomain(tx: Transaction, domain: string): Promise<'own' | 'other' | null> {
  const [row] = await tx.query<{ holder: 'own' | 'other' | null }>(holder, [domain]);
  return row?.holder ?? null;
}

/** The directory's user of an invitation. Runs as the owner, because only its token is known. */
export async function findInvited(db: Pick<Database, 'query'>, invitationId: string): Promise<{ readonly isActive: boolean } | undefined> {
  const [row] = await db.query(invited, { invitationId });
  return row;
}
const invited = statement('directory_users_invited', (p: Params<{ invitationId: string }>) =>
  query.selectFrom('directory_users').where('invitationId', '=', p.invitationId).select(['active as isActive']),
);

type OfInvitation = Pick<DirectoryUser, 'id' | 'invitationId'>;

/** Ends the making: identity has made the people, or is not to. Runs as the owner. */
export async function noteMade(tx: Transaction, rows: readonly OfInvitation[]): Promise<void> {
  const invitationIds = rows.map(({ invitationId }) => invitationId);
  await tx.query(made, [rows.map(({ id }) => id), invitationIds]);
}
// Two lists that are read side by side. Sorted, so that two of these do not wait for each other.
const made = statement(
  'directory_users_made',
  `UPDATE directory_users AS d SET making_since = NULL
   FROM (SELECT u.id FROM directory_users u JOIN unnest($1::uuid[], $2::uuid[]) AS m (id, invitation_id) ON u.id = m.id
         WHERE u.invitation_id IS NOT DISTINCT FROM m.invitation_id AND u.making_since IS NOT NULL ORDER BY u.id FOR UPDATE OF u) AS waiting
   WHERE d.id = waiting.id`,
);

type UnmadePage = { readonly before: Date; readonly afterId: string | undefined; readonly limit: number };

/** By id: the rows whose person was to be made before that time. Runs as the owner. */
export function listUnmade(db: Pick<Database, 'query'>, { before, afterId, limit }: UnmadePage): Promise<DirectoryUser[]> {
  const unmade = query.selectFrom('directory_users').where('makingSince', '<', before.toISOString());
  const rest = afterId === undefined ? unmade : unmade.where('id', '>', afterId);
  return db.query(rest.orderBy('id').limit(limit).select(columns));
}

export function listDirectoryUsers(tx: Transaction, organizationId: string, asked: DirectoryList): Promise<DirectoryPage<DirectoryUser>> {
  const load = (ids: readonly string[]) =>
    tx.query(query.selectFrom('directory_users').where('organizationId', '=', organizationId).where('id', 'in', ids).select(columns));
  return listOf<DirectoryUser>(tx, { table: 'directory_users', organizationId, load }, asked);
}
