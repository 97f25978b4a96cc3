/** What the OpenID providers keep for a while. Every question names the issuer. */
import { createHash } from 'node:crypto';
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { ActingKey } from './acting-apps.ts';

/** Where an artifact is: the value is a secret, so the database knows its digest only. */
export type Place = { readonly issuer: string; readonly model: string; readonly digest: Uint8Array };

export type Artifact = Place & {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly grantId: string | null;
  readonly userCodeDigest: Uint8Array | null;
  readonly userId: string | null;
  readonly projectAppId: string | null;
  readonly sessionId: string | null;
  /** The organization that it is for, if that uses the project of another one. */
  readonly organizationId: string | null;
  readonly expiresAt: Date;
};

export type FoundArtifact = Pick<Artifact, 'digest' | 'issuer' | 'payload' | 'sessionId' | 'organizationId'> & {
  readonly consumedAt: string | null;
  /** Of a device code. */
  readonly polledAt: string | null;
  readonly pollSeconds: number | null;
};

/** Values of two kinds never have the same digest. */
export function digestOf(model: string, value: string): Buffer {
  return createHash('sha256').update(`${model}\n${value}`).digest();
}

const columns = ['digest', 'issuer', 'payload', 'sessionId', 'organizationId', 'consumedAt', 'polledAt', 'pollSeconds'] as const;

type Located = { issuer: string; model: string; digest: Uint8Array; now: string };
const findQuery = statement('identity_find_openid_artifact', (p: Params<Located>) =>
  query
    .selectFrom('openid_artifacts')
    .where('digest', '=', p.digest)
    .where('issuer', '=', p.issuer)
    .where('model', '=', p.model)
    .where('expiresAt', '>', p.now)
    .select(columns),
);
const consumeQuery = statement('identity_consume_openid_artifact', (p: Params<Located>) =>
  query
    .updateTable('openid_artifacts')
    .set({ consumedAt: p.now })
    .where('digest', '=', p.digest)
    .where('issuer', '=', p.issuer)
    .where('model', '=', p.model)
    .where('consumedAt', 'is', null)
    .returning('digest'),
);

export async function findArtifact(reader: Reader, place: Place, now: Date): Promise<FoundArtifact | undefined> {
  return (await reader.query(findQuery, { ...place, now: now.toISOString() }))[0];
}

export async function findByUserCode(
  reader: Reader,
  { issuer, userCodeDigest }: { readonly issuer: string; readonly userCodeDigest: Buffer },
  now: Date,
): Promise<FoundArtifact | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('openid_artifacts')
      .where('userCodeDigest', '=', userCodeDigest)
      .where('issuer', '=', issuer)
      .where('expiresAt', '>', now.toISOString())
      .select(columns),
  );
  return found;
}

/** By its value, at whichever issuer: pages know the interaction only. */
export async function findInteraction(reader: Reader, id: string, now: Date): Promise<FoundArtifact | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('openid_artifacts')
      .where('digest', '=', digestOf('Interaction', id))
      .where('model', '=', 'Interaction')
      .where('expiresAt', '>', now.toISOString())
      .select(columns),
  );
  return found;
}

/**
 * Inserts what its grant allows. False when the session or the grant has ended: an end in parallel
 * waits for this, and then finds it.
 */
export async function insertUnderGrant(writer: Reader, { expiresAt, ...artifact }: Artifact): Promise<boolean> {
  const { issuer, model, digest, payload, grantId, userCodeDigest, userId, projectAppId, sessionId, organizationId } = artifact;
  const inserted = await writer.query(
    query
      // The session first, then the grant, as whatever ends them does.
      .with('session', (db) => db.selectFrom('sessions').where('id', '=', sessionId).select('id').forKeyShare())
      .with('held', (db) =>
        db
          .selectFrom('openid_artifacts')
          .where('digest', '=', digestOf('Grant', grantId ?? ''))
          .where('issuer', '=', issuer)
          .where(({ or, exists, selectFrom, lit }) => or([lit(sessionId === null), exists(selectFrom('session').select('id'))]))
          .select('digest')
          .forShare(),
      )
      .insertInto('openid_artifacts')
      .columns([
        ...(['digest', 'issuer', 'model', 'payload', 'grantId', 'userCodeDigest', 'userId', 'projectAppId', 'sessionId'] as const),
        ...(['organizationId', 'expiresAt'] as const),
      ])
      .expression(({ selectFrom }) =>
        selectFrom('held').select([
          sql<Uint8Array>`${digest}::bytea`.as('digest'),
          sql<string>`${issuer}::text`.as('issuer'),
          sql<string>`${model}::text`.as('model'),
          sql<Artifact['payload']>`${JSON.stringify(payload)}::jsonb`.as('payload'),
          sql<string>`${grantId}::text`.as('grantId'),
          sql<Uint8Array | null>`${userCodeDigest}::bytea`.as('userCodeDigest'),
          sql<string | null>`${userId}::uuid`.as('userId'),
          sql<string | null>`${projectAppId}::uuid`.as('projectAppId'),
          sql<string | null>`${sessionId}::uuid`.as('sessionId'),
          sql<string | null>`${organizationId}::uuid`.as('organizationId'),
          sql<string>`${expiresAt.toISOString()}::timestamptz`.as('expiresAt'),
        ]),
      )
      .returning('digest'),
  );
  return inserted.length === 1;
}

