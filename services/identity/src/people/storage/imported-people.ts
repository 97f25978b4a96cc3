import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { emailProvider } from '../../ground/domain/people.ts';
import { query } from '../../ground/storage/query.ts';
import { newAccount, type RequestedAccount } from './people.ts';

const lock = statement('identity_lock_import', () =>
  query.selectNoFrom(({ fn }) => fn('pg_advisory_xact_lock', [fn('hashtext', [sql.lit('identity.import')])]).as('lock')),
);
const findImported = statement('identity_find_imported', ({ ids }: Params<{ ids: readonly string[] }>) =>
  query
    .selectFrom('imported_people')
    .where('externalId', '=', ({ fn }) => fn.any(ids))
    .select(['externalId', 'userId']),
);
/** Until the commit no other import runs: none of them waits for another's rows. */
export async function lockImports(tx: Transaction): Promise<void> {
  await tx.query(lock, {});
}

/** The users of these external ids, as far as earlier imports have made them. */
export async function findImportedPeople(tx: Transaction, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.query(findImported, { ids });
  return new Map(rows.map(({ externalId, userId }) => [externalId, userId]));
}

export type PersonToImport = {
  readonly userId: string;
  readonly methodId: string;
  readonly name: string;
  readonly email: string;
  readonly isVerified: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly passwordHash: string | undefined;
  readonly externalId: string | undefined;
  readonly account: RequestedAccount;
  /** Of people whom a directory sends (`users_invitation`). */
  readonly invitationId?: string;
};

type At = { readonly at: string };
type Users = At &
  Readonly<Record<'ids' | 'names' | 'metadata' | 'accounts', readonly string[]>> & { readonly invitationIds: readonly (string | null)[] };
type Methods = At &
  Readonly<Record<'ids' | 'userIds' | 'addresses' | 'data', readonly string[]>> & {
    readonly areVerified: readonly boolean[];
    readonly heldAt: readonly (string | null)[];
  };
type Imported = At & Readonly<Record<'externalIds' | 'userIds', readonly string[]>>;

function datesOf({ at }: Params<At>) {
  return [sql<string>`${at}::timestamptz`.as('createdAt'), sql<string>`${at}::timestamptz`.as('updatedAt')] as const;
}

// Arrays: one statement for any number of people, which Postgres plans once.
const insertUsers = statement('identity_import_users', (p: Params<Users>) =>
  query
    .insertInto('users')
    .columns(['id', 'name', 'metadata', 'accounts', 'invitationId', 'createdAt', 'updatedAt'])
    .expression(
      query.selectNoFrom([
        sql<string>`unnest(${p.ids}::uuid[])`.as('id'),
        sql<string>`unnest(${p.names}::text[])`.as('name'),
        sql`unnest(${p.metadata}::jsonb[])`.as('metadata'),
        sql`unnest(${p.accounts}::jsonb[])`.as('accounts'),
        sql<string | null>`unnest(${p.invitationIds}::uuid[])`.as('invitationId'),
        ...datesOf(p),
      ]),
    ),
);
const insertMethods = statement('identity_import_methods', (p: Params<Methods>) =>
  query
    .insertInto('authentication_methods')
    .columns([
      'id',
      'userId',
      'providerId',
      'email',
      'isVerified',
      'providerData',
      'heldAt',
      'provider',
      'isPrimary',
      'createdAt',
      'updatedAt',
    ])
    .expression(
      query.selectNoFrom([
        sql<string>`unnest(${p.ids}::uuid[])`.as('id'),
        sql<string>`unnest(${p.userIds}::uuid[])`.as('userId'),
        sql<string>`unnest(${p.addresses}::text[])`.as('providerId'),
        sql<string>`unnest(${p.addresses}::text[])`.as('email'),
        sql<boolean>`unnest(${p.areVerified}::boolean[])`.as('isVerified'),
        sql`unnest(${p.data}::jsonb[])`.as('providerData'),
        sql<string | null>`unnest(${p.heldAt}::timestamptz[])`.as('heldAt'),
        sql.lit(emailProvider).as('provider'),
        sql.lit(true).as('isPrimary'),
        ...datesOf(p),
      ]),
    )
    .onConflict((conflict) => conflict.constraint('authentication_methods_identity').doNothing())
    .returning('userId'),
);
const insertImported = statement('identity_import_external_ids', (p: Params<Imported>) =>
  query
    .insertInto('imported_people')
    .columns(['externalId', 'userId', 'importedAt'])
    .expression(
      query.selectNoFrom([
        sql<string>`unnest(${p.externalIds}::text[])`.as('externalId'),
        sql<string>`unnest(${p.userIds}::uuid[])`.as('userId'),
        sql<string>`${p.at}::timestamptz`.as('importedAt'),
      ]),
    ),
);
const deleteUsers = statement('identity_import_undo', ({ ids }: Params<{ ids: readonly string[] }>) =>
  query.deleteFrom('users').where('id', '=', ({ fn }) => fn.any(ids)),
);

/**
 * Makes these people as registrations do. Returns the ids of those that were made: an address that
 * was registered at the same moment keeps its owner, and nothing is left of the row.
 */
export async function insertImportedPeople(tx: Transaction, people: readonly PersonToImport[], now: Date): Promise<Set<string>> {
  if (people.length === 0) return new Set();
  const at = now.toISOString();
  const userIds = people.map(({ userId }) => userId);
  const [, methods] = await Promise.all([
    tx.execute(insertUsers, {
      at,
      ids: userIds,
      names: people.map(({ name }) => name),
      metadata: people.map(({ metadata }) => JSON.stringify(metadata)),
      accounts: people.map(({ account, userId }) => JSON.stringify([newAccount(account, userId, now)])),
      invitationIds: people.map(({ invitationId = null }) => invitationId),
    }),
    tx.query(insertMethods, {
      at,
      userIds,
      ids: people.map(({ methodId }) => methodId),
      addresses: people.map(({ email }) => email),
      areVerified: people.map(({ isVerified }) => isVerified),
      // The administrator vouches for what the earlier system has proven.
      heldAt: people.map(({ isVerified }) => (isVerified ? at : null)),
      data: people.map(({ passwordHash }) => JSON.stringify({ passwordHash })),
    }),
  ]);
  const made = new Set(methods.map(({ userId }) => userId));
  const left = userIds.filter((id) => !made.has(id));
  if (left.length > 0) await tx.execute(deleteUsers, { ids: left });
  const named = people.flatMap(({ userId, externalId }) => (externalId === undefined || !made.has(userId) ? [] : [{ externalId, userId }]));
  const externalIds = named.map(({ externalId }) => externalId);
  if (named.length > 0) await tx.execute(insertImported, { at, externalIds, userIds: named.map(({ userId }) => userId) });
  return made;
}
