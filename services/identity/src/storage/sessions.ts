import { findPage, type Page, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { TokenScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { query } from './query.ts';
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

export type NewSession = Omit<Session, 'authenticationMethodId' | 'expiresAt' | 'lastUsedAt' | 'createdAt' | 'updatedAt'> & {
  readonly authenticationMethodId: string;
  readonly deviceKey: Buffer;
  readonly refreshHash: Buffer;
  readonly expiresAt: Date;
};

/** A refresh token from a request, with what decides whether it is accepted. */
export type PresentedToken = {
  readonly sessionId: string;
  readonly userId: string;
  readonly scope: TokenScope | null;
  readonly audience: string;
  readonly spentAt: string | null;
  /** For a spent token: whether this device spent it. */
  readonly sameDevice: boolean;
  readonly successorUnspent: boolean;
  readonly methods: readonly { readonly isVerified: boolean }[];
};

const columns = [
  'id',
  'userId',
  'authenticationMethodId',
  'audience',
  'scopeTenant',
  'scopeId',
  'userAgent',
  'ipAddress',
  'expiresAt',
  'lastUsedAt',
  'createdAt',
  'updatedAt',
] as const;

type ScopeColumns = { readonly scopeTenant: TokenScope['tenant'] | ''; readonly scopeId: string };

function withScope<Row extends ScopeColumns>({ scopeTenant, scopeId, ...row }: Row) {
  return { ...row, scope: scopeTenant === '' ? null : { tenant: scopeTenant, id: scopeId } };
}

function scopeColumns(scope: TokenScope | null): ScopeColumns {
  return scope === null ? { scopeTenant: '', scopeId: '' } : { scopeTenant: scope.tenant, scopeId: scope.id };
}

type Device = ScopeColumns & { readonly userId: string; readonly deviceKey: Buffer };

function sessionOfDevice(p: Params<Device>) {
  return query
    .selectFrom('sessions')
    .where('userId', '=', p.userId)
    .where('scopeTenant', '=', p.scopeTenant)
    .where('scopeId', '=', p.scopeId)
    .where('deviceKey', '=', p.deviceKey)
    .select('id');
}
const findDeviceQuery = statement('identity_find_device_session', sessionOfDevice);

type Insert = Device & {
  id: string;
  authenticationMethodId: string;
  audience: string;
  userAgent: string;
  ipAddress: string;
  expiresAt: string;
  now: string;
};
const inserted = [
  'id',
  'userId',
  'authenticationMethodId',
  'audience',
  'scopeTenant',
  'scopeId',
  'userAgent',
  'ipAddress',
  'deviceKey',
  'expiresAt',
  'lastUsedAt',
  'createdAt',
  'updatedAt',
] as const;

/** What a sign-in changes in the session that its device has already. */
function renewed({ authenticationMethodId, audience, expiresAt, now }: Params<Insert>) {
  return { authenticationMethodId, audience, expiresAt, lastUsedAt: now, updatedAt: now };
}

const upsertQuery = statement('identity_upsert_session', (p: Params<Insert>) =>
  query
    .insertInto('sessions')
    .values({
      ...{ id: p.id, userId: p.userId, authenticationMethodId: p.authenticationMethodId, audience: p.audience },
      ...{ scopeTenant: p.scopeTenant, scopeId: p.scopeId, userAgent: p.userAgent, ipAddress: p.ipAddress, deviceKey: p.deviceKey },
      ...{ expiresAt: p.expiresAt, lastUsedAt: p.now, createdAt: p.now, updatedAt: p.now },
    })
    .onConflict((conflict) => conflict.constraint('sessions_device').doUpdateSet(renewed(p)))
    .returning('id'),
);
// Each CTE takes its rows from the one before, and so locks them after it: the person, the method,
// the session.
const upsertUsingQuery = statement('identity_upsert_session_using_method', (p: Params<Insert & { comparedHash: string }>) =>
  query
    .with('person', (db) =>
      db
        .selectFrom('users as u')
        .innerJoin('authentication_methods as m', 'm.userId', 'u.id')
        .where('m.id', '=', p.authenticationMethodId)
        .where('u.id', '=', p.userId)
        .where('u.deletedAt', 'is', null)
        .select('u.id')
        .forKeyShare('u'),
    )
    .with('used', (db) =>
      db
        .updateTable('authentication_methods as m')
        .from('person')
        .set({ lastUsedAt: p.now })
        .where('m.id', '=', p.authenticationMethodId)
        .whereRef('m.userId', '=', 'person.id')
        .where(({ eb }) => eb(eb.ref('m.providerData', '->>').key('passwordHash'), '=', p.comparedHash))
        .returning(['m.id', 'm.userId']),
    )
    .insertInto('sessions')
    .columns(inserted)
    .expression((eb) =>
      eb
        .selectFrom('used')
        .select([
          sql<string>`${p.id}::uuid`.as('id'),
          'used.userId',
          'used.id as authenticationMethodId',
          sql<string>`${p.audience}`.as('audience'),
          sql<ScopeColumns['scopeTenant']>`${p.scopeTenant}`.as('scopeTenant'),
          sql<string>`${p.scopeId}`.as('scopeId'),
          sql<string>`${p.userAgent}`.as('userAgent'),
          sql<string>`${p.ipAddress}`.as('ipAddress'),
          sql<Buffer>`${p.deviceKey}::bytea`.as('deviceKey'),
          sql<string>`${p.expiresAt}::timestamptz`.as('expiresAt'),
          sql<string>`${p.now}::timestamptz`.as('lastUsedAt'),
          sql<string>`${p.now}::timestamptz`.as('createdAt'),
          sql<string>`${p.now}::timestamptz`.as('updatedAt'),
        ]),
    )
    .onConflict((conflict) => conflict.constraint('sessions_device').doUpdateSet(renewed(p)))
    .returning('id'),
);
// It finds the session by its device, so that it can be sent together with the upsert, whose result
// is the id. It runs after the upsert, which has locked the session, and so sees every token that
// an earlier holder of the lock has written. The count makes the delete come before the insert: the
// index allows one current token for each session.
type Replacement = Device & { hash: Buffer; now: string; expiresAt: string };
const replaceTokensQuery = statement('identity_replace_refresh_tokens', (p: Params<Replacement>) =>
  query
    .with('session', () => sessionOfDevice(p))
    .with('deleted', (db) =>
      db.deleteFrom('refresh_tokens as t').using('session').whereRef('t.sessionId', '=', 'session.id').returning('t.sessionId'),
    )
    .insertInto('refresh_tokens')
    .columns(['hash', 'sessionId', 'createdAt', 'expiresAt'])
    .expression((eb) =>
      eb
        .selectFrom('session')
        .innerJoin(
          eb
            .selectFrom('deleted')
            .select(({ fn }) => fn.countAll().as('count'))
            .as('counted'),
          (join) => join.onTrue(),
        )
        .select([
          sql<Buffer>`${p.hash}::bytea`.as('hash'),
          'session.id as sessionId',
          sql<string>`${p.now}::timestamptz`.as('createdAt'),
          sql<string>`${p.expiresAt}::timestamptz`.as('expiresAt'),
        ]),
    ),
);

type Presented = { hash: Buffer; successorHash: Buffer; deviceKey: Buffer; now: string };
const findPresentedQuery = statement('identity_find_presented_token', (p: Params<Presented>) =>
  query
    .selectFrom('refresh_tokens as t')
    .innerJoin('sessions as s', 's.id', 't.sessionId')
    .innerJoin('users as u', (join) => join.onRef('u.id', '=', 's.userId').on('u.deletedAt', 'is', null))
    .where('t.hash', '=', p.hash)
    .where('t.expiresAt', '>', p.now)
    .where('s.expiresAt', '>', p.now)
    .select(['s.id as sessionId', 's.userId', 's.audience', 's.scopeTenant', 's.scopeId', 't.spentAt'])
    .select(({ eb, exists, fn, selectFrom }) => [
      eb(fn.coalesce('t.spentBy', 's.deviceKey'), '=', p.deviceKey).$castTo<boolean>().as('sameDevice'),
      exists(
        selectFrom('refresh_tokens as n')
          .where('n.hash', '=', p.successorHash)
          .whereRef('n.sessionId', '=', 's.id')
          .where('n.spentAt', 'is', null)
          .select('n.hash'),
      )
        .$castTo<boolean>()
        .as('successorUnspent'),
      selectFrom('authentication_methods as m')
        .whereRef('m.userId', '=', 's.userId')
        .select(({ fn, ref }) => fn.jsonAgg(jsonBuildObject({ isVerified: ref('m.isVerified') })).as('methods'))
        .as('methods'),
    ]),
);

// The compare-and-set: of all requests that present a token at once, one spends it. It locks the
// session first, as a sign-in does, so that the two cannot deadlock.
const rotateQuery = statement('identity_rotate_refresh_token', (p: Params<Presented & { expiresAt: string }>) =>
  query
    .with('session', (db) =>
      db
        .selectFrom('sessions')
        .where('id', '=', ({ selectFrom }) => selectFrom('refresh_tokens').where('hash', '=', p.hash).select('sessionId'))
        .where('expiresAt', '>', p.now)
        .select('id')
        .forUpdate(),
    )
    .with('spent', (db) =>
      db
        .updateTable('refresh_tokens as t')
        .from('session')
        .set({ spentAt: p.now, spentBy: p.deviceKey })
        .where('t.hash', '=', p.hash)
        .whereRef('t.sessionId', '=', 'session.id')
        .where('t.spentAt', 'is', null)
        .where('t.expiresAt', '>', p.now)
        .returning('t.sessionId'),
    )
    .with('successor', (db) =>
      db
        .insertInto('refresh_tokens')
        .columns(['hash', 'sessionId', 'createdAt', 'expiresAt'])
        .expression(
          db
            .selectFrom('spent')
            .select([
              sql<Buffer>`${p.successorHash}::bytea`.as('hash'),
              'spent.sessionId',
              sql<string>`${p.now}::timestamptz`.as('createdAt'),
              sql<string>`${p.expiresAt}::timestamptz`.as('expiresAt'),
            ]),
        ),
    )
    .updateTable('sessions as s')
    .from('spent')
    .set({ lastUsedAt: p.now, updatedAt: p.now, expiresAt: p.expiresAt })
    .whereRef('s.id', '=', 'spent.sessionId'),
);
const endOneQuery = statement('identity_end_session', (p: Params<{ userId: string; id: string }>) =>
  query.deleteFrom('sessions').where('userId', '=', p.userId).where('id', '=', p.id).returning('id'),
);
const endManyQuery = statement('identity_end_sessions', (p: Params<{ userId: string; keepId: string | null }>) =>
  query
    .deleteFrom('sessions')
    .where('userId', '=', p.userId)
    .where('id', 'is distinct from', sql<string>`${p.keepId}::uuid`)
    .returning('id'),
);
// It locks the method before its sessions, as a change of password does.
const endOfMethodQuery = statement('identity_end_sessions_of_method', (p: Params<{ userId: string; methodId: string; keepId: string }>) =>
  query
    .with('method', (db) =>
      db.selectFrom('authentication_methods').where('userId', '=', p.userId).where('id', '=', p.methodId).select('id').forUpdate(),
    )
    .deleteFrom('sessions as s')
    .using('method')
    .where('s.userId', '=', p.userId)
    .whereRef('s.authenticationMethodId', '=', 'method.id')
    .where('s.id', '<>', p.keepId)
    .returning('s.id'),
);
const endInScopesQuery = statement(
  'identity_end_sessions_in_scopes',
  (p: Params<{ scopeIds: readonly string[]; below: readonly string[] }>) =>
    query
      .deleteFrom('sessions')
      .where('scopeTenant', '<>', '')
      .where(({ or, eb, fn }) => or([eb('scopeId', '=', fn.any(p.scopeIds)), eb('scopeId', 'like', fn.any(p.below))]))
      .returning('id'),
);
const listQuery = statement('identity_list_sessions', (p: Params<{ userId: string; now: string }>) =>
  query
    .selectFrom('sessions')
    .where('userId', '=', p.userId)
    .where('expiresAt', '>', p.now)
    .select(columns)
    .orderBy('lastUsedAt', 'desc')
    .orderBy('id'),
);
const deleteExpiredQuery = statement('identity_delete_expired_sessions', ({ now }: Params<{ now: string }>) =>
  query
    .with('tokens', (db) => db.deleteFrom('refresh_tokens').where('expiresAt', '<', now))
    .deleteFrom('sessions')
    .where('expiresAt', '<', now),
);

/**
 * The session that a sign-in on this device would continue. A parallel sign-in may be faster, or
 * the session may end.
 */
export async function findDeviceSession(
  reader: Reader,
  { userId, scope, deviceKey }: Pick<NewSession, 'userId' | 'scope' | 'deviceKey'>,
): Promise<string | undefined> {
  return (await reader.query(findDeviceQuery, { userId, ...scopeColumns(scope), deviceKey }))[0]?.id;
}

/**
 * Opens the session of a device, or continues the one that it has; returns its id. Each device has
 * one, whatever arrives in parallel. The earlier refresh tokens are deleted: presented again they
 * are unknown, not stolen.
 */
export async function openSession(tx: Transaction, session: NewSession, now: Date): Promise<string> {
  const { values, replacement } = valuesOf(session, now);
  // Sent together: a connection keeps their order.
  const [opened] = await Promise.all([tx.one(upsertQuery, values), tx.execute(replaceTokensQuery, replacement)]);
  if (opened === undefined) throw new Error('an upsert returned no row');
  return opened.id;
}

/**
 * The same for a sign-in by password, which is recorded with the method. Undefined when the
 * password has changed since it was compared, or the method or the person was deleted. A change or
 * deletion that runs in parallel either comes first, or finds the session.
 */
export async function openSessionUsing(tx: Transaction, session: NewSession, comparedHash: string, now: Date): Promise<string | undefined> {
  const { values, replacement } = valuesOf(session, now);
  const [opened] = await Promise.all([tx.one(upsertUsingQuery, { ...values, comparedHash }), tx.execute(replaceTokensQuery, replacement)]);
  return opened?.id;
}

function valuesOf(session: NewSession, at: Date): { values: Insert; replacement: Replacement } {
  const { id, userId, authenticationMethodId, audience, scope, deviceKey, refreshHash } = session;
  const [userAgent, ipAddress] = [session.userAgent.slice(0, 512), session.ipAddress.slice(0, 64)];
  const times = { now: at.toISOString(), expiresAt: session.expiresAt.toISOString() };
  const device = { userId, ...scopeColumns(scope), deviceKey };
  return {
    values: { ...device, ...times, id, authenticationMethodId, audience, userAgent, ipAddress },
    replacement: { ...device, ...times, hash: refreshHash },
  };
}

type TokenHashes = { readonly hash: Buffer; readonly successorHash: Buffer; readonly deviceKey: Buffer };

/**
 * Undefined for a token that is unknown or expired, or whose session has ended or person is
 * deleted.
 */
export async function findPresentedToken(
  reader: Reader,
  { hash, successorHash, deviceKey }: TokenHashes,
  now: Date,
): Promise<PresentedToken | undefined> {
  const [found] = await reader.query(findPresentedQuery, { hash, successorHash, deviceKey, now: now.toISOString() });
  return found && { ...withScope(found), methods: found.methods ?? [] };
}

/**
 * Spends a token and inserts its successor, in one statement. False when it was spent before, or
 * the session has ended.
 */
export async function rotateRefreshToken(
  tx: Transaction,
  { hash, successorHash, deviceKey }: TokenHashes,
  now: Date,
  expiresAt: Date,
): Promise<boolean> {
  const input = { hash, successorHash, deviceKey, now: now.toISOString(), expiresAt: expiresAt.toISOString() };
  return (await tx.execute(rotateQuery, input)) === 1;
}

/** False when this person has no such session. */
export async function endSession(tx: Transaction, userId: string, id: string): Promise<boolean> {
  return (await tx.one(endOneQuery, { userId, id })) !== undefined;
}

/** All sessions of a person except the one to keep. Returns the ids that ended. */
export async function endSessions(tx: Transaction, userId: string, keepId: string | null = null): Promise<string[]> {
  return (await tx.query(endManyQuery, { userId, keepId })).map(({ id }) => id);
}

/**
 * The sessions that a method opened, except the one to keep. Returns the ids that ended. Call it
 * before the method is deleted.
 */
export async function endSessionsOfMethod(tx: Transaction, userId: string, methodId: string, keepId: string): Promise<string[]> {
  return (await tx.query(endOfMethodQuery, { userId, methodId, keepId })).map(({ id }) => id);
}

/** Sessions in these scopes, or of a user within them (`<scope>:<user>`). */
export async function endSessionsInScopes(tx: Transaction, scopeIds: readonly string[]): Promise<string[]> {
  const below = scopeIds.map((id) => `${id}:%`);
  return (await tx.query(endInScopesQuery, { scopeIds, below })).map(({ id }) => id);
}

/** Those that have not expired, the latest used first. */
export async function pageSessions(
  tx: Pick<Transaction, 'query'>,
  userId: string,
  now: Date,
  input: { readonly page?: number | undefined; readonly limit?: number | undefined },
): Promise<Page<Session>> {
  const { rows, ...page } = await findPage(tx, {
    name: 'identity_page_sessions',
    from: query.selectFrom('sessions').where('userId', '=', userId).where('expiresAt', '>', now.toISOString()),
    select: (sessions) => sessions.select(columns),
    sort: { fields: { lastUsedAt: 'lastUsedAt' }, default: 'lastUsedAt' },
    id: 'id',
    input: { ...input, sortOrder: 'desc' },
  });
  return { ...page, rows: rows.map(withScope) };
}

export async function listSessions(reader: Reader, userId: string, now: Date): Promise<Session[]> {
  return (await reader.query(listQuery, { userId, now: now.toISOString() })).map(withScope);
}

export async function deleteExpiredSessions(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(deleteExpiredQuery, { now: now.toISOString() });
}
