import type { Transaction } from '@tessera/kernel/postgres';
import type { Compilable } from 'kysely';

/** `isFirst`: there was no row before. */
export type Locked<Row> = { readonly row: Row; readonly isFirst: boolean };

/**
 * Makes a row where there is none, and locks it: changes run one after the other, the first too.
 * `insert` does nothing on a conflict, `select` is for update.
 */
export async function insertOrLock<Row>(tx: Transaction, insert: Compilable<unknown>, select: Compilable<Row>): Promise<Locked<Row>> {
  const made = await tx.execute(insert);
  const row = await tx.one(select);
  // Gone again between the two: another change has deleted it.
  return row === undefined ? insertOrLock(tx, insert, select) : { row, isFirst: made > 0 };
}
