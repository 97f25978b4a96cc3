import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import type { SealedKey } from './signing-keys.ts';

const insertSecret = statement(
  'keys_insert_secret',
  `INSERT INTO sealed_secrets (name, sealed, encryption_key_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
);
const findSecret = statement(
  'keys_find_secret',
  `SELECT sealed, encryption_key_id AS "encryptionKeyId" FROM sealed_secrets WHERE name = $1`,
);
const listStaleKeys = statement(
  'keys_list_stale_keys',
  `SELECT kid AS name, private_key AS sealed, encryption_key_id AS "encryptionKeyId" FROM signing_keys
   WHERE private_key IS NOT NULL AND encryption_key_id <> $1 ORDER BY kid LIMIT 500 FOR UPDATE SKIP LOCKED`,
);
const updateKey = statement('keys_reseal_key', 'UPDATE signing_keys SET private_key = $2, encryption_key_id = $3 WHERE kid = $1');
const listStaleSecrets = statement(
  'keys_list_stale_secrets',
  `SELECT name, sealed, encryption_key_id AS "encryptionKeyId" FROM sealed_secrets WHERE encryption_key_id <> $1 FOR UPDATE SKIP LOCKED`,
);
const updateSecret = statement('keys_reseal_secret', 'UPDATE sealed_secrets SET sealed = $2, encryption_key_id = $3 WHERE name = $1');
const listUsedIds = statement(
  'keys_list_encryption_keys',
  `SELECT encryption_key_id AS id FROM signing_keys WHERE private_key IS NOT NULL UNION SELECT encryption_key_id FROM sealed_secrets`,
);

export type StaleSecret = SealedKey & { readonly name: string };

/** Keeps the first one that comes; everybody reads that one. */
export async function keepSecret(db: Database, name: string, { sealed, encryptionKeyId }: SealedKey, now: Date): Promise<SealedKey> {
  await db.query(insertSecret, [name, sealed, encryptionKeyId, now]);
  const kept = await findSealedSecret(db, name);
  if (kept === undefined) throw new Error(`the secret ${name} was not kept`);
  return kept;
}

export async function findSealedSecret(db: Database, name: string): Promise<SealedKey | undefined> {
  return (await db.query<SealedKey>(findSecret, [name]))[0];
}

/** The ids of the encryption keys that something is still sealed under. */
export async function encryptionKeyIdsInUse(db: Database): Promise<string[]> {
  return (await db.query<{ id: string }>(listUsedIds)).map(({ id }) => id);
}

/** Some of what is sealed under another key than this one, locked until commit. Called again until it answers with nothing. */
export function staleSigningKeys(tx: Transaction, currentKeyId: string) {
  return tx.query<StaleSecret>(listStaleKeys, [currentKeyId]);
}
export function staleSecrets(tx: Transaction, currentKeyId: string) {
  return tx.query<StaleSecret>(listStaleSecrets, [currentKeyId]);
}

export async function resealSigningKey(tx: Transaction, kid: string, { sealed, encryptionKeyId }: SealedKey): Promise<void> {
  await tx.execute(updateKey, [kid, sealed, encryptionKeyId]);
}

export async function resealSecret(tx: Transaction, name: string, { sealed, encryptionKeyId }: SealedKey): Promise<void> {
  await tx.execute(updateSecret, [name, sealed, encryptionKeyId]);
}
