/** The tokens that apps got: their ids, until they expire. */
import type { Transaction } from '@tessera/kernel/postgres';
import { query } from './query.ts';

const tokensWithApp = query
  .deleteFrom('project_app_tokens as t')
  .using('project_apps as a')
  .whereRef('a.id', '=', 't.projectAppId')
  .returning('t.id');
export type ProjectAppToken = { readonly id: string; readonly appId: string; readonly userId: string; readonly expiresAt: Date };

export async function insertAppToken(tx: Transaction, { id, appId, userId, expiresAt }: ProjectAppToken): Promise<void> {
  await tx.execute(query.insertInto('project_app_tokens').values({ id, projectAppId: appId, userId, expiresAt: expiresAt.toISOString() }));
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Deletes the rows of an app's tokens and returns their ids, for revocation. */
export async function takeTokensOfApp(tx: Transaction, appId: string): Promise<string[]> {
  return idsOf(await tx.query(query.deleteFrom('project_app_tokens').where('projectAppId', '=', appId).returning('id')));
}

/** Of all apps of these projects. */
export async function takeTokensInScopes(tx: Transaction, scopeIds: readonly string[]): Promise<string[]> {
  return idsOf(await tx.query(tokensWithApp.where('a.scopeId', '=', ({ fn, val }) => fn.any(val(scopeIds)))));
}

/** Of one person, in a project or in all projects of an account or organization. */
export async function takeTokensOfUser(tx: Transaction, scopeId: string, userId: string): Promise<string[]> {
  const ofUser = tokensWithApp
    .where('t.userId', '=', userId)
    .where(({ or, eb }) => or([eb('a.scopeId', '=', scopeId), eb('a.scopeId', 'like', `${scopeId}:%`)]));
  return idsOf(await tx.query(ofUser));
}

export async function deleteExpiredAppTokens(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(query.deleteFrom('project_app_tokens').where('expiresAt', '<', now.toISOString()));
}
