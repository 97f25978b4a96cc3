import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import type { Account } from '@tessera/proto/types/tenancy.v1';
import type { AuthenticationMethod, Person } from '../domain/people.ts';
import type { Reader } from './reader.ts';

const columns = `id, name, picture_path AS "picturePath", metadata, created_by AS "createdBy",
  CASE WHEN home_tenant IS NOT NULL THEN jsonb_build_object('tenant', home_tenant, 'id', home_id) END AS home,
  created_at AS "createdAt", updated_at AS "updatedAt", deleted_at AS "deletedAt"`;

const insertPersonSql = statement(
  'identity_insert_person',
  `INSERT INTO users (id, name, metadata, created_by, home_tenant, home_id, invitation_id, accounts, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING ${columns}`,
);
const findPeopleSql = statement('identity_find_people', `SELECT ${columns} FROM users WHERE id = ANY ($1::uuid[]) AND deleted_at IS NULL`);
const findProfileSql = statement(
  'identity_find_profile',
  `SELECT ${columns}, (SELECT coalesce(json_agg(json_build_object('email', m.email, 'isPrimary', m.is_primary, 'isVerified', m.is_verified)
       ORDER BY m.created_at, m.id), '[]') FROM authentication_methods m WHERE m.user_id = users.id) AS methods, accounts
   FROM users WHERE id = $1 AND deleted_at IS NULL`,
);
const updatePersonSql = statement(
  'identity_update_person',
  `UPDATE users SET name = coalesce($2, name), metadata = coalesce($3::jsonb, metadata), updated_at = $4
   WHERE id = $1 AND deleted_at IS NULL RETURNING ${columns}, accounts`,
);
const setPictureSql = statement(
  'identity_set_picture',
  // Locked in the very update: a statement of its own would find the row changed by this command, and lock, and discard, nothing.
  `WITH replaced AS (
     UPDATE users u SET picture_path = $2, updated_at = $3
     FROM (SELECT id, picture_path AS path FROM users WHERE id = $1 AND deleted_at IS NULL FOR UPDATE) AS earlier
     WHERE u.id = earlier.id RETURNING earlier.path
   ), discarded AS (INSERT INTO discarded_pictures (path) SELECT path FROM replaced WHERE path IS NOT NULL)
   SELECT FROM replaced`,
);
const lockPersonSql = statement('identity_lock_person', `SELECT ${columns} FROM users WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`);
const softDeleteSql = statement(
  'identity_soft_delete_person',
  `UPDATE users SET deleted_at = $2, updated_at = $2 WHERE id = $1 AND deleted_at IS NULL RETURNING ${columns}`,
);
const hardDeleteSql = statement(
  'identity_hard_delete_person',
  `WITH discarded AS (INSERT INTO discarded_pictures (path) SELECT picture_path FROM users WHERE id = $1 AND picture_path IS NOT NULL)
   DELETE FROM users WHERE id = $1 RETURNING ${columns}`,
);
const takeDiscardedSql = statement(
  'identity_take_discarded_pictures',
  'DELETE FROM discarded_pictures WHERE path IN (SELECT path FROM discarded_pictures LIMIT 100 FOR UPDATE SKIP LOCKED) RETURNING path',
);
const findByInvitationSql = statement('identity_find_by_invitation', 'SELECT id FROM users WHERE invitation_id = $1');
const findLongDeletedSql = statement(
  'identity_find_long_deleted',
  'SELECT id FROM users WHERE deleted_at < $1 ORDER BY deleted_at LIMIT 500',
);
const rememberAccountsSql = statement(
  'identity_remember_accounts',
  // Of two copies of an account the later one counts. Sorted as tenancy sorts: the personal account first.
  `UPDATE users SET accounts = (
     SELECT jsonb_agg(account ORDER BY account ->> 'type' DESC, account ->> 'id')
     FROM (SELECT DISTINCT ON (account ->> 'id') account
           FROM jsonb_array_elements(coalesce(accounts, '[]') || $2::jsonb) WITH ORDINALITY AS copies (account, place)
           ORDER BY account ->> 'id', place DESC) AS latest
   ) WHERE id = $1 AND deleted_at IS NULL AND (accounts IS NULL OR NOT accounts @> $2::jsonb)`,
);
const findHomedSql = statement(
  'identity_find_homed',
  `SELECT id FROM users WHERE home_tenant = $1 AND home_id = $2 AND deleted_at IS NULL
     AND NOT EXISTS (SELECT FROM authentication_methods WHERE user_id = users.id)`,
);
const hasSignInSql = statement(
  'identity_has_sign_in',
  'SELECT EXISTS (SELECT FROM authentication_methods WHERE user_id = $1) AS "hasSignIn"',
);

export type NewPerson = Pick<Person, 'id' | 'name' | 'metadata' | 'createdBy'> & {
  readonly home: Scope | null;
  /** The invitation that this person accepted by registering: it makes one person only (`users_invitation`). */
  readonly invitationId?: string;
  /** The account that registering requests of tenancy. */
  readonly account?: RequestedAccount;
};

