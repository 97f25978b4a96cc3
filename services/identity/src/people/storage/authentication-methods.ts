import { createBatcher } from '@tessera/kernel/grpc';
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Account } from '@tessera/proto/types/tenancy.v1';
import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { type AuthenticationMethod, emailProvider } from '../../ground/domain/people.ts';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { FactorKind } from '../../ground/tables/second-factors.ts';

const columns = [
  ...(['id', 'userId', 'provider', 'providerId', 'email'] as const),
  ...(['isVerified', 'isPrimary', 'heldAt', 'lastUsedAt', 'createdAt', 'updatedAt'] as const),
];
const methodColumns = columns.map((column) => `m.${column}` as const);

const livingMethods = query
  .selectFrom('authentication_methods as m')
  .innerJoin('users as u', (join) => join.onRef('u.id', '=', 'm.userId').on('u.deletedAt', 'is', null));

function credentials() {
  return query
    .selectFrom('authentication_methods as m')
    .innerJoin('users as u', 'u.id', 'm.userId')
    .select([...methodColumns, 'u.name as userName'])
    .select(({ eb, selectFrom }) => [
      eb.ref('m.providerData', '->>').key('passwordHash').$castTo<string | null>().as('passwordHash'),
      selectFrom('authentication_methods as o')
        .whereRef('o.userId', '=', 'm.userId')
        .select(({ fn, ref }) => fn.jsonAgg(jsonBuildObject({ isVerified: ref('o.isVerified') })).as('methods'))
        .as('methods'),
    ]);
}

type Identity = { provider: string; providerId: string };
const findQuery = statement('identity_find_method', (p: Params<Identity>) =>
  credentials().where('u.deletedAt', 'is', null).where('m.provider', '=', p.provider).where('m.providerId', '=', p.providerId),
);
// For an unknown address the query reads the first method of the provider and the caller ignores
// it, so that the duration does not tell whether the address exists. Deleted people count too: then
// it is one entry of one index, however many are deleted.
const findOnDeviceQuery = statement('identity_find_method_on_device', (p: Params<Identity & { deviceKey: Buffer }>) =>
  query
    .with(
      (cte) => cte('known').materialized(),
      () => livingMethods.where('m.provider', '=', p.provider).where('m.providerId', '=', p.providerId).select('m.id'),
    )
    .selectFrom(
      credentials()
        .where('m.id', '=', ({ fn, selectFrom }) =>
          fn.coalesce(
            sql<string>`(select id from known)`,
            selectFrom('authentication_methods as decoy')
              .where('decoy.provider', '=', p.provider)
              .orderBy('decoy.providerId')
              .limit(1)
              .select('decoy.id')
              .$asScalar(),
          ),
        )
        .select('u.accounts')
        .as('found'),
    )
    .selectAll('found')
    .select(({ exists, selectFrom }) => [
      exists(selectFrom('known').select('known.id')).as('isKnown'),
      selectFrom('sessions as s')
        .whereRef('s.userId', '=', 'found.userId')
        .where('s.scopeTenant', '=', '')
        .where('s.scopeId', '=', '')
        .where('s.deviceKey', '=', p.deviceKey)
        .select('s.id')
        .as('deviceSessionId'),
      selectFrom('second_factors as f')
        .whereRef('f.userId', '=', 'found.userId')
        .where('f.isConfirmed', '=', true)
        .select(({ fn }) => fn.jsonAgg('f.kind').as('kinds'))
        .as('factors'),
    ]),
);
const listQuery = statement('identity_list_methods', ({ userIds }: Params<{ userIds: readonly string[] }>) =>
  query
    .selectFrom('authentication_methods')
    .where('userId', '=', ({ fn }) => fn.any(userIds))
    .select(columns)
    .orderBy('createdAt')
    .orderBy('id'),
);
export type NewMethod = Pick<AuthenticationMethod, 'id' | 'userId' | 'provider' | 'providerId' | 'email' | 'isVerified' | 'isPrimary'> & {
  readonly passwordHash?: string;
  readonly lastUsedAt: Date | null;
  /** For an e-mail method that begins with a proof of the mailbox. */
  readonly heldAt?: Date | null;
};

/**
 * Unique violations: `authentication_methods_identity` (rule 4), `authentication_methods_provider`
 * (rule 5), `proven_addresses_one_person` (a verified address of another person).
 */
