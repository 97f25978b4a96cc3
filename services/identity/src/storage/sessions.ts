import { type Page, pageQuery, type Statement, statement, type Transaction, type Values } from '@tessera/kernel/postgres';
import type { TokenScope } from '@tessera/kernel/scope';
import type { Reader } from './reader.ts';

export type Session = {
  readonly id: string;
  readonly userId: string;
  readonly authenticationMethodId: string | null;
  readonly audience: string;
  readonly scope: TokenScope | null;
  readonly userAgent: string;
  readonly ipAddress: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type NewSession = {
  readonly id: string;
  readonly userId: string;
  readonly authenticationMethodId: string;
  readonly audience: string;
  readonly scope: TokenScope | null;
  readonly userAgent: string;
  readonly ipAddress: string;
  readonly deviceKey: Buffer;
  readonly refreshHash: Buffer;
  readonly expiresAt: Date;
};

/** A refresh token that somebody presents, with what decides about it. */
export type PresentedToken = {
  readonly sessionId: string;
  readonly userId: string;
  readonly scope: TokenScope | null;
  readonly audience: string;
  readonly spentAt: string | null;
  /** For a spent token: whether it was this device that spent it. */
  readonly sameDevice: boolean;
  readonly successorUnspent: boolean;
  readonly methods: readonly { readonly isVerified: boolean }[];
};

const scopeColumn = `CASE WHEN s.scope_tenant <> '' THEN jsonb_build_object('tenant', s.scope_tenant, 'id', s.scope_id) END AS scope`;
const columns = `s.id, s.user_id AS "userId", s.authentication_method_id AS "authenticationMethodId", s.audience, ${scopeColumn},
  s.user_agent AS "userAgent", s.ip_address AS "ipAddress", s.expires_at AS "expiresAt", s.last_used_at AS "lastUsedAt",
  s.created_at AS "createdAt", s.updated_at AS "updatedAt"`;
function methodsColumn(userId: string) {
  return `(SELECT coalesce(json_agg(json_build_object('isVerified', m.is_verified)), '[]') FROM authentication_methods m WHERE m.user_id = ${userId}) AS methods`;
}

const ofDevice = 'FROM sessions WHERE user_id = $1 AND scope_tenant = $2 AND scope_id = $3 AND device_key = $4';
const findDeviceSql = statement('identity_find_device_session', `SELECT id ${ofDevice}`);
function upsertText(source: string) {
  return `INSERT INTO sessions (id, user_id, authentication_method_id, audience, scope_tenant, scope_id, user_agent, ip_address, device_key,
     expires_at, last_used_at, created_at, updated_at)
   ${source}
   ON CONFLICT ON CONSTRAINT sessions_device DO UPDATE SET authentication_method_id = excluded.authentication_method_id,
     audience = excluded.audience, expires_at = excluded.expires_at, last_used_at = excluded.last_used_at, updated_at = excluded.updated_at
   RETURNING id`;
}
const upsertSql = statement('identity_upsert_session', upsertText('VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $11)'));
// Each takes its rows from the one before, and so is locked after it: the person, the method, the session.
const upsertUsingSql = statement(
  'identity_upsert_session_using_method',
  `WITH person AS (
     SELECT u.id FROM users u JOIN authentication_methods m ON m.user_id = u.id
     WHERE m.id = $3 AND u.id = $2 AND u.deleted_at IS NULL FOR KEY SHARE OF u
   ), used AS (
     UPDATE authentication_methods m SET last_used_at = $11 FROM person
     WHERE m.id = $3 AND m.user_id = person.id AND m.provider_data ->> 'passwordHash' IS NOT DISTINCT FROM $12 RETURNING m.id, m.user_id
   )
   ${upsertText('SELECT $1::uuid, user_id, id, $4, $5, $6, $7, $8, $9::bytea, $10::timestamptz, $11, $11, $11 FROM used')}`,
);
// Of the session's device, so that it need not wait to be told the session's id; behind the statement that locks its row, so that it sees
// what others, who held it before, have done to its tokens. Counted, so that they have gone before the new one comes: there is one at most.
const replaceTokensSql = statement(
  'identity_replace_refresh_tokens',
  `WITH session AS (SELECT id ${ofDevice}), forgotten AS (
     DELETE FROM refresh_tokens t USING session WHERE t.session_id = session.id RETURNING 1
   )
   INSERT INTO refresh_tokens (hash, session_id, created_at, expires_at)
   SELECT $5::bytea, session.id, $6::timestamptz, $7::timestamptz FROM session, (SELECT count(*) FROM forgotten) AS counted`,
);
const findPresentedSql = statement(
  'identity_find_presented_token',
  `SELECT s.id AS "sessionId", s.user_id AS "userId", s.audience, ${scopeColumn}, t.spent_at AS "spentAt",
     coalesce(t.spent_by, s.device_key) = $3 AS "sameDevice",
     EXISTS (SELECT FROM refresh_tokens n WHERE n.hash = $2 AND n.session_id = s.id AND n.spent_at IS NULL) AS "successorUnspent",
     ${methodsColumn('s.user_id')}
   FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL
   WHERE t.hash = $1 AND t.expires_at > $4 AND s.expires_at > $4`,
);
// The compare-and-set: of all who present a token at once, one spends it. The session is locked first, as login does, so the two never deadlock.
const rotateSql = statement(
  'identity_rotate_refresh_token',
  `WITH session AS (
     SELECT id FROM sessions WHERE id = (SELECT session_id FROM refresh_tokens WHERE hash = $1) AND expires_at > $3 FOR UPDATE
   ), spent AS (
     UPDATE refresh_tokens t SET spent_at = $3, spent_by = $5 FROM session
     WHERE t.hash = $1 AND t.session_id = session.id AND t.spent_at IS NULL AND t.expires_at > $3 RETURNING t.session_id
   ), successor AS (
     INSERT INTO refresh_tokens (hash, session_id, created_at, expires_at) SELECT $2, session_id, $3, $4 FROM spent
   )
   UPDATE sessions s SET last_used_at = $3, updated_at = $3, expires_at = $4 FROM spent WHERE s.id = spent.session_id`,
);
const endOneSql = statement('identity_end_session', 'DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id');
const endManySql = statement(
  'identity_end_sessions',
  'DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2::uuid RETURNING id',
);
const endOfMethodSql = statement(
  'identity_end_sessions_of_method',
  // The method before its sessions, as a change of password does.
  `WITH method AS (SELECT id FROM authentication_methods WHERE user_id = $1 AND id = $2 FOR UPDATE)
   DELETE FROM sessions s USING method WHERE s.user_id = $1 AND s.authentication_method_id = method.id AND s.id <> $3 RETURNING s.id`,
);
const endInScopesSql = statement(
  'identity_end_sessions_in_scopes',
  `DELETE FROM sessions WHERE scope_tenant <> '' AND (scope_id = ANY ($1::text[]) OR scope_id LIKE ANY ($2::text[])) RETURNING id`,
);
const listSql = statement(
  'identity_list_sessions',
  `SELECT ${columns} FROM sessions s WHERE s.user_id = $1 AND s.expires_at > $2 ORDER BY s.last_used_at DESC, s.id`,
);
const deleteExpiredSql = statement(
  'identity_delete_expired_sessions',
  'WITH tokens AS (DELETE FROM refresh_tokens WHERE expires_at < $1) DELETE FROM sessions WHERE expires_at < $1',
);

/** The session that a login on this device would reuse. Only a forecast: another login may come first. */
export async function findDeviceSession(
  reader: Reader,
  session: Pick<NewSession, 'userId' | 'scope' | 'deviceKey'>,
): Promise<string | undefined> {
  const { userId, scope, deviceKey } = session;
  const [row] = await reader.query<{ id: string }>(findDeviceSql, [userId, scope?.tenant ?? '', scope?.id ?? '', deviceKey]);
  return row?.id;
}

/**
 * One session a device, whatever arrives in parallel; answers with the id of the one that stands.
 * Its earlier refresh tokens are forgotten: presented again they are unknown, not stolen.
 */
export async function openSession(tx: Transaction, session: NewSession, now: Date): Promise<string> {
  const id = await open(tx, upsertSql, session, now, []);
  if (id === undefined) throw new Error('an upsert returned no row');
  return id;
}

/**
 * The same for a sign-in by password, noted with the method; undefined when the password is another than the one that was compared, or the
 * method or the person has gone. Whoever changes or removes one of them is waited for, or waits and then finds what was opened here.
 */
export async function openSessionUsing(
  tx: Transaction,
  session: NewSession,
  comparedHash: string | null,
  now: Date,
): Promise<string | undefined> {
  return open(tx, upsertUsingSql, session, now, [comparedHash]);
}

async function open(
  tx: Transaction,
  upsert: Statement,
  { id, userId, authenticationMethodId, audience, scope, userAgent, ipAddress, deviceKey, refreshHash, expiresAt }: NewSession,
  now: Date,
  further: Values,
): Promise<string | undefined> {
  const shown = [userAgent.slice(0, 512), ipAddress.slice(0, 64)];
  const place = [scope?.tenant ?? '', scope?.id ?? ''];
  // One after the other, but sent together: a connection keeps their order.
  const [opened] = await Promise.all([
    tx.one<{ id: string }>(upsert, [
      ...[id, userId, authenticationMethodId, audience, ...place, ...shown, deviceKey, expiresAt, now],
      ...further,
    ]),
    tx.execute(replaceTokensSql, [userId, ...place, deviceKey, refreshHash, now, expiresAt]),
  ]);
  return opened?.id;
}

/** Undefined for tokens that are unknown, expired, or of an ended session or a deleted person. */
export async function findPresentedToken(
  reader: Reader,
  token: { readonly hash: Buffer; readonly successorHash: Buffer; readonly deviceKey: Buffer },
  now: Date,
): Promise<PresentedToken | undefined> {
  return (await reader.query<PresentedToken>(findPresentedSql, [token.hash, token.successorHash, token.deviceKey, now]))[0];
}

/** Spends a token and puts its successor in place, in one statement; false when somebody else was first or the session ended. */
export async function rotateRefreshToken(
  tx: Transaction,
  { hash, successorHash, deviceKey }: { readonly hash: Buffer; readonly successorHash: Buffer; readonly deviceKey: Buffer },
  now: Date,
  expiresAt: Date,
): Promise<boolean> {
  return (await tx.execute(rotateSql, [hash, successorHash, now, expiresAt, deviceKey])) === 1;
}

/** False when this person has no such session. */
export async function endSession(tx: Transaction, userId: string, id: string): Promise<boolean> {
  return (await tx.one(endOneSql, [userId, id])) !== undefined;
}

/** All of a person's sessions, but the one to keep; the ids that ended. */
export async function endSessions(tx: Transaction, userId: string, keepId: string | null = null): Promise<string[]> {
  return (await tx.query<{ id: string }>(endManySql, [userId, keepId])).map(({ id }) => id);
}

/** The sessions that a method opened, but the one to keep; the ids that ended. While the method is still there. */
export async function endSessionsOfMethod(tx: Transaction, userId: string, methodId: string, keepId: string): Promise<string[]> {
  return (await tx.query<{ id: string }>(endOfMethodSql, [userId, methodId, keepId])).map(({ id }) => id);
}

/** Sessions that live in these scopes, or in a user's place within them (`<scope>:<user>`). */
export async function endSessionsInScopes(tx: Transaction, scopeIds: readonly string[]): Promise<string[]> {
  const below = scopeIds.map((id) => `${id}:%`);
  return (await tx.query<{ id: string }>(endInScopesSql, [scopeIds, below])).map(({ id }) => id);
}

/** Those that have not expired, the latest used first. */
export async function pageSessions(
  tx: Pick<Transaction, 'query'>,
  userId: string,
  now: Date,
  input: { readonly page?: number | undefined; readonly limit?: number | undefined },
): Promise<Page<Session>> {
  return pageQuery<Session>(tx, {
    name: 'identity_page_sessions',
    select: columns,
    from: 'sessions s',
    where: ['s.user_id = $1', 's.expires_at > $2'],
    values: [userId, now],
    sort: { fields: { lastUsedAt: 's.last_used_at' }, default: 'lastUsedAt' },
    idColumn: 's.id',
    input: { ...input, sortOrder: 'desc' },
  });
}

export async function listSessions(reader: Reader, userId: string, now: Date): Promise<Session[]> {
  return reader.query<Session>(listSql, [userId, now]);
}

export async function deleteExpiredSessions(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(deleteExpiredSql, [now]);
}
