import type { Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { TokenPurpose } from '../../ground/tables/mail.ts';

export type { TokenPurpose } from '../../ground/tables/mail.ts';

export type NewOneTimeToken = {
  readonly hash: Buffer;
  readonly purpose: TokenPurpose;
  readonly methodId: string;
  readonly expiresAt: Date;
};

export async function insertOneTimeToken(
  tx: Transaction,
  { hash, purpose, methodId: authenticationMethodId, expiresAt }: NewOneTimeToken,
  now: Date,
): Promise<void> {
  await tx.execute(
    query
      .insertInto('one_time_tokens')
      .values({ hash, purpose, authenticationMethodId, createdAt: now.toISOString(), expiresAt: expiresAt.toISOString() })
      .onConflict((conflict) => conflict.column('hash').doNothing()),
  );
}

/**
 * Deletes a token and returns whose it was, in one statement: of all requests that present it at
 * once, one gets it.
 */
export async function consumeOneTimeToken(
  tx: Transaction,
  hash: Buffer,
  purpose: TokenPurpose,
  now: Date,
): Promise<{ methodId: string; userId: string } | undefined> {
  return tx.one(
    query
      .deleteFrom('one_time_tokens as t')
      .using(['authentication_methods as m', 'users as u'])
      .where('t.hash', '=', hash)
      .where('t.purpose', '=', purpose)
      .where('t.expiresAt', '>', now.toISOString())
      .whereRef('m.id', '=', 't.authenticationMethodId')
      .whereRef('u.id', '=', 'm.userId')
      .where('u.deletedAt', 'is', null)
      .returning(['t.authenticationMethodId as methodId', 'm.userId']),
  );
}

/** Whose a token is, without consuming it. A parallel request may consume it at any moment. */
export async function findOneTimeToken(
  reader: Reader,
  hash: Buffer,
  purpose: TokenPurpose,
  now: Date,
): Promise<{ methodId: string; userId: string } | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('one_time_tokens as t')
      .innerJoin('authentication_methods as m', 'm.id', 't.authenticationMethodId')
      .innerJoin('users as u', (join) => join.onRef('u.id', '=', 'm.userId').on('u.deletedAt', 'is', null))
      .where('t.hash', '=', hash)
      .where('t.purpose', '=', purpose)
      .where('t.expiresAt', '>', now.toISOString())
      .select(['t.authenticationMethodId as methodId', 'm.userId']),
  );
  return found;
}

/** Reads without consuming. A parallel request may consume the token at any moment. */
export async function isOneTimeTokenKnown(reader: Reader, hash: Buffer, purpose: TokenPurpose, now: Date): Promise<boolean> {
  const found = query.selectFrom('one_time_tokens').where('hash', '=', hash).where('purpose', '=', purpose);
  return (await reader.query(found.where('expiresAt', '>', now.toISOString()).select('hash'))).length > 0;
}

/** How many were made since a moment and are not consumed. */
export async function countOneTimeTokens(reader: Reader, methodId: string, purpose: TokenPurpose, since: Date): Promise<number> {
  const [row] = await reader.query(
    query
      .selectFrom('one_time_tokens')
      .where('authenticationMethodId', '=', methodId)
      .where('purpose', '=', purpose)
      .where('createdAt', '>', since.toISOString())
      .select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return row?.count ?? 0;
}

/** Deletes all tokens of a purpose, once one of them is consumed. */
export async function forgetOneTimeTokens(tx: Transaction, methodId: string, purpose: TokenPurpose): Promise<void> {
  await tx.execute(query.deleteFrom('one_time_tokens').where('authenticationMethodId', '=', methodId).where('purpose', '=', purpose));
}

export async function deleteExpiredOneTimeTokens(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(query.deleteFrom('one_time_tokens').where('expiresAt', '<', now.toISOString()));
}
