import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Revocation } from '../domain/signing-key.ts';

const insert = statement(
  'keys_insert_revocations',
  `INSERT INTO revocations (kind, value, before, expires_at)
   SELECT * FROM unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::timestamptz[])
   ON CONFLICT (kind, value) DO UPDATE SET before = greatest(revocations.before, excluded.before),
     expires_at = greatest(revocations.expires_at, excluded.expires_at), written_in = excluded.written_in`,
);
// A transaction that was still open at the last pull has an id from that pull's xmin on: rows are repeated, never missed.
const list = statement(
  'keys_list_revocations',
  `SELECT r.kind, r.value, r.before, r.expires_at AS "expiresAt", s.xmin AS cursor
   FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xmin) s
   LEFT JOIN revocations r ON r.written_in >= $1::text::xid8 AND r.expires_at > $2`,
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

type Row = { [Field in keyof Revocation]: Revocation[Field] | null } & { readonly cursor: string };

/** What is in force and was committed after the pull that gave the cursor; everything for an empty one. */
export async function listRevocations(
  db: Database,
  cursor: string,
  now: Date,
): Promise<{ readonly revocations: readonly Revocation[]; readonly cursor: string }> {
  const rows = await db.query<Row>(list, [cursor === '' ? '0' : cursor, now]);
  const revocations = rows.flatMap(({ kind, value, before, expiresAt }) =>
    kind === null || value === null || before === null || expiresAt === null ? [] : [{ kind, value, before, expiresAt }],
  );
  return { revocations, cursor: rows[0]?.cursor ?? cursor };
}

export async function pruneRevocations(tx: Transaction, now: Date): Promise<void> {
  await tx.execute(prune, [now]);
}
