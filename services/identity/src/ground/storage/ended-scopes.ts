import { failures } from '@tessera/kernel/errors';
import { statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from './query.ts';

// SQL text, because the queries read no table: advisory locks in a fixed order.
const holdQuery = statement('identity_hold_scope', `SELECT pg_advisory_xact_lock_shared(hashtextextended('scope:' || $1, 0))`);
const lockQuery = statement(
  'identity_lock_scopes',
  `SELECT pg_advisory_xact_lock(hashtextextended('scope:' || id, 0)) FROM (SELECT unnest($1::text[]) AS id ORDER BY 1) sorted`,
);
/**
 * Whether the scope exists. If so it does until this transaction ends. Call it before creating
 * anything in the scope.
 */
export async function isScopeHeld(tx: Transaction, scopeId: string): Promise<boolean> {
  await tx.query(holdQuery, [scopeId]);
  return (await tx.query(query.selectFrom('ended_scopes').where('scopeId', '=', scopeId).select('scopeId'))).length === 0;
}

/** The same for requests: 403 when the scope is deleted. */
export async function holdScope(tx: Transaction, scopeId: string): Promise<void> {
  if (!(await isScopeHeld(tx, scopeId))) throw failures.forbidden();
}

/**
 * Waits for transactions that are creating something in these scopes, so that the caller finds it;
 * later ones are refused.
 */
export async function endScopes(tx: Transaction, scopeIds: readonly string[], now: Date): Promise<void> {
  await tx.query(lockQuery, [scopeIds]);
  if (scopeIds.length === 0) return;
  const ended = scopeIds.map((scopeId) => ({ scopeId, endedAt: now.toISOString() }));
  await tx.execute(
    query
      .insertInto('ended_scopes')
      .values(ended)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

export async function forgetEndedScopes(tx: Transaction, before: Date): Promise<void> {
  await tx.execute(query.deleteFrom('ended_scopes').where('endedAt', '<', before.toISOString()));
}
