import { failures } from '@tessera/kernel/errors';
import { statement, type Transaction } from '@tessera/kernel/postgres';

const holdSql = statement('identity_hold_scope', `SELECT pg_advisory_xact_lock_shared(hashtextextended('scope:' || $1, 0))`);
const isEndedSql = statement('identity_is_ended_scope', 'SELECT 1 FROM ended_scopes WHERE scope_id = $1');
const lockSql = statement(
  'identity_lock_scopes',
  `SELECT pg_advisory_xact_lock(hashtextextended('scope:' || id, 0)) FROM (SELECT unnest($1::text[]) AS id ORDER BY 1) sorted`,
);
const endSql = statement(
  'identity_end_scopes',
  'INSERT INTO ended_scopes (scope_id, ended_at) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING',
);
const forgetSql = statement('identity_forget_ended_scopes', 'DELETE FROM ended_scopes WHERE ended_at < $1');

/** The scope lives, and will until this transaction ends; 403 when it is gone. Before anything is made in it. */
export async function holdScope(tx: Transaction, scopeId: string): Promise<void> {
  await tx.query(holdSql, [scopeId]);
  if ((await tx.query(isEndedSql, [scopeId])).length > 0) throw failures.forbidden();
}

/** Waits for what is being made in these scopes, which is then there to be ended; whoever comes later finds them gone. */
export async function endScopes(tx: Transaction, scopeIds: readonly string[], now: Date): Promise<void> {
  await tx.query(lockSql, [scopeIds]);
  await tx.execute(endSql, [scopeIds, now]);
}

export async function forgetEndedScopes(tx: Transaction, before: Date): Promise<void> {
  await tx.execute(forgetSql, [before]);
}
