import { createBatcher } from '@tessera/kernel/grpc';
import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { Account } from '@tessera/proto/types/tenancy.v1';
import type { AuthenticationMethod } from '../domain/people.ts';
import type { Reader } from './reader.ts';

const columns = `m.id, m.user_id AS "userId", m.provider, m.provider_id AS "providerId", m.email, m.is_verified AS "isVerified",
  m.is_primary AS "isPrimary", m.last_used_at AS "lastUsedAt", m.created_at AS "createdAt", m.updated_at AS "updatedAt"`;

const insertSql = statement(
  'identity_insert_method',
  `INSERT INTO authentication_methods AS m
     (id, user_id, provider, provider_id, provider_data, email, is_verified, is_primary, last_used_at, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) RETURNING ${columns}`,
);
const ofProvider = `FROM authentication_methods m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
   WHERE m.provider = $1 AND m.provider_id = $2`;
const credentials = `${columns}, u.name AS "userName", m.provider_data ->> 'passwordHash' AS "passwordHash",
     (SELECT json_agg(json_build_object('isVerified', o.is_verified)) FROM authentication_methods o WHERE o.user_id = m.user_id) AS methods`;
const findSql = statement('identity_find_method', `SELECT ${credentials} ${ofProvider}`);
// For an unknown address somebody else is read, and not told of: how long it takes must not say whether there is anybody. Whoever is first, dead
// or alive: one entry of one index, however many are gone.
const findOnDeviceSql = statement(
  'identity_find_method_on_device',
  `WITH known AS MATERIALIZED (SELECT m.id ${ofProvider})
   SELECT ${credentials}, u.accounts, EXISTS (SELECT FROM known) AS "isKnown",
     (SELECT s.id FROM sessions s WHERE s.user_id = m.user_id AND s.scope_tenant = '' AND s.scope_id = '' AND s.device_key = $3) AS "deviceSessionId"
   FROM authentication_methods m JOIN users u ON u.id = m.user_id
   WHERE m.id = coalesce((SELECT id FROM known), (SELECT id FROM authentication_methods WHERE provider = $1 ORDER BY provider_id LIMIT 1))`,
);
const findByAddressSql = statement(
  'identity_find_methods_by_address',
  `SELECT ${columns}, u.name AS "userName" FROM authentication_methods m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
   WHERE m.email = $1 ORDER BY m.provider = 'email' DESC, m.is_verified DESC, m.created_at`,
);
const listSql = statement(
  'identity_list_methods',
  `SELECT ${columns} FROM authentication_methods m WHERE m.user_id = ANY ($1::uuid[]) ORDER BY m.created_at, m.id`,
);
const passwordHashSql = statement(
  'identity_password_hash',
  `SELECT m.provider_data ->> 'passwordHash' AS "passwordHash", m.id FROM authentication_methods m WHERE m.user_id = $1 AND m.provider = 'email'`,
);
const unsetPrimarySql = statement(
  'identity_unset_primary',
  'UPDATE authentication_methods SET is_primary = false, updated_at = $3 WHERE user_id = $1 AND is_primary AND id <> $2',
);
const setPrimarySql = statement(
  'identity_set_primary',
  `UPDATE authentication_methods AS m SET is_primary = true, updated_at = CASE WHEN m.is_primary THEN m.updated_at ELSE $3 END
   WHERE m.user_id = $1 AND m.id = $2 RETURNING ${columns}`,
);
const deleteSql = statement(
  'identity_delete_method',
  `DELETE FROM authentication_methods AS m WHERE m.user_id = $1 AND m.id = $2 AND NOT m.is_primary RETURNING ${columns}`,
);
const deleteUnverifiedSql = statement(
  'identity_delete_unverified_method',
  'DELETE FROM authentication_methods WHERE id = $1 AND NOT is_verified',
);
const setPasswordSql = statement(
  'identity_set_password',
  `UPDATE authentication_methods SET provider_data = provider_data || jsonb_build_object('passwordHash', $2::text), updated_at = $3 WHERE id = $1`,
);
const replacePasswordSql = statement(
  'identity_replace_password',
  `UPDATE authentication_methods SET provider_data = provider_data || jsonb_build_object('passwordHash', $3::text), updated_at = $4
   WHERE id = $1 AND provider_data ->> 'passwordHash' = $2`,
);
const markVerifiedSql = statement(
  'identity_mark_verified',
  `UPDATE authentication_methods AS m SET is_verified = true, updated_at = $2 WHERE m.id = $1 AND NOT m.is_verified RETURNING ${columns}`,
);

export type NewMethod = Pick<AuthenticationMethod, 'id' | 'userId' | 'provider' | 'providerId' | 'email' | 'isVerified' | 'isPrimary'> & {
  readonly passwordHash?: string;
  readonly lastUsedAt: Date | null;
};

