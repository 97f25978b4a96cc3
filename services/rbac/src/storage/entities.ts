import { column, pivot, references, table, timestamp } from '@tessera/kernel/postgres';
import type { Tenant } from '@tessera/kernel/scope';
import type { EnforcedConnections, MemberDemands } from '../domain/decision.ts';

/** A free-form JSON object. */
type JsonObject = Record<string, unknown>;

function dates() {
  return {
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
    deletedAt: timestamp().nullable(),
  };
}

/** The tenants and their versions. A version changes with every right in its tenant. */
export const tenants = table(
  'tenants',
  {
    tenant: column.text().$type<Tenant>().primary(),
    id: column.text().primary(),
    rootId: column.uuid(),
    projectId: column.uuid().nullable(),
    version: column.bigint('number').defaultRaw('1'),
    /** Of organizations: tenancy tells them. */
    requireSecondFactor: column.boolean().defaultRaw('false'),
    maxSessionAgeMinutes: column.integer().nullable(),
    /** Of accounts and organizations, with their projects: tenancy tells it. */
    isSuspended: column.boolean().defaultRaw('false'),
    requestsPerMinute: column.integer().nullable(),
    /** Of organizations: by which connections members come. identity tells it. */
    enforcement: column.json().$type<EnforcedConnections>().nullable(),
    /** Of the use of another organization's project: the project's own scope. */
    productId: column.text().nullable(),
    /** Of the same: what its custom roles, groups and tags are found by. */
    placeId: column.uuid().nullable(),
    changedAt: timestamp().defaultRaw('clock_timestamp()'),
    createdAt: timestamp().defaultRaw('now()'),
    deletedAt: timestamp().nullable(),
  },
  {
    indexes: [
      { name: 'tenants_changed', properties: ['changedAt'] },
      { name: 'tenants_root', properties: ['rootId'] },
    ],
    uniques: [
      { name: 'tenants_project', properties: ['projectId'], where: 'project_id IS NOT NULL' },
      { name: 'tenants_place', properties: ['placeId'], where: 'place_id IS NOT NULL' },
    ],
    checks: [
      { name: 'tenants_tenant_check', expression: `tenant IN ('account', 'organization', 'accountProject', 'organizationProject')` },
      { name: 'tenants_requests_per_minute_check', expression: 'requests_per_minute > 0' },
    ],
  },
);

/** Whom the platform has blocked: identity tells it. */
export const blockedPeople = table('blocked_people', { userId: column.uuid().primary(), blockedAt: timestamp() });

export const resources = table(
  'resources',
  {
    id: column.uuid().primary(),
    name: column.text(),
    slug: column.text(),
    description: column.text().nullable(),
    actions: column.array().columnType('text[]').defaultRaw(`'{}'`),
    isActive: column.boolean().default(true),
    isBuiltIn: column.boolean().default(false),
    /** The API that serves it, as clients name it (RFC 8707). */
    identifier: column.text().nullable(),
    ...dates(),
  },
  {
    uniques: [{ name: 'resources_built_in', properties: ['slug'], where: 'is_built_in' }],
    checks: [
      { name: 'resources_slug_check', expression: `slug <> ''::text AND POSITION((':'::text) IN (slug)) = 0` },
      { name: 'resources_identifier_check', expression: 'octet_length(identifier) >= 1 AND octet_length(identifier) <= 2000' },
    ],
  },
);

export const permissions = table(
  'permissions',
  {
    id: column.uuid().primary(),
    name: column.text(),
    description: column.text().nullable(),
    resourceId: references(resources),
    action: column.text(),
    condition: column.json<JsonObject>().nullable(),
    ...dates(),
  },
  {
    indexes: [{ name: 'permissions_resource', properties: ['resourceId'] }],
    checks: [{ name: 'permissions_action_check', expression: `action <> ''::text AND POSITION((':'::text) IN (action)) = 0` }],
  },
);

/**
 * Built-in roles are rows of each tenant, never shared. `rank` orders those of an organization: 1
 * Owner to 4 Viewer.
 */
export const roles = table(
  'roles',
  {
    id: column.uuid().primary(),
    name: column.text(),
    description: column.text().nullable(),
    metadata: column.json<JsonObject>().defaultRaw(`'{}'`),
    isBuiltIn: column.boolean().default(false),
    rank: column.smallint().nullable(),
    /** Of a project: customers may give it, unless their grant names its roles. */
    isGrantable: column.boolean().default(true),
    ...dates(),
  },
  {
    indexes: [{ name: 'roles_deleted', properties: ['deletedAt'], where: 'deleted_at IS NOT NULL' }],
    checks: [{ name: 'roles_check', expression: 'rank IS NULL OR is_built_in' }],
  },
);

