import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { ConnectionStatus, ConnectionType, KeptClaim, RoleMapping, SamlProvider } from '../domain/connection.ts';
import type { ConnectionTestStatus, TestResult } from '../domain/connection-test.ts';
import { authenticationMethods } from './people.ts';

/** Identity providers of organizations (decision 23). A deleted one keeps its row. */
export const connections = table(
  'connections',
  {
    id: column.uuid().primary(),
    organizationId: column.uuid(),
    type: column.text().$type<ConnectionType>(),
    name: column.text(),
    status: column.text().$type<ConnectionStatus>(),
    /** Never changes: a subject means something only together with its issuer. */
    issuer: column.text().nullable(),
    clientId: column.text().nullable(),
    /** Sealed under the id of the connection. */
    clientSecret: column.blob().$type<Buffer>().nullable(),
    /** Which value of AUTH_FACTOR_SECRETS sealed it. */
    sealedWith: column.text().nullable(),
    /** Of type saml: what its metadata said. */
    saml: column.json().$type<SamlProvider>().nullable(),
    scopes: column.array().$type<readonly string[]>().columnType('text[]'),
    defaultRoleId: column.uuid(),
    /** Who chose it; null is who made the connection. */
    defaultRoleBy: column.uuid().nullable(),
    isDefaultRoleByService: column.boolean().defaultRaw('false'),
    /** What the provider says of a person, and which roles it gives. */
    roleMapping: column.json().$type<readonly RoleMapping[]>().defaultRaw("'[]'"),
    /** Members have to come by it (decision 31). */
    isEnforced: column.boolean().defaultRaw('false'),
    /** Owners who need not. */
    breakGlassUserIds: column.array().$type<readonly string[]>().columnType('uuid[]').defaultRaw("'{}'"),
    /** Since when, and since when for these Owners. */
    enforcedAt: timestamp().nullable(),
    /** An account that holds an address of a proven domain is linked without its person's word. */
    linkOnProvenDomain: column.boolean().defaultRaw('false'),
    /** Values of `acr` that count as the organization's second factor. */
    trustedAcr: column.array().$type<readonly string[]>().columnType('text[]').defaultRaw("'{}'"),
    /** When its metadata was asked for last. */
    metadataAskedAt: timestamp().nullable(),
    createdBy: column.uuid(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    deletedAt: timestamp().nullable(),
    lastUsedAt: timestamp().nullable(),
    /** The last test that passed, with the settings that it has now. */
    testedAt: timestamp().nullable(),
  },
  {
    indexes: [
      { name: 'connections_organization', properties: ['organizationId', 'createdAt'] },
      { name: 'connections_enforced', properties: ['organizationId'], where: 'is_enforced' },
    ],
    checks: [
      { name: 'connections_status_check', expression: `status IN ('draft', 'active', 'disabled')` },
      { name: 'connections_name_check', expression: 'octet_length(name) <= 1020' },
      { name: 'connections_scopes_check', expression: 'cardinality(scopes) <= 20' },
      { name: 'connections_deleted_check', expression: `deleted_at IS NULL OR (status = 'disabled' AND client_secret IS NULL)` },
      {
        name: 'connections_type_check',
        expression: `(type = 'oidc' AND issuer IS NOT NULL AND client_id IS NOT NULL AND saml IS NULL) OR (type = 'saml' AND issuer IS NULL AND client_id IS NULL AND client_secret IS NULL AND (status <> 'active' OR saml IS NOT NULL))`,
      },
      { name: 'connections_enforced_check', expression: `NOT is_enforced OR (status = 'active' AND enforced_at IS NOT NULL)` },
      { name: 'connections_break_glass_check', expression: 'cardinality(break_glass_user_ids) <= 5' },
      { name: 'connections_trusted_acr_check', expression: 'cardinality(trusted_acr) <= 20' },
      { name: 'connections_sealed_check', expression: '(client_secret IS NULL) = (sealed_with IS NULL)' },
    ],
  },
);

/** To which connection a way to sign in leads. */
export const connectionLinks = table(
  'connection_links',
  {
    authenticationMethodId: references(authenticationMethods).primary(),
    connectionId: references(connections),
    madeBy: column.text().$type<'first-sign-in' | 'word' | 'domain'>(),
    createdAt: timestamp(),
  },
  {
    indexes: [{ name: 'connection_links_connection', properties: ['connectionId'] }],
    checks: [{ name: 'connection_links_made_by_check', expression: `made_by IN ('first-sign-in', 'word', 'domain')` }],
  },
);

/**
 * Which subjects have ever led to a person. It outlives the person, so that a removed member does
 * not come back as a new person.
 */
export const connectionSubjects = table(
  'connection_subjects',
  {
    /** SHA-256 of the provider (`connections/<id>`), a space and the subject. */
    digest: column.blob().$type<Buffer>().primary(),
    connectionId: references(connections),
  },
  { indexes: [{ name: 'connection_subjects_connection', properties: ['connectionId'] }] },
);

/** Logout tokens of providers that were used, and what they ended. */
export const connectionLogouts = table(
  'connection_logouts',
  {
    /** SHA-256 of the connection, the kind (jti, sid or sub) and the value. */
    digest: column.blob().$type<Buffer>().primary(),
    connectionId: references(connections),
    at: timestamp(),
  },
  {
    indexes: [
      { name: 'connection_logouts_connection', properties: ['connectionId'] },
      { name: 'connection_logouts_at', properties: ['at'] },
    ],
  },
);

/** Tests of a connection, kept for a day. */
export const connectionTests = table(
  'connection_tests',
  {
    id: column.uuid().primary(),
    connectionId: references(connections),
    status: column.text().$type<ConnectionTestStatus>(),
    /** Null where a set-up link began it. */
    createdBy: column.uuid().nullable(),
    createdAt: timestamp(),
    openedAt: timestamp().nullable(),
    finishedAt: timestamp().nullable(),
    expiresAt: timestamp(),
    result: column.json().$type<TestResult>().nullable(),
  },
  {
    indexes: [
      { name: 'connection_tests_connection', properties: ['connectionId', 'createdAt'] },
      { name: 'connection_tests_expiry', properties: ['expiresAt'] },
    ],
    checks: [
      { name: 'connection_tests_status_check', expression: `status IN ('waiting', 'opened', 'passed', 'refused', 'failed')` },
      { name: 'connection_tests_result_check', expression: 'octet_length(result::text) <= 131072' },
      { name: 'connection_tests_finished_check', expression: '(finished_at IS NULL) = (result IS NULL)' },
    ],
  },
);

/** What a provider said of a person at the last sign-in, for the preview of a mapping. */
export const connectionSignIns = table(
  'connection_sign_ins',
  {
    authenticationMethodId: references(authenticationMethods).primary(),
    connectionId: references(connections),
    signedInAt: timestamp(),
    claims: column.json<readonly KeptClaim[]>(),
  },
  {
    indexes: [
      { name: 'connection_sign_ins_connection', properties: ['connectionId', 'signedInAt'] },
      { name: 'connection_sign_ins_signed_in', properties: ['signedInAt'] },
    ],
    checks: [
      { name: 'connection_sign_ins_claims_check', expression: `jsonb_typeof(claims) = 'array' AND octet_length(claims::text) <= 4096` },
    ],
  },
);

/** Providers of the whole installation that were used. Their settings stand in the environment. */
export const platformConnections = table(
  'platform_connections',
  { name: column.text().primary(), lastUsedAt: timestamp() },
  { checks: [{ name: 'platform_connections_name_check', expression: 'octet_length(name) <= 31' }] },
);

/** What providers publish of themselves, for a day: it can be used while it cannot be read. */
export const providerDocuments = table(
  'provider_documents',
  {
    /** SHA-256 of the kind (discovery or keys), a space and the address. */
    digest: column.blob().$type<Buffer>().primary(),
    document: column.text(),
    readAt: timestamp(),
  },
  {
    indexes: [{ name: 'provider_documents_read', properties: ['readAt'] }],
    checks: [{ name: 'provider_documents_document_check', expression: 'octet_length(document) <= 131072' }],
  },
);
