import { linkedByProvider } from '@tessera/kernel/authorization';
import { findPage, type Page, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { TokenScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { type Acr, type Amr, acrOf, type Proof, repeatWindowMs } from '../../ground/domain/session.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type Session = {
  readonly id: string;
  readonly userId: string;
  readonly authenticationMethodId: string | null;
  readonly audience: string;
  readonly scope: TokenScope | null;
  readonly userAgent: string;
  readonly ipAddress: string;
  readonly acr: Acr;
  readonly amr: readonly Amr[];
  /** The organization's provider by which the person came. */
  readonly connectionId: string | null;
  readonly authenticatedAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Null for a session that a person signed in to. */
  readonly grantedBy: SessionGrant | null;
};

/** The session that granted one of another program, as it was then. It may have ended since. */
export type SessionGrant = {
  readonly sessionId: string;
  readonly userAgent: string;
  readonly ipAddress: string;
  readonly grantedAt: string;
};

/** With the number of live sessions that it granted, also indirectly. */
export type ListedSession = Session & { readonly grantedSessions: number };

const columns = [
  ...(['id', 'userId', 'authenticationMethodId', 'audience', 'scopeTenant', 'scopeId', 'userAgent', 'ipAddress'] as const),
  ...(['acr', 'amr', 'authenticatedAt', 'connectionId', 'expiresAt', 'lastUsedAt', 'createdAt', 'updatedAt'] as const),
  ...(['granters', 'granterUserAgent', 'granterIpAddress', 'grantedAt'] as const),
];

type GrantColumns = {
  readonly granters: readonly string[];
  readonly granterUserAgent: string | null;
  readonly granterIpAddress: string | null;
  readonly grantedAt: string | null;
};

function withGrant<Row extends GrantColumns>({ granters, granterUserAgent, granterIpAddress, grantedAt, ...row }: Row) {
  const sessionId = granters.at(-1);
  const isGranted = sessionId !== undefined && grantedAt !== null;
  const grantedBy: SessionGrant | null = isGranted
    ? { sessionId, userAgent: granterUserAgent ?? '', ipAddress: granterIpAddress ?? '', grantedAt }
    : null;
  return { ...row, grantedBy };
}

export type ScopeColumns = { readonly scopeTenant: TokenScope['tenant'] | ''; readonly scopeId: string };

export function withScope<Row extends ScopeColumns>({ scopeTenant, scopeId, ...row }: Row) {
  return { ...row, scope: scopeTenant === '' ? null : { tenant: scopeTenant, id: scopeId } };
}

export function scopeColumns(scope: TokenScope | null): ScopeColumns {
  return scope === null ? { scopeTenant: '', scopeId: '' } : { scopeTenant: scope.tenant, scopeId: scope.id };
}

export type Device = ScopeColumns & { readonly userId: string; readonly deviceKey: Buffer };

export function sessionOfDevice(p: Params<Device>) {
  return query
    .selectFrom('sessions')
    .where('userId', '=', p.userId)
    .where('scopeTenant', '=', p.scopeTenant)
    .where('scopeId', '=', p.scopeId)
    .where('deviceKey', '=', p.deviceKey)
    .select('id');
}
const findDeviceQuery = statement('identity_find_device_session', sessionOfDevice);

/**
 * The session that a sign-in on this device would continue. A parallel sign-in may be faster, or
 * the session may end.
 */
export async function findDeviceSession(
  reader: Reader,
  { userId, scope, deviceKey }: Pick<Device, 'userId' | 'deviceKey'> & Pick<Session, 'scope'>,
): Promise<string | undefined> {
  return (await reader.query(findDeviceQuery, { userId, ...scopeColumns(scope), deviceKey }))[0]?.id;
}

/** False when this person has no such session. */
export async function endSession(tx: Transaction, userId: string, id: string): Promise<boolean> {
  return (await tx.execute(query.deleteFrom('sessions').where('userId', '=', userId).where('id', '=', id))) === 1;
}

/**
 * The sessions that this one granted, also indirectly. Call it after the end of the session itself:
 * a grant holds its granter, so that none is added any more. Returns the ids that ended.
 */
export async function endGrantedSessions(tx: Transaction, userId: string, id: string): Promise<string[]> {
  const granted = query
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where(sql<boolean>`${id}::uuid = ANY (granters)`)
    .returning('id');
  const ended: string[] = [];
  // What one of them granted while its end waited for that grant is seen by the next statement.
  for (let last = await idsOf(tx.query(granted)); last.length > 0; last = await idsOf(tx.query(granted))) ended.push(...last);
  return ended;
}

/** How many sessions this one granted that have not expired. */
export async function countGrantedSessions(reader: Pick<Transaction, 'query'>, userId: string, id: string): Promise<number> {
  const [row] = await reader.query(
    query
      .selectFrom('sessions')
      .where('userId', '=', userId)
      .where('expiresAt', '>', sql<string>`now()`)
      .where(sql<boolean>`${id}::uuid = ANY (granters)`)
      .select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return Number(row?.count ?? 0);
}

async function idsOf(rows: Promise<readonly { readonly id: string }[]>): Promise<string[]> {
  return (await rows).map(({ id }) => id);
}

/** The session has proven more, or proven it again. Undefined when it has ended. */
export async function renewProof(
  tx: Transaction,
  userId: string,
  id: string,
  proven: readonly Amr[],
  now: Date,
): Promise<Proof | undefined> {
  const own = query.selectFrom('sessions').where('userId', '=', userId).where('id', '=', id);
  const session = await tx.one(own.select('amr').forUpdate());
  if (session === undefined) return undefined;
  // A way of the person's own; the provider's word again leaves what it was worth.
  const isOwn = !proven.includes('org');
  const amr = [...new Set([...session.amr.filter((one) => one !== 'org' && !(isOwn && one === linkedByProvider)), ...proven])];
  const at = now.toISOString();
  const values = { amr: sql<Proof['amr']>`${JSON.stringify(amr)}::jsonb`, acr: acrOf(amr), authenticatedAt: at, updatedAt: at };
  await tx.execute(query.updateTable('sessions').set(values).where('id', '=', id));
  return { amr, authenticatedAt: now };
}

/** All sessions of a person except the one to keep. Returns the ids that ended. */
export function endSessions(tx: Transaction, userId: string, keepId: string | null = null): Promise<string[]> {
  return idsOf(tx.query(query.deleteFrom('sessions').where('userId', '=', userId).where('id', 'is distinct from', keepId).returning('id')));
}

/**
 * The sessions that a method opened, except the one to keep. Returns the ids that ended. Call it
 * before the method is deleted: it locks the method before its sessions, as a change of password
 * does.
 */
export function endSessionsOfMethod(tx: Transaction, userId: string, methodId: string, keepId: string): Promise<string[]> {
  return idsOf(
    tx.query(
      query
        .with('method', (db) =>
          db.selectFrom('authentication_methods').where('userId', '=', userId).where('id', '=', methodId).select('id').forUpdate(),
        )
        .deleteFrom('sessions as s')
        .using('method')
        .where('s.userId', '=', userId)
        .whereRef('s.authenticationMethodId', '=', 'method.id')
        .where('s.id', '<>', keepId)
        .returning('s.id'),
    ),
  );
}

/** Sessions in these scopes, or of a user within them (`<scope>:<user>`). */
export function endSessionsInScopes(tx: Transaction, scopeIds: readonly string[]): Promise<string[]> {
  const below = scopeIds.map((id) => `${id}:%`);
  return idsOf(
    tx.query(
      query
        .deleteFrom('sessions')
        .where('scopeTenant', '<>', '')
        .where(({ or, eb, fn, val }) => or([eb('scopeId', '=', fn.any(val(scopeIds))), eb('scopeId', 'like', fn.any(val(below)))]))
        .returning('id'),
    ),
  );
}

function alive(userId: string, now: Date) {
  return query.selectFrom('sessions').where('userId', '=', userId).where('expiresAt', '>', now.toISOString());
}

function listed(sessions: ReturnType<typeof alive>, now: Date) {
  return sessions.select(columns).select(({ selectFrom }) =>
    selectFrom('sessions as granted')
      .whereRef('granted.userId', '=', 'sessions.userId')
      .where('granted.expiresAt', '>', now.toISOString())
      .where(sql<boolean>`sessions.id = ANY (granted.granters)`)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .as('grantedSessions'),
  );
}

function toListed<Row extends ScopeColumns & GrantColumns & { readonly grantedSessions: string | null }>(row: Row) {
  return { ...withGrant(withScope(row)), grantedSessions: Number(row.grantedSessions) };
}

/** Those that have not expired, the latest used first. */
export async function pageSessions(
  tx: Pick<Transaction, 'query'>,
  userId: string,
  now: Date,
  input: { readonly page?: number | undefined; readonly limit?: number | undefined },
): Promise<Page<ListedSession>> {
  const { rows, ...page } = await findPage(tx, {
    name: 'identity_page_sessions',
    from: alive(userId, now),
    select: (sessions) => listed(sessions, now),
    sort: { fields: { lastUsedAt: 'lastUsedAt' }, default: 'lastUsedAt' },
    id: 'id',
    input: { ...input, sortOrder: 'desc' },
  });
  return { ...page, rows: rows.map(toListed) };
}

export async function listSessions(reader: Reader, userId: string, now: Date): Promise<ListedSession[]> {
  return (await reader.query(listed(alive(userId, now), now).orderBy('lastUsedAt', 'desc').orderBy('id'))).map(toListed);
}

export async function deleteExpiredSessions(tx: Transaction, now: Date): Promise<number> {
  const at = now.toISOString();
  await tx.execute(query.deleteFrom('refresh_tokens').where('expiresAt', '<', at));
  return tx.execute(query.deleteFrom('sessions').where('expiresAt', '<', at));
}

/** The session as OpenID providers see it, with the provider of the method that opened it. */
export type SignedInSession = Pick<Session, 'id' | 'userId' | 'acr' | 'amr' | 'authenticatedAt' | 'expiresAt' | 'connectionId'> & {
  /** Null when the method was removed since. */
  readonly provider: string | null;
};

/** The session of a refresh token, which is the current one or was until ten seconds ago. */
export type BrowserSession = SignedInSession & { readonly isCurrentToken: boolean };

const signedIn = query
  .selectFrom('sessions as s')
  .innerJoin('users as u', (join) => join.onRef('u.id', '=', 's.userId').on('u.deletedAt', 'is', null))
  .leftJoin('authentication_methods as m', 'm.id', 's.authenticationMethodId')
  .where('s.scopeTenant', '=', '')
  .select(['s.id', 's.userId', 's.acr', 's.amr', 's.authenticatedAt', 's.expiresAt', 's.connectionId', 'm.provider']);

/** A live session of the platform, by its id. */
export async function findSignedInSession(reader: Reader, id: string, now: Date): Promise<SignedInSession | undefined> {
  const [found] = await reader.query(signedIn.where('s.id', '=', id).where('s.expiresAt', '>', now.toISOString()));
  return found;
}

/**
 * The same, by its refresh token and the device that holds it: the one that spent the last token,
 * or the one that signed in. The token before the current one is accepted for ten seconds: a
 * parallel tab may just have spent it.
 */
export async function findSessionOfRefreshToken(
  reader: Reader,
  { hash, deviceKey }: { readonly hash: Buffer; readonly deviceKey: Buffer },
  now: Date,
): Promise<BrowserSession | undefined> {
  const at = now.toISOString();
  const spentAfter = new Date(now.getTime() - repeatWindowMs).toISOString();
  const [found] = await reader.query(
    signedIn
      .innerJoin('refresh_tokens as t', 't.sessionId', 's.id')
      .select(({ eb }) => eb('t.spentAt', 'is', null).$castTo<boolean>().as('isCurrentToken'))
      .where('t.hash', '=', hash)
      .where('t.expiresAt', '>', at)
      .where('s.expiresAt', '>', at)
      .where(({ or, eb }) => or([eb('t.spentAt', 'is', null), eb('t.spentAt', '>', spentAfter)]))
      .where(({ eb, fn, selectFrom }) =>
        eb(
          fn.coalesce(
            selectFrom('refresh_tokens as last')
              .whereRef('last.sessionId', '=', 's.id')
              .where('last.spentAt', 'is not', null)
              .orderBy('last.spentAt', 'desc')
              .limit(1)
              .select('last.spentBy'),
            's.deviceKey',
          ),
          '=',
          deviceKey,
        ),
      ),
  );
  return found;
}
