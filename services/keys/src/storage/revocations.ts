import type { Transaction } from '@tessera/kernel/postgres';
import type { Revocation } from '../domain/signing-key.ts';
import { query } from './query.ts';

/**
 * Takes effect with the commit of `tx`; the notice comes after it. A later refusal of the same
 * value prolongs the first.
 */
export async function insertRevocations(tx: Transaction, revocations: readonly Revocation[]): Promise<void> {
  const ofScopes = revocations.filter(({ kind }) => kind === 'scope').map(({ kind: _, ...scope }) => scope);
  const others = revocations.flatMap(({ kind, ...rest }) => (kind === 'scope' ? [] : [{ kind, ...rest }]));
  if (others.length > 0)
    await tx.execute(
      query
        .insertInto('revocations')
        .values(others)
        .onConflict((conflict) =>
          conflict.columns(['kind', 'value']).doUpdateSet(({ fn, ref }) => ({
            before: fn('greatest', ['revocations.before', 'excluded.before']),
            expiresAt: fn('greatest', ['revocations.expiresAt', 'excluded.expiresAt']),
            writtenIn: ref('excluded.writtenIn'),
          })),
        ),
    );
  if (ofScopes.length > 0)
    await tx.execute(
      query
        .insertInto('scope_revocations')
        .values(ofScopes)
        .onConflict((conflict) =>
          conflict.column('value').doUpdateSet(({ fn, ref }) => ({
            before: fn('greatest', ['scope_revocations.before', 'excluded.before']),
            expiresAt: fn('greatest', ['scope_revocations.expiresAt', 'excluded.expiresAt']),
            writtenIn: ref('excluded.writtenIn'),
          })),
        ),
    );
}

export async function deleteExpiredRevocations(tx: Transaction, now: Date): Promise<void> {
  for (const table of ['revocations', 'scope_revocations'] as const)
    await tx.execute(query.deleteFrom(table).where('expiresAt', '<=', now.toISOString()));
}
