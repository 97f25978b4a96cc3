/** The tokens that apps got: their ids, until they expire. */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';

type Insert = { id: string; appId: string; userId: string; expiresAt: string };
const insertQuery = statement('identity_insert_project_app_token', (p: Params<Insert>) =>
  query.insertInto('project_app_tokens').values({ id: p.id, projectAppId: p.appId, userId: p.userId, expiresAt: p.expiresAt }),
);
const takeOfAppQuery = statement('identity_take_tokens_of_app', ({ appId }: Params<{ appId: string }>) =>
  query.deleteFrom('project_app_tokens').where('projectAppId', '=', appId).returning('id'),
);

const tokensWithApp = query
  .deleteFrom('project_app_tokens as t')
  .using('project_apps as a')
  .whereRef('a.id', '=', 't.projectAppId')
  .returning('t.id');
const takeInScopesQuery = statement('identity_take_app_tokens_in_scopes', ({ scopeIds }: Params<{ scopeIds: readonly string[] }>) =>
  tokensWithApp.where('a.scopeId', '=', ({ fn }) => fn.any(scopeIds)),
);
const takeOfUserQuery = statement('identity_take_app_tokens_of_user', (p: Params<{ scopeId: string; userId: string }>) =>
  tokensWithApp
    .where('t.userId', '=', p.userId)
    .where(({ or, eb }) => or([eb('a.scopeId', '=', p.scopeId), eb('a.scopeId', 'like', sql<string>`${p.scopeId} || ':%'`)])),
);
const deleteExpiredQuery = statement('identity_delete_expired_app_tokens', ({ now }: Params<{ now: string }>) =>
  query.deleteFrom('project_app_tokens').where('expiresAt', '<', now),
);

export type ProjectAppToken = { readonly id: string; readonly appId: string; readonly userId: string; readonly expiresAt: Date };

export async function insertAppToken(tx: Transaction, { id, appId, userId, expiresAt }: ProjectAppToken): Promise<void> {
  await tx.execute(insertQuery, { id, appId, userId, expiresAt: expiresAt.toISOString() });
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Deletes the rows of an app's tokens and returns their ids, for revocation. */
export async function takeTokensOfApp(tx: Transaction, appId: string): Promise<string[]> {
  return idsOf(await tx.query(takeOfAppQuery, { appId }));
}

/** Of all apps of these projects. */
export async function takeTokensInScopes(tx: Transaction, scopeIds: readonly string[]): Promise<string[]> {
  return idsOf(await tx.query(takeInScopesQuery, { scopeIds }));
}

/** Of one person, in a project or in all projects of an account or organization. */
export async function takeTokensOfUser(tx: Transaction, scopeId: string, userId: string): Promise<string[]> {
  return idsOf(await tx.query(takeOfUserQuery, { scopeId, userId }));
}

export async function deleteExpiredAppTokens(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(deleteExpiredQuery, { now: now.toISOString() });
}
