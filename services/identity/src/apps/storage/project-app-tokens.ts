/** The tokens that apps got: their ids, until they expire. */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { ActingKey } from './acting-apps.ts';
import {
  deleteAllArtifactsOfUser,
  deleteArtifactsAt,
  deleteArtifactsInScopes,
  deleteArtifactsOfUserAndApp,
  placeOfApp,
} from './openid-artifacts.ts';

const tokensWithApp = query
  .deleteFrom('project_app_tokens as t')
  .using('project_apps as a')
  .whereRef('a.id', '=', 't.projectAppId')
  .returning('t.id');
export type ProjectAppToken = {
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly expiresAt: Date;
  /** Of OpenID Connect: where the token comes from. */
  readonly sessionId?: string;
  readonly grantId?: string;
  /** The organization that it is for, if that uses the project of another one. */
  readonly organizationId?: string | undefined;
  /** The token that it was exchanged for. */
  readonly parentId?: string;
};

export async function insertAppToken(tx: Transaction, token: ProjectAppToken): Promise<void> {
  const { id, appId, userId, expiresAt, sessionId = null, grantId = null, organizationId = null, parentId = null } = token;
  const row = { id, projectAppId: appId, userId, expiresAt: expiresAt.toISOString(), sessionId, grantId, organizationId, parentId };
  await tx.execute(query.insertInto('project_app_tokens').values(row));
}

/**
 * The token of a machine app, if the app is unchanged since it was read, and the platform lets in
 * who vouches for it. Both then stay so until the transaction ends: a parallel change, deletion or
 * block waits, and then finds the token.
 */
export async function insertMachineToken(
  tx: Transaction,
  {
    id,
    app,
    expiresAt,
  }: { readonly id: string; readonly app: { readonly id: string; readonly updatedAt: string }; readonly expiresAt: Date },
): Promise<boolean> {
  const values = { id, appId: app.id, updatedAt: app.updatedAt, expiresAt: expiresAt.toISOString() };
  return (await tx.one(insertMachineQuery, values)) !== undefined;
}

const insertMachineQuery = statement(
  'identity_insert_machine_token',
  (p: Params<{ id: string; appId: string; updatedAt: string; expiresAt: string }>) =>
    query
      .with('held', (db) =>
        db
          .selectFrom('project_apps')
          .where('id', '=', p.appId)
          .where('deletedAt', 'is', null)
          .where('updatedAt', '=', p.updatedAt)
          .select(['id', 'vouchedBy'])
          .forShare(),
      )
      .with('voucher', (db) =>
        db
          .selectFrom('users')
          .where('id', 'in', ({ selectFrom }) => selectFrom('held').select('vouchedBy'))
          .select('blockedAt')
          .forKeyShare(),
      )
      .insertInto('project_app_tokens')
      .columns(['id', 'projectAppId', 'userId', 'expiresAt'])
      .expression(({ selectFrom }) =>
        selectFrom('held')
          .where(({ not, exists, selectFrom }) => not(exists(selectFrom('voucher').where('blockedAt', 'is not', null).select('blockedAt'))))
          .select([
            sql<string>`${p.id}::uuid`.as('id'),
            'held.id as projectAppId',
            // A machine app acts for no person: its own id stands there.
            'held.id as userId',
            sql<string>`${p.expiresAt}::timestamptz`.as('expiresAt'),
          ]),
      )
      .returning('id'),
);

/** The token of a machine app that has not ended. */
export async function findMachineToken(
  reader: Reader,
  id: string,
  now: Date,
): Promise<{ readonly clientId: string; readonly expiresAt: string } | undefined> {
  const [found] = await reader.query(findMachineQuery, { id, now: now.toISOString() });
  return found;
}

