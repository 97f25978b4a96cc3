import { type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from './query.ts';
import type { SealedKey } from './signing-keys.ts';

export type StaleSecret = SealedKey & { readonly name: string };

const findSecret = statement('keys_find_secret', (p: Params<{ name: string }>) =>
  query.selectFrom('sealed_secrets').where('name', '=', p.name).select(['sealed', 'encryptionKeyId']),
);

export async function findSealedSecret(db: Database, name: string): Promise<SealedKey | undefined> {
  return (await db.query(findSecret, { name }))[0];
}

/** Inserts the secret unless there is one of this name. Returns the one that is stored. */
export async function insertSealedSecret(db: Database, name: string, secret: SealedKey, now: Date): Promise<SealedKey> {
  const row = { name, sealed: secret.sealed, encryptionKeyId: secret.encryptionKeyId, createdAt: now.toISOString() };
  await db.query(
    query
      .insertInto('sealed_secrets')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  );
  const stored = await findSealedSecret(db, name);
  if (stored === undefined) throw new Error(`the secret ${name} was not stored`);
  return stored;
}

/** The ids of the encryption keys under which something is sealed. */
export async function listUsedEncryptionKeyIds(db: Database): Promise<string[]> {
  const ofKeys = query.selectFrom('signing_keys').where('privateKey', 'is not', null).select('encryptionKeyId');
  const ofElliptic = query.selectFrom('elliptic_keys').where('privateKey', 'is not', null).select('encryptionKeyId');
  const rows = await db.query(ofKeys.union(ofElliptic).union(query.selectFrom('sealed_secrets').select('encryptionKeyId')));
  return rows.flatMap(({ encryptionKeyId }) => encryptionKeyId ?? []);
}

const batchSize = 500;

type KeyTable = 'signing_keys' | 'elliptic_keys';

/** Up to 500 keys that are sealed under another encryption key, locked until commit. */
export async function lockStaleKeys(tx: Transaction, keys: KeyTable, currentKeyId: string): Promise<StaleSecret[]> {
  const rows = await tx.query(
    query
      .selectFrom(keys)
      .where('privateKey', 'is not', null)
      .where('encryptionKeyId', '<>', currentKeyId)
      .select(['kid', 'privateKey', 'encryptionKeyId'])
      .orderBy('kid')
      .limit(batchSize)
      .forUpdate()
      .skipLocked(),
  );
  return rows.flatMap(({ kid, privateKey, encryptionKeyId }) =>
    privateKey === null || encryptionKeyId === null ? [] : [{ name: kid, sealed: privateKey, encryptionKeyId }],
  );
}

/** The secrets that are sealed under another encryption key, locked until commit. */
export function lockStaleSecrets(tx: Transaction, currentKeyId: string): Promise<StaleSecret[]> {
  return tx.query(
    query
      .selectFrom('sealed_secrets')
      .where('encryptionKeyId', '<>', currentKeyId)
      .select(['name', 'sealed', 'encryptionKeyId'])
      .forUpdate()
      .skipLocked(),
  );
}

export async function resealKey(tx: Transaction, keys: KeyTable, kid: string, { sealed, encryptionKeyId }: SealedKey): Promise<void> {
  await tx.execute(query.updateTable(keys).set({ privateKey: sealed, encryptionKeyId }).where('kid', '=', kid));
}

export async function resealSecret(tx: Transaction, name: string, { sealed, encryptionKeyId }: SealedKey): Promise<void> {
  await tx.execute(query.updateTable('sealed_secrets').set({ sealed, encryptionKeyId }).where('name', '=', name));
}
