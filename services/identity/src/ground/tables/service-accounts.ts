import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { ServiceScope } from '@tessera/kernel/scope';
import type { Jwks } from '../domain/project-app.ts';

/** Machines that act for an organization, an account or the platform. */
export const serviceAccounts = table(
  'service_accounts',
  {
    id: column.uuid().primary(),
    scopeTenant: column.text().$type<ServiceScope['tenant']>(),
    scopeId: column.text(),
    name: column.text(),
    description: column.text().nullable(),
    elevated: column.array().$type<readonly string[]>().columnType('text[]'),
    /** Empty: from everywhere. */
    allowedNetworks: column.array().$type<readonly string[]>().columnType('text[]'),
    /** Those it is to have; rbac knows when it has them. NULL: rbac alone is asked. */
    roleIds: column.array().$type<readonly string[]>().columnType('uuid[]').nullable(),
    /** What its tokens carry: a change that must end them gives a new one. */
    generation: column.uuid(),
    isSuspended: column.boolean().defaultRaw('false'),
    createdBy: column.uuid(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    deletedAt: timestamp().nullable(),
    lastUsedAt: timestamp().nullable(),
    lastUsedFrom: column.text().nullable(),
    lastUsedCredentialId: column.uuid().nullable(),
  },
  {
    indexes: [
      { name: 'service_accounts_scope', properties: ['scopeId', 'scopeTenant', 'createdAt'] },
      { name: 'service_accounts_maker', properties: ['createdBy'] },
    ],
    checks: [
      { name: 'service_accounts_scope_tenant_check', expression: `scope_tenant IN ('organization', 'account', 'platform')` },
      { name: 'service_accounts_name_check', expression: 'octet_length(name) <= 1020' },
      { name: 'service_accounts_elevated_check', expression: 'cardinality(elevated) <= 20' },
      { name: 'service_accounts_allowed_networks_check', expression: 'cardinality(allowed_networks) <= 20' },
      { name: 'service_accounts_role_ids_check', expression: 'cardinality(role_ids) <= 20' },
    ],
  },
);

/** How service accounts prove who they are. */
export const serviceAccountCredentials = table(
  'service_account_credentials',
  {
    id: column.uuid().primary(),
    serviceAccountId: references(serviceAccounts),
    type: column.text().$type<'secret' | 'directory' | 'jwks' | 'trust'>(),
    /** SHA-256 of 256 random bits. */
    digest: column.blob().nullable(),
    lastFour: column.text().nullable(),
    jwks: column.json<Jwks>().nullable(),
    jwksUri: column.text().nullable(),
    issuer: column.text().nullable(),
    audience: column.text().nullable(),
    claims: column.json<Readonly<Record<string, string>>>().nullable(),
    expiresAt: timestamp().nullable(),
    createdBy: column.uuid(),
    createdAt: timestamp(),
    lastUsedAt: timestamp().nullable(),
    lastUsedFrom: column.text().nullable(),
    /** When the Owners were told that a directory token ends soon. */
    toldEndAt: timestamp().nullable(),
  },
  {
    uniques: [{ name: 'service_account_credentials_directory', properties: ['digest'], where: `type = 'directory'` }],
    indexes: [
      { name: 'service_account_credentials_account', properties: ['serviceAccountId', 'createdAt'] },
      { name: 'service_account_credentials_maker', properties: ['createdBy'] },
      { name: 'service_account_credentials_ending', properties: ['expiresAt'], where: `type = 'directory'` },
    ],
    checks: [
      {
        name: 'service_account_credentials_type_check',
        expression: `CASE type WHEN 'secret' THEN digest IS NOT NULL AND char_length(last_four) = 4
              WHEN 'directory' THEN digest IS NOT NULL AND char_length(last_four) = 4 AND expires_at IS NOT NULL
              WHEN 'jwks' THEN (jwks IS NULL) <> (jwks_uri IS NULL)
              WHEN 'trust' THEN issuer IS NOT NULL AND audience IS NOT NULL AND claims IS NOT NULL
              ELSE false END`,
      },
    ],
  },
);

/** Assertions that were used: each works once. */
export const spentAssertions = table(
  'spent_assertions',
  {
    /** Of who issued it and its `jti`. */
    digest: column.blob().primary(),
    expiresAt: timestamp(),
  },
  { indexes: [{ name: 'spent_assertions_expiry', properties: ['expiresAt'] }] },
);
