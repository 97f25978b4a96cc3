import { column, defineEntity, pivot, references, type Table, table, timestamp } from '@tessera/kernel/postgres';
import type { Revocation, SigningKeyAction, SigningKeyStatus } from '../domain/signing-key.ts';
import type { SigningScope } from '../domain/signing-scope.ts';

/** Keys that sign tokens. Private keys are sealed, and removed when a key is rotated. */
export const signingKeys = table(
  'signing_keys',
  {
    kid: column.uuid().primary(),
    tenant: column.text().$type<SigningScope['tenant']>(),
    scopeId: column.text(),
    status: column.text().$type<SigningKeyStatus>(),
    modulus: column.text(),
    exponent: column.text(),
    privateKey: column.blob().$type<Buffer>().nullable(),
    encryptionKeyId: column.text().nullable(),
    createdAt: timestamp(),
    activatedAt: timestamp().nullable(),
    rotatedAt: timestamp().nullable(),
    /** Published and accepted until then. */
    retiresAt: timestamp().nullable(),
    /** Neither published nor accepted from then on. */
    compromisedAt: timestamp().nullable(),
  },
  {
    uniques: [
      { name: 'signing_keys_one_active', properties: ['tenant', 'scopeId'], where: `status = 'active'` },
      { name: 'signing_keys_one_next', properties: ['tenant', 'scopeId'], where: `status = 'next'` },
    ],
    indexes: [
      { name: 'signing_keys_by_scope', properties: ['tenant', 'scopeId'] },
      { name: 'signing_keys_by_retirement', properties: ['retiresAt'], where: `status = 'rotated'` },
      { name: 'signing_keys_by_encryption_key', properties: ['encryptionKeyId'], where: 'private_key IS NOT NULL' },
    ],
    checks: [
      { name: 'signing_keys_tenant_check', expression: `tenant IN ('system', 'accountProject', 'organizationProject')` },
      { name: 'signing_keys_status_check', expression: `status IN ('next', 'active', 'rotated')` },
      { name: 'signing_keys_check', expression: `(tenant = 'system') = (scope_id = '')` },
      { name: 'signing_keys_check1', expression: `(private_key IS NULL) = (status = 'rotated')` },
      { name: 'signing_keys_check2', expression: '(encryption_key_id IS NULL) = (private_key IS NULL)' },
      { name: 'signing_keys_check3', expression: `(activated_at IS NULL) = (status = 'next')` },
      {
        name: 'signing_keys_check4',
        expression: `(rotated_at IS NULL) = (status <> 'rotated') AND (retires_at IS NULL) = (status <> 'rotated')`,
      },
    ],
  },
);

/** The ES256 half of a project's key, which has its status from the key that it stands beside. */
export const ellipticKeys = table(
  'elliptic_keys',
  {
    kid: column.uuid().primary(),
    beside: references(signingKeys).unique('elliptic_keys_beside_key'),
    x: column.text(),
    y: column.text(),
    privateKey: column.blob().$type<Buffer>().nullable(),
    encryptionKeyId: column.text().nullable(),
    createdAt: timestamp(),
  },
  {
    indexes: [{ name: 'elliptic_keys_by_encryption_key', properties: ['encryptionKeyId'], where: 'private_key IS NOT NULL' }],
    checks: [{ name: 'elliptic_keys_check', expression: '(encryption_key_id IS NULL) = (private_key IS NULL)' }],
  },
);

/** What happened to a key, and who did it. It holds no key material and outlives the keys. */
export const signingKeyAuditLogs = table(
  'signing_key_audit_logs',
  {
    id: column.uuid().primary(),
    at: timestamp(),
    kid: column.uuid(),
    tenant: column.text(),
    scopeId: column.text(),
    action: column.text().$type<SigningKeyAction>(),
    cause: column.text(),
    actorId: column.uuid().nullable(),
    requestId: column.text().nullable(),
  },
  {
    indexes: [
      { name: 'signing_key_audit_logs_by_scope', properties: ['tenant', 'scopeId', 'at'] },
      { name: 'signing_key_audit_logs_by_kid', properties: ['kid'] },
    ],
    checks: [
      {
        name: 'signing_key_audit_logs_action_check',
        expression: `action IN ('created', 'activated', 'rotated', 'compromised', 'retired')`,
      },
    ],
  },
);

/** Other secrets of this service, sealed in the same way. */
export const sealedSecrets = table('sealed_secrets', {
  name: column.text().primary(),
  sealed: column.blob().$type<Buffer>(),
  encryptionKeyId: column.text(),
  createdAt: timestamp(),
});

/**
 * Deleted accounts, organizations and projects: no key is made for them again, in whatever order
 * events arrive.
 */
export const retiredScopes = table('retired_scopes', {
  tenant: column.text().primary(),
  scopeId: column.text().primary(),
  retiredAt: timestamp(),
});

/** Tenancy's copy of how the operator restricts accounts and organizations. */
export const restrictedTenants = table('restricted_tenants', {
  tenant: column.text().$type<'account' | 'organization'>().primary(),
  tenantId: column.uuid().primary(),
  isSuspended: column.boolean(),
  /** NULL is the configured limit, 0 none. */
  mostApiKeys: column.integer().nullable(),
});