/** Unique violations: `authentication_methods_identity` (rule 4), `authentication_methods_provider` (rule 5). */
export async function insertMethod(tx: Transaction, method: NewMethod, now: Date): Promise<AuthenticationMethod> {
  const { id, userId, provider, providerId, email, isVerified, isPrimary, passwordHash, lastUsedAt } = method;
  const providerData = JSON.stringify(passwordHash === undefined ? {} : { passwordHash });
  const values = [id, userId, provider, providerId, providerData, email, isVerified, isPrimary, lastUsedAt, now];
  const [inserted] = await tx.query<AuthenticationMethod>(insertSql, values);
  if (inserted === undefined) throw new Error('an insert returned no row');
  return inserted;
}

export type KnownMethod = AuthenticationMethod & { readonly userName: string };
export type Credentials = KnownMethod & {
  readonly passwordHash: string | null;
  readonly methods: readonly { readonly isVerified: boolean }[];
};
type DeviceCredentials = Credentials & { readonly deviceSessionId: string | null; readonly accounts: readonly Account[] | null };

/** Of a person who is not deleted. */
export async function findCredentials(reader: Reader, provider: string, providerId: string): Promise<Credentials | undefined> {
  return (await reader.query<Credentials>(findSql, [provider, providerId]))[0];
}

/** The same, with the session that a device has on the platform already, and the accounts of the person if they are known. */
export async function findCredentialsOnDevice(
  reader: Reader,
  provider: string,
  providerId: string,
  deviceKey: Buffer,
): Promise<DeviceCredentials | undefined> {
  const [found] = await reader.query<DeviceCredentials & { isKnown: boolean }>(findOnDeviceSql, [provider, providerId, deviceKey]);
  return found?.isKnown ? found : undefined;
}

/** All methods known by an address: its e-mail method first, then verified ones. */
export async function findMethodsByAddress(reader: Reader, address: string): Promise<KnownMethod[]> {
  return reader.query<KnownMethod>(findByAddressSql, [address]);
}

/** Oldest first. */
export async function listMethods(reader: Reader, userIds: readonly string[]): Promise<AuthenticationMethod[]> {
  return userIds.length === 0 ? [] : reader.query<AuthenticationMethod>(listSql, [userIds]);
}

const maxPeople = 1000;

/** Somebody's methods, oldest first: for all who are asked for in the same moment, in whichever scopes, one statement. */
export function createMethodsReader(reader: Reader): (userId: string) => Promise<readonly AuthenticationMethod[]> {
  return createBatcher<string, readonly AuthenticationMethod[]>({
    maxSize: maxPeople,
    maxInFlight: 2,
    run: async (userIds) => {
      const methods = Map.groupBy(await listMethods(reader, [...new Set(userIds)]), ({ userId }) => userId);
      return userIds.map((userId) => methods.get(userId) ?? []);
    },
  });
}

export async function findPasswordHash(reader: Reader, userId: string): Promise<{ id: string; passwordHash: string } | undefined> {
  return (await reader.query<{ id: string; passwordHash: string }>(passwordHashSql, [userId]))[0];
}

/** Rule 2. Under the person's lock, so that the partial unique index is never in the way of two who choose at once. */
export async function setPrimaryMethod(tx: Transaction, userId: string, id: string, now: Date): Promise<AuthenticationMethod | undefined> {
  await tx.execute(unsetPrimarySql, [userId, id, now]);
  return tx.one<AuthenticationMethod>(setPrimarySql, [userId, id, now]);
}

/** Rule 3: deletes nothing when the method is primary, or not this person's. */
export async function deleteMethod(tx: Transaction, userId: string, id: string): Promise<AuthenticationMethod | undefined> {
  return tx.one<AuthenticationMethod>(deleteSql, [userId, id]);
}

/** False when it has been verified, or has gone, meanwhile. */
export async function deleteUnverified(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.execute(deleteUnverifiedSql, [id])) === 1;
}

export async function setPasswordHash(tx: Transaction, methodId: string, hash: string, now: Date): Promise<void> {
  await tx.execute(setPasswordSql, [methodId, hash, now]);
}

/** Compare-and-set: false when the password has changed since its old hash was read. */
export async function replacePasswordHash(tx: Transaction, methodId: string, from: string, to: string, now: Date): Promise<boolean> {
  return (await tx.execute(replacePasswordSql, [methodId, from, to, now])) === 1;
}

/** Undefined when it was verified already. */
export async function markVerified(tx: Transaction, methodId: string, now: Date): Promise<AuthenticationMethod | undefined> {
  return tx.one<AuthenticationMethod>(markVerifiedSql, [methodId, now]);
}
