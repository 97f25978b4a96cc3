import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import type { Account } from '@tessera/proto/types/tenancy.v1';
import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { AuthenticationMethod, Person } from '../domain/people.ts';
import { query } from './query.ts';
import type { Reader } from './reader.ts';

const columns = [
  'id',
  'name',
  'picturePath',
  'metadata',
  'createdBy',
  'homeTenant',
  'homeId',
  'createdAt',
  'updatedAt',
  'deletedAt',
] as const;

type PersonRow = Omit<Person, 'home'> & { readonly homeTenant: Scope['tenant'] | null; readonly homeId: string | null };

function toPerson<Row extends PersonRow>({ homeTenant, homeId, ...person }: Row) {
  const home = homeTenant === null || homeId === null ? null : { tenant: homeTenant, id: homeId };
  return { ...person, home };
}

type Insert = Omit<PersonRow, 'picturePath' | 'createdAt' | 'updatedAt' | 'deletedAt'> & {
  invitationId: string | null;
  accounts: string | null;
  now: string;
};
const insertQuery = statement('identity_insert_person', (p: Params<Insert>) =>
  query
    .insertInto('users')
    .values({
      ...{ id: p.id, name: p.name, metadata: p.metadata, createdBy: p.createdBy },
      ...{ homeTenant: p.homeTenant, homeId: p.homeId, invitationId: p.invitationId },
      ...{ accounts: sql<readonly Account[] | null>`${p.accounts}::jsonb`, createdAt: p.now, updatedAt: p.now },
    })
    .returning(columns),
);
const findQuery = statement('identity_find_people', ({ ids }: Params<{ ids: readonly string[] }>) =>
  query
    .selectFrom('users')
    .where('id', '=', ({ fn }) => fn.any(ids))
    .where('deletedAt', 'is', null)
    .select(columns),
);
const findProfileQuery = statement('identity_find_profile', ({ id }: Params<{ id: string }>) =>
  query
    .selectFrom('users')
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .select([...columns, 'accounts'])
    .select(({ selectFrom }) =>
      selectFrom('authentication_methods as m')
        .whereRef('m.userId', '=', 'users.id')
        .select(({ fn, ref }) => {
          const method = { email: ref('m.email'), isPrimary: ref('m.isPrimary'), isVerified: ref('m.isVerified') };
          return fn.jsonAgg(jsonBuildObject(method)).orderBy('m.createdAt').orderBy('m.id').as('methods');
        })
        .as('methods'),
    ),
);
type Update = { id: string; name: string | null; metadata: Person['metadata'] | null; now: string };
const updateQuery = statement('identity_update_person', ({ id, name, metadata, now }: Params<Update>) =>
  query
    .updateTable('users')
    .set(({ fn, ref }) => ({ name: fn.coalesce(name, ref('name')), metadata: fn.coalesce(metadata, ref('metadata')), updatedAt: now }))
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .returning([...columns, 'accounts']),
);
// The subquery in FROM locks the row. A CTE of its own would meet the row as this statement has
// changed it, and lock nothing.
const setPictureQuery = statement('identity_set_picture', ({ id, path, now }: Params<{ id: string; path: string; now: string }>) =>
  query
    .with('replaced', (db) =>
      db
        .updateTable('users as u')
        .from(({ selectFrom }) =>
          selectFrom('users').where('id', '=', id).where('deletedAt', 'is', null).select(['id', 'picturePath']).forUpdate().as('earlier'),
        )
        .set({ picturePath: path, updatedAt: now })
        .whereRef('u.id', '=', 'earlier.id')
        .returning('earlier.picturePath'),
    )
    .with('discarded', (db) =>
      db
        .insertInto('discarded_pictures')
        .columns(['path'])
        .expression(
          db.selectFrom('replaced').where('picturePath', 'is not', null).select('picturePath').$narrowType<{ picturePath: string }>(),
        ),
    )
    .selectFrom('replaced')
    .select('picturePath'),
);
const lockQuery = statement('identity_lock_person', ({ id }: Params<{ id: string }>) =>
  query.selectFrom('users').where('id', '=', id).where('deletedAt', 'is', null).select(columns).forUpdate(),
);
const softDeleteQuery = statement('identity_soft_delete_person', ({ id, now }: Params<{ id: string; now: string }>) =>
  query.updateTable('users').set({ deletedAt: now, updatedAt: now }).where('id', '=', id).where('deletedAt', 'is', null).returning(columns),
);
const hardDeleteQuery = statement('identity_hard_delete_person', ({ id }: Params<{ id: string }>) =>
  query
    .with('discarded', (db) =>
      db
        .insertInto('discarded_pictures')
        .columns(['path'])
        .expression(
          db
            .selectFrom('users')
            .where('id', '=', id)
            .where('picturePath', 'is not', null)
            .select('picturePath')
            .$narrowType<{ picturePath: string }>(),
        ),
    )
    .deleteFrom('users')
    .where('id', '=', id)
    .returning(columns),
);
const takeDiscardedQuery = statement('identity_take_discarded_pictures', () =>
  query
    .deleteFrom('discarded_pictures')
    .where('path', 'in', ({ selectFrom }) => selectFrom('discarded_pictures').select('path').limit(100).forUpdate().skipLocked())
    .returning('path'),
);
const findByInvitationQuery = statement('identity_find_by_invitation', ({ invitationId }: Params<{ invitationId: string }>) =>
  query.selectFrom('users').where('invitationId', '=', invitationId).select('id'),
);
const findLongDeletedQuery = statement('identity_find_long_deleted', ({ before }: Params<{ before: string }>) =>
  query.selectFrom('users').where('deletedAt', '<', before).select('id').orderBy('deletedAt').limit(500),
);
// SQL text, because Kysely has no jsonb_array_elements with ordinality. Of two copies of an account
// the later one counts. Sorted as tenancy sorts: the personal account first.
const rememberAccountsQuery = statement(
  'identity_remember_accounts',
  `UPDATE users SET accounts = (
     SELECT jsonb_agg(account ORDER BY account ->> 'type' DESC, account ->> 'id')
     FROM (SELECT DISTINCT ON (account ->> 'id') account
           FROM jsonb_array_elements(coalesce(accounts, '[]') || $2::jsonb) WITH ORDINALITY AS copies (account, place)
           ORDER BY account ->> 'id', place DESC) AS latest
   ) WHERE id = $1 AND deleted_at IS NULL AND (accounts IS NULL OR NOT accounts @> $2::jsonb)`,
);
const findOnlyInScopeQuery = statement('identity_find_only_in_scope', ({ tenant, id }: Params<Scope>) =>
  query
    .selectFrom('users')
    .where('homeTenant', '=', tenant)
    .where('homeId', '=', id)
    .where('deletedAt', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('authentication_methods as m').whereRef('m.userId', '=', 'users.id').select('m.id'))),
    )
    .select('id'),
);
const hasSignInQuery = statement('identity_has_sign_in', ({ userId }: Params<{ userId: string }>) =>
  query.selectNoFrom(({ exists, selectFrom }) =>
    exists(selectFrom('authentication_methods').where('userId', '=', userId).select('id')).as('hasSignIn'),
  ),
);

