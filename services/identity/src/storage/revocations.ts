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
// One snapshot for rows and cursor: whatever was uncommitted in it has an id of at least its xmin, so the next call sees it.
const listSql = statement(
  'identity_list_revocations',
  `SELECT (SELECT pg_snapshot_xmin(pg_current_snapshot())::text) AS cursor,
     coalesce((SELECT json_agg(json_build_object('kind', kind, 'value', value, 'before', to_json(before), 'expiresAt', to_json(expires_at)))
       FROM revocations WHERE expires_at > $2 AND transaction_id >=
         CASE WHEN $1::xid8 > pg_snapshot_xmax(pg_current_snapshot()) THEN '0'::xid8 ELSE $1::xid8 END), '[]') AS revocations`,
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

/**
 * Everything in force that was committed since the cursor (empty: everything in force), some of it perhaps again.
 * Nothing is ever skipped, whatever commits while this runs. A cursor of another database starts over.
 */
export async function listRevocations(reader: Reader, cursor: string, now: Date): Promise<{ revocations: Revocation[]; cursor: string }> {
  const [row] = await reader.query<{ revocations: Revocation[]; cursor: string }>(listSql, [cursor === '' ? '0' : cursor, now]);
  if (row === undefined) throw new Error('the list of revocations has no row');
  const iso = (time: string): string => new Date(time).toISOString();
  return {
    cursor: row.cursor,
    revocations: row.revocations.map((one) => ({ ...one, before: iso(one.before), expiresAt: iso(one.expiresAt) })),
  };
}

export async function deleteExpiredRevocations(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(deleteExpiredSql, [before]);
}
