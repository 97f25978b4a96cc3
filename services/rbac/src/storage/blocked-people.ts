/** Whom the platform has blocked: the statements of rights and of holders leave them out. */
import type { Transaction } from '@tessera/kernel/postgres';
import { query } from './query.ts';

export async function blockPerson(tx: Transaction, userId: string, blockedAt: string): Promise<void> {
  const row = { userId, blockedAt };
  await tx.execute(
    query
      .insertInto('blocked_people')
      .values(row)
      .onConflict((conflict) => conflict.column('userId').doNothing()),
  );
}

export async function unblockPerson(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('blocked_people').where('userId', '=', userId));
}
