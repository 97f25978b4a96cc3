import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { Revocation } from '../domain/signing-key.ts';

const insert = statement(
  'keys_insert_revocations',
  `INSERT INTO revocations (kind, value, before, expires_at)
   SELECT * FROM unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::timestamptz[])
   ON CONFLICT (kind, value) DO UPDATE SET before = greatest(revocations.before, excluded.before),
     expires_at = greatest(revocations.expires_at, excluded.expires_at), written_in = excluded.written_in`,
);
const prune = statement('keys_prune_revocations', 'DELETE FROM revocations WHERE expires_at <= $1');

/** Takes effect with the commit of `tx`; the notice comes after it. */
export async function insertRevocations(tx: Transaction, revocations: readonly Revocation[]): Promise<void> {
  if (revocations.length === 0) return;
  await tx.execute(insert, [
    revocations.map(({ kind }) => kind),
    revocations.map(({ value }) => value),
    revocations.map(({ before }) => before),
    revocations.map(({ expiresAt }) => expiresAt),
  ]);
}

export async function pruneRevocations(tx: Transaction, now: Date): Promise<void> {
  await tx.execute(prune, [now]);
}
