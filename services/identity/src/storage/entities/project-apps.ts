import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { ProjectScope, Voucher } from '../../domain/oauth/project-app.ts';

export const projectApps = table(
  'project_apps',
  {
    id: column.uuid().primary(),
    clientId: column.text(),
    scopeTenant: column.text().$type<ProjectScope['tenant']>(),
    scopeId: column.text(),
    name: column.text(),
    redirectUris: column.array().columnType('text[]'),
    scopes: column.array().columnType('text[]'),
    /** Empty: every configured provider. */
    enabledProviders: column.array().columnType('text[]'),
    allowSignUp: column.boolean(),
    signUpRoleId: column.uuid().nullable(),
    createdBy: column.uuid(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    deletedAt: timestamp().nullable(),
    /** The user of the voucher, also of the last one of an app that is stopped. */
    vouchedBy: column.uuid().nullable(),
    /** Who last set where the app's tokens go and what they may do, and by what. */
    voucher: column.json().$type<Voucher>().nullable(),
  },
  {
    uniques: [{ name: 'project_apps_client_id', properties: ['clientId'] }],
    indexes: [
      { name: 'project_apps_scope', properties: ['scopeId', 'scopeTenant', 'createdAt'] },
      { name: 'project_apps_voucher', properties: ['vouchedBy'] },
    ],
    checks: [
      { name: 'project_apps_scope_tenant_check', expression: `scope_tenant IN ('accountProject', 'organizationProject')` },
      { name: 'project_apps_name_check', expression: 'char_length(name) <= 255' },
      { name: 'project_apps_redirect_uris_check', expression: 'cardinality(redirect_uris) >= 1 AND cardinality(redirect_uris) <= 20' },
      { name: 'project_apps_sign_up', expression: 'NOT allow_sign_up OR sign_up_role_id IS NOT NULL' },
    ],
  },
);

/**
 * The tokens that apps got, until they expire. They are revoked when the app, its project or the
 * person's membership ends.
 */
export const projectAppTokens = table(
  'project_app_tokens',
  {
    id: column.uuid().primary(),
    projectAppId: references(projectApps),
    userId: column.uuid(),
    expiresAt: timestamp(),
  },
  {
    indexes: [
      { name: 'project_app_tokens_app', properties: ['projectAppId'] },
      { name: 'project_app_tokens_user', properties: ['userId'] },
      { name: 'project_app_tokens_expiry', properties: ['expiresAt'] },
    ],
  },
);

/**
 * Organizations and projects that are deleted: a request that is still running must create nothing
 * in them.
 */
export const endedScopes = table('ended_scopes', { scopeId: column.text().primary(), endedAt: timestamp() });