const findMachineQuery = statement('identity_find_machine_token', (p: Params<{ id: string; now: string }>) =>
  query
    .selectFrom('project_app_tokens as t')
    .innerJoin('project_apps as a', 'a.id', 't.projectAppId')
    .where('t.id', '=', p.id)
    .where('t.expiresAt', '>', p.now)
    .where('a.type', '=', sql.lit('machine'))
    .where('a.deletedAt', 'is', null)
    .select(['a.clientId', 't.expiresAt']),
);

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Deletes the rows of the tokens of these apps and returns their ids, for revocation. */
export async function takeTokensOfApps(tx: Transaction, appIds: readonly string[]): Promise<string[]> {
  const ofApps = query.deleteFrom('project_app_tokens').where('projectAppId', '=', ({ fn, val }) => fn.any(val(appIds)));
  return idsOf(await tx.query(ofApps.returning('id')));
}

/** Of one person for one app. The refresh tokens of OpenID Connect are deleted with them. */
export async function takeTokensOfUserAndApp(tx: Transaction, userId: string, projectAppId: string): Promise<string[]> {
  await deleteArtifactsOfUserAndApp(tx, userId, projectAppId);
  const ofBoth = query.deleteFrom('project_app_tokens').where('userId', '=', userId).where('projectAppId', '=', projectAppId);
  return idsOf(await tx.query(ofBoth.returning('id')));
}

/** Likewise, at one place. */
export async function takeTokensAt(tx: Transaction, key: ActingKey): Promise<string[]> {
  await deleteArtifactsAt(tx, key);
  const ofBoth = tokensWithApp.where('t.userId', '=', key.userId).where('t.projectAppId', '=', key.projectAppId);
  return idsOf(await tx.query(ofBoth.where(placeOfApp, '=', key.placeId)));
}

/** Those that these sessions led to. */
export async function takeTokensOfSessions(tx: Transaction, sessionIds: readonly string[]): Promise<string[]> {
  const ofSessions = query.deleteFrom('project_app_tokens').where('sessionId', '=', ({ fn, val }) => fn.any(val(sessionIds)));
  return idsOf(await tx.query(ofSessions.returning('id')));
}

export type ExchangeableToken = {
  readonly appId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly grantId: string;
  readonly organizationId: string | null;
  readonly expiresAt: string;
};

/** A person's token of an OpenID app that has not ended: what others may exchange. */
export async function findExchangeableToken(reader: Reader, id: string, now: Date): Promise<ExchangeableToken | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('project_app_tokens')
      .where('id', '=', id)
      .where('expiresAt', '>', now.toISOString())
      .select(['projectAppId as appId', 'userId', 'sessionId', 'grantId', 'organizationId', 'expiresAt']),
  );
  const { sessionId = null, grantId = null, ...token } = found ?? {};
  return found === undefined || sessionId === null || grantId === null ? undefined : { ...found, ...token, sessionId, grantId };
}

/**
 * Whether the token is there. If so it stays until the transaction ends: its end waits, and then
 * finds what it was exchanged for.
 */
export async function holdToken(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.one(query.selectFrom('project_app_tokens').where('id', '=', id).select('id').forShare())) !== undefined;
}

/**
 * All that came from these tokens by exchange, however far down: a statement for each level. Each
 * waits for exchanges that hold its tokens, and the next one sees what these made.
 */
export async function takeDescendants(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const taken: string[] = [];
  for (let above = ids; above.length > 0; ) {
    const parents = above;
    const below = query.deleteFrom('project_app_tokens').where('parentId', '=', ({ fn, val }) => fn.any(val(parents)));
    above = idsOf(await tx.query(below.returning('id')));
    taken.push(...above);
  }
  return taken;
}

/** What these clients got for tokens of the app. */
export async function takeExchanged(tx: Transaction, appId: string, clientIds: readonly string[]): Promise<string[]> {
  if (clientIds.length === 0) return [];
  const exchanged = query
    .deleteFrom('project_app_tokens as t')
    .using(['project_apps as a', 'project_app_tokens as p'])
    .whereRef('a.id', '=', 't.projectAppId')
    .whereRef('p.id', '=', 't.parentId')
    .where('p.projectAppId', '=', appId)
    .where('a.clientId', '=', ({ fn, val }) => fn.any(val(clientIds)))
    .returning('t.id');
  return idsOf(await tx.query(exchanged));
}

