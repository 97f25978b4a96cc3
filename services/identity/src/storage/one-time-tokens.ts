import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { TokenPurpose } from './entities/mail.ts';
import { query } from './query.ts';
import type { Reader } from './reader.ts';

export type { TokenPurpose } from './entities/mail.ts';

type Insert = { hash: Buffer; purpose: TokenPurpose; methodId: string; now: string; expiresAt: string };
const insertQuery = statement('identity_insert_one_time_token', (p: Params<Insert>) =>
  query
    .insertInto('one_time_tokens')
    .values({ hash: p.hash, purpose: p.purpose, authenticationMethodId: p.methodId, createdAt: p.now, expiresAt: p.expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
);
type Presented = { hash: Buffer; purpose: TokenPurpose; now: string };
const consumeQuery = statement('identity_consume_one_time_token', (p: Params<Presented>) =>
  query
    .deleteFrom('one_time_tokens as t')
    .using(['authentication_methods as m', 'users as u'])
    .where('t.hash', '=', p.hash)
    .where('t.purpose', '=', p.purpose)
    .where('t.expiresAt', '>', p.now)
    .whereRef('m.id', '=', 't.authenticationMethodId')
    .whereRef('u.id', '=', 'm.userId')
    .where('u.deletedAt', 'is', null)
    .returning(['t.authenticationMethodId as methodId', 'm.userId']),
);
const findQuery = statement('identity_find_one_time_token', (p: Params<Presented>) =>
  query
    .selectFrom('one_time_tokens')
    .where('hash', '=', p.hash)
    .where('purpose', '=', p.purpose)
    .where('expiresAt', '>', p.now)
    .select('authenticationMethodId'),
);
type OfMethod = { methodId: string; purpose: TokenPurpose };
const deleteOfMethodQuery = statement('identity_delete_one_time_tokens', (p: Params<OfMethod>) =>
  query.deleteFrom('one_time_tokens').where('authenticationMethodId', '=', p.methodId).where('purpose', '=', p.purpose),
);
const countQuery = statement('identity_count_one_time_tokens', (p: Params<OfMethod & { since: string }>) =>
  query
    .selectFrom('one_time_tokens')
    .where('authenticationMethodId', '=', p.methodId)
    .where('purpose', '=', p.purpose)
    .where('createdAt', '>', p.since)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);
const deleteExpiredQuery = statement('identity_delete_expired_one_time_tokens', ({ now }: Params<{ now: string }>) =>
  query.deleteFrom('one_time_tokens').where('expiresAt', '<', now),
);

export type NewOneTimeToken = {
  readonly hash: Buffer;
  readonly purpose: TokenPurpose;
  readonly methodId: string;
  readonly expiresAt: Date;
};

export async function insertOneTimeToken(
  tx: Transaction,
  { hash, purpose, methodId, expiresAt }: NewOneTimeToken,
  now: Date,
): Promise<void> {
  await tx.execute(insertQuery, { hash, purpose, methodId, now: now.toISOString(), expiresAt: expiresAt.toISOString() });
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
  return tx.one(consumeQuery, { hash, purpose, now: now.toISOString() });
}

/** Reads without consuming. A parallel request may consume the token at any moment. */
export async function isOneTimeTokenKnown(reader: Reader, hash: Buffer, purpose: TokenPurpose, now: Date): Promise<boolean> {
  return (await reader.query(findQuery, { hash, purpose, now: now.toISOString() })).length > 0;
}

/** How many were made since a moment and are not consumed. */
export async function countOneTimeTokens(reader: Reader, methodId: string, purpose: TokenPurpose, since: Date): Promise<number> {
  const [row] = await reader.query(countQuery, { methodId, purpose, since: since.toISOString() });
  return row?.count ?? 0;
}

/** Deletes all tokens of a purpose, once one of them is consumed. */
export async function forgetOneTimeTokens(tx: Transaction, methodId: string, purpose: TokenPurpose): Promise<void> {
  await tx.execute(deleteOfMethodQuery, { methodId, purpose });
}

export async function deleteExpiredOneTimeTokens(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(deleteExpiredQuery, { now: now.toISOString() });
}
