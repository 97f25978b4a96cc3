import type { Transaction } from '@tessera/kernel/postgres';
import { query } from './query.ts';
import type { Reader } from './reader.ts';

/**
 * Tokens of this kind and value that were issued at or before `before` are refused; after
 * `expiresAt` none can be alive.
 */
export type Revocation = { readonly kind: 'jti' | 'user'; readonly value: string; readonly before: string; readonly expiresAt: string };

type Kind = Revocation['kind'];
const columns = ['kind', 'value', 'before', 'expiresAt'] as const;

export async function insertRevocations(
  tx: Transaction,
  kind: Kind,
  values: readonly string[],
  before: Date,
  expiresAt: Date,
): Promise<Revocation[]> {
  if (values.length === 0) return [];
  const times = { before: before.toISOString(), expiresAt: expiresAt.toISOString() };
  return tx.query(
    query
      .insertInto('revocations')
      .values(values.map((value) => ({ kind, value, ...times })))
      .onConflict((conflict) =>
        conflict.columns(['kind', 'value']).doUpdateSet(({ fn, ref }) => ({
          before: fn<string>('greatest', ['revocations.before', 'excluded.before']),
          expiresAt: fn<string>('greatest', ['revocations.expiresAt', 'excluded.expiresAt']),
          transactionId: ref('excluded.transactionId'),
        })),
      )
      .returning(columns),
  );
}

/** Those that are committed, as seen from outside the transaction that makes them. */
export async function findRevocations(reader: Reader, kind: Kind, values: readonly string[]): Promise<Revocation[]> {
  return reader.query(
    query
      .selectFrom('revocations')
      .where('kind', '=', kind)
      .where('value', '=', ({ fn, val }) => fn.any(val(values)))
      .select(columns),
  );
}

export async function deleteExpiredRevocations(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(query.deleteFrom('revocations').where('expiresAt', '<', before.toISOString()));
}
