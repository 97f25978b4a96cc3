import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { EllipticKey } from '../domain/signing-key.ts';
import type { SigningScope } from '../domain/signing-scope.ts';
import { query } from './query.ts';
import type { ActiveKey, Reader, SealedKey } from './signing-keys.ts';

export type NewEllipticKey = SealedKey & EllipticKey;

const findBeside = statement('keys_find_elliptic', (p: Params<{ kid: string }>) =>
  query.selectFrom('elliptic_keys').where('beside', '=', p.kid).select(['kid', 'privateKey', 'encryptionKeyId']),
);

/** The sealed key beside an RSA key; undefined when it has none, or is rotated. */
export async function findEllipticKey(reader: Reader, kid: string): Promise<ActiveKey | undefined> {
  const [row] = await reader.query(findBeside, { kid });
  if (row === undefined || row.privateKey === null || row.encryptionKeyId === null) return undefined;
  return { kid: row.kid, sealed: row.privateKey, encryptionKeyId: row.encryptionKeyId };
}

export async function insertEllipticKey(tx: Transaction, beside: string, key: NewEllipticKey, createdAt: string): Promise<void> {
  const { kid, x, y, sealed, encryptionKeyId } = key;
  await tx.execute(query.insertInto('elliptic_keys').values({ kid, beside, x, y, privateKey: sealed, encryptionKeyId, createdAt }));
}

/** The keys of a scope that sign, or will, and have none of P-256 beside them. */
export async function listKidsWithoutElliptic(reader: Reader, { tenant, id }: SigningScope): Promise<string[]> {
  const rows = await reader.query(
    query
      .selectFrom('signing_keys')
      .leftJoin('elliptic_keys', 'elliptic_keys.beside', 'signing_keys.kid')
      .where('tenant', '=', tenant)
      .where('scopeId', '=', id)
      .where('status', '<>', 'rotated')
      .where('elliptic_keys.kid', 'is', null)
      .select('signing_keys.kid'),
  );
  return rows.map(({ kid }) => kid);
}
