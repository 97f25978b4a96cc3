import { type Page, type PageRequest, pageQuery, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import type { ProjectApp } from '../domain/oauth/project-app.ts';
import type { Reader } from './reader.ts';

const columns = `a.id, a.client_id AS "clientId", jsonb_build_object('tenant', a.scope_tenant, 'id', a.scope_id) AS scope, a.name,
  a.redirect_uris AS "redirectUris", a.scopes, a.enabled_providers AS "enabledProviders", a.allow_sign_up AS "allowSignUp",
  a.sign_up_role_id AS "signUpRoleId", a.created_by AS "createdBy", coalesce(a.vouched_by, a.created_by) AS "vouchedBy", a.created_at AS "createdAt", a.updated_at AS "updatedAt",
  a.deleted_at AS "deletedAt"`;

const insertSql = statement(
  'identity_insert_project_app',
  `INSERT INTO project_apps AS a (id, client_id, scope_tenant, scope_id, name, redirect_uris, scopes, enabled_providers, allow_sign_up,
     sign_up_role_id, created_by, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) RETURNING ${columns}`,
);
const findByClientSql = statement(
  'identity_find_project_app_by_client',
  `SELECT ${columns} FROM project_apps a WHERE a.client_id = $1 AND a.deleted_at IS NULL`,
);
const findInScopeSql = statement(
  'identity_find_project_app',
  `SELECT ${columns} FROM project_apps a WHERE a.id = $1 AND a.scope_tenant = $2 AND a.scope_id = $3 AND a.deleted_at IS NULL`,
);
const updateSql = statement(
  'identity_update_project_app',
  `UPDATE project_apps AS a SET name = $4, redirect_uris = $5, scopes = $6, enabled_providers = $7, allow_sign_up = $8,
     sign_up_role_id = $9, updated_at = $10, vouched_by = coalesce($11, a.vouched_by)
   WHERE a.id = $1 AND a.scope_tenant = $2 AND a.scope_id = $3 AND a.deleted_at IS NULL RETURNING ${columns}`,
);
const lockInScopeSql = statement('identity_lock_project_app', `${findInScopeSql.text} FOR UPDATE`);
const softDeleteSql = statement(
  'identity_soft_delete_project_app',
  `UPDATE project_apps AS a SET deleted_at = $4, updated_at = $4
   WHERE a.id = $1 AND a.scope_tenant = $2 AND a.scope_id = $3 AND a.deleted_at IS NULL RETURNING ${columns}`,
);
const hardDeleteSql = statement(
  'identity_hard_delete_project_app',
  `DELETE FROM project_apps AS a WHERE a.id = $1 AND a.scope_tenant = $2 AND a.scope_id = $3 AND a.deleted_at IS NULL RETURNING ${columns}`,
);
const deleteInScopesSql = statement(
  'identity_delete_project_apps_in_scopes',
  `UPDATE project_apps AS a SET deleted_at = $2, updated_at = $2 WHERE a.scope_id = ANY ($1::text[]) AND a.deleted_at IS NULL`,
);
const removeDeletedSql = statement('identity_remove_deleted_project_apps', 'DELETE FROM project_apps WHERE deleted_at < $1');
const holdSql = statement(
  'identity_hold_project_app',
  `SELECT a.id FROM project_apps a WHERE a.id = $1 AND a.deleted_at IS NULL AND a.updated_at = $2 FOR SHARE`,
);

export type AppFields = Pick<ProjectApp, 'name' | 'redirectUris' | 'scopes' | 'enabledProviders' | 'allowSignUp' | 'signUpRoleId'>;
export type NewProjectApp = AppFields & Pick<ProjectApp, 'id' | 'clientId' | 'scope' | 'createdBy'>;

function fieldsOf(app: AppFields) {
  return [app.name, app.redirectUris, app.scopes, app.enabledProviders, app.allowSignUp, app.signUpRoleId];
}

export async function insertProjectApp(tx: Transaction, app: NewProjectApp, now: Date): Promise<ProjectApp> {
  const { id, clientId, scope, createdBy } = app;
  const [inserted] = await tx.query<ProjectApp>(insertSql, [id, clientId, scope.tenant, scope.id, ...fieldsOf(app), createdBy, now]);
  if (inserted === undefined) throw new Error('an insert returned no row');
  return inserted;
}

/** By what the app calls itself, whatever project it belongs to: for those who come to sign in. */
export async function findProjectAppByClient(reader: Reader, clientId: string): Promise<ProjectApp | undefined> {
  return (await reader.query<ProjectApp>(findByClientSql, [clientId]))[0];
}

/** Undefined also for an app of another project. */
export async function findProjectApp(reader: Reader, scope: Scope, id: string): Promise<ProjectApp | undefined> {
  return (await reader.query<ProjectApp>(findInScopeSql, [id, scope.tenant, scope.id]))[0];
}

/** The same, kept as it is until the transaction ends: two who change an app do so one after the other. */
export async function lockProjectApp(tx: Transaction, scope: Scope, id: string): Promise<ProjectApp | undefined> {
  return tx.one<ProjectApp>(lockInScopeSql, [id, scope.tenant, scope.id]);
}

/** `vouchedBy`: who answers for the app from now on; undefined leaves it to whoever did. */
export async function updateProjectApp(
  tx: Transaction,
  place: { readonly scope: Scope; readonly id: string },
  app: AppFields,
  vouchedBy: string | undefined,
  now: Date,
): Promise<ProjectApp | undefined> {
  const { scope, id } = place;
  return tx.one<ProjectApp>(updateSql, [id, scope.tenant, scope.id, ...fieldsOf(app), now, vouchedBy ?? null]);
}

export async function deleteProjectAppRow(
  tx: Transaction,
  scope: Scope,
  id: string,
  how: { readonly hard: boolean; readonly now: Date },
): Promise<ProjectApp | undefined> {
  return how.hard
    ? tx.one<ProjectApp>(hardDeleteSql, [id, scope.tenant, scope.id])
    : tx.one<ProjectApp>(softDeleteSql, [id, scope.tenant, scope.id, how.now]);
}

/** Every app of these projects, by the ids of their scopes. */
export async function deleteProjectAppsInScopes(tx: Transaction, scopeIds: readonly string[], now: Date): Promise<void> {
  await tx.execute(deleteInScopesSql, [scopeIds, now]);
}

export async function removeDeletedProjectApps(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(removeDeletedSql, [before]);
}

/**
 * Whether the app still is as it was read; it stays so until the transaction ends. Who changes or deletes the app meanwhile waits, and
 * then finds every token that was handed out.
 */
export async function holdProjectApp(tx: Transaction, { id, updatedAt }: Pick<ProjectApp, 'id' | 'updatedAt'>): Promise<boolean> {
  return (await tx.one(holdSql, [id, updatedAt])) !== undefined;
}

export async function pageProjectApps(
  tx: Pick<Transaction, 'query'>,
  scope: Scope,
  input: PageRequest,
  onlyIds: readonly string[] | undefined,
): Promise<Page<ProjectApp>> {
  return pageQuery<ProjectApp>(tx, {
    name: 'identity_page_project_apps',
    select: columns,
    from: 'project_apps a',
    where: [
      'a.scope_tenant = $1',
      'a.scope_id = $2',
      'a.deleted_at IS NULL',
      ...(onlyIds === undefined ? [] : ['a.id = ANY ($3::uuid[])']),
    ],
    values: [scope.tenant, scope.id, ...(onlyIds === undefined ? [] : [onlyIds])],
    search: { columns: ['a.name'] },
    sort: { fields: { name: 'a.name', createdAt: 'a.created_at', updatedAt: 'a.updated_at' }, default: 'createdAt' },
    idColumn: 'a.id',
    input,
  });
}