export async function insertMethod(tx: Transaction, method: NewMethod, now: Date): Promise<AuthenticationMethod> {
  const { passwordHash, lastUsedAt, heldAt, ...columnsOf } = method;
  const at = now.toISOString();
  const inserted = await tx.one(
    query
      .insertInto('authentication_methods')
      .values({
        ...columnsOf,
        providerData: passwordHash === undefined ? {} : { passwordHash },
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
        heldAt: heldAt?.toISOString() ?? null,
        createdAt: at,
        updatedAt: at,
      })
      .returning(columns),
  );
  if (inserted === undefined) throw new Error('an insert returned no row');
  return inserted;
}

export type MethodOfPerson = AuthenticationMethod & { readonly userName: string };
export type Credentials = MethodOfPerson & {
  readonly passwordHash: string | null;
  readonly methods: readonly { readonly isVerified: boolean }[];
};
type DeviceCredentials = Credentials & {
  readonly factors: readonly FactorKind[];
  readonly deviceSessionId: string | null;
  readonly accounts: readonly Account[] | null;
};

/** Of a person who is not deleted. */
export async function findCredentials(reader: Reader, provider: string, providerId: string): Promise<Credentials | undefined> {
  const [found] = await reader.query(findQuery, { provider, providerId });
  return found && { ...found, methods: found.methods ?? [] };
}

/**
 * The same, with the device's session on the platform and the remembered accounts of the person.
 */
export async function findCredentialsOnDevice(
  reader: Reader,
  provider: string,
  providerId: string,
  deviceKey: Buffer,
): Promise<DeviceCredentials | undefined> {
  const [found] = await reader.query(findOnDeviceQuery, { provider, providerId, deviceKey });
  return found?.isKnown ? { ...found, methods: found.methods ?? [], factors: found.factors ?? [] } : undefined;
}

/** Oldest first. */
export async function listMethods(reader: Reader, userIds: readonly string[]): Promise<AuthenticationMethod[]> {
  return userIds.length === 0 ? [] : reader.query(listQuery, { userIds });
}

const maxPeople = 1000;

/** Lists a person's methods, oldest first. Calls at the same moment share one statement. */
export function createMethodsReader(reader: Reader): (userId: string) => Promise<readonly AuthenticationMethod[]> {
  return createBatcher<string, readonly AuthenticationMethod[]>({
    maxSize: maxPeople,
    run: async (userIds) => {
      const methods = Map.groupBy(await listMethods(reader, [...new Set(userIds)]), ({ userId }) => userId);
      return userIds.map((userId) => methods.get(userId) ?? []);
    },
  });
}

export type PasswordMethod = Pick<AuthenticationMethod, 'id' | 'email' | 'isVerified'> & {
  /** As a sign-in names the account. */
  readonly address: string;
  readonly passwordHash: string | null;
};

/** Of a person's e-mail method, which has no password when a magic link created it. */
export async function findPasswordHash(reader: Reader, userId: string): Promise<PasswordMethod | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('authentication_methods')
      .where('userId', '=', userId)
      .where('provider', '=', 'email')
      .select(['id', 'email', 'isVerified', 'providerId'])
      .select(({ eb }) => eb.ref('providerData', '->>').key('passwordHash').$castTo<string | null>().as('passwordHash')),
  );
  return found && { ...found, address: found.providerId ?? '' };
}

/**
 * Rule 2. Under the person's lock, so that two parallel choices never violate the partial unique
 * index.
 */
export async function setPrimaryMethod(tx: Transaction, userId: string, id: string, now: Date): Promise<AuthenticationMethod | undefined> {
  const at = now.toISOString();
  const ofPerson = query.updateTable('authentication_methods').where('userId', '=', userId);
  await tx.execute(ofPerson.set({ isPrimary: false, updatedAt: at }).where('isPrimary', '=', true).where('id', '<>', id));
  return tx.one(
    ofPerson
      .set(({ eb, ref }) => ({
        isPrimary: true,
        updatedAt: eb.case().when('isPrimary', '=', true).then(ref('updatedAt')).else(changedAt(now)).end(),
      }))
      .where('id', '=', id)
      .returning(columns),
  );
}

/** Rule 3: deletes nothing when the method is primary, or another person's. */
export async function deleteMethod(tx: Transaction, userId: string, id: string): Promise<AuthenticationMethod | undefined> {
  return tx.one(
    query
      .deleteFrom('authentication_methods')
      .where('userId', '=', userId)
      .where('id', '=', id)
      .where('isPrimary', '=', false)
      .returning(columns),
  );
}

