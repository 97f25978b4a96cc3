import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { type Acr, acrOf, type Proof } from '../../ground/domain/session.ts';
import { query } from '../../ground/storage/query.ts';
import { stopRecovery } from './account-recoveries.ts';
import type { Granter } from './granter.ts';
import { type Device, type ScopeColumns, type Session, scopeColumns, sessionOfDevice } from './sessions.ts';

export type NewSession = Pick<Session, 'id' | 'userId' | 'audience' | 'scope' | 'userAgent' | 'ipAddress'> & {
  readonly authenticationMethodId: string;
  readonly connectionId: string | null;
  readonly upstreamSid?: string | null;
  readonly deviceKey: Buffer;
  readonly refreshHash: Buffer;
  readonly expiresAt: Date;
  readonly proof: Proof;
  /** The session that grants this one. Null for a sign-in. */
  readonly granter: Granter | null;
};

type Insert = Device & {
  id: string;
  authenticationMethodId: string;
  connectionId: string | null;
  upstreamSid: string | null;
  comparedHash: string | null;
  audience: string;
  userAgent: string;
  ipAddress: string;
  acr: Acr;
  amr: string;
  authenticatedAt: string;
  expiresAt: string;
  now: string;
  granters: readonly string[];
  granterUserAgent: string | null;
  granterIpAddress: string | null;
  grantedAt: string | null;
};
// Before the rest: a parallel change of factors has committed then, and is seen by what follows.
const holdPersonQuery = statement('identity_hold_person', (p: Params<{ userId: string; connectionId: string | null }>) =>
  query
    // A connection that is switched off at this moment ends this session, or lets none be opened.
    .with('connection', (db) => db.selectFrom('connections').where('id', '=', p.connectionId).select('id').forShare())
    .selectFrom('users')
    .where('id', '=', p.userId)
    .select('id')
    .select(({ selectFrom }) => selectFrom('connection').select('connection.id').as('connectionId'))
    .forKeyShare('users'),
);
// Each CTE takes its rows from the one before, and so locks them after it: the person, the method,
// the session.
const openQuery = statement('identity_open_session', (p: Params<Insert>) =>
  query
    .with('person', (db) =>
      db
        .selectFrom('users as u')
        .innerJoin('authentication_methods as m', 'm.userId', 'u.id')
        .where('m.id', '=', p.authenticationMethodId)
        .where('u.id', '=', p.userId)
        .where('u.deletedAt', 'is', null)
        .where('u.blockedAt', 'is', null)
        // One factor is not enough for a person who has set up a second one meanwhile.
        .where(({ or, not, exists, selectFrom }) =>
          or([
            sql<boolean>`${p.acr}::text = 'aal2'`,
            not(
              exists(selectFrom('second_factors as f').whereRef('f.userId', '=', 'u.id').where('f.isConfirmed', '=', true).select('f.id')),
            ),
          ]),
        )
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('connections as c').where('c.id', '=', p.connectionId).where('c.status', '<>', 'active').select('c.id'))),
        )
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
        .where(({ eb, or }) =>
          or([sql<boolean>`${p.comparedHash}::text is null`, eb(eb.ref('m.providerData', '->>').key('passwordHash'), '=', p.comparedHash)]),
        )
        .returning(['m.id', 'm.userId']),
    )
    .insertInto('sessions')
    .columns([
      ...(['id', 'userId', 'authenticationMethodId', 'audience', 'scopeTenant', 'scopeId', 'userAgent', 'ipAddress'] as const),
      ...(['deviceKey', 'acr', 'amr', 'authenticatedAt', 'expiresAt', 'lastUsedAt', 'createdAt', 'updatedAt'] as const),
      ...(['granters', 'granterUserAgent', 'granterIpAddress', 'grantedAt', 'connectionId', 'upstreamSid'] as const),
    ])
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
          sql<Acr>`${p.acr}`.as('acr'),
          sql<Proof['amr']>`${p.amr}::jsonb`.as('amr'),
          sql<string>`${p.authenticatedAt}::timestamptz`.as('authenticatedAt'),
          sql<string>`${p.expiresAt}::timestamptz`.as('expiresAt'),
          sql<string>`${p.now}::timestamptz`.as('lastUsedAt'),
          sql<string>`${p.now}::timestamptz`.as('createdAt'),
          sql<string>`${p.now}::timestamptz`.as('updatedAt'),
          sql<string[]>`${p.granters}::uuid[]`.as('granters'),
          sql<string | null>`${p.granterUserAgent}::text`.as('granterUserAgent'),
          sql<string | null>`${p.granterIpAddress}::text`.as('granterIpAddress'),
          sql<string | null>`${p.grantedAt}::timestamptz`.as('grantedAt'),
          sql<string | null>`${p.connectionId}::uuid`.as('connectionId'),
          sql<string | null>`${p.upstreamSid}::text`.as('upstreamSid'),
        ]),
    )
    .onConflict((conflict) =>
      conflict.constraint('sessions_device').doUpdateSet({
        authenticationMethodId: p.authenticationMethodId,
        connectionId: p.connectionId,
        upstreamSid: p.upstreamSid,
        audience: p.audience,
        authenticatedAt: p.authenticatedAt,
        acr: p.acr,
        amr: sql<Proof['amr']>`${p.amr}::jsonb`,
        expiresAt: p.expiresAt,
        lastUsedAt: p.now,
        updatedAt: p.now,
        // A person who signs in to a granted session holds it in their own right.
        granters: sql<string[]>`array_remove(excluded.granters, sessions.id)`,
        granterUserAgent: p.granterUserAgent,
        granterIpAddress: p.granterIpAddress,
        grantedAt: p.grantedAt,
      }),
    )
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

/**
 * Opens the session of a device, or continues the one that it has, and records the use of the
 * method; returns the session's id. Each device has one, whatever arrives in parallel. The earlier
 * refresh tokens are deleted: presented again they are unknown, not stolen.
 *
 * Undefined when the method or the person was deleted, the password has changed since it was
 * compared, or a second factor was set up that this sign-in has not given. A change or deletion
 * that runs in parallel either comes first, or finds the session.
 */
export async function openSession(
  tx: Transaction,
  { refreshHash, scope, proof: { amr, authenticatedAt }, granter, upstreamSid = null, ...session }: NewSession,
  comparedHash: string | null,
  at: Date,
): Promise<string | undefined> {
  const [userAgent, ipAddress] = [session.userAgent.slice(0, 512), session.ipAddress.slice(0, 64)];
  const times = { now: at.toISOString(), expiresAt: session.expiresAt.toISOString() };
  const proof = { acr: acrOf(amr), amr: JSON.stringify(amr), authenticatedAt: authenticatedAt.toISOString() };
  const grant = {
    granters: granter?.granters ?? [],
    granterUserAgent: granter?.userAgent ?? null,
    granterIpAddress: granter?.ipAddress ?? null,
    grantedAt: granter === null ? null : times.now,
  };
  const values = { ...session, upstreamSid, ...proof, ...times, ...grant, ...scopeColumns(scope), userAgent, ipAddress };
  // Sent together: a connection keeps their order.
  const [, opened] = await Promise.all([
    tx.query(holdPersonQuery, { userId: session.userId, connectionId: session.connectionId }),
    tx.one(openQuery, { ...values, comparedHash }),
    tx.execute(replaceTokensQuery, { ...values, hash: refreshHash }),
    // Any sign-in stops a recovery of the account: its owner still has the factors.
    stopRecovery(tx, session.userId),
  ]);
  return opened?.id;
}
