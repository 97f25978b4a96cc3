import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { Reader } from './reader.ts';

export type TokenPurpose = 'verify-email' | 'reset-password';

const insertSql = statement(
  'identity_insert_one_time_token',
  `INSERT INTO one_time_tokens (hash, purpose, authentication_method_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (hash) DO NOTHING`,
);
const consumeSql = statement(
  'identity_consume_one_time_token',
  `DELETE FROM one_time_tokens t USING authentication_methods m, users u
   WHERE t.hash = $1 AND t.purpose = $2 AND t.expires_at > $3
     AND m.id = t.authentication_method_id AND u.id = m.user_id AND u.deleted_at IS NULL
   RETURNING t.authentication_method_id AS "methodId", m.user_id AS "userId"`,
);
const isKnownSql = statement(
  'identity_is_one_time_token_known',
  'SELECT EXISTS (SELECT FROM one_time_tokens WHERE hash = $1 AND purpose = $2 AND expires_at > $3) AS known',
);
const forgetSql = statement(
  'identity_forget_one_time_tokens',
  'DELETE FROM one_time_tokens WHERE authentication_method_id = $1 AND purpose = $2',
);
const countSql = statement(
  'identity_count_one_time_tokens',
  'SELECT count(*)::int AS count FROM one_time_tokens WHERE authentication_method_id = $1 AND purpose = $2 AND created_at > $3',
);
const deleteExpiredSql = statement('identity_delete_expired_one_time_tokens', 'DELETE FROM one_time_tokens WHERE expires_at < $1');

export type NewOneTimeToken = {
  readonly hash: Buffer;
  readonly purpose: TokenPurpose;
  readonly methodId: string;
  readonly expiresAt: Date;
};

export async function insertOneTimeToken(tx: Transaction, token: NewOneTimeToken, now: Date): Promise<void> {
  await tx.execute(insertSql, [token.hash, token.purpose, token.methodId, now, token.expiresAt]);
}

/** Takes a token away and says whose it was, in one statement: of all who present it at once, one gets it. */
export async function consumeOneTimeToken(
  tx: Transaction,
  hash: Buffer,
  purpose: TokenPurpose,
  now: Date,
): Promise<{ methodId: string; userId: string } | undefined> {
  return tx.one(consumeSql, [hash, purpose, now]);
}

/** A look without taking: the answer may be outdated at once. */
export async function isOneTimeTokenKnown(reader: Reader, hash: Buffer, purpose: TokenPurpose, now: Date): Promise<boolean> {
  const [row] = await reader.query<{ known: boolean }>(isKnownSql, [hash, purpose, now]);
  return row?.known === true;
}

/** How many were made since a moment and have not served. */
export async function countOneTimeTokens(reader: Reader, methodId: string, purpose: TokenPurpose, since: Date): Promise<number> {
  const [row] = await reader.query<{ count: number }>(countSql, [methodId, purpose, since]);
  return row?.count ?? 0;
}

/** The other tokens of a purpose, once one of them has served. */
export async function forgetOneTimeTokens(tx: Transaction, methodId: string, purpose: TokenPurpose): Promise<void> {
  await tx.execute(forgetSql, [methodId, purpose]);
}

export async function deleteExpiredOneTimeTokens(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(deleteExpiredSql, [now]);
}