export type NewPerson = Pick<Person, 'id' | 'name' | 'metadata' | 'createdBy'> & {
  readonly home: Scope | null;
  /**
   * The invitation that this person accepted by registering. It creates one person only
   * (`users_invitation`).
   */
  readonly invitationId?: string;
  /** The account that registering requests of tenancy. */
  readonly account?: RequestedAccount;
};

export type RequestedAccount = { readonly id: string; readonly type: 'personal' | 'organization' };

/** An account as identity shows it until tenancy, which creates it, has sent its own copy. */
export function newAccount({ id, type }: RequestedAccount, ownerId: string, now: Date): Account {
  const at = now.toISOString();
  return { id, type, ownerId, createdAt: at, updatedAt: at };
}

export async function insertPerson(tx: Transaction, person: NewPerson, now: Date): Promise<Person> {
  const { id, name, metadata, createdBy, home, invitationId = null, account } = person;
  const accounts = account === undefined ? null : JSON.stringify([newAccount(account, id, now)]);
  const inserted = await tx.one(insertQuery, {
    ...{ id, name, metadata, createdBy, invitationId, accounts },
    ...{ homeTenant: home?.tenant ?? null, homeId: home?.id ?? null, now: now.toISOString() },
  });
  if (inserted === undefined) throw new Error('an insert returned no row');
  return toPerson(inserted);
}

/** Those that exist and are not deleted, in no particular order. */
export async function findPeople(reader: Reader, ids: readonly string[]): Promise<Person[]> {
  return ids.length === 0 ? [] : (await reader.query(findQuery, { ids })).map(toPerson);
}

