import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { AppType, AuthMethod, GrantType, IdTokenAlgorithm } from '@tessera/rules/app-types';
import type { ClaimMapping } from '@tessera/rules/claims';
import type { Jwks, LeftOutClaims, ProjectScope, Voucher } from '../domain/project-app.ts';
import { users } from './people.ts';

export const projectApps = table(
  'project_apps',
  {
    id: column.uuid().primary(),
    clientId: column.text(),
    scopeTenant: column.text().$type<ProjectScope['tenant']>(),
    scopeId: column.text(),
    name: column.text(),
    redirectUris: column.array().$type<readonly string[]>().columnType('text[]'),
    scopes: column.array().$type<readonly string[]>().columnType('text[]'),
    /** Empty: every configured provider. */
    enabledProviders: column.array().$type<readonly string[]>().columnType('text[]'),
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
    /** Null: an app of the specification's fragment flow. Never changes. */
    type: column.text().$type<AppType>().nullable(),
    tokenEndpointAuthMethod: column.text().$type<AuthMethod>().nullable(),
    jwks: column.json<Jwks>().nullable(),
    jwksUri: column.text().nullable(),
    postLogoutRedirectUris: column.array().$type<readonly string[]>().columnType('text[]').defaultRaw(`'{}'`),
    backchannelLogoutUri: column.text().nullable(),
    grantTypes: column.array().$type<readonly GrantType[]>().columnType('text[]').defaultRaw(`'{}'`),
    /** The rights of a machine app. */
    roleId: column.uuid().nullable(),
    isFirstParty: column.boolean().defaultRaw('false'),
    requireSecondFactor: column.boolean().defaultRaw('false'),
    requirePkce: column.boolean().defaultRaw('true'),
    actsInGrants: column.boolean().defaultRaw('false'),
    allowOrganizationSignUp: column.boolean().defaultRaw('false'),
    allowEmailCode: column.boolean().defaultRaw('true'),
    dpopBoundAccessTokens: column.boolean().defaultRaw('false'),
    idTokenSignedResponseAlg: column.text().$type<IdTokenAlgorithm>().defaultRaw(`'RS256'`),
    /** Client ids of the apps that may exchange tokens of this one. */
    mayAct: column.array().$type<readonly string[]>().columnType('text[]').defaultRaw(`'{}'`),
    /** Claims besides the standard ones. */
    claims: column.json<readonly ClaimMapping[]>().defaultRaw(`'[]'`),
    leftOutClaims: column.json<LeftOutClaims>().nullable(),
    /** Where the document is by which the client is known; null for an app that was registered. */
    documentUrl: column.text().nullable(),
  },
  {
    uniques: [
      { name: 'project_apps_client_id', properties: ['clientId'] },
      {
        name: 'project_apps_document_url',
        properties: ['scopeId', 'documentUrl'],
        where: 'document_url IS NOT NULL AND deleted_at IS NULL',
      },
    ],
    indexes: [
      { name: 'project_apps_scope', properties: ['scopeId', 'scopeTenant', 'createdAt'] },
      { name: 'project_apps_voucher', properties: ['vouchedBy'] },
    ],
    checks: [
      { name: 'project_apps_scope_tenant_check', expression: `scope_tenant IN ('accountProject', 'organizationProject')` },
      { name: 'project_apps_name_check', expression: 'octet_length(name) <= 1020' },
      { name: 'project_apps_redirect_uris_check', expression: 'cardinality(redirect_uris) <= 20' },
      {
        name: 'project_apps_redirected',
        expression: `cardinality(redirect_uris) >= 1 OR (type IS NOT NULL AND NOT 'authorization_code' = ANY (grant_types))`,
      },
      { name: 'project_apps_post_logout_redirect_uris_check', expression: 'cardinality(post_logout_redirect_uris) <= 20' },
      { name: 'project_apps_type_check', expression: `type IN ('web', 'spa', 'native', 'machine')` },
      {
        name: 'project_apps_token_endpoint_auth_method_check',
        expression: `token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none')`,
      },
      { name: 'project_apps_typed', expression: '(type IS NULL) = (token_endpoint_auth_method IS NULL)' },
      { name: 'project_apps_machine', expression: `(NOT type IS DISTINCT FROM 'machine') = (role_id IS NOT NULL)` },
      { name: 'project_apps_pkce', expression: `require_pkce OR NOT type IS DISTINCT FROM 'web'` },
      { name: 'project_apps_acts_in_grants', expression: `NOT acts_in_grants OR NOT type IS DISTINCT FROM 'machine'` },
      {
        name: 'project_apps_organization_sign_up',
        expression: `NOT allow_organization_sign_up OR (type IS NOT NULL AND type <> 'machine' AND scope_tenant = 'organizationProject')`,
      },
      { name: 'project_apps_dpop', expression: 'NOT dpop_bound_access_tokens OR type IS NOT NULL' },
      {
        name: 'project_apps_id_token_signed_response_alg_check',
        expression: `id_token_signed_response_alg IN ('RS256', 'ES256')`,
      },
      {
        name: 'project_apps_id_token_alg',
        expression: `id_token_signed_response_alg = 'RS256' OR type IS NOT NULL AND type <> 'machine'`,
      },
      { name: 'project_apps_may_act', expression: 'cardinality(may_act) = 0 OR type IS NOT NULL' },
      { name: 'project_apps_may_act_check', expression: 'cardinality(may_act) <= 20' },
      {
        name: 'project_apps_claims_check',
        expression: `jsonb_typeof(claims) = 'array' AND jsonb_array_length(claims) <= 20 AND (claims = '[]' OR type IS NOT NULL AND type <> 'machine')`,
      },
      { name: 'project_apps_document', expression: 'document_url IS NULL OR (type IS NOT NULL AND octet_length(document_url) <= 500)' },
      { name: 'project_apps_one_jwks', expression: 'jwks IS NULL OR jwks_uri IS NULL' },
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
    /** Of a token of OpenID Connect: the session that it came from, and its grant. */
    sessionId: column.uuid().nullable(),
    grantId: column.text().nullable(),
    /** The organization that it is for, if that uses the project of another one. */
    organizationId: column.uuid().nullable(),
    /** The token that it was exchanged for: it ends with it. */
    parentId: column.uuid().nullable(),
  },
  {
    indexes: [
      { name: 'project_app_tokens_parent', properties: ['parentId'], where: 'parent_id IS NOT NULL' },
      {
        name: 'project_app_tokens_organization',
        properties: ['organizationId', 'projectAppId'],
        where: 'organization_id IS NOT NULL',
      },
      { name: 'project_app_tokens_session', properties: ['sessionId'], where: 'session_id IS NOT NULL' },
      { name: 'project_app_tokens_grant', properties: ['grantId'], where: 'grant_id IS NOT NULL' },
      { name: 'project_app_tokens_app', properties: ['projectAppId'] },
      { name: 'project_app_tokens_user', properties: ['userId'] },
      { name: 'project_app_tokens_expiry', properties: ['expiresAt'] },
    ],
  },
);

/** Client secrets, of which the app has two at most. */
export const projectAppSecrets = table(
  'project_app_secrets',
  {
    id: column.uuid().primary(),
    projectAppId: references(projectApps),
    /** SHA-256 of 256 random bits. */
    digest: column.blob(),
    lastFour: column.text(),
    createdAt: timestamp(),
    lastUsedAt: timestamp().nullable(),
  },
  {
    indexes: [{ name: 'project_app_secrets_app', properties: ['projectAppId'] }],
    checks: [{ name: 'project_app_secrets_last_four_check', expression: 'char_length(last_four) = 4' }],
  },
);

/** What people allowed apps to do in their name, until it is withdrawn. */
export const projectAppConsents = table(
  'project_app_consents',
  {
    userId: references(users).primary(),
    projectAppId: references(projectApps).primary(),
    scopes: column.array().columnType('text[]'),
    grantedAt: timestamp(),
    lastUsedAt: timestamp(),
  },
  { indexes: [{ name: 'project_app_consents_app', properties: ['projectAppId'] }] },
);

/** The same for an organization that uses the project of another one. */
export const projectAppGrantConsents = table(
  'project_app_grant_consents',
  {
    userId: references(users).primary(),
    projectAppId: references(projectApps).primary(),
    organizationId: column.uuid().primary(),
    scopes: column.array().columnType('text[]'),
    grantedAt: timestamp(),
    lastUsedAt: timestamp(),
  },
  { indexes: [{ name: 'project_app_grant_consents_app', properties: ['projectAppId', 'organizationId'] }] },
);

/** Apps that act for people, and where. An ended one gets no token until it is allowed again. */
export const actingApps = table(
  'acting_apps',
  {
    userId: references(users).primary(),
    projectAppId: references(projectApps).primary(),
    /** `<account or organization>:<project>`: the project, or its use by another organization. */
    placeId: column.text().primary(),
    rootId: column.uuid(),
    firstUsedAt: timestamp(),
    lastUsedAt: timestamp(),
    isByExchange: column.boolean(),
    /** By the person. */
    endedAt: timestamp().nullable(),
    endedByOrganizationAt: timestamp().nullable(),
  },
  {
    indexes: [
      { name: 'acting_apps_app', properties: ['projectAppId'] },
      { name: 'acting_apps_root', properties: ['rootId', 'lastUsedAt'] },
    ],
  },
);

/**
 * What an app asked for a person, by hours, as the gateways have counted it. A day of it is kept,
 * and no reference holds a lock of the person or the app.
 */
export const agentRequests = table(
  'agent_requests',
  {
    projectAppId: column.uuid().primary(),
    placeId: column.text().primary(),
    userId: column.uuid().primary(),
    hour: timestamp().primary(),
    requests: column.integer(),
    /** Of these. */
    refused: column.integer(),
  },
  { indexes: [{ name: 'agent_requests_hour', properties: ['hour'] }] },
);

/** The same of all people of a place, and when it was found unusual. */
export const agentPlaceRequests = table(
  'agent_place_requests',
  {
    projectAppId: column.uuid().primary(),
    placeId: column.text().primary(),
    hour: timestamp().primary(),
    requests: column.integer(),
    refused: column.integer(),
    notedAt: timestamp().nullable(),
  },
  { indexes: [{ name: 'agent_place_requests_hour', properties: ['hour'] }] },
);

/**
 * Organizations and projects that are deleted: a request that is still running must create nothing
 * in them.
 */
export const endedScopes = table('ended_scopes', { scopeId: column.text().primary(), endedAt: timestamp() });
