import { failures } from '@tessera/kernel/errors';
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';

// SQL text, because the queries read no table: advisory locks in a fixed order.
const holdQuery = statement('identity_hold_scope', `SELECT pg_advisory_xact_lock_shared(hashtextextended('scope:' || $1, 0))`);
const lockQuery = statement(
  'identity_lock_scopes',
  `SELECT pg_advisory_xact_lock(hashtextextended('scope:' || id, 0)) FROM (SELECT unnest($1::text[]) AS id ORDER BY 1) sorted`,
);
const findQuery = statement('identity_find_ended_scope', ({ scopeId }: Params<{ scopeId: string }>) =>
  query.selectFrom('ended_scopes').where('scopeId', '=', scopeId).select('scopeId'),
);
const endQuery = statement('identity_end_scopes', (p: Params<{ scopeIds: readonly string[]; now: string }>) =>
  query
    .insertInto('ended_scopes')
    .columns(['scopeId', 'endedAt'])
    .expression(
      query.selectNoFrom([sql<string>`unnest(${p.scopeIds}::text[])`.as('scopeId'), sql<string>`${p.now}::timestamptz`.as('endedAt')]),
    )
    .onConflict((conflict) => conflict.doNothing()),
);
const deleteOldQuery = statement('identity_delete_old_ended_scopes', ({ before }: Params<{ before: string }>) =>
  query.deleteFrom('ended_scopes').where('endedAt', '<', before),
);

/**
 * 403 when the scope is deleted. Otherwise it exists until this transaction ends. Call it before
 * creating anything in the scope.
 */
export async function holdScope(tx: Transaction, scopeId: string): Promise<void> {
  await tx.query(holdQuery, [scopeId]);
  if ((await tx.query(findQuery, { scopeId })).length > 0) throw failures.forbidden();
}

/**
 * Waits for transactions that are creating something in these scopes, so that the caller finds it;
 * later ones are refused.
 */
export async function endScopes(tx: Transaction, scopeIds: readonly string[], now: Date): Promise<void> {
  await tx.query(lockQuery, [scopeIds]);
  await tx.execute(endQuery, { scopeIds, now: now.toISOString() });
}

export async function forgetEndedScopes(tx: Transaction, before: Date): Promise<void> {
  await tx.execute(deleteOldQuery, { before: before.toISOString() });
}