/** Inserts it, or replaces its payload. */
export async function upsertArtifact(writer: Reader, { expiresAt, payload, ...artifact }: Artifact): Promise<void> {
  const changed = { payload, expiresAt: expiresAt.toISOString(), grantId: artifact.grantId };
  const owners = { userId: artifact.userId, sessionId: artifact.sessionId, organizationId: artifact.organizationId };
  await writer.query(
    query
      .insertInto('openid_artifacts')
      .values({ ...artifact, ...changed })
      .onConflict((conflict) => conflict.column('digest').doUpdateSet({ ...changed, ...owners })),
  );
}

/** False when it is there already. */
export async function insertArtifact(writer: Reader, { expiresAt, ...artifact }: Artifact): Promise<boolean> {
  const insert = query.insertInto('openid_artifacts').values({ ...artifact, expiresAt: expiresAt.toISOString() });
  return (await writer.query(insert.onConflict((conflict) => conflict.column('digest').doNothing()).returning('digest'))).length === 1;
}

/** Of all requests that present a value at once, one consumes it: the others get false. */
export async function consumeArtifact(writer: Reader, place: Place, now: Date): Promise<boolean> {
  return (await writer.query(consumeQuery, { ...place, now: now.toISOString() })).length === 1;
}

export type Rotation = { readonly spent: Place; readonly successor: Artifact };

/**
 * Spends a token and inserts its successor, together. `lost` when another request has spent it,
 * `ended` when its session or grant has ended: then roll back. It locks the session first, then the
 * grant, as whatever ends them does, so that they cannot deadlock.
 */
export async function rotateArtifact(tx: Transaction, { spent, successor }: Rotation, now: Date): Promise<'rotated' | 'lost' | 'ended'> {
  const { sessionId, grantId } = successor;
  const session = query.selectFrom('sessions').where('id', '=', sessionId).select('id').forKeyShare();
  if (sessionId !== null && (await tx.one(session)) === undefined) return 'ended';
  if (!(await holdGrant(tx, spent.issuer, grantId ?? ''))) return 'ended';
  if (!(await consumeArtifact(tx, spent, now))) return 'lost';
  await upsertArtifact(tx, successor);
  return 'rotated';
}

export async function deleteArtifact(writer: Reader, { issuer, model, digest }: Place): Promise<void> {
  await writer.query(
    query.deleteFrom('openid_artifacts').where('digest', '=', digest).where('issuer', '=', issuer).where('model', '=', model),
  );
}

/**
 * Everything that was issued for a grant, and the grant. The id of a grant comes from its session
 * and app, so that the next authorization makes the same one again: a token that was left here
 * would live again. So it waits for those that are being issued under the grant, before it deletes.
 */
export async function deleteGrant(tx: Transaction, issuer: string, grantId: string): Promise<void> {
  const grant = query.selectFrom('openid_artifacts').where('digest', '=', digestOf('Grant', grantId)).where('issuer', '=', issuer);
  await tx.execute(grant.select('digest').forUpdate());
  await tx.execute(query.deleteFrom('openid_artifacts').where('grantId', '=', grantId).where('issuer', '=', issuer));
}

/**
 * Whether the grant is there. If so it stays until the transaction ends: its end waits, and then
 * finds every token.
 */
export async function holdGrant(tx: Transaction, issuer: string, grantId: string): Promise<boolean> {
  const held = query
    .selectFrom('openid_artifacts')
    .where('digest', '=', digestOf('Grant', grantId))
    .where('issuer', '=', issuer)
    .select('digest')
    .forShare();
  return (await tx.one(held)) !== undefined;
}

export async function deleteArtifactsOfApps(tx: Transaction, appIds: readonly string[]): Promise<void> {
  await tx.execute(query.deleteFrom('openid_artifacts').where('projectAppId', '=', ({ fn, val }) => fn.any(val(appIds))));
}

/** What one person gave one app, for every organization. It waits as `deleteGrant` does. */
export async function deleteArtifactsOfUserAndApp(tx: Transaction, userId: string, projectAppId: string): Promise<void> {
  const ofBoth = query.selectFrom('openid_artifacts').where('userId', '=', userId).where('projectAppId', '=', projectAppId);
  await tx.execute(ofBoth.where('model', '=', 'Grant').select('digest').orderBy('digest').forUpdate());
  await tx.execute(query.deleteFrom('openid_artifacts').where('userId', '=', userId).where('projectAppId', '=', projectAppId));
}

/** Of a person everywhere, the platform's own issuer included. */
export async function deleteAllArtifactsOfUser(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('openid_artifacts').where('userId', '=', userId));
}

/** The scope that an artifact or token `t` of an app `a` is for. */
export const placeOfApp = sql<string>`coalesce(t.organization_id || ':' || split_part(a.scope_id, ':', 2), a.scope_id)`;