/** The person signs in by mail only. A primary method must be chosen afterwards. */
export async function deleteProviderMethods(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('authentication_methods').where('userId', '=', userId).where('provider', '<>', emailProvider));
}

/** False when the method was verified or deleted meanwhile. */
export async function deleteUnverified(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.execute(query.deleteFrom('authentication_methods').where('id', '=', id).where('isVerified', '=', false))) === 1;
}

function setPassword(id: string, hash: string, now: Date) {
  return query
    .updateTable('authentication_methods')
    .set({ providerData: sql`provider_data || jsonb_build_object('passwordHash', ${hash}::text)`, updatedAt: now.toISOString() })
    .where('id', '=', id);
}

export async function setPasswordHash(tx: Transaction, methodId: string, hash: string, now: Date): Promise<void> {
  await tx.execute(setPassword(methodId, hash, now));
}

/** Compare-and-set: false when the password has changed since its old hash was read. */
export async function replacePasswordHash(tx: Transaction, methodId: string, from: string, to: string, now: Date): Promise<boolean> {
  const isCurrent = setPassword(methodId, to, now).where(({ eb }) => eb(eb.ref('providerData', '->>').key('passwordHash'), '=', from));
  return (await tx.execute(isCurrent)) === 1;
}

/**
 * Undefined when nothing changed. Call it through `proveAddress`, which asks whose the address is.
 * Unique violation: `proven_addresses_one_person`.
 */
export async function markVerified(
  tx: Transaction,
  methodId: string,
  { isHeld }: { readonly isHeld: boolean },
  now: Date,
): Promise<AuthenticationMethod | undefined> {
  const at = now.toISOString();
  return tx.one(
    query
      .updateTable('authentication_methods')
      .set(({ fn, ref, val }) => ({ isVerified: true, updatedAt: at, heldAt: isHeld ? fn.coalesce('heldAt', val(at)) : ref('heldAt') }))
      .where('id', '=', methodId)
      .where(({ eb, or }) => or([eb('isVerified', '=', false), ...(isHeld ? [eb('heldAt', 'is', null)] : [])]))
      .returning(columns),
  );
}

/** The password goes, and no other takes its place. */
export async function removePassword(tx: Transaction, methodId: string, now: Date): Promise<void> {
  await tx.execute(
    query
      .updateTable('authentication_methods')
      .set({ providerData: sql`provider_data - 'passwordHash'`, updatedAt: now.toISOString() })
      .where('id', '=', methodId),
  );
}

/**
 * Records a sign-in by provider, which can prove an address but not take the proof back. True when
 * it has newly proven one, so that the person counts as verified. Of a person with a second factor
 * it changes no address, unless `isSignedIn`: the warnings of a recovery go there. Nor does it take
 * an address that another person has proven.
 */
export async function useProviderMethod(
  tx: Transaction,
  methodId: string,
  { email, isEmailVerified }: { readonly email: string | null; readonly isEmailVerified: boolean },
  now: Date,
  isSignedIn = false,
): Promise<boolean> {
  const used = await tx.one(
    query
      .updateTable('authentication_methods as m')
      .from(({ selectFrom }) =>
        selectFrom('authentication_methods').where('id', '=', methodId).select(['id', 'email', 'isVerified']).forUpdate().as('earlier'),
      )
      .set({ lastUsedAt: now.toISOString() })
      .$if(isEmailVerified, (update) =>
        update.set(({ eb, and, or, not, exists, selectFrom, ref }) => {
          const factors = selectFrom('second_factors as f').whereRef('f.userId', '=', 'm.userId').where('f.isConfirmed', '=', true);
          const ofOthers = selectFrom('proven_addresses as p').where('p.address', '=', email).whereRef('p.userId', '<>', 'm.userId');
          const mayChange = isSignedIn ? sql<boolean>`true` : or([eb('earlier.email', '=', email), not(exists(factors.select('f.id')))]);
          const isTaken = and([mayChange, not(exists(ofOthers.select('p.userId')))]);
          return {
            isVerified: eb.case().when(isTaken).then(true).else(ref('earlier.isVerified')).end(),
            email: eb.case().when(isTaken).then(email).else(ref('earlier.email')).end(),
          };
        }),
      )
      .whereRef('m.id', '=', 'earlier.id')
      .returning(sql<boolean>`(m.email, m.is_verified) is distinct from (earlier.email, earlier.is_verified)`.as('hasChanged')),
  );
  return used?.hasChanged === true;
}
