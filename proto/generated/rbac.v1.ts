// Generated from rbac/v1/service.proto by `npm run generate`. Do not edit.

export type Empty = Record<never, never>;

export type Scope = {
  tenant: string;
  id: string;
};

export type Subject = {
  /** session | apiKey | projectApp */
  type: string;
  userId: string;
  tokenId: string;
  /** of apiKey and projectApp tokens, and of session tokens that have one */
  tokenScope?: Scope | undefined;
  /** projectApp only: the cap */
  scopes: readonly string[];
  /** project API keys: the only role that counts */
  roleId?: string | undefined;
};

export type Check = {
  subject: Subject;
  scope: Scope;
  resource: string;
  action: string;
  /** what conditions see as resource.*; empty: {} */
  targetJson: string;
  consistencyToken?: string | undefined;
  noCache: boolean;
  /** answer with what decided: matched permission, condition and evaluated context */
  explain?: boolean | undefined;
};

export type Decision = {
  authorized: boolean;
  reason: string;
  /** these three only when explain was asked */
  matchedPermissionJson?: string | undefined;
  matchedConditionJson?: string | undefined;
  evaluatedContextJson?: string | undefined;
};

export type CheckMany = {
  checks: readonly Check[];
  /** all of them */
  explain: boolean;
};

export type DecisionMany = {
  decisions: readonly Decision[];
};

/** Scopes may be empty (tenant and id ''): then the token's own scope is meant. */
export type ListPermissionsRequest = {
  subject: Subject;
  scope: Scope;
  consistencyToken?: string | undefined;
};

export type PermissionGrant = {
  resource: string;
  action: string;
  /** absent: unconditional */
  conditionJson?: string | undefined;
};

export type ListPermissionsResponse = {
  permissions: readonly PermissionGrant[];
  consistencyToken: string;
};

export type RoleSummary = {
  id: string;
  name: string;
  description?: string | undefined;
  isBuiltIn: boolean;
  /** built-in organization roles: 1 Owner … 4 Viewer */
  rank?: number | undefined;
  metadataJson: string;
  createdAt: string;
  updatedAt: string;
};

export type ListSubjectRolesRequest = {
  scope: Scope;
  userIds: readonly string[];
};

export type SubjectRoles = {
  userId: string;
  roles: readonly RoleSummary[];
};

export type ListSubjectRolesResponse = {
  subjects: readonly SubjectRoles[];
};

export type CheckGrantRequest = {
  actor: Subject;
  scope: Scope;
  roleIds: readonly string[];
  /** user: only roles of this very scope. key: in a project also its parent's roles, up to the actor's own rank. Empty: user in an organization, key in a project. */
  givenTo: string;
};

export type GrantVerdict = {
  roleId: string;
  /** allowed | not-found | above-own-rank | escalation */
  verdict: string;
};

export type CheckGrantResponse = {
  verdicts: readonly GrantVerdict[];
};

export type GetRolesRequest = {
  scope: Scope;
  roleIds: readonly string[];
};

export type GetRolesResponse = {
  roles: readonly RoleSummary[];
};

export type ChangeMemberRoleRequest = {
  actor: Subject;
  scope: Scope;
  userId: string;
  roleId: string;
};

export type EndMembershipRequest = {
  /** absent: the user leaves */
  actor?: Subject | undefined;
  scope: Scope;
  userId: string;
};

export type EndMembershipsRequest = {
  userId: string;
  organizationIds: readonly string[];
};

export type ListScopesRequest = {
  scopes: readonly Scope[];
};

export type ScopeRoles = {
  roles: readonly RoleSummary[];
};

export type ListScopeRolesResponse = {
  scopes: readonly ScopeRoles[];
};

export type GroupSummary = {
  id: string;
  name: string;
  description?: string | undefined;
  metadataJson: string;
  createdAt: string;
  updatedAt: string;
};

export type ScopeGroups = {
  groups: readonly GroupSummary[];
};

export type ListScopeGroupsResponse = {
  scopes: readonly ScopeGroups[];
};

export type SetSubjectRolesRequest = {
  actor: Subject;
  scope: Scope;
  userId: string;
  roleIds: readonly string[];
};

export type ListOwnedOrganizationsRequest = {
  userId: string;
};

export type OwnedOrganization = {
  organizationId: string;
  ownerCount: number;
};

export type ListOwnedOrganizationsResponse = {
  organizations: readonly OwnedOrganization[];
};

export type CheckTagsRequest = {
  scope: Scope;
  tagIds: readonly string[];
};

export type CheckTagsResponse = {
  missing: readonly string[];
};

export type ListEntityTagsRequest = {
  scope: Scope;
  entity: string;
  entityIds: readonly string[];
};

