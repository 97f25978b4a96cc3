/** Sign-ins that wait for their second factor, and wrong tries, which count for the person. */
import { newId } from '@tessera/kernel/ids';
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { UpstreamSession } from '../../ground/domain/connection.ts';
import type { Amr } from '../../ground/domain/session.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type DeferredSignIn = {
  readonly userId: string;
  readonly methodId: string;
  readonly amr: readonly Amr[];
  /** Encrypted: where a sign-in to an app goes on. Null for a session. */
  readonly flow: Buffer | null;
  /** Of an organization's provider. */
  readonly upstream: UpstreamSession | null;
};
type New = DeferredSignIn & { readonly hash: Buffer; readonly expiresAt: Date };

type Insert = Omit<New, 'amr' | 'upstream' | 'expiresAt'> & {
  amr: string;
  upstream: string | null;
  comparedHash: string | null;
  expiresAt: string;
  now: string;
};
// The method is locked: a parallel change of the password either comes first and is noticed here,
// or finds this sign-in and ends it.
const insertQuery = statement('identity_defer_sign_in', (p: Params<Insert>) =>
  query
    .with('method', (db) =>
      db
        .selectFrom('authentication_methods as m')
        .where('m.id', '=', p.methodId)
        .where('m.userId', '=', p.userId)
        .where(({ eb, or }) =>
          or([sql<boolean>`${p.comparedHash}::text is null`, eb(eb.ref('m.providerData', '->>').key('passwordHash'), '=', p.comparedHash)]),
        )
        .select(['m.id', 'm.userId'])
        .forShare('m'),
    )
    .insertInto('deferred_sign_ins')
    .columns(['hash', 'userId', 'authenticationMethodId', 'amr', 'flow', 'upstream', 'createdAt', 'expiresAt'])
    .expression((eb) =>
      eb
        .selectFrom('method')
        .select([
          sql<Buffer>`${p.hash}::bytea`.as('hash'),
          'method.userId',
          'method.id as authenticationMethodId',
          sql<readonly Amr[]>`${p.amr}::jsonb`.as('amr'),
          sql<Buffer | null>`${p.flow}::bytea`.as('flow'),
          sql<UpstreamSession | null>`${p.upstream}::jsonb`.as('upstream'),
          sql<string>`${p.now}::timestamptz`.as('createdAt'),
          sql<string>`${p.expiresAt}::timestamptz`.as('expiresAt'),
        ]),
    ),
);

/** False when the method was deleted or its password has changed since it was compared. */
export async function insertDeferredSignIn(
  tx: Transaction,
  { amr, upstream, expiresAt, ...row }: New,
  comparedHash: string | null,
  now: Date,
): Promise<boolean> {
  const values = {
    ...row,
    amr: JSON.stringify(amr),
    upstream: upstream === null ? null : JSON.stringify(upstream),
    comparedHash,
    expiresAt: expiresAt.toISOString(),
    now: now.toISOString(),
  };
  return (await tx.execute(insertQuery, values)) === 1;
}

type Living = { hash: Buffer; now: string };
const findQuery = statement('identity_find_deferred_sign_in', ({ hash, now }: Params<Living>) =>
  query
    .selectFrom('deferred_sign_ins')
    .where('hash', '=', hash)
    .where('expiresAt', '>', now)
    .select(['userId', 'authenticationMethodId as methodId', 'amr', 'flow', 'upstream']),
);
const endQuery = statement('identity_end_deferred_sign_in', ({ hash, now }: Params<Living>) =>
  query.deleteFrom('deferred_sign_ins').where('hash', '=', hash).where('expiresAt', '>', now),
);

export async function findDeferredSignIn(reader: Reader, hash: Buffer, now: Date): Promise<DeferredSignIn | undefined> {
  return (await reader.query(findQuery, { hash, now: now.toISOString() }))[0];
}

/** False when it has ended meanwhile. */
export async function endDeferredSignIn(tx: Transaction, hash: Buffer, now: Date): Promise<boolean> {
  return (await tx.execute(endQuery, { hash, now: now.toISOString() })) === 1;
}

/** Ends it with the last of `most` wrong tries. */
export async function countWrongTry(tx: Transaction, hash: Buffer, most: number): Promise<void> {
  await tx.execute(
    query
      .updateTable('deferred_sign_ins')
      .set(({ eb }) => ({ wrongTries: eb('wrongTries', '+', 1) }))
      .where('hash', '=', hash),
  );
  await tx.execute(query.deleteFrom('deferred_sign_ins').where('hash', '=', hash).where('wrongTries', '>=', most));
}

/** After a change of the person's password, methods or factors. */
export async function endDeferredSignInsOf(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('deferred_sign_ins').where('userId', '=', userId));
}

export async function insertWrongProof(tx: Transaction, userId: string, now: Date): Promise<void> {
  await tx.execute(query.insertInto('wrong_proofs').values({ id: newId(), userId, at: now.toISOString() }));
}

const wrongProofsQuery = statement('identity_list_wrong_proofs', ({ userId, since }: Params<{ userId: string; since: string }>) =>
  query.selectFrom('wrong_proofs').where('userId', '=', userId).where('at', '>', since).select('at').orderBy('at'),
);

/** The times of the person's wrong proofs since a moment, oldest first. */
export async function listWrongProofs(tx: Transaction, userId: string, since: Date): Promise<string[]> {
  return (await tx.query(wrongProofsQuery, { userId, since: since.toISOString() })).map(({ at }) => at);
}

export async function deleteExpiredProofs(tx: Transaction, now: Date, before: Date): Promise<void> {
  await tx.execute(query.deleteFrom('deferred_sign_ins').where('expiresAt', '<', now.toISOString()));
  await tx.execute(query.deleteFrom('wrong_proofs').where('at', '<', before.toISOString()));
}