export async function findPerson(reader: Reader, id: string): Promise<Person | undefined> {
  return (await findPeople(reader, [id]))[0];
}

/**
 * Adds accounts to those that identity remembers of a person. An empty list changes nothing:
 * tenancy may be about to create one.
 */
export async function rememberAccounts(tx: Transaction, userId: string, accounts: readonly Account[]): Promise<void> {
  if (accounts.length === 0) return;
  const copies = accounts.map(({ id, type, ownerId, createdAt, updatedAt }) => ({ id, type, ownerId, createdAt, updatedAt }));
  await tx.execute(rememberAccountsQuery, [userId, JSON.stringify(copies)]);
}

export type ProfileMethod = Pick<AuthenticationMethod, 'email' | 'isPrimary' | 'isVerified'>;

export type Profile = Person & { readonly methods: readonly ProfileMethod[]; readonly accounts: readonly Account[] | null };

/**
 * A person with their methods and remembered accounts, in one query: GET /api/me needs nothing
 * else.
 */
export async function findProfile(reader: Reader, id: string): Promise<Profile | undefined> {
  const [found] = await reader.query(findProfileQuery, { id });
  return found && { ...toPerson(found), methods: found.methods ?? [] };
}

/**
 * Until the transaction ends, nothing else changes this person's methods or password, or deletes
 * them.
 */
export async function lockPerson(tx: Transaction, id: string): Promise<Person | undefined> {
  const found = await tx.one(lockQuery, { id });
  return found && toPerson(found);
}

export type PersonChange = { readonly name?: string; readonly metadata?: Readonly<Record<string, unknown>> };

/** A field that is left out keeps its value. Undefined when there is no such person. */
export async function updatePerson(
  tx: Transaction,
  id: string,
  { name = null, metadata = null }: { readonly [Field in keyof PersonChange]: PersonChange[Field] | null },
  now: Date,
): Promise<(Person & Pick<Profile, 'accounts'>) | undefined> {
  const updated = await tx.one(updateQuery, { id, name, metadata, now: now.toISOString() });
  return updated && toPerson(updated);
}

/** False when there is no such person. The earlier picture is discarded. */
export async function setPicture(tx: Transaction, id: string, path: string, now: Date): Promise<boolean> {
  return (await tx.execute(setPictureQuery, { id, path, now: now.toISOString() })) === 1;
}

/**
 * Hides the person everywhere; their addresses stay reserved. Undefined when there is no such
 * person.
 */
export async function softDeletePerson(tx: Transaction, id: string, now: Date): Promise<Person | undefined> {
  const deleted = await tx.one(softDeleteQuery, { id, now: now.toISOString() });
  return deleted && toPerson(deleted);
}

/** Deletes the row, with methods, sessions and tokens. */
export async function hardDeletePerson(tx: Transaction, id: string): Promise<Person | undefined> {
  const deleted = await tx.one(hardDeleteQuery, { id });
  return deleted && toPerson(deleted);
}

/** People who were soft-deleted before this time, at most 500. */
export async function findLongDeleted(reader: Reader, before: Date): Promise<string[]> {
  return (await reader.query(findLongDeletedQuery, { before: before.toISOString() })).map(({ id }) => id);
}

/**
 * People who were created in this scope and cannot sign in: they exist for the scope only, and are
 * deleted with it.
 */
export async function findPeopleOfScopeOnly(reader: Reader, { tenant, id }: Scope): Promise<string[]> {
  return (await reader.query(findOnlyInScopeQuery, { tenant, id })).map((person) => person.id);
}

export async function hasSignIn(reader: Reader, userId: string): Promise<boolean> {
  const [row] = await reader.query(hasSignInQuery, { userId });
  return row?.hasSignIn === true;
}

/** The person that an accepted invitation created. */
export async function findPersonOfInvitation(reader: Reader, invitationId: string): Promise<string | undefined> {
  return (await reader.query(findByInvitationQuery, { invitationId }))[0]?.id;
}

/**
 * At most 100 pictures that no person refers to any more. Their rows are deleted with this
 * transaction.
 */
export async function takeDiscardedPictures(tx: Transaction): Promise<string[]> {
  return (await tx.query(takeDiscardedQuery)).map(({ path }) => path);
}
