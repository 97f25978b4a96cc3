import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import type { Account } from '@tessera/proto/types/tenancy.v1';
import { type Expression, type RawBuilder, sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { AuthenticationMethod, Person } from '../../ground/domain/people.ts';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { FactorKind } from '../../ground/tables/second-factors.ts';
import { holdsAddress } from '../domain/proven-address.ts';

const columns = [
  ...(['id', 'name', 'picturePath', 'metadata', 'createdBy'] as const),
  ...(['homeTenant', 'homeId', 'createdAt', 'updatedAt', 'deletedAt'] as const),
];

type PersonRow = Omit<Person, 'home'> & { readonly homeTenant: Scope['tenant'] | null; readonly homeId: string | null };

function toPerson<Row extends PersonRow>({ homeTenant, homeId, ...person }: Row) {
  const home = homeTenant === null || homeId === null ? null : { tenant: homeTenant, id: homeId };
  return { ...person, home };
}

const living = query.selectFrom('users').where('deletedAt', 'is', null);
const findQuery = statement('identity_find_people', ({ ids }: Params<{ ids: readonly string[] }>) =>
  living.where('id', '=', ({ fn }) => fn.any(ids)).select(columns),
);
const lockQuery = statement('identity_lock_person', ({ id }: Params<{ id: string }>) =>
  living.where('id', '=', id).select(columns).forUpdate(),
);
const findOneQuery = statement('identity_find_any_person', () =>
  query.selectFrom('users').where('deletedAt', 'is', null).select('id').limit(1),
);
/** An array of a few rows costs Postgres less than an aggregate of them. */
function listOf<Item>(rows: Expression<unknown>) {
  return sql<readonly Item[]>`array_to_json(array(${rows}))`;
}
const findProfileQuery = statement('identity_find_profile', ({ id }: Params<{ id: string }>) =>
  living
    .where('id', '=', id)
    .select([...columns, 'accounts'])
    .select(({ selectFrom }) =>
      listOf<ProfileMethod>(
        selectFrom('authentication_methods as m')
          .whereRef('m.userId', '=', 'users.id')
          .orderBy('m.createdAt')
          .orderBy('m.id')
          .select(({ ref }) => {
            const proof = { provider: ref('m.provider'), isVerified: ref('m.isVerified'), heldAt: ref('m.heldAt') };
            return jsonBuildObject({ ...proof, email: ref('m.email'), isPrimary: ref('m.isPrimary') }).as('method');
          }),
      ).as('methods'),
    )
    .select(({ selectFrom }) =>
      listOf<FactorKind>(
        selectFrom('second_factors as f').whereRef('f.userId', '=', 'users.id').where('f.isConfirmed', '=', true).select('f.kind'),
      ).as('factors'),
    )
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('platform_administrators as p').whereRef('p.userId', '=', 'users.id').select('p.userId')).as('isAdministrator'),
    ),
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
  const { home, account, ...columnsOf } = person;
  const accounts = account === undefined ? null : JSON.stringify([newAccount(account, person.id, now)]);
  const inserted = await tx.one(
    query
      .insertInto('users')
      .values({
        ...columnsOf,
        homeTenant: home?.tenant ?? null,
        homeId: home?.id ?? null,
        accounts: sql`${accounts}::jsonb`,
        createdAt: now.toISOString(),
        updatedAt: now.toISOString(),
      })
      .returning(columns),
  );
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

export type ProfileMethod = Pick<AuthenticationMethod, 'provider' | 'email' | 'isPrimary' | 'isVerified' | 'heldAt'>;

export type Profile = Person & {
  readonly methods: readonly ProfileMethod[];
  readonly factors: readonly FactorKind[];
  readonly accounts: readonly Account[] | null;
  /** Of the platform, and effective: for people who hold no address it is not. */
  readonly isPlatformAdministrator: boolean;
};

/**
 * A person with their methods and remembered accounts, in one query: GET /api/me needs nothing
 * else.
 */
export async function findProfile(reader: Reader, id: string): Promise<Profile | undefined> {
  const [found] = await reader.query(findProfileQuery, { id });
  if (found === undefined) return undefined;
  const { isAdministrator, ...columnsOf } = found;
  const methods = found.methods ?? [];
  const isPlatformAdministrator = isAdministrator === true && holdsAddress(methods);
  return { ...toPerson(columnsOf), methods, factors: found.factors ?? [], isPlatformAdministrator };
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
  change: PersonChange,
  now: Date,
): Promise<(Person & Pick<Profile, 'accounts'>) | undefined> {
  const updated = await tx.one(changed(id, { ...change, updatedAt: changedAt(now) }).returning([...columns, 'accounts']));
  return updated && toPerson(updated);
}

