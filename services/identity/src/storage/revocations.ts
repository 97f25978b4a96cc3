import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';
import type { Reader } from './reader.ts';

/**
 * Tokens of this kind and value that were issued at or before `before` are refused; after
 * `expiresAt` none can be alive.
 */
export type Revocation = { readonly kind: 'jti' | 'user'; readonly value: string; readonly before: string; readonly expiresAt: string };

type Kind = Revocation['kind'];
type Insert = { kind: Kind; values: readonly string[]; before: string; expiresAt: string };
const insertQuery = statement('identity_insert_revocations', (p: Params<Insert>) =>
  query
    .insertInto('revocations')
    .columns(['kind', 'value', 'before', 'expiresAt'])
    .expression(
      query
        .selectFrom(sql<{ value: string }>`unnest(${p.values}::text[])`.as<'given'>(sql`given (value)`))
        .select([
          sql<Kind>`${p.kind}`.as('kind'),
          'given.value',
          sql<string>`${p.before}::timestamptz`.as('before'),
          sql<string>`${p.expiresAt}::timestamptz`.as('expiresAt'),
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(['kind', 'value']).doUpdateSet(({ fn, ref }) => ({
        before: fn<string>('greatest', ['revocations.before', 'excluded.before']),
        expiresAt: fn<string>('greatest', ['revocations.expiresAt', 'excluded.expiresAt']),
        transactionId: ref('excluded.transactionId'),
      })),
    )
    .returning(['kind', 'value', 'before', 'expiresAt']),
);
const findQuery = statement('identity_find_revocations', (p: Params<{ kind: Kind; values: readonly string[] }>) =>
  query
    .selectFrom('revocations')
    .where('kind', '=', p.kind)
    .where('value', '=', ({ fn }) => fn.any(p.values))
    .select(['kind', 'value', 'before', 'expiresAt']),
);
const deleteExpiredQuery = statement('identity_delete_expired_revocations', ({ before }: Params<{ before: string }>) =>
  query.deleteFrom('revocations').where('expiresAt', '<', before),
);

export async function insertRevocations(
  tx: Transaction,
  kind: Kind,
  values: readonly string[],
  before: Date,
  expiresAt: Date,
): Promise<Revocation[]> {
  if (values.length === 0) return [];
  return tx.query(insertQuery, { kind, values, before: before.toISOString(), expiresAt: expiresAt.toISOString() });
}

/** Those that are committed, as seen from outside the transaction that makes them. */
export async function findRevocations(reader: Reader, kind: Kind, values: readonly string[]): Promise<Revocation[]> {
  return reader.query(findQuery, { kind, values });
}

export async function deleteExpiredRevocations(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(deleteExpiredQuery, { before: before.toISOString() });
}
