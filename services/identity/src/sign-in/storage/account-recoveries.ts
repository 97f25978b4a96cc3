/**
 * Recoveries of people who lost every factor. Any sign-in deletes the row, and with it the links.
 */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type Recovery = {
  readonly userId: string;
  readonly language: string;
  readonly startedAt: string;
  readonly dueAt: string;
};
const columns = ['userId', 'language', 'startedAt', 'dueAt'] as const;

type NewRecovery = { readonly userId: string; readonly language: string; readonly dueAt: Date; readonly nextMailAt: Date };

/** Undefined when one is under way: its times stay as they are. */
export async function insertRecovery(
  tx: Transaction,
  { userId, language, dueAt, nextMailAt }: NewRecovery,
  now: Date,
): Promise<Recovery | undefined> {
  const times = { startedAt: now.toISOString(), dueAt: dueAt.toISOString(), nextMailAt: nextMailAt.toISOString() };
  return tx.one(
    query
      .insertInto('account_recoveries')
      .values({ userId, language, ...times })
      .onConflict((conflict) => conflict.column('userId').doNothing())
      .returning(columns),
  );
}

export async function findRecovery(reader: Reader, userId: string): Promise<Recovery | undefined> {
  return (await reader.query(query.selectFrom('account_recoveries').where('userId', '=', userId).select(columns)))[0];
}

const stopQuery = statement('identity_stop_recovery', ({ userId }: Params<{ userId: string }>) =>
  query.deleteFrom('account_recoveries').where('userId', '=', userId),
);

/** True when one was under way. */
export async function stopRecovery(tx: Transaction, userId: string): Promise<boolean> {
  return (await tx.execute(stopQuery, { userId })) === 1;
}

/** Those that owe a mail, locked. Others that are being told about, or end, are left out. */
export async function lockRecoveriesToTell(tx: Transaction, now: Date, most: number): Promise<Recovery[]> {
  return tx.query(
    query
      .selectFrom('account_recoveries as r')
      .innerJoin('users as u', (join) => join.onRef('u.id', '=', 'r.userId').on('u.deletedAt', 'is', null))
      .where('r.nextMailAt', '<=', now.toISOString())
      .select(['r.userId', 'r.language', 'r.startedAt', 'r.dueAt'])
      .orderBy('r.nextMailAt')
      .orderBy('r.userId')
      .limit(most)
      .forUpdate('r')
      .skipLocked(),
  );
}

export async function setNextRecoveryMail(tx: Transaction, userId: string, at: Date): Promise<void> {
  await tx.execute(query.updateTable('account_recoveries').set({ nextMailAt: at.toISOString() }).where('userId', '=', userId));
}

/** The wait is over, and the links are sent now: their time begins. No further mail is owed. */
export async function endRecoveryWait(tx: Transaction, userId: string, now: Date): Promise<void> {
  await tx.execute(
    query.updateTable('account_recoveries').set({ dueAt: now.toISOString(), nextMailAt: null }).where('userId', '=', userId),
  );
}

export async function insertRecoveryLink(
  tx: Transaction,
  link: { readonly hash: Buffer; readonly userId: string; readonly address: string },
): Promise<void> {
  await tx.execute(query.insertInto('account_recovery_links').values(link));
}

/** The person of a link, which may end at any moment. */
export async function findPersonOfRecoveryLink(reader: Reader, hash: Buffer): Promise<string | undefined> {
  return (await reader.query(query.selectFrom('account_recovery_links').where('hash', '=', hash).select('userId')))[0]?.userId;
}

/**
 * Deletes the recovery, in the statement that checks its link: of all requests at once, one gets
 * it. The wait is over, and the address is still a proven one of the person.
 */
export async function takeRecovery(tx: Transaction, hash: Buffer, now: Date): Promise<Recovery | undefined> {
  return tx.one(
    query
      .deleteFrom('account_recoveries as r')
      .using(['account_recovery_links as l', 'authentication_methods as m'])
      .where('l.hash', '=', hash)
      .whereRef('l.userId', '=', 'r.userId')
      .where('r.dueAt', '<=', now.toISOString())
      .whereRef('m.userId', '=', 'r.userId')
      .whereRef('m.email', '=', 'l.address')
      .where('m.isVerified', '=', true)
      .returning(['r.userId', 'r.language', 'r.startedAt', 'r.dueAt']),
  );
}

/** Recoveries whose links were not used: the wait begins anew. */
export async function deleteUnusedRecoveries(tx: Transaction, dueBefore: Date): Promise<number> {
  return tx.execute(query.deleteFrom('account_recoveries').where('dueAt', '<', dueBefore.toISOString()).where('nextMailAt', 'is', null));
}