function changed(id: string, values: PersonChange & { readonly updatedAt: string | RawBuilder<string>; readonly deletedAt?: string }) {
  return query.updateTable('users').set(values).where('id', '=', id).where('deletedAt', 'is', null);
}

/** Keeps the path of a picture that no person refers to any more, until a job deletes the file. */
function discard(tx: Transaction, { picturePath }: { readonly picturePath: string | null }): Promise<unknown> | undefined {
  return picturePath === null ? undefined : tx.execute(query.insertInto('discarded_pictures').values({ path: picturePath }));
}

/** False when there is no such person. The earlier picture is discarded. */
export async function setPicture(tx: Transaction, id: string, path: string, now: Date): Promise<boolean> {
  const earlier = await tx.one(living.where('id', '=', id).select('picturePath').forUpdate());
  if (earlier === undefined) return false;
  await discard(tx, earlier);
  await tx.execute(
    query
      .updateTable('users')
      .set({ picturePath: path, updatedAt: changedAt(now) })
      .where('id', '=', id),
  );
  return true;
}

/**
 * Hides the person everywhere; their addresses stay reserved. Undefined when there is no such
 * person.
 */
export async function softDeletePerson(tx: Transaction, id: string, now: Date): Promise<Person | undefined> {
  const at = now.toISOString();
  const deleted = await tx.one(changed(id, { deletedAt: at, updatedAt: at }).returning(columns));
  // What providers said of them serves the preview of a mapping alone.
  const methods = query.selectFrom('authentication_methods').where('userId', '=', id).select('id');
  await tx.execute(query.deleteFrom('connection_sign_ins').where('authenticationMethodId', 'in', methods));
  return deleted && toPerson(deleted);
}

/** Deletes the row, with methods, sessions and tokens. */
export async function hardDeletePerson(tx: Transaction, id: string): Promise<Person | undefined> {
  const deleted = await tx.one(query.deleteFrom('users').where('id', '=', id).returning(columns));
  if (deleted !== undefined) await discard(tx, deleted);
  return deleted && toPerson(deleted);
}

/** People who were soft-deleted before this time, at most 500. */
export async function findLongDeleted(reader: Reader, before: Date): Promise<string[]> {
  const deleted = query.selectFrom('users').where('deletedAt', '<', before.toISOString());
  return (await reader.query(deleted.select('id').orderBy('deletedAt').limit(500))).map(({ id }) => id);
}

/**
 * People who were created in this scope and cannot sign in: they exist for the scope only, and are
 * deleted with it.
 */
export async function findPeopleOfScopeOnly(reader: Reader, { tenant, id }: Scope): Promise<string[]> {
  const people = await reader.query(
    living
      .where('homeTenant', '=', tenant)
      .where('homeId', '=', id)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('authentication_methods as m').whereRef('m.userId', '=', 'users.id').select('m.id'))),
      )
      .select('id'),
  );
  return people.map((person) => person.id);
}

/** Whether there is any person yet. */
export async function hasPeople(reader: Reader): Promise<boolean> {
  return (await reader.query(findOneQuery)).length > 0;
}

export async function hasSignIn(reader: Reader, userId: string): Promise<boolean> {
  return (await reader.query(query.selectFrom('authentication_methods').where('userId', '=', userId).select('id').limit(1))).length > 0;
}

/** The person that an accepted invitation created. */
export async function findPersonOfInvitation(reader: Reader, invitationId: string): Promise<string | undefined> {
  return (await findPeopleOfInvitations(reader, [invitationId])).get(invitationId);
}

/** The people that these invitations created, by invitation. */
export async function findPeopleOfInvitations(reader: Reader, invitationIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.query(findOfInvitations, { invitationIds });
  return new Map(rows.map(({ id, invitationId }) => [invitationId ?? '', id]));
}
const findOfInvitations = statement('identity_people_of_invitations', ({ invitationIds }: Params<{ invitationIds: readonly string[] }>) =>
  query
    .selectFrom('users')
    .where('invitationId', '=', ({ fn }) => fn.any(invitationIds))
    .select(['id', 'invitationId']),
);

/**
 * At most 100 pictures that no person refers to any more. Their rows are deleted with this
 * transaction.
 */
export async function takeDiscardedPictures(tx: Transaction): Promise<string[]> {
  const taken = await tx.query(
    query
      .deleteFrom('discarded_pictures')
      .where('path', 'in', ({ selectFrom }) => selectFrom('discarded_pictures').select('path').limit(100).forUpdate().skipLocked())
      .returning('path'),
  );
  return taken.map(({ path }) => path);
}
