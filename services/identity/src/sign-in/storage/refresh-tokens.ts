import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { TokenScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { Proof } from '../../ground/domain/session.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { withScope } from './sessions.ts';

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
  readonly proof: Proof;
  readonly connectionId: string | null;
};

type Presented = { hash: Buffer; successorHash: Buffer; deviceKey: Buffer; now: string };
const findPresentedQuery = statement('identity_find_presented_token', (p: Params<Presented>) =>
  query
    .selectFrom('refresh_tokens as t')
    .innerJoin('sessions as s', 's.id', 't.sessionId')
    .innerJoin('users as u', (join) => join.onRef('u.id', '=', 's.userId').on('u.deletedAt', 'is', null))
    .where('t.hash', '=', p.hash)
    .where('t.expiresAt', '>', p.now)
    .where('s.expiresAt', '>', p.now)
    .select([
      's.id as sessionId',
      's.userId',
      's.audience',
      's.scopeTenant',
      's.scopeId',
      's.amr',
      's.authenticatedAt',
      's.connectionId',
      't.spentAt',
    ])
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
const sessionOfTokenQuery = statement('identity_session_of_token', (p: Params<{ hash: Buffer }>) =>
  query.selectFrom('refresh_tokens').where('hash', '=', p.hash).select('sessionId'),
);

/** Whichever session the token is or was of, spent or not. */
export async function findSessionIdOfToken(reader: Reader, hash: Buffer): Promise<string | undefined> {
  const [found] = await reader.query(sessionOfTokenQuery, { hash });
  return found?.sessionId;
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
  if (found === undefined) return undefined;
  const { amr, authenticatedAt, ...token } = withScope(found);
  return { ...token, proof: { amr, authenticatedAt: new Date(authenticatedAt) }, methods: found.methods ?? [] };
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