/** Tokens that verifiers must refuse before they expire. */
export const revocations = table(
  'revocations',
  {
    kind: column.text().$type<Exclude<Revocation['kind'], 'scope'>>().primary(),
    value: column.uuid().primary(),
    before: timestamp(),
    expiresAt: timestamp(),
    /** The transaction that wrote the row last: verifiers list by it. */
    writtenIn: column.text().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
  {
    indexes: [
      { name: 'revocations_by_transaction', properties: ['writtenIn'] },
      { name: 'revocations_by_expiry', properties: ['expiresAt'] },
    ],
    checks: [{ name: 'revocations_kind_check', expression: `kind IN ('jti', 'kid')` }],
  },
);

/** The same for all tokens of an organization in another's project that it uses. */
export const scopeRevocations = table(
  'scope_revocations',
  {
    /** `<organization>:<project>`. */
    value: column.text().primary(),
    before: timestamp(),
    expiresAt: timestamp(),
    writtenIn: column.text().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
  {
    indexes: [
      { name: 'scope_revocations_by_transaction', properties: ['writtenIn'] },
      { name: 'scope_revocations_by_expiry', properties: ['expiresAt'] },
    ],
  },
);

/** Tenancy's copy of who uses which project. */
export const projectGrants = pivot(
  'project_grants',
  {
    /** The customer. */
    organizationId: column.uuid().primary(),
    projectId: column.uuid().primary(),
    ownerOrganizationId: column.uuid(),
    isActive: column.boolean(),
    isEnded: column.boolean(),
  },
  {
    tenant: ['organizationId', 'projectId'],
    indexes: [{ name: 'project_grants_by_project', properties: ['projectId'] }],
  },
);

function apiKeyColumns() {
  return {
    id: column.uuid().primary(),
    clientId: column.uuid(),
    secretHash: column.blob().$type<Buffer>(),
    name: column.text(),
    description: column.text().nullable(),
    /** Of project keys: their only role. */
    roleId: column.uuid().nullable(),
    expiresAt: timestamp().nullable(),
    lastUsedAt: timestamp().nullable(),
    revokedAt: timestamp().nullable(),
    revokedBy: column.uuid().nullable(),
    createdBy: column.uuid(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    deletedAt: timestamp().nullable(),
    /** The key with whose token this one was made. */
    parentKeyId: column.uuid().nullable(),
  };
}

export const apiKeys = table('api_keys', apiKeyColumns(), {
  uniques: [{ name: 'api_keys_client_id_key', properties: ['clientId'] }],
  indexes: [
    { name: 'api_keys_by_creator', properties: ['createdBy'] },
    { name: 'api_keys_by_parent', properties: ['parentKeyId'], where: 'parent_key_id IS NOT NULL' },
  ],
  checks: [{ name: 'api_keys_secret_hash_check', expression: 'octet_length(secret_hash) = 32' }],
});

export const accountProjectApiKeys = pivot(
  'account_project_api_keys',
  { apiKeyId: references(apiKeys).primary(), accountId: column.uuid(), projectId: column.uuid() },
  {
    tenant: ['accountId', 'projectId'],
    indexes: [{ name: 'account_project_api_keys_by_scope', properties: ['accountId', 'projectId'] }],
  },
);

export const organizationProjectApiKeys = pivot(
  'organization_project_api_keys',
  { apiKeyId: references(apiKeys).primary(), organizationId: column.uuid(), projectId: column.uuid() },
  {
    tenant: ['organizationId', 'projectId'],
    indexes: [{ name: 'organization_project_api_keys_by_scope', properties: ['organizationId', 'projectId'] }],
  },
);

/** Keys that act as one user of a project, which lies in an account or in an organization. */
export const projectUserApiKeys = pivot(
  'project_user_api_keys',
  {
    apiKeyId: references(apiKeys).primary(),
    projectId: column.uuid(),
    userId: column.uuid(),
    accountId: column.uuid().nullable(),
    organizationId: column.uuid().nullable(),
  },
  {
    tenant: {
      rows: `project_id = nullif(current_setting('app.current_project_id', true), '')::uuid
        AND (organization_id = nullif(current_setting('app.current_organization_id', true), '')::uuid
          OR account_id = nullif(current_setting('app.current_account_id', true), '')::uuid)`,
    },
    indexes: [
      { name: 'project_user_api_keys_by_scope', properties: ['projectId', 'userId'] },
      { name: 'project_user_api_keys_by_user', properties: ['userId'] },
    ],
    checks: [{ name: 'project_user_api_keys_check', expression: 'num_nonnulls(account_id, organization_id) = 1' }],
  },
);

const keyColumns = `k.id, k.client_id, k.secret_hash, k.name, k.description, k.role_id, k.expires_at, k.last_used_at, k.revoked_at, k.revoked_by,
  k.created_by, k.created_at, k.updated_at, k.deleted_at, k.parent_key_id`;

const placedColumns = {
  ...apiKeyColumns(),
  accountId: column.uuid().nullable(),
  organizationId: column.uuid().nullable(),
  projectId: column.uuid(),
  userId: column.uuid().nullable(),
};

/**
 * API keys together with their place, from the pivot that has it. The policies of the pivots apply.
 */
export const placedApiKeys: Table<'placed_api_keys', typeof placedColumns> = defineEntity({
  name: 'placed_api_keys',
  tableName: 'placed_api_keys',
  view: true,
  properties: placedColumns,
  // As `pg_get_viewdef` prints it, to compare it with the database.
  expression: `SELECT ${keyColumns}, p.account_id, NULL AS organization_id, p.project_id, NULL AS user_id
     FROM api_keys k JOIN account_project_api_keys p ON p.api_key_id = k.id
   UNION ALL
   SELECT ${keyColumns}, NULL AS account_id, p.organization_id, p.project_id, NULL AS user_id
     FROM api_keys k JOIN organization_project_api_keys p ON p.api_key_id = k.id
   UNION ALL
   SELECT ${keyColumns}, p.account_id, p.organization_id, p.project_id, p.user_id
     FROM api_keys k JOIN project_user_api_keys p ON p.api_key_id = k.id`,
});
