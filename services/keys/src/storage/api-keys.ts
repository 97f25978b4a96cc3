import { type Database, type Page, type PageRequest, pageQuery, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ApiKey, ApiKeyPlace } from '../domain/api-key.ts';

/** An API key as it is exchanged. The hash never leaves the exchange. */
export type CredentialedKey = ApiKey & { readonly secretHash: Buffer };

export type NewApiKey = {
  readonly id: string;
  readonly clientId: string;
  readonly secretHash: Buffer;
  readonly name: string;
  readonly description: string | null;
  readonly roleId: string | null;
  readonly expiresAt: string | null;
  readonly createdBy: string;
};

const columns = `id, client_id AS "clientId", name, description, role_id AS "roleId", expires_at AS "expiresAt", last_used_at AS "lastUsedAt",
  revoked_at AS "revokedAt", revoked_by AS "revokedBy", created_by AS "createdBy", created_at AS "createdAt", updated_at AS "updatedAt",
  deleted_at AS "deletedAt", account_id AS "accountId", organization_id AS "organizationId", project_id AS "projectId", user_id AS "userId"`;

// Written out so that a scope without a user finds project keys only, and one with a user that user's only.
const inPlace = `coalesce(organization_id, account_id) = $1 AND project_id = $2 AND user_id IS NOT DISTINCT FROM $3`;
function valuesOf({ parentId, projectId, userId }: ApiKeyPlace) {
  return [parentId, projectId, userId];
}

