import type { Transaction } from '@tessera/kernel/postgres';
import type { Revocation } from '../domain/signing-key.ts';
import { query } from './query.ts';

/**
 * Takes effect with the commit of `tx`; the notice comes after it. A later refusal of the same
 * value prolongs the first.
 */
export async function insertRevocations(tx: Transaction, revocations: readonly Revocation[]): Promise<void> {
  if (revocations.length === 0) return;
  const insert = query.insertInto('revocations').values([...revocations]);
  await tx.execute(
    insert.onConflict((conflict) =>
      conflict.columns(['kind', 'value']).doUpdateSet(({ fn, ref }) => ({
        before: fn('greatest', ['revocations.before', 'excluded.before']),
        expiresAt: fn('greatest', ['revocations.expiresAt', 'excluded.expiresAt']),
        writtenIn: ref('excluded.writtenIn'),
      })),
    ),
  );
}

export async function deleteExpiredRevocations(tx: Transaction, now: Date): Promise<void> {
  await tx.execute(query.deleteFrom('revocations').where('expiresAt', '<=', now.toISOString()));
}
