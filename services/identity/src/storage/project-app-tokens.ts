/** Which tokens project sign-ins handed out: their ids only, until they expire. */
import { statement, type Transaction } from '@tessera/kernel/postgres';

const insertSql = statement(
  'identity_insert_project_app_token',
  'INSERT INTO project_app_tokens (id, project_app_id, user_id, expires_at) VALUES ($1, $2, $3, $4)',
);
const takeOfAppSql = statement('identity_take_tokens_of_app', 'DELETE FROM project_app_tokens WHERE project_app_id = $1 RETURNING id');
const takeInScopesSql = statement(
  'identity_take_app_tokens_in_scopes',
  `DELETE FROM project_app_tokens t USING project_apps a WHERE a.id = t.project_app_id AND a.scope_id = ANY ($1::text[]) RETURNING t.id`,
);
const takeOfUserSql = statement(
  'identity_take_app_tokens_of_user',
  `DELETE FROM project_app_tokens t USING project_apps a
   WHERE a.id = t.project_app_id AND t.user_id = $2 AND (a.scope_id = $1 OR a.scope_id LIKE $1 || ':%') RETURNING t.id`,
);
const deleteExpiredSql = statement('identity_delete_expired_app_tokens', 'DELETE FROM project_app_tokens WHERE expires_at < $1');

export type HandedOutToken = { readonly id: string; readonly appId: string; readonly userId: string; readonly expiresAt: Date };

export async function insertAppToken(tx: Transaction, { id, appId, userId, expiresAt }: HandedOutToken): Promise<void> {
  await tx.execute(insertSql, [id, appId, userId, expiresAt]);
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** The ids of an app's tokens, for their revocation; each is answered once. */
export async function takeTokensOfApp(tx: Transaction, appId: string): Promise<string[]> {
  return idsOf(await tx.query<{ id: string }>(takeOfAppSql, [appId]));
}

/** Of all apps of these projects. */
export async function takeTokensInScopes(tx: Transaction, scopeIds: readonly string[]): Promise<string[]> {
  return idsOf(await tx.query<{ id: string }>(takeInScopesSql, [scopeIds]));
}

/** Of one person, in a project or in all projects of an account or organization. */
export async function takeTokensOfUser(tx: Transaction, scopeId: string, userId: string): Promise<string[]> {
  return idsOf(await tx.query<{ id: string }>(takeOfUserSql, [scopeId, userId]));
}

export async function deleteExpiredAppTokens(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(deleteExpiredSql, [now]);
}