export const groups = table(
  'groups',
  {
    id: column.uuid().primary(),
    name: column.text(),
    description: column.text().nullable(),
    metadata: column.json<JsonObject>().defaultRaw(`'{}'`),
    /** The role whose own group it is: made for the role's permissions, and in no other role. */
    roleId: references(roles).nullable(),
    ...dates(),
  },
  { indexes: [{ name: 'groups_role', properties: ['roleId'], where: 'role_id IS NOT NULL' }] },
);

export const tags = table('tags', { id: column.uuid().primary(), name: column.text(), color: column.text(), ...dates() });

export const groupPermissions = table(
  'group_permissions',
  { groupId: references(groups).primary(), permissionId: references(permissions).primary() },
  { indexes: [{ name: 'group_permissions_permission', properties: ['permissionId'] }] },
);

export const roleGroups = table(
  'role_groups',
  { roleId: references(roles).primary(), groupId: references(groups).primary() },
  { indexes: [{ name: 'role_groups_group', properties: ['groupId'] }] },
);

/**
 * A slug is unique in its project. A softly deleted resource has none, so its slug is free again.
 */
export const projectResources = pivot(
  'project_resources',
  { projectId: column.uuid().primary(), resourceId: references(resources).primary().unique(), slug: column.text().nullable() },
  {
    tenant: ['projectId'],
    listedBy: 'projectId',
    sharedBy: 'projectId',
    uniques: [{ name: 'project_resources_slug', properties: ['projectId', 'slug'] }],
  },
);

export const organizationPermissions = pivot(
  'organization_permissions',
  { organizationId: column.uuid().primary(), permissionId: references(permissions).primary().unique() },
  { tenant: ['organizationId'], listedBy: 'organizationId' },
);
export const projectPermissions = pivot(
  'project_permissions',
  { projectId: column.uuid().primary(), permissionId: references(permissions).primary().unique() },
  { tenant: ['projectId'], listedBy: 'projectId', sharedBy: 'projectId' },
);

export const organizationGroups = pivot(
  'organization_groups',
  { organizationId: column.uuid().primary(), groupId: references(groups).primary().unique() },
  { tenant: ['organizationId'], listedBy: 'organizationId' },
);
export const projectGroups = pivot(
  'project_groups',
  { projectId: column.uuid().primary(), groupId: references(groups).primary().unique() },
  { tenant: ['projectId'], listedBy: 'projectId', sharedBy: 'projectId' },
);

export const accountRoles = pivot(
  'account_roles',
  { accountId: column.uuid().primary(), roleId: references(roles).primary().unique() },
  { tenant: ['accountId'], listedBy: 'accountId' },
);
export const organizationRoles = pivot(
  'organization_roles',
  { organizationId: column.uuid().primary(), roleId: references(roles).primary().unique() },
  { tenant: ['organizationId'], listedBy: 'organizationId' },
);
export const projectRoles = pivot(
  'project_roles',
  { projectId: column.uuid().primary(), roleId: references(roles).primary().unique() },
  { tenant: ['projectId'], listedBy: 'projectId', sharedBy: 'projectId' },
);

/** How an organization may use another's project. tenancy tells it. */
export const projectGrants = pivot(
  'project_grants',
  {
    placeId: column.uuid().primary(),
    scopeId: column.text(),
    grantId: column.uuid(),
    organizationId: column.uuid(),
    ownerOrganizationId: column.uuid(),
    projectId: column.uuid(),
    isActive: column.boolean(),
    isEnded: column.boolean(),
    endedAt: timestamp().nullable(),
    /** null: all roles of the project that are grantable. */
    roleIds: column.array<string>().columnType('uuid[]').nullable(),
    allowCustomRoles: column.boolean(),
    maxMembers: column.integer().nullable(),
    metadata: column.json<JsonObject>(),
  },
  {
    tenant: ['organizationId'],
    listedBy: 'placeId',
    uniques: [{ name: 'project_grants_scope', properties: ['scopeId'] }],
    indexes: [
      { name: 'project_grants_project', properties: ['projectId'] },
      { name: 'project_grants_customer', properties: ['organizationId'] },
    ],
  },
);
/** The roles, groups and tags that a customer has made of its own. */
export const grantRoles = pivot(
  'grant_roles',
  { placeId: references(projectGrants).primary(), roleId: references(roles).primary().unique() },
  { tenant: ['placeId'], listedBy: 'placeId' },
);
export const grantGroups = pivot(
  'grant_groups',
  { placeId: references(projectGrants).primary(), groupId: references(groups).primary().unique() },
  { tenant: ['placeId'], listedBy: 'placeId' },
);
export const grantTags = pivot(
  'grant_tags',
  { placeId: references(projectGrants).primary(), tagId: references(tags).primary().unique() },
  { tenant: ['placeId'], listedBy: 'placeId' },
);