/** One token that came by exchange; false for every other one. */
export async function takeExchangedToken(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.execute(query.deleteFrom('project_app_tokens').where('id', '=', id).where('parentId', 'is not', null))) > 0;
}

/** One token by its id. */
export async function takeAppToken(tx: Transaction, id: string): Promise<void> {
  await tx.execute(query.deleteFrom('project_app_tokens').where('id', '=', id));
}

/** Of one grant of OpenID Connect. */
export async function takeTokensOfGrant(tx: Transaction, grantId: string): Promise<string[]> {
  return idsOf(await tx.query(query.deleteFrom('project_app_tokens').where('grantId', '=', grantId).returning('id')));
}

/** The app that a token was for; undefined for a token of another kind. */
export async function findAppOfToken(reader: Reader, tokenId: string): Promise<string | undefined> {
  const [found] = await reader.query(query.selectFrom('project_app_tokens').where('id', '=', tokenId).select('projectAppId'));
  return found?.projectAppId;
}

/** The session that led to a token; undefined without one. */
export async function findSessionOfToken(reader: Reader, tokenId: string): Promise<string | undefined> {
  const [found] = await reader.query(query.selectFrom('project_app_tokens').where('id', '=', tokenId).select('sessionId'));
  return found?.sessionId ?? undefined;
}

/** Of all apps of these projects, likewise. */
export async function takeTokensInScopes(tx: Transaction, scopeIds: readonly string[]): Promise<string[]> {
  await deleteArtifactsInScopes(tx, scopeIds);
  return idsOf(await tx.query(tokensWithApp.where('a.scopeId', '=', ({ fn, val }) => fn.any(val(scopeIds)))));
}

/** Of a person in all apps. Codes, grants and refresh tokens of OpenID Connect go with them. */
export async function takeAllTokensOfUser(tx: Transaction, userId: string): Promise<string[]> {
  await deleteAllArtifactsOfUser(tx, userId);
  return idsOf(await tx.query(query.deleteFrom('project_app_tokens').where('userId', '=', userId).returning('id')));
}

function ofPeopleIn(scopeId: string, userIds: readonly string[]) {
  return tokensWithApp
    .where('t.userId', '=', ({ fn, val }) => fn.any(val(userIds)))
    .where(({ or, eb }) => or([eb(placeOfApp, '=', scopeId), eb(placeOfApp, 'like', `${scopeId}:%`)]));
}

/** Of these people, in a project or in all projects that an account or organization has or uses. */
export async function takeTokensOfUsers(tx: Transaction, scopeId: string, userIds: readonly string[]): Promise<string[]> {
  return idsOf(await tx.query(ofPeopleIn(scopeId, userIds)));
}

/** Likewise, but only in projects that the organization uses. */
export async function takeTokensOfCustomers(tx: Transaction, scopeId: string, userIds: readonly string[]): Promise<string[]> {
  return idsOf(await tx.query(ofPeopleIn(scopeId, userIds).where('t.organizationId', 'is not', null)));
}

/** Of all people who signed in to this project for an organization that uses it. */
export async function takeTokensOfUse(tx: Transaction, scopeId: string, organizationId: string): Promise<string[]> {
  return idsOf(await tx.query(tokensWithApp.where('a.scopeId', '=', scopeId).where('t.organizationId', '=', organizationId)));
}

/** Of machine apps that these people vouch for, in a project or in all projects of a parent. */
export async function takeTokensOfMachines(tx: Transaction, scopeId: string, userIds: readonly string[]): Promise<string[]> {
  const ofMachines = tokensWithApp
    .where('a.roleId', 'is not', null)
    .where('a.vouchedBy', '=', ({ fn, val }) => fn.any(val(userIds)))
    .where(({ or, eb, val }) => or([eb(val(scopeId), '=', ''), eb('a.scopeId', '=', scopeId), eb('a.scopeId', 'like', `${scopeId}:%`)]));
  return idsOf(await tx.query(ofMachines));
}

export async function deleteExpiredAppTokens(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(query.deleteFrom('project_app_tokens').where('expiresAt', '<', now.toISOString()));
}
