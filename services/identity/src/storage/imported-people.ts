import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { emailProvider } from '../domain/people.ts';
import { newAccount, type RequestedAccount } from './people.ts';
import { query } from './query.ts';

const lock = statement('identity_lock_import', () =>
  query.selectNoFrom(({ fn }) => fn('pg_advisory_xact_lock', [fn('hashtext', [sql.lit('identity.import')])]).as('lock')),
);
const findImported = statement('identity_find_imported', ({ ids }: Params<{ ids: readonly string[] }>) =>
  query
    .selectFrom('imported_people')
    .where('externalId', '=', ({ fn }) => fn.any(ids))
    .select(['externalId', 'userId']),
);
const findTaken = statement('identity_find_taken_addresses', ({ addresses }: Params<{ addresses: readonly string[] }>) =>
  query
    .selectFrom('authentication_methods')
    .where('email', '=', ({ fn }) => fn.any(addresses))
    .select(['email', 'provider', 'isVerified']),
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

/**
 * Which of these addresses a person has proven, and which stand in an e-mail method that was never
 * proven.
 */
export async function findKnownAddresses(tx: Transaction, addresses: readonly string[]) {
  const rows = addresses.length === 0 ? [] : await tx.query(findTaken, { addresses });
  const of = (isWanted: (row: (typeof rows)[number]) => boolean) => new Set(rows.filter(isWanted).map(({ email }) => email ?? ''));
  return {
    proven: of(({ isVerified }) => isVerified),
    claimed: of(({ isVerified, provider }) => !isVerified && provider === emailProvider),
  };
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
};

/**
 * Makes these people as registrations do. Returns the ids of those that were made: an address that
 * was registered at the same moment keeps its owner, and nothing is left of the row.
 */
export async function insertImportedPeople(tx: Transaction, people: readonly PersonToImport[], now: Date): Promise<Set<string>> {
  if (people.length === 0) return new Set();
  const at = now.toISOString();
  const dates = { createdAt: at, updatedAt: at };
  await tx.execute(
    query.insertInto('users').values(
      people.map(({ userId, name, metadata, account }) => ({
        ...{ id: userId, name, metadata, createdBy: null, homeTenant: null, homeId: null, ...dates },
        accounts: sql`${JSON.stringify([newAccount(account, userId, now)])}::jsonb`,
      })),
    ),
  );
  const methods = await tx.query(
    query
      .insertInto('authentication_methods')
      .values(
        people.map(({ methodId, userId, email, isVerified, passwordHash }) => ({
          ...{ id: methodId, userId, provider: emailProvider, providerId: email, email, isVerified, isPrimary: true, lastUsedAt: null },
          ...{ providerData: passwordHash === undefined ? {} : { passwordHash }, ...dates },
        })),
      )
      .onConflict((conflict) => conflict.constraint('authentication_methods_identity').doNothing())
      .returning('userId'),
  );
  const made = new Set(methods.map(({ userId }) => userId));
  const left = people.filter(({ userId }) => !made.has(userId)).map(({ userId }) => userId);
  if (left.length > 0) await tx.execute(query.deleteFrom('users').where('id', 'in', left));
  const named = people.flatMap(({ userId, externalId }) =>
    externalId === undefined || !made.has(userId) ? [] : [{ externalId, userId, importedAt: at }],
  );
  if (named.length > 0) await tx.execute(query.insertInto('imported_people').values(named));
  return made;
}