export type TagSummary = {
  id: string;
  name: string;
  color: string;
  createdAt: string;
  updatedAt: string;
};

export type EntityTags = {
  entityId: string;
  tags: readonly TagSummary[];
  primaryTagId?: string | undefined;
};

export type ListEntityTagsResponse = {
  entities: readonly EntityTags[];
};

export type ListTaggedEntitiesRequest = {
  scope: Scope;
  entity: string;
  /** an entity must carry all of them */
  tagIds: readonly string[];
};

export type ListTaggedEntitiesResponse = {
  entityIds: readonly string[];
};

export type ProjectPlace = {
  parent: Scope;
  projectId: string;
};

export type ListPrimaryTagsRequest = {
  projects: readonly ProjectPlace[];
};

export type PrimaryTag = {
  projectId: string;
  tagId: string;
};

export type ListPrimaryTagsResponse = {
  tags: readonly PrimaryTag[];
};

export type SetEntityTagsRequest = {
  scope: Scope;
  entity: string;
  entityId: string;
  tagIds: readonly string[];
  primaryTagId?: string | undefined;
};

export type CheckActionsRequest = {
  actor: Subject;
  scope: Scope;
  /** 'resource:action' */
  actions: readonly string[];
};

export type ActionVerdict = {
  action: string;
  /** allowed | not-found | escalation */
  verdict: string;
};

export type CheckActionsResponse = {
  /** in the order asked */
  verdicts: readonly ActionVerdict[];
};

/** Decisions. Every hot call has a batch form; answers come in the order of the checks. */
export type AuthorizationMethods = {
  isAuthorized: { request: Check; response: Decision };
  /** up to 1,000 checks */
  isAuthorizedMany: { request: CheckMany; response: DecisionMany };
  listPermissions: { request: ListPermissionsRequest; response: ListPermissionsResponse };
};

/** Roles of subjects, for the services that own memberships, users and API keys. */
export type RolesMethods = {
  /** Roles that each subject holds in exactly this scope. */
  listSubjectRoles: { request: ListSubjectRolesRequest; response: ListSubjectRolesResponse };
  /** May the actor give these roles in this scope? (existence, rank, no escalation) */
  checkGrant: { request: CheckGrantRequest; response: CheckGrantResponse };
  /** Existing roles by id that are usable in the scope (its own or its parent's). */
  getRoles: { request: GetRolesRequest; response: GetRolesResponse };
  /** One member's organization role; refuses by rank and for the last Owner. One transaction. */
  changeMemberRole: { request: ChangeMemberRoleRequest; response: RoleSummary };
  /** Ends all assignments of a user in an organization; refuses by rank and for the last Owner; emits membership.ended. */
  endMembership: { request: EndMembershipRequest; response: Empty };
  /** Replaces the roles of a user in a scope (PATCH /api/users roleIds). */
  setSubjectRoles: { request: SetSubjectRolesRequest; response: Empty };
  /** Organizations in which the user is an Owner, with the number of Owners of each. */
  listOwnedOrganizations: { request: ListOwnedOrganizationsRequest; response: ListOwnedOrganizationsResponse };
  /** A user leaves several organizations in one transaction: all of them, or (last Owner of one) a conflict and none. Emits membership.ended for each. */
  endMemberships: { request: EndMembershipsRequest; response: Empty };
  /** What is defined in each of these scopes (an organization's built-in roles included), in the order asked; by name. For relations of lists. */
  listScopeRoles: { request: ListScopesRequest; response: ListScopeRolesResponse };
  listScopeGroups: { request: ListScopesRequest; response: ListScopeGroupsResponse };
};

/** Tags of entities that other services own (user, organization, project, apiKey, projectApp). */
export type TagsMethods = {
  checkTags: { request: CheckTagsRequest; response: CheckTagsResponse };
  listEntityTags: { request: ListEntityTagsRequest; response: ListEntityTagsResponse };
  listTaggedEntities: { request: ListTaggedEntitiesRequest; response: ListTaggedEntitiesResponse };
  /** of the version before; tags now change by events */
  setEntityTags: { request: SetEntityTagsRequest; response: Empty };
  /** The primary tag of each project that has one. The projects may lie in many accounts and organizations. */
  listPrimaryTags: { request: ListPrimaryTagsRequest; response: ListPrimaryTagsResponse };
};

/** What is defined in a scope, for the services whose things name actions (project apps). */
export type CatalogueMethods = {
  /** May the actor put these actions into something that others will act by? They exist in the scope, and no built-in one is passed on that the actor does not hold there. */
  checkActions: { request: CheckActionsRequest; response: CheckActionsResponse };
};