/** Of a person and an app at one place. */
export async function deleteArtifactsAt(tx: Transaction, { userId, projectAppId, placeId }: ActingKey): Promise<void> {
  await tx.execute(
    query
      .deleteFrom('openid_artifacts as t')
      .using('project_apps as a')
      .whereRef('a.id', '=', 't.projectAppId')
      .where('t.userId', '=', userId)
      .where('t.projectAppId', '=', projectAppId)
      .where(placeOfApp, '=', placeId),
  );
}

/** Of a person in a project, or in all projects that an account or organization has or uses. */
export async function deleteArtifactsOfUser(tx: Transaction, scopeId: string, userId: string): Promise<void> {
  await tx.execute(
    query
      .deleteFrom('openid_artifacts as t')
      .using('project_apps as a')
      .whereRef('a.id', '=', 't.projectAppId')
      .where('t.userId', '=', userId)
      .where(({ or, eb }) => or([eb(placeOfApp, '=', scopeId), eb(placeOfApp, 'like', `${scopeId}:%`)])),
  );
}

/** Of all people who signed in for this organization, which uses the project. */
export async function deleteArtifactsOfUse(tx: Transaction, scopeId: string, organizationId: string): Promise<void> {
  await tx.execute(
    query
      .deleteFrom('openid_artifacts as t')
      .using('project_apps as a')
      .whereRef('a.id', '=', 't.projectAppId')
      .where('a.scopeId', '=', scopeId)
      .where('t.organizationId', '=', organizationId),
  );
}

/** Of all apps of these projects. */
export async function deleteArtifactsInScopes(tx: Transaction, scopeIds: readonly string[]): Promise<void> {
  await tx.execute(
    query
      .deleteFrom('openid_artifacts as t')
      .using('project_apps as a')
      .whereRef('a.id', '=', 't.projectAppId')
      .where('a.scopeId', '=', ({ fn, val }) => fn.any(val(scopeIds))),
  );
}

export async function deleteExpiredArtifacts(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(query.deleteFrom('openid_artifacts').where('expiresAt', '<', now.toISOString()));
}

/** The grants of a session to one app. */
export async function listGrantIds(tx: Transaction, sessionId: string, projectAppId: string): Promise<string[]> {
  const grants = query.selectFrom('openid_artifacts').where('sessionId', '=', sessionId).where('projectAppId', '=', projectAppId);
  const rows = await tx.query(grants.where('model', '=', 'Grant').where('grantId', 'is not', null).select('grantId').orderBy('grantId'));
  return rows.flatMap(({ grantId }) => grantId ?? []);
}

export type OwnGrant = { readonly sessionId: string; readonly grantId: string };
type Move = {
  readonly issuer: string;
  readonly from: string;
  readonly own: OwnGrant;
  readonly code: { readonly model: string; readonly value: string };
};

/**
 * Gives a client's own session a grant of its own, with the scopes of the one that was granted, and
 * the spent code to it: a second use of the code then ends this grant. What an earlier grant to the
 * same device led to ends, as the earlier refresh tokens of a browser do: it would stand in the
 * list as the new one.
 */
export async function moveToOwnGrant(tx: Transaction, { issuer, from, own, code }: Move): Promise<void> {
  const digest = digestOf('Grant', own.grantId);
  await deleteGrant(tx, issuer, own.grantId);
  await tx.execute(
    query
      .insertInto('openid_artifacts')
      .columns(['digest', 'issuer', 'model', 'payload', 'grantId', 'userId', 'sessionId', 'expiresAt'])
      .expression(({ selectFrom, val }) =>
        selectFrom('openid_artifacts')
          .where('digest', '=', digestOf('Grant', from))
          .where('issuer', '=', issuer)
          .select([
            val(digest).as('digest'),
            ...(['issuer', 'model'] as const),
            sql<Artifact['payload']>`payload || '{"isOwn": true}'::jsonb`.as('payload'),
            val(own.grantId).as('grantId'),
            'userId',
            sql<string>`${own.sessionId}::uuid`.as('sessionId'),
            'expiresAt',
          ]),
      ),
  );
  await tx.execute(
    query
      .updateTable('openid_artifacts')
      .set({
        grantId: own.grantId,
        sessionId: own.sessionId,
        payload: sql<Artifact['payload']>`payload || ${JSON.stringify({ grantId: own.grantId, sessionUid: own.sessionId })}::jsonb`,
      })
      .where('digest', '=', digestOf(code.model, code.value))
      .where('issuer', '=', issuer),
  );
}

/** The session that lives for this grant alone, if it is one of these. */
export async function findOwnSession(
  reader: Reader,
  issuer: string,
  grantId: string,
): Promise<{ readonly userId: string; readonly sessionId: string } | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('openid_artifacts')
      .where('digest', '=', digestOf('Grant', grantId))
      .where('issuer', '=', issuer)
      .where(({ eb, ref }) => eb(ref('payload', '->>').key('isOwn'), '=', 'true'))
      .select(['userId', 'sessionId']),
  );
  return found?.userId && found.sessionId ? { userId: found.userId, sessionId: found.sessionId } : undefined;
}
