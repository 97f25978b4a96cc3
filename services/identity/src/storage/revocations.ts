import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { Reader } from './reader.ts';

/** Tokens of this kind and value that were issued at or before `before` are refused; after `expiresAt` none can be alive. */
export type Revocation = { readonly kind: 'jti' | 'user'; readonly value: string; readonly before: string; readonly expiresAt: string };

const insertSql = statement(
  'identity_insert_revocations',
  `INSERT INTO revocations (kind, value, before, expires_at) SELECT $1, value, $3, $4 FROM unnest($2::text[]) AS value
   ON CONFLICT (kind, value) DO UPDATE SET before = greatest(revocations.before, excluded.before),
     expires_at = greatest(revocations.expires_at, excluded.expires_at), transaction_id = excluded.transaction_id
   RETURNING kind, value, before, expires_at AS "expiresAt"`,
);
const findSql = statement(
  'identity_find_revocations',
  'SELECT kind, value, before, expires_at AS "expiresAt" FROM revocations WHERE kind = $1 AND value = ANY ($2::text[])',
);
const deleteExpiredSql = statement('identity_delete_expired_revocations', 'DELETE FROM revocations WHERE expires_at < $1');

export async function insertRevocations(
  tx: Transaction,
  kind: Revocation['kind'],
  values: readonly string[],
  before: Date,
  expiresAt: Date,
): Promise<Revocation[]> {
  return values.length === 0 ? [] : tx.query<Revocation>(insertSql, [kind, values, before, expiresAt]);
}

/** Those that are committed (as seen from outside the transaction that makes them). */
export async function findRevocations(reader: Reader, kind: Revocation['kind'], values: readonly string[]): Promise<Revocation[]> {
  return reader.query<Revocation>(findSql, [kind, values]);
}

export async function deleteExpiredRevocations(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(deleteExpiredSql, [before]);
}
