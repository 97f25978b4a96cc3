/**
 * The people whom an organization's directory sends. Scoped work, except where it says otherwise.
 */
import { type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { Filter } from '../domain/scim/filter.ts';
import type { Target } from '../domain/scim/schema.ts';
import { conditionOf, type Settings, sortKeyOf } from './directory-filter.ts';
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

/** Held until the commit. */
export function lockDirectoryUser(tx: Transaction, organizationId: string, id: string): Promise<DirectoryUser | undefined> {
  return tx.one(byId(organizationId, id).forUpdate());
}

/** Held until the commit. */
export async function lockDirectoryUserOf(tx: Transaction, organizationId: string, userId: string): Promise<void> {
  await tx.query(
    query.selectFrom('directory_users').where('organizationId', '=', organizationId).where('userId', '=', userId).select('id').forUpdate(),
  );
}

export type NewDirectoryUser = Pick<
  DirectoryUser,
  'id' | 'organizationId' | 'userName' | 'externalId' | 'email' | 'attributes' | 'active'
> & {
  readonly addresses: readonly string[];
};

/** A taken userName or externalId is a unique violation. */
export async function insertDirectoryUser(tx: Transaction, { addresses, ...row }: NewDirectoryUser): Promise<DirectoryUser> {
  const inserted = await tx.one(
    query
      .insertInto('directory_users')
      .values({ ...row, addresses: sql`${addresses}::text[]` })
      .returning(columns),
  );
  if (inserted === undefined) throw new Error('an insert returned no row');
  return inserted;
}

type Changed = Partial<
  Pick<DirectoryUser, 'userName' | 'externalId' | 'email' | 'attributes' | 'active' | 'userId' | 'hasLeft' | 'invitationId'>
> & {
  readonly addresses?: readonly string[];
  readonly makingSince?: string | null;
};

/** A change that the directory sees: its version is another one. */
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

/** Where the person and the invitation are noted: nothing that the directory sees. */
export async function noteEntry(
  tx: Transaction,
  { organizationId, id }: Pick<DirectoryUser, 'organizationId' | 'id'>,
  entry: Pick<Changed, 'userId' | 'hasLeft' | 'invitationId' | 'makingSince'>,
): Promise<void> {
  await tx.execute(query.updateTable('directory_users').set(entry).where('organizationId', '=', organizationId).where('id', '=', id));
}

/** Deleted here; the directory may send the person again, with another id. */
export function deleteDirectoryUser(tx: Transaction, organizationId: string, id: string): Promise<number> {
  return tx.execute(query.deleteFrom('directory_users').where('organizationId', '=', organizationId).where('id', '=', id));
}

/** The person who accepts the invitation of a directory is its own. */
export async function noteAcceptance(tx: Transaction, organizationId: string, invitationId: string, userId: string): Promise<void> {
  await tx.execute(accepted, { organizationId, invitationId, userId });
}
const accepted = statement('directory_users_accepted', (p: Params<{ organizationId: string; invitationId: string; userId: string }>) =>
  query
    .updateTable('directory_users')
    .set({ userId: p.userId, hasLeft: false, makingSince: null })
    .where('organizationId', '=', p.organizationId)
    .where('invitationId', '=', p.invitationId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('directory_users as other')
            .where('other.organizationId', '=', p.organizationId)
            .where('other.userId', '=', p.userId)
            .select('other.id'),
        ),
      ),
    ),
);

/**
 * A membership has ended. Where the directory still says active, it was not the directory that
 * ended it.
 */
export async function noteLeaving(tx: Transaction, organizationId: string, userId: string): Promise<void> {
  await tx.execute(left, { organizationId, userId });
}
const left = statement('directory_users_left', (p: Params<{ organizationId: string; userId: string }>) =>
  query
    .updateTable('directory_users')
    .set({ hasLeft: true })
    .where('organizationId', '=', p.organizationId)
    .where('userId', '=', p.userId)
    .where('active', '=', true),
);

/** Runs as the owner: in all organizations of a person who is deleted. */
export async function forgetPersonOfDirectories(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.updateTable('directory_users').set({ userId: null, hasLeft: true }).where('userId', '=', userId));
}

const holder = statement('directory_domain_holder', 'SELECT holder_of_domain($1) AS holder');

/** Whose proven domain this is. An own one is held until the commit. */
export async function holderOfDomain(tx: Transaction, domain: string): Promise<'own' | 'other' | null> {
  const [row] = await tx.query<{ holder: 'own' | 'other' | null }>(holder, [domain]);
  return row?.holder ?? null;
}

/** The directory's user that an invitation is of; runs as the owner, for its token. */
export async function findInvited(db: Pick<Database, 'query'>, invitationId: string): Promise<{ readonly isActive: boolean } | undefined> {
  const [row] = await db.query(invited, { invitationId });
  return row;
}
const invited = statement('directory_users_invited', (p: Params<{ invitationId: string }>) =>
  query.selectFrom('directory_users').where('invitationId', '=', p.invitationId).select(['active as isActive']),
);

/** Runs as the owner: those whose making was begun before and not ended. */
export function listUnmade(db: Pick<Database, 'query'>, before: Date, most: number): Promise<DirectoryUser[]> {
  return db.query(
    query.selectFrom('directory_users').where('makingSince', '<', before.toISOString()).orderBy('makingSince').limit(most).select(columns),
  );
}

/** After the row with this key and id, in the order of the list. */
export type After = { readonly key: string; readonly id: string };

export type DirectoryList = {
  readonly filter: Filter | undefined;
  readonly sortBy: Target | undefined;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly after: After | undefined;
  readonly limit: number;
  readonly isCounted: boolean;
  readonly settings: Settings;
};

export type DirectoryPage = {
  readonly rows: readonly (DirectoryUser & { readonly sortKey: string })[];
  readonly total: number | undefined;
};

export async function listDirectoryUsers(tx: Transaction, organizationId: string, asked: DirectoryList): Promise<DirectoryPage> {
  const { filter, sortBy, isDescending, offset, after, limit, isCounted, settings } = asked;
  const own = query.selectFrom('directory_users').where('organizationId', '=', organizationId);
  const all = filter === undefined ? own : own.where(conditionOf(filter, settings));
  const key = sortBy === undefined ? sql<string>`''` : sortKeyOf(sortBy, settings);
  const order = isDescending ? 'desc' : 'asc';
  const isLater = sql.raw(isDescending ? '<' : '>');
  const rest = after === undefined ? all : all.where(sql<boolean>`(${key}, id) ${isLater} (${after.key}::text, ${after.id}::uuid)`);
  const [rows, counted] = await Promise.all([
    limit === 0
      ? []
      : tx.query(
          (sortBy === undefined ? rest : rest.orderBy(key, order))
            .orderBy('id', order)
            .offset(offset)
            .limit(limit)
            .select([...columns, key.as('sortKey')]),
        ),
    isCounted ? tx.one(all.select(({ fn }) => fn.countAll<number>().as('total'))) : undefined,
  ]);
  return { rows, total: isCounted ? Number(counted?.total ?? 0) : undefined };
}
