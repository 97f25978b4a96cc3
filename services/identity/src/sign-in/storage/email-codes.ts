/**
 * Codes by mail that sign in. Each browser has its own code for an address, so that a code which
 * another one requests ends none. Addresses without an account have rows too.
 */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';

/** What a code is for, and where it may be typed. */
export type EmailCodePlace = { readonly addressHash: Buffer; readonly browser: string };
export type EmailCode = { readonly hash: Buffer; readonly userId: string | null };

/** A new code takes the place of the last one of this browser. */
export async function replaceEmailCode(
  tx: Transaction,
  { addressHash, browser }: EmailCodePlace,
  { hash, expiresAt }: { readonly hash: Buffer; readonly expiresAt: Date },
  now: Date,
): Promise<void> {
  const values = { hash, userId: null, wrongTries: 0, createdAt: now.toISOString(), expiresAt: expiresAt.toISOString() };
  await tx.execute(
    query
      .insertInto('email_codes')
      .values({ addressHash, browser, ...values })
      .onConflict((conflict) => conflict.columns(['addressHash', 'browser']).doUpdateSet(values)),
  );
}

type Named = EmailCodePlace & { readonly hash: Buffer };

/** The account that the code is mailed to. False when another code has taken its place. */
export async function nameAccount(tx: Transaction, { addressHash, browser, hash }: Named, userId: string): Promise<boolean> {
  const named = query.updateTable('email_codes').set({ userId }).where('addressHash', '=', addressHash).where('browser', '=', browser);
  return (await tx.execute(named.where('hash', '=', hash))) === 1;
}

const lockQuery = statement('identity_lock_email_code', (p: Params<{ addressHash: Buffer; browser: string; now: string }>) =>
  query
    .selectFrom('email_codes')
    .where('addressHash', '=', p.addressHash)
    .where('browser', '=', p.browser)
    .where('expiresAt', '>', p.now)
    .select(['hash', 'userId'])
    .forUpdate(),
);

/** The living code of a browser. Tries at it wait for each other until the transaction ends. */
export async function lockEmailCode(tx: Transaction, place: EmailCodePlace, now: Date): Promise<EmailCode | undefined> {
  return tx.one(lockQuery, { ...place, now: now.toISOString() });
}

/** Of requests that send a code at once, one is accepted. Then the address has no wrong tries. */
export async function useEmailCode(tx: Transaction, { addressHash, browser, hash }: Named, now: Date): Promise<boolean> {
  const used = query
    .deleteFrom('email_codes')
    .where('addressHash', '=', addressHash)
    .where('browser', '=', browser)
    .where('hash', '=', hash)
    .where('expiresAt', '>', now.toISOString());
  if ((await tx.execute(used)) !== 1) return false;
  await tx.execute(query.deleteFrom('email_code_tries').where('addressHash', '=', addressHash));
  return true;
}

type Count = { addressHash: Buffer; now: string; before: string };
const countQuery = statement('identity_count_email_code_try', (p: Params<Count>) =>
  query
    .insertInto('email_code_tries')
    .values({ addressHash: p.addressHash, since: p.now, wrong: 1 })
    .onConflict((conflict) =>
      conflict.column('addressHash').doUpdateSet({
        since: sql<string>`CASE WHEN email_code_tries.since < ${p.before}::timestamptz THEN ${p.now}::timestamptz ELSE email_code_tries.since END`,
        wrong: sql<number>`CASE WHEN email_code_tries.since < ${p.before}::timestamptz THEN 1 ELSE least(email_code_tries.wrong + 1, 1000) END`,
      }),
    )
    .returning(['since', 'wrong']),
);

/** Counts a try, as if it were wrong, and returns how many there were since when. */
export async function countTry(
  tx: Transaction,
  addressHash: Buffer,
  now: Date,
  windowMs: number,
): Promise<{ wrong: number; since: string }> {
  const before = new Date(now.getTime() - windowMs).toISOString();
  const counted = await tx.one(countQuery, { addressHash, now: now.toISOString(), before });
  if (counted === undefined) throw new Error('a count returned no row');
  return counted;
}

/** The last of `most` wrong tries ends the code. */
export async function countWrongCode(tx: Transaction, { addressHash, browser }: EmailCodePlace, most: number): Promise<void> {
  const counted = await tx.one(
    query
      .updateTable('email_codes')
      .set({ wrongTries: sql<number>`wrong_tries + 1` })
      .where('addressHash', '=', addressHash)
      .where('browser', '=', browser)
      .returning('wrongTries'),
  );
  if (counted === undefined || counted.wrongTries < most) return;
  await tx.execute(query.deleteFrom('email_codes').where('addressHash', '=', addressHash).where('browser', '=', browser));
}

export async function deleteExpiredEmailCodes(tx: Transaction, now: Date): Promise<void> {
  await tx.execute(query.deleteFrom('email_codes').where('expiresAt', '<', now.toISOString()));
  const hourAgo = new Date(now.getTime() - 3_600_000).toISOString();
  await tx.execute(query.deleteFrom('email_code_tries').where('since', '<', hourAgo));
}