export type RequestedAccount = { readonly id: string; readonly type: 'personal' | 'organization' };

/** An account as identity shows it until tenancy, which makes it, has answered with its own copy. */
export function newAccount({ id, type }: RequestedAccount, ownerId: string, now: Date): Account {
  const at = now.toISOString();
  return { id, type, ownerId, createdAt: at, updatedAt: at };
}

export async function insertPerson(tx: Transaction, person: NewPerson, now: Date): Promise<Person> {
  const { id, name, metadata, createdBy, home } = person;
  const [inserted] = await tx.query<Person>(insertPersonSql, [
    id,
    name,
    JSON.stringify(metadata),
    createdBy,
    home?.tenant ?? null,
    home?.id ?? null,
    person.invitationId ?? null,
    person.account === undefined ? null : JSON.stringify([newAccount(person.account, id, now)]),
    now,
  ]);
  if (inserted === undefined) throw new Error('an insert returned no row');
  return inserted;
}

/** Those that exist and are not deleted, in no particular order. */
export async function findPeople(reader: Reader, ids: readonly string[]): Promise<Person[]> {
  return ids.length === 0 ? [] : reader.query<Person>(findPeopleSql, [ids]);
}

export async function findPerson(reader: Reader, id: string): Promise<Person | undefined> {
  return (await findPeople(reader, [id]))[0];
}

/** Adds accounts to those that identity remembers of a person. An empty list changes nothing: tenancy may be about to make one. */
export async function rememberAccounts(tx: Transaction, userId: string, accounts: readonly Account[]): Promise<void> {
  if (accounts.length === 0) return;
  const told = accounts.map(({ id, type, ownerId, createdAt, updatedAt }) => ({ id, type, ownerId, createdAt, updatedAt }));
  await tx.execute(rememberAccountsSql, [userId, JSON.stringify(told)]);
}

export type KnownBy = Pick<AuthenticationMethod, 'email' | 'isPrimary' | 'isVerified'>;

export type Profile = Person & { readonly methods: readonly KnownBy[]; readonly accounts: readonly Account[] | null };

/** A person with what says how they are known, and their accounts if they are: one query for what is asked most often. */
export async function findProfile(reader: Reader, id: string): Promise<Profile | undefined> {
  return (await reader.query<Profile>(findProfileSql, [id]))[0];
}

/** Serialises what concerns one person: their methods, their password, their deletion. */
export async function lockPerson(tx: Transaction, id: string): Promise<Person | undefined> {
  return tx.one<Person>(lockPersonSql, [id]);
}

export type PersonChange = { readonly name?: string; readonly metadata?: Readonly<Record<string, unknown>> };

/** What is left out stays. Undefined when there is no such person. */
export async function updatePerson(
  tx: Transaction,
  id: string,
  change: PersonChange,
  now: Date,
): Promise<(Person & Pick<Profile, 'accounts'>) | undefined> {
  const metadata = change.metadata === undefined ? null : JSON.stringify(change.metadata);
  return tx.one(updatePersonSql, [id, change.name ?? null, metadata, now]);
}

/** False when there is no such person. The picture before it is discarded. */
export async function setPicture(tx: Transaction, id: string, path: string, now: Date): Promise<boolean> {
  return (await tx.execute(setPictureSql, [id, path, now])) === 1;
}

/** Soft: hidden everywhere, the addresses stay reserved. Undefined when there was nobody (left) to delete. */
export async function softDeletePerson(tx: Transaction, id: string, now: Date): Promise<Person | undefined> {
  return tx.one<Person>(softDeleteSql, [id, now]);
}

/** The rows themselves, with methods, sessions and tokens. */
export async function hardDeletePerson(tx: Transaction, id: string): Promise<Person | undefined> {
  return tx.one<Person>(hardDeleteSql, [id]);
}

/** People who were soft-deleted before a day, at most 500: the retention job removes them. */
export async function findLongDeleted(reader: Reader, before: Date): Promise<string[]> {
  return (await reader.query<{ id: string }>(findLongDeletedSql, [before])).map(({ id }) => id);
}

/** People who were made in this scope and can't sign in: they exist for the scope only, and go with it. */
export async function findPeopleOfScopeOnly(reader: Reader, scope: Scope): Promise<string[]> {
  return (await reader.query<{ id: string }>(findHomedSql, [scope.tenant, scope.id])).map(({ id }) => id);
}

export async function hasSignIn(reader: Reader, userId: string): Promise<boolean> {
  const [row] = await reader.query<{ hasSignIn: boolean }>(hasSignInSql, [userId]);
  return row?.hasSignIn === true;
}

/** The person whom an invitation made, if it did. */
export async function findPersonOfInvitation(reader: Reader, invitationId: string): Promise<string | undefined> {
  return (await reader.query<{ id: string }>(findByInvitationSql, [invitationId]))[0]?.id;
}

/** Pictures that nobody refers to any more; forgotten with this transaction. */
export async function takeDiscardedPictures(tx: Transaction): Promise<string[]> {
  return (await tx.query<{ path: string }>(takeDiscardedSql)).map(({ path }) => path);
}