export const accountTags = pivot(
  'account_tags',
  { accountId: column.uuid().primary(), tagId: references(tags).primary().unique() },
  { tenant: ['accountId'], listedBy: 'accountId' },
);
export const organizationTags = pivot(
  'organization_tags',
  { organizationId: column.uuid().primary(), tagId: references(tags).primary().unique() },
  { tenant: ['organizationId'], listedBy: 'organizationId' },
);
export const projectTags = pivot(
  'project_tags',
  { projectId: column.uuid().primary(), tagId: references(tags).primary().unique() },
  { tenant: ['projectId'], listedBy: 'projectId' },
);

/**
 * The tags of projects, by their account or organization: lists of projects read all rows of the
 * parent.
 */
export const accountProjectTags = pivot(
  'account_project_tags',
  {
    accountId: column.uuid().primary(),
    projectId: column.uuid().primary(),
    tagId: references(tags).primary(),
    isPrimary: column.boolean().default(false),
  },
  { tenant: ['accountId'], listedBy: 'accountId', indexes: [{ name: 'account_project_tags_tag', properties: ['tagId'] }] },
);
export const organizationProjectTags = pivot(
  'organization_project_tags',
  {
    organizationId: column.uuid().primary(),
    projectId: column.uuid().primary(),
    tagId: references(tags).primary(),
    isPrimary: column.boolean().default(false),
  },
  { tenant: ['organizationId'], listedBy: 'organizationId', indexes: [{ name: 'organization_project_tags_tag', properties: ['tagId'] }] },
);

/** What Owners and Admins record of a member: conditions read it as `member.metadata`. */
export const organizationMemberMetadata = pivot(
  'organization_member_metadata',
  {
    organizationId: column.uuid().primary(),
    userId: column.uuid().primary(),
    metadata: column.json<JsonObject>(),
    /** From then on the member holds nothing in the organization (decision 28). */
    blockedAt: timestamp().nullable(),
    /** What the organization demands of the sessions of this member. */
    demands: column.json<MemberDemands>().defaultRaw(`'{}'`),
  },
  {
    tenant: ['organizationId'],
    listedBy: 'organizationId',
    indexes: [{ name: 'organization_member_metadata_user', properties: ['userId'] }],
  },
);
export const projectMemberMetadata = pivot(
  'project_member_metadata',
  { projectId: column.uuid().primary(), userId: column.uuid().primary(), metadata: column.json<JsonObject>() },
  { tenant: ['projectId'], listedBy: 'projectId', indexes: [{ name: 'project_member_metadata_user', properties: ['userId'] }] },
);

const scopeSetting = `nullif(current_setting('app.current_scope_id', true), '')`;
const scopesSetting = `nullif(current_setting('app.current_scope_ids', true), '')`;

/**
 * The policies of tables that name their scope: its own rows and its parent's. As in migration 018.
 */
const byScope = {
  tenant: {
    rows: `(tenant = 'account' AND scope_id = nullif(current_setting('app.current_account_id', true), ''))
      OR (tenant = 'organization' AND scope_id = nullif(current_setting('app.current_organization_id', true), ''))
      OR scope_id = ${scopeSetting}
      OR (${scopeSetting} IS NULL AND split_part(scope_id, ':', 2) = nullif(current_setting('app.current_project_id', true), ''))`,
  },
  listedBy: {
    rows: `scope_id = ANY (string_to_array(${scopesSetting}, ','))
      OR (${scopesSetting} IS NULL AND coalesce(nullif(split_part(scope_id, ':', 2), ''), scope_id)
        = ANY (string_to_array(nullif(current_setting('app.current_tenant_ids', true), ''), ',')))`,
  },
};
const ofScope = { scope: { target: tenants, columns: ['tenant', 'scopeId'] as const } };

/**
 * Who holds which role in which scope. A role counts only in a scope whose pivot has it, so queries
 * name user and scope.
 */