const find = statement('keys_find_api_key', `SELECT ${columns} FROM placed_api_keys WHERE ${inPlace} AND id = $4 AND deleted_at IS NULL`);
const findByClientId = statement(
  'keys_find_by_client_id',
  `SELECT ${columns}, secret_hash AS "secretHash" FROM placed_api_keys WHERE client_id = $1`,
);
const insertKey = statement(
  'keys_insert_api_key',
  `INSERT INTO api_keys (id, client_id, secret_hash, name, description, role_id, expires_at, created_by, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
);
const placeInAccount = statement(
  'keys_place_in_account',
  'INSERT INTO account_project_api_keys (api_key_id, account_id, project_id) VALUES ($1, $2, $3)',
);
const placeInOrganization = statement(
  'keys_place_in_organization',
  'INSERT INTO organization_project_api_keys (api_key_id, organization_id, project_id) VALUES ($1, $2, $3)',
);
const placeAtAccountUser = statement(
  'keys_place_at_account_user',
  'INSERT INTO project_user_api_keys (api_key_id, account_id, project_id, user_id) VALUES ($1, $2, $3, $4)',
);
const placeAtOrganizationUser = statement(
  'keys_place_at_organization_user',
  'INSERT INTO project_user_api_keys (api_key_id, organization_id, project_id, user_id) VALUES ($1, $2, $3, $4)',
);
const idInPlace = `id = (SELECT id FROM placed_api_keys WHERE ${inPlace} AND id = $4)`;
const revoke = statement(
  'keys_revoke_api_key',
  `UPDATE api_keys SET revoked_at = $5, revoked_by = $6, updated_at = $5 WHERE ${idInPlace} AND deleted_at IS NULL AND revoked_at IS NULL`,
);
const softDelete = statement(
  'keys_soft_delete_api_key',
  `UPDATE api_keys SET deleted_at = $5, updated_at = $5 WHERE ${idInPlace} AND deleted_at IS NULL`,
);
const hardDelete = statement('keys_hard_delete_api_key', `DELETE FROM api_keys WHERE ${idInPlace}`);
const touch = statement(
  'keys_touch_api_key',
  'UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)',
);
function endKeys(which: string) {
  return `UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1), deleted_at = coalesce(deleted_at, CASE WHEN $2 THEN $1::timestamptz END), updated_at = $1
   WHERE id IN (SELECT id FROM placed_api_keys WHERE ${which}) AND (revoked_at IS NULL OR ($2 AND deleted_at IS NULL)) RETURNING id`;
}
const endOfParent = statement('keys_end_of_parent', endKeys('coalesce(organization_id, account_id) = $3'));
const endOfProject = statement('keys_end_of_project', endKeys('coalesce(organization_id, account_id) = $3 AND project_id = $4'));
const endOfUser = statement('keys_end_of_user', endKeys('user_id = $3 OR created_by = $3'));
const endOfUserInParent = statement(
  'keys_end_of_user_in_parent',
  endKeys('(user_id = $3 OR created_by = $3) AND coalesce(organization_id, account_id) = $4'),
);
const endOfUserInProject = statement(
  'keys_end_of_user_in_project',
  endKeys('(user_id = $3 OR created_by = $3) AND coalesce(organization_id, account_id) = $4 AND project_id = $5'),
);
const removeEnded = statement(
  'keys_remove_ended_api_keys',
  'DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE deleted_at < $1 LIMIT 5000)',
);

/** The key in exactly this place; undefined for another place's, and for a deleted one. */
export function findApiKey(tx: Transaction, place: ApiKeyPlace, id: string): Promise<ApiKey | undefined> {
  return tx.one<ApiKey>(find, [...valuesOf(place), id]);
}

/** The key of this client id in any place: the exchange knows the scope only when the secret is proven. */
export async function findCredentials(db: Database, clientId: string): Promise<CredentialedKey | undefined> {
  return (await db.query<CredentialedKey>(findByClientId, [clientId]))[0];
}

const sortFields = { name: 'name', createdAt: 'created_at', updatedAt: 'updated_at', expiresAt: 'expires_at', lastUsedAt: 'last_used_at' };

export function pageApiKeys(tx: Transaction, place: ApiKeyPlace, input: PageRequest): Promise<Page<ApiKey>> {
  return pageQuery<ApiKey>(tx, {
    name: 'keys_page_api_keys',
    select: columns,
    from: 'placed_api_keys',
    where: [inPlace, 'deleted_at IS NULL'],
    values: valuesOf(place),
    search: { columns: ['name', 'description'] },
    sort: { fields: sortFields, default: 'createdAt' },
    input,
  });
}

export async function insertApiKey(tx: Transaction, place: ApiKeyPlace, key: NewApiKey, now: Date): Promise<ApiKey> {
  const { id, clientId, secretHash, name, description, roleId, expiresAt, createdBy } = key;
  await tx.execute(insertKey, [id, clientId, secretHash, name, description, roleId, expiresAt, createdBy, now]);
  const isAccounts = place.tenant === 'accountProject';
  if (place.userId === null) await tx.execute(isAccounts ? placeInAccount : placeInOrganization, [id, place.parentId, place.projectId]);
  else await tx.execute(isAccounts ? placeAtAccountUser : placeAtOrganizationUser, [id, place.parentId, place.projectId, place.userId]);
  const placed = await findApiKey(tx, place, id);
  if (placed === undefined) throw new Error('a new API key is not where it was put');
  return placed;
}

/** False when it was revoked before, or is not there. */
export async function revokeApiKey(tx: Transaction, place: ApiKeyPlace, id: string, by: string, now: Date): Promise<boolean> {
  return (await tx.execute(revoke, [...valuesOf(place), id, now, by])) === 1;
}

export async function deleteApiKey(
  tx: Transaction,
  place: ApiKeyPlace,
  id: string,
  options: { hard: boolean; now: Date },
): Promise<boolean> {
  if (options.hard) return (await tx.execute(hardDelete, [...valuesOf(place), id])) === 1;
  return (await tx.execute(softDelete, [...valuesOf(place), id, options.now])) === 1;
}

/** Sets lastUsedAt; never moves it back. */
export async function touchApiKey(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.execute(touch, [id, now]);
}

/** Whose keys end with what: everything of a parent or a project, or what a user made and what acts as them. */
export type Ending =
  | { readonly of: 'parent'; readonly parentId: string }
  | { readonly of: 'project'; readonly parentId: string; readonly projectId: string }
  | { readonly of: 'user'; readonly userId: string; readonly parentId?: string; readonly projectId?: string };

/** Revokes them (and deletes them, when their place is gone); answers with the ids whose tokens must be refused now. As the owner. */
export async function endApiKeys(tx: Transaction, ending: Ending, { isGone, now }: { isGone: boolean; now: Date }): Promise<string[]> {
  const [which, values] = endingOf(ending);
  return (await tx.query<{ id: string }>(which, [now, isGone, ...values])).map(({ id }) => id);
}

function endingOf(ending: Ending) {
  if (ending.of === 'parent') return [endOfParent, [ending.parentId]] as const;
  if (ending.of === 'project') return [endOfProject, [ending.parentId, ending.projectId]] as const;
  const { userId, parentId, projectId } = ending;
  if (parentId === undefined) return [endOfUser, [userId]] as const;
  if (projectId === undefined) return [endOfUserInParent, [userId, parentId]] as const;
  return [endOfUserInProject, [userId, parentId, projectId]] as const;
}

/** Forgets keys that were deleted long ago. */
export async function removeDeletedKeys(tx: Transaction, deletedBefore: Date): Promise<void> {
  await tx.execute(removeEnded, [deletedBefore]);
}