export const roleAssignments = pivot(
  'role_assignments',
  {
    tenant: column.text().$type<Tenant>().primary(),
    scopeId: column.text().primary(),
    userId: column.uuid().primary(),
    roleId: references(roles).primary(),
    createdAt: timestamp().defaultRaw('now()'),
    subjectType: column.text().$type<'user' | 'serviceAccount'>().defaultRaw(`'user'`),
    /** Null: given by hand. Else what gave it, as `connection:<id>`. */
    source: column.text().nullable(),
    /** `directory`, `hand` (or what `source` names), or both. The row ends with the last one. */
    sources: column.array().$type<readonly string[]>().columnType('text[]').defaultRaw(`'{hand}'`),
  },
  {
    ...byScope,
    foreignKeys: ofScope,
    checks: [
      { name: 'role_assignments_source_check', expression: 'octet_length(source) <= 100' },
      { name: 'role_assignments_subject_type_check', expression: `subject_type IN ('user', 'serviceAccount')` },
    ],
    indexes: [
      { name: 'role_assignments_service_accounts', properties: ['scopeId', 'userId'], where: `subject_type = 'serviceAccount'` },
      { name: 'role_assignments_user', properties: ['userId'] },
      { name: 'role_assignments_holders', properties: ['roleId', 'userId'] },
    ],
  },
);

/** The tags of all other entities, whichever service owns them. */
export const entityTags = pivot(
  'entity_tags',
  {
    tenant: column.text().$type<Tenant>().primary(),
    scopeId: column.text().primary(),
    entity: column.text().primary(),
    entityId: column.uuid().primary(),
    tagId: references(tags).primary(),
    isPrimary: column.boolean().default(false),
  },
  {
    ...byScope,
    foreignKeys: ofScope,
    indexes: [
      { name: 'entity_tags_tag', properties: ['tagId'] },
      { name: 'entity_tags_entity', properties: ['entityId'] },
    ],
    uniques: [{ name: 'entity_tags_primary', properties: ['tenant', 'scopeId', 'entity', 'entityId'], where: 'is_primary' }],
  },
);

/** Users who have left a scope. A change of roles that was under way must not bring them back. */
export const departures = pivot(
  'departures',
  {
    tenant: column.text().$type<Tenant>().primary(),
    scopeId: column.text().primary(),
    userId: column.uuid().primary(),
    leftAt: timestamp().defaultRaw('now()'),
  },
  { ...byScope, foreignKeys: ofScope, indexes: [{ name: 'departures_left', properties: ['leftAt'] }] },
);

/** How many questions were answered in each hour of a scope, summed over all replicas. */
export const decisionCounts = pivot(
  'decision_counts',
  {
    tenant: column.text().$type<Tenant>().primary(),
    scopeId: column.text().primary(),
    at: timestamp().primary(),
    allowed: column.bigint('number'),
    refused: column.bigint('number'),
    own: column.bigint('number').defaultRaw('0'),
  },
  { ...byScope, foreignKeys: ofScope, indexes: [{ name: 'decision_counts_at', properties: ['at'] }] },
);

/** A copy of the groups of an organization's directory, which are tenancy's. */
export const directoryGroups = pivot(
  'directory_groups',
  {
    id: column.uuid().primary(),
    organizationId: column.uuid(),
    name: column.text(),
    memberCount: column.integer(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ['organizationId'],
    listedBy: 'organizationId',
    indexes: [{ name: 'directory_groups_organization', properties: ['organizationId', 'name', 'id'] }],
  },
);

/** Who is in which group, once they have an account. */
export const directoryPeople = pivot(
  'directory_people',
  { organizationId: column.uuid(), groupId: references(directoryGroups).primary(), userId: column.uuid().primary() },
  { tenant: ['organizationId'], listedBy: 'organizationId', indexes: [{ name: 'directory_people_user', properties: ['userId'] }] },
);

/** Which roles a group gives in which scope, and who has decided so. */
export const directoryRoles = pivot(
  'directory_roles',
  {
    organizationId: column.uuid(),
    groupId: references(directoryGroups).primary(),
    tenant: column.text().$type<Tenant>(),
    scopeId: column.text().primary(),
    roleId: references(roles).primary(),
    mappedBy: column.uuid(),
    isMappedByService: column.boolean(),
    createdAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ['organizationId'],
    listedBy: 'organizationId',
    indexes: [
      { name: 'directory_roles_scope', properties: ['organizationId', 'scopeId'] },
      { name: 'directory_roles_role', properties: ['roleId'] },
    ],
  },
);

/** A change of what a large group gives, which is applied in portions. */
export const directoryChanges = pivot(
  'directory_changes',
  {
    organizationId: column.uuid(),
    groupId: references(directoryGroups).primary(),
    tenant: column.text().$type<Tenant>(),
    scopeId: column.text().primary(),
    actorId: column.uuid(),
    /** The last person to whom it was applied. */
    afterUserId: column.uuid().nullable(),
    peopleCount: column.integer(),
    doneCount: column.integer().defaultRaw('0'),
    turnAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ['organizationId'],
    listedBy: 'organizationId',
    indexes: [{ name: 'directory_changes_turn', properties: ['turnAt'] }],
  },
);
