// Original file: rbac/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ChangeMemberRoleRequest__Input as _rbac_v1_ChangeMemberRoleRequest__Input, ChangeMemberRoleRequest as _rbac_v1_ChangeMemberRoleRequest } from '../../rbac/v1/ChangeMemberRoleRequest.ts';
import type { Changed__Input as _rbac_v1_Changed__Input, Changed as _rbac_v1_Changed } from '../../rbac/v1/Changed.ts';
import type { CheckGrantRequest__Input as _rbac_v1_CheckGrantRequest__Input, CheckGrantRequest as _rbac_v1_CheckGrantRequest } from '../../rbac/v1/CheckGrantRequest.ts';
import type { CheckGrantResponse__Input as _rbac_v1_CheckGrantResponse__Input, CheckGrantResponse as _rbac_v1_CheckGrantResponse } from '../../rbac/v1/CheckGrantResponse.ts';
import type { CountInScopesResponse__Input as _rbac_v1_CountInScopesResponse__Input, CountInScopesResponse as _rbac_v1_CountInScopesResponse } from '../../rbac/v1/CountInScopesResponse.ts';
import type { DescribeGrantsRequest__Input as _rbac_v1_DescribeGrantsRequest__Input, DescribeGrantsRequest as _rbac_v1_DescribeGrantsRequest } from '../../rbac/v1/DescribeGrantsRequest.ts';
import type { DescribeGrantsResponse__Input as _rbac_v1_DescribeGrantsResponse__Input, DescribeGrantsResponse as _rbac_v1_DescribeGrantsResponse } from '../../rbac/v1/DescribeGrantsResponse.ts';
import type { DescribePersonRequest__Input as _rbac_v1_DescribePersonRequest__Input, DescribePersonRequest as _rbac_v1_DescribePersonRequest } from '../../rbac/v1/DescribePersonRequest.ts';
import type { DescribePersonResponse__Input as _rbac_v1_DescribePersonResponse__Input, DescribePersonResponse as _rbac_v1_DescribePersonResponse } from '../../rbac/v1/DescribePersonResponse.ts';
import type { Empty__Input as _rbac_v1_Empty__Input, Empty as _rbac_v1_Empty } from '../../rbac/v1/Empty.ts';
import type { EndMembershipRequest__Input as _rbac_v1_EndMembershipRequest__Input, EndMembershipRequest as _rbac_v1_EndMembershipRequest } from '../../rbac/v1/EndMembershipRequest.ts';
import type { EndMembershipsRequest__Input as _rbac_v1_EndMembershipsRequest__Input, EndMembershipsRequest as _rbac_v1_EndMembershipsRequest } from '../../rbac/v1/EndMembershipsRequest.ts';
import type { GetRolesRequest__Input as _rbac_v1_GetRolesRequest__Input, GetRolesRequest as _rbac_v1_GetRolesRequest } from '../../rbac/v1/GetRolesRequest.ts';
import type { GetRolesResponse__Input as _rbac_v1_GetRolesResponse__Input, GetRolesResponse as _rbac_v1_GetRolesResponse } from '../../rbac/v1/GetRolesResponse.ts';
import type { ListHoldersRequest__Input as _rbac_v1_ListHoldersRequest__Input, ListHoldersRequest as _rbac_v1_ListHoldersRequest } from '../../rbac/v1/ListHoldersRequest.ts';
import type { ListHoldersResponse__Input as _rbac_v1_ListHoldersResponse__Input, ListHoldersResponse as _rbac_v1_ListHoldersResponse } from '../../rbac/v1/ListHoldersResponse.ts';
import type { ListMemberRolesRequest__Input as _rbac_v1_ListMemberRolesRequest__Input, ListMemberRolesRequest as _rbac_v1_ListMemberRolesRequest } from '../../rbac/v1/ListMemberRolesRequest.ts';
import type { ListMemberRolesResponse__Input as _rbac_v1_ListMemberRolesResponse__Input, ListMemberRolesResponse as _rbac_v1_ListMemberRolesResponse } from '../../rbac/v1/ListMemberRolesResponse.ts';
import type { ListOwnedOrganizationsRequest__Input as _rbac_v1_ListOwnedOrganizationsRequest__Input, ListOwnedOrganizationsRequest as _rbac_v1_ListOwnedOrganizationsRequest } from '../../rbac/v1/ListOwnedOrganizationsRequest.ts';
import type { ListOwnedOrganizationsResponse__Input as _rbac_v1_ListOwnedOrganizationsResponse__Input, ListOwnedOrganizationsResponse as _rbac_v1_ListOwnedOrganizationsResponse } from '../../rbac/v1/ListOwnedOrganizationsResponse.ts';
import type { ListScopeGroupsResponse__Input as _rbac_v1_ListScopeGroupsResponse__Input, ListScopeGroupsResponse as _rbac_v1_ListScopeGroupsResponse } from '../../rbac/v1/ListScopeGroupsResponse.ts';
import type { ListScopeRolesResponse__Input as _rbac_v1_ListScopeRolesResponse__Input, ListScopeRolesResponse as _rbac_v1_ListScopeRolesResponse } from '../../rbac/v1/ListScopeRolesResponse.ts';
import type { ListScopesRequest__Input as _rbac_v1_ListScopesRequest__Input, ListScopesRequest as _rbac_v1_ListScopesRequest } from '../../rbac/v1/ListScopesRequest.ts';
import type { ListSubjectRolesRequest__Input as _rbac_v1_ListSubjectRolesRequest__Input, ListSubjectRolesRequest as _rbac_v1_ListSubjectRolesRequest } from '../../rbac/v1/ListSubjectRolesRequest.ts';
import type { ListSubjectRolesResponse__Input as _rbac_v1_ListSubjectRolesResponse__Input, ListSubjectRolesResponse as _rbac_v1_ListSubjectRolesResponse } from '../../rbac/v1/ListSubjectRolesResponse.ts';
import type { MapRolesRequest__Input as _rbac_v1_MapRolesRequest__Input, MapRolesRequest as _rbac_v1_MapRolesRequest } from '../../rbac/v1/MapRolesRequest.ts';
import type { PreviewRolesRequest__Input as _rbac_v1_PreviewRolesRequest__Input, PreviewRolesRequest as _rbac_v1_PreviewRolesRequest } from '../../rbac/v1/PreviewRolesRequest.ts';
import type { PreviewRolesResponse__Input as _rbac_v1_PreviewRolesResponse__Input, PreviewRolesResponse as _rbac_v1_PreviewRolesResponse } from '../../rbac/v1/PreviewRolesResponse.ts';
import type { RestrictMemberRequest__Input as _rbac_v1_RestrictMemberRequest__Input, RestrictMemberRequest as _rbac_v1_RestrictMemberRequest } from '../../rbac/v1/RestrictMemberRequest.ts';
import type { RoleSummary__Input as _rbac_v1_RoleSummary__Input, RoleSummary as _rbac_v1_RoleSummary } from '../../rbac/v1/RoleSummary.ts';
import type { SetMemberMetadataRequest__Input as _rbac_v1_SetMemberMetadataRequest__Input, SetMemberMetadataRequest as _rbac_v1_SetMemberMetadataRequest } from '../../rbac/v1/SetMemberMetadataRequest.ts';
import type { SetSubjectRolesRequest__Input as _rbac_v1_SetSubjectRolesRequest__Input, SetSubjectRolesRequest as _rbac_v1_SetSubjectRolesRequest } from '../../rbac/v1/SetSubjectRolesRequest.ts';

/**
 * Roles of subjects, for the services that own memberships, users and API keys.
 */
export interface RolesClient extends grpc.Client {
  /**
   * One member's organization role; refuses by rank and for the last Owner. One transaction.
   */
  ChangeMemberRole(argument: _rbac_v1_ChangeMemberRoleRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_RoleSummary>): grpc.ClientUnaryCall;
  ChangeMemberRole(argument: _rbac_v1_ChangeMemberRoleRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_RoleSummary>): grpc.ClientUnaryCall;
  ChangeMemberRole(argument: _rbac_v1_ChangeMemberRoleRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_RoleSummary>): grpc.ClientUnaryCall;
  ChangeMemberRole(argument: _rbac_v1_ChangeMemberRoleRequest__Input, callback: grpc.requestCallback<_rbac_v1_RoleSummary>): grpc.ClientUnaryCall;
  /**
   * One member's organization role; refuses by rank and for the last Owner. One transaction.
   */
  changeMemberRole(argument: _rbac_v1_ChangeMemberRoleRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_RoleSummary>): grpc.ClientUnaryCall;
  changeMemberRole(argument: _rbac_v1_ChangeMemberRoleRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_RoleSummary>): grpc.ClientUnaryCall;
  changeMemberRole(argument: _rbac_v1_ChangeMemberRoleRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_RoleSummary>): grpc.ClientUnaryCall;
  changeMemberRole(argument: _rbac_v1_ChangeMemberRoleRequest__Input, callback: grpc.requestCallback<_rbac_v1_RoleSummary>): grpc.ClientUnaryCall;
  
  /**
   * May the actor give these roles in this scope? (existence, rank, no escalation)
   */
  CheckGrant(argument: _rbac_v1_CheckGrantRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckGrantResponse>): grpc.ClientUnaryCall;
  CheckGrant(argument: _rbac_v1_CheckGrantRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CheckGrantResponse>): grpc.ClientUnaryCall;
  CheckGrant(argument: _rbac_v1_CheckGrantRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckGrantResponse>): grpc.ClientUnaryCall;
  CheckGrant(argument: _rbac_v1_CheckGrantRequest__Input, callback: grpc.requestCallback<_rbac_v1_CheckGrantResponse>): grpc.ClientUnaryCall;
  /**
   * May the actor give these roles in this scope? (existence, rank, no escalation)
   */
  checkGrant(argument: _rbac_v1_CheckGrantRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckGrantResponse>): grpc.ClientUnaryCall;
  checkGrant(argument: _rbac_v1_CheckGrantRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CheckGrantResponse>): grpc.ClientUnaryCall;
  checkGrant(argument: _rbac_v1_CheckGrantRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckGrantResponse>): grpc.ClientUnaryCall;
  checkGrant(argument: _rbac_v1_CheckGrantRequest__Input, callback: grpc.requestCallback<_rbac_v1_CheckGrantResponse>): grpc.ClientUnaryCall;
  
  /**
   * How many roles and tags are defined in these scopes together, without built-in ones: for the record of their deletion.
   */
  CountInScopes(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CountInScopesResponse>): grpc.ClientUnaryCall;
  CountInScopes(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CountInScopesResponse>): grpc.ClientUnaryCall;
  CountInScopes(argument: _rbac_v1_ListScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CountInScopesResponse>): grpc.ClientUnaryCall;
  CountInScopes(argument: _rbac_v1_ListScopesRequest__Input, callback: grpc.requestCallback<_rbac_v1_CountInScopesResponse>): grpc.ClientUnaryCall;
  /**
   * How many roles and tags are defined in these scopes together, without built-in ones: for the record of their deletion.
   */
  countInScopes(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CountInScopesResponse>): grpc.ClientUnaryCall;
  countInScopes(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CountInScopesResponse>): grpc.ClientUnaryCall;
  countInScopes(argument: _rbac_v1_ListScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CountInScopesResponse>): grpc.ClientUnaryCall;
  countInScopes(argument: _rbac_v1_ListScopesRequest__Input, callback: grpc.requestCallback<_rbac_v1_CountInScopesResponse>): grpc.ClientUnaryCall;
  
  /**
   * What organizations that use a project may give there, and how many of their members hold a role; in the order of the request.
   */
  DescribeGrants(argument: _rbac_v1_DescribeGrantsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribeGrantsResponse>): grpc.ClientUnaryCall;
  DescribeGrants(argument: _rbac_v1_DescribeGrantsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DescribeGrantsResponse>): grpc.ClientUnaryCall;
  DescribeGrants(argument: _rbac_v1_DescribeGrantsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribeGrantsResponse>): grpc.ClientUnaryCall;
  DescribeGrants(argument: _rbac_v1_DescribeGrantsRequest__Input, callback: grpc.requestCallback<_rbac_v1_DescribeGrantsResponse>): grpc.ClientUnaryCall;
  /**
   * What organizations that use a project may give there, and how many of their members hold a role; in the order of the request.
   */
  describeGrants(argument: _rbac_v1_DescribeGrantsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribeGrantsResponse>): grpc.ClientUnaryCall;
  describeGrants(argument: _rbac_v1_DescribeGrantsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DescribeGrantsResponse>): grpc.ClientUnaryCall;
  describeGrants(argument: _rbac_v1_DescribeGrantsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribeGrantsResponse>): grpc.ClientUnaryCall;
  describeGrants(argument: _rbac_v1_DescribeGrantsRequest__Input, callback: grpc.requestCallback<_rbac_v1_DescribeGrantsResponse>): grpc.ClientUnaryCall;
  
  /**
   * What tokens may say of a person in a project, or where an organization uses it.
   */
  DescribePerson(argument: _rbac_v1_DescribePersonRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribePersonResponse>): grpc.ClientUnaryCall;
  DescribePerson(argument: _rbac_v1_DescribePersonRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DescribePersonResponse>): grpc.ClientUnaryCall;
  DescribePerson(argument: _rbac_v1_DescribePersonRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribePersonResponse>): grpc.ClientUnaryCall;
  DescribePerson(argument: _rbac_v1_DescribePersonRequest__Input, callback: grpc.requestCallback<_rbac_v1_DescribePersonResponse>): grpc.ClientUnaryCall;
  /**
   * What tokens may say of a person in a project, or where an organization uses it.
   */
  describePerson(argument: _rbac_v1_DescribePersonRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribePersonResponse>): grpc.ClientUnaryCall;
  describePerson(argument: _rbac_v1_DescribePersonRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DescribePersonResponse>): grpc.ClientUnaryCall;
  describePerson(argument: _rbac_v1_DescribePersonRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribePersonResponse>): grpc.ClientUnaryCall;
  describePerson(argument: _rbac_v1_DescribePersonRequest__Input, callback: grpc.requestCallback<_rbac_v1_DescribePersonResponse>): grpc.ClientUnaryCall;
  
  /**
   * Ends all assignments of a user in an organization; refuses by rank and for the last Owner; emits membership.ended.
   */
  EndMembership(argument: _rbac_v1_EndMembershipRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  EndMembership(argument: _rbac_v1_EndMembershipRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  EndMembership(argument: _rbac_v1_EndMembershipRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  EndMembership(argument: _rbac_v1_EndMembershipRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  /**
   * Ends all assignments of a user in an organization; refuses by rank and for the last Owner; emits membership.ended.
   */
  endMembership(argument: _rbac_v1_EndMembershipRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  endMembership(argument: _rbac_v1_EndMembershipRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  endMembership(argument: _rbac_v1_EndMembershipRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  endMembership(argument: _rbac_v1_EndMembershipRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  
  /**
   * A user leaves several organizations in one transaction: all of them, or (last Owner of one) a conflict and none. Emits membership.ended for each.
   */
  EndMemberships(argument: _rbac_v1_EndMembershipsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Empty>): grpc.ClientUnaryCall;
  EndMemberships(argument: _rbac_v1_EndMembershipsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Empty>): grpc.ClientUnaryCall;
  EndMemberships(argument: _rbac_v1_EndMembershipsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Empty>): grpc.ClientUnaryCall;
  EndMemberships(argument: _rbac_v1_EndMembershipsRequest__Input, callback: grpc.requestCallback<_rbac_v1_Empty>): grpc.ClientUnaryCall;
  /**
   * A user leaves several organizations in one transaction: all of them, or (last Owner of one) a conflict and none. Emits membership.ended for each.
   */
  endMemberships(argument: _rbac_v1_EndMembershipsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Empty>): grpc.ClientUnaryCall;
  endMemberships(argument: _rbac_v1_EndMembershipsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Empty>): grpc.ClientUnaryCall;
  endMemberships(argument: _rbac_v1_EndMembershipsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Empty>): grpc.ClientUnaryCall;
  endMemberships(argument: _rbac_v1_EndMembershipsRequest__Input, callback: grpc.requestCallback<_rbac_v1_Empty>): grpc.ClientUnaryCall;
  
  /**
   * Existing roles by id that are usable in the scope (its own or its parent's).
   */
  GetRoles(argument: _rbac_v1_GetRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_GetRolesResponse>): grpc.ClientUnaryCall;
  GetRoles(argument: _rbac_v1_GetRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_GetRolesResponse>): grpc.ClientUnaryCall;
  GetRoles(argument: _rbac_v1_GetRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_GetRolesResponse>): grpc.ClientUnaryCall;
  GetRoles(argument: _rbac_v1_GetRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_GetRolesResponse>): grpc.ClientUnaryCall;
  /**
   * Existing roles by id that are usable in the scope (its own or its parent's).
   */
  getRoles(argument: _rbac_v1_GetRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_GetRolesResponse>): grpc.ClientUnaryCall;
  getRoles(argument: _rbac_v1_GetRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_GetRolesResponse>): grpc.ClientUnaryCall;
  getRoles(argument: _rbac_v1_GetRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_GetRolesResponse>): grpc.ClientUnaryCall;
  getRoles(argument: _rbac_v1_GetRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_GetRolesResponse>): grpc.ClientUnaryCall;
  
  /**
   * The people who hold a role in exactly this scope, by their ids, with these roles. `after` is the last id of the page before.
   */
  ListHolders(argument: _rbac_v1_ListHoldersRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListHoldersResponse>): grpc.ClientUnaryCall;
  ListHolders(argument: _rbac_v1_ListHoldersRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListHoldersResponse>): grpc.ClientUnaryCall;
  ListHolders(argument: _rbac_v1_ListHoldersRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListHoldersResponse>): grpc.ClientUnaryCall;
  ListHolders(argument: _rbac_v1_ListHoldersRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListHoldersResponse>): grpc.ClientUnaryCall;
  /**
   * The people who hold a role in exactly this scope, by their ids, with these roles. `after` is the last id of the page before.
   */
  listHolders(argument: _rbac_v1_ListHoldersRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListHoldersResponse>): grpc.ClientUnaryCall;
  listHolders(argument: _rbac_v1_ListHoldersRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListHoldersResponse>): grpc.ClientUnaryCall;
  listHolders(argument: _rbac_v1_ListHoldersRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListHoldersResponse>): grpc.ClientUnaryCall;
  listHolders(argument: _rbac_v1_ListHoldersRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListHoldersResponse>): grpc.ClientUnaryCall;
  
  /**
   * The highest role of a user in each of their organizations.
   */
  ListMemberRoles(argument: _rbac_v1_ListMemberRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListMemberRolesResponse>): grpc.ClientUnaryCall;
  ListMemberRoles(argument: _rbac_v1_ListMemberRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListMemberRolesResponse>): grpc.ClientUnaryCall;
  ListMemberRoles(argument: _rbac_v1_ListMemberRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListMemberRolesResponse>): grpc.ClientUnaryCall;
  ListMemberRoles(argument: _rbac_v1_ListMemberRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListMemberRolesResponse>): grpc.ClientUnaryCall;
  /**
   * The highest role of a user in each of their organizations.
   */
  listMemberRoles(argument: _rbac_v1_ListMemberRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListMemberRolesResponse>): grpc.ClientUnaryCall;
  listMemberRoles(argument: _rbac_v1_ListMemberRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListMemberRolesResponse>): grpc.ClientUnaryCall;
  listMemberRoles(argument: _rbac_v1_ListMemberRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListMemberRolesResponse>): grpc.ClientUnaryCall;
  listMemberRoles(argument: _rbac_v1_ListMemberRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListMemberRolesResponse>): grpc.ClientUnaryCall;
  
  /**
   * Organizations in which the user is an Owner, with the number of Owners of each.
   */
  ListOwnedOrganizations(argument: _rbac_v1_ListOwnedOrganizationsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListOwnedOrganizationsResponse>): grpc.ClientUnaryCall;
  ListOwnedOrganizations(argument: _rbac_v1_ListOwnedOrganizationsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListOwnedOrganizationsResponse>): grpc.ClientUnaryCall;
  ListOwnedOrganizations(argument: _rbac_v1_ListOwnedOrganizationsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListOwnedOrganizationsResponse>): grpc.ClientUnaryCall;
  ListOwnedOrganizations(argument: _rbac_v1_ListOwnedOrganizationsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListOwnedOrganizationsResponse>): grpc.ClientUnaryCall;
  /**
   * Organizations in which the user is an Owner, with the number of Owners of each.
   */
  listOwnedOrganizations(argument: _rbac_v1_ListOwnedOrganizationsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListOwnedOrganizationsResponse>): grpc.ClientUnaryCall;
  listOwnedOrganizations(argument: _rbac_v1_ListOwnedOrganizationsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListOwnedOrganizationsResponse>): grpc.ClientUnaryCall;
  listOwnedOrganizations(argument: _rbac_v1_ListOwnedOrganizationsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListOwnedOrganizationsResponse>): grpc.ClientUnaryCall;
  listOwnedOrganizations(argument: _rbac_v1_ListOwnedOrganizationsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListOwnedOrganizationsResponse>): grpc.ClientUnaryCall;
  
  ListScopeGroups(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListScopeGroupsResponse>): grpc.ClientUnaryCall;
  ListScopeGroups(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListScopeGroupsResponse>): grpc.ClientUnaryCall;
  ListScopeGroups(argument: _rbac_v1_ListScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListScopeGroupsResponse>): grpc.ClientUnaryCall;
  ListScopeGroups(argument: _rbac_v1_ListScopesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListScopeGroupsResponse>): grpc.ClientUnaryCall;
  listScopeGroups(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListScopeGroupsResponse>): grpc.ClientUnaryCall;
  listScopeGroups(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListScopeGroupsResponse>): grpc.ClientUnaryCall;
  listScopeGroups(argument: _rbac_v1_ListScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListScopeGroupsResponse>): grpc.ClientUnaryCall;
  listScopeGroups(argument: _rbac_v1_ListScopesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListScopeGroupsResponse>): grpc.ClientUnaryCall;
  
  /**
   * The roles or groups of each of these scopes, also an organization's built-in roles, in the order of the request, sorted by name.
   */
  ListScopeRoles(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListScopeRolesResponse>): grpc.ClientUnaryCall;
  ListScopeRoles(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListScopeRolesResponse>): grpc.ClientUnaryCall;
  ListScopeRoles(argument: _rbac_v1_ListScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListScopeRolesResponse>): grpc.ClientUnaryCall;
  ListScopeRoles(argument: _rbac_v1_ListScopesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListScopeRolesResponse>): grpc.ClientUnaryCall;
  /**
   * The roles or groups of each of these scopes, also an organization's built-in roles, in the order of the request, sorted by name.
   */
  listScopeRoles(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListScopeRolesResponse>): grpc.ClientUnaryCall;
  listScopeRoles(argument: _rbac_v1_ListScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListScopeRolesResponse>): grpc.ClientUnaryCall;
  listScopeRoles(argument: _rbac_v1_ListScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListScopeRolesResponse>): grpc.ClientUnaryCall;
  listScopeRoles(argument: _rbac_v1_ListScopesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListScopeRolesResponse>): grpc.ClientUnaryCall;
  
  /**
   * Roles that each subject holds in exactly this scope.
   */
  ListSubjectRoles(argument: _rbac_v1_ListSubjectRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListSubjectRolesResponse>): grpc.ClientUnaryCall;
  ListSubjectRoles(argument: _rbac_v1_ListSubjectRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListSubjectRolesResponse>): grpc.ClientUnaryCall;
  ListSubjectRoles(argument: _rbac_v1_ListSubjectRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListSubjectRolesResponse>): grpc.ClientUnaryCall;
  ListSubjectRoles(argument: _rbac_v1_ListSubjectRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListSubjectRolesResponse>): grpc.ClientUnaryCall;
  /**
   * Roles that each subject holds in exactly this scope.
   */
  listSubjectRoles(argument: _rbac_v1_ListSubjectRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListSubjectRolesResponse>): grpc.ClientUnaryCall;
  listSubjectRoles(argument: _rbac_v1_ListSubjectRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListSubjectRolesResponse>): grpc.ClientUnaryCall;
  listSubjectRoles(argument: _rbac_v1_ListSubjectRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListSubjectRolesResponse>): grpc.ClientUnaryCall;
  listSubjectRoles(argument: _rbac_v1_ListSubjectRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListSubjectRolesResponse>): grpc.ClientUnaryCall;
  
  /**
   * What an identity provider says of a member at the sign-in: replaces what it gave in this scope. In an organization also what was given
   * by hand; an Owner stays as they are.
   */
  MapRoles(argument: _rbac_v1_MapRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  MapRoles(argument: _rbac_v1_MapRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  MapRoles(argument: _rbac_v1_MapRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  MapRoles(argument: _rbac_v1_MapRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  /**
   * What an identity provider says of a member at the sign-in: replaces what it gave in this scope. In an organization also what was given
   * by hand; an Owner stays as they are.
   */
  mapRoles(argument: _rbac_v1_MapRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  mapRoles(argument: _rbac_v1_MapRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  mapRoles(argument: _rbac_v1_MapRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  mapRoles(argument: _rbac_v1_MapRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  
  /**
   * What MapRoles would change for each of these people, by roles whose mappers could give them. Changes nothing.
   */
  PreviewRoles(argument: _rbac_v1_PreviewRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_PreviewRolesResponse>): grpc.ClientUnaryCall;
  PreviewRoles(argument: _rbac_v1_PreviewRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_PreviewRolesResponse>): grpc.ClientUnaryCall;
  PreviewRoles(argument: _rbac_v1_PreviewRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_PreviewRolesResponse>): grpc.ClientUnaryCall;
  PreviewRoles(argument: _rbac_v1_PreviewRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_PreviewRolesResponse>): grpc.ClientUnaryCall;
  /**
   * What MapRoles would change for each of these people, by roles whose mappers could give them. Changes nothing.
   */
  previewRoles(argument: _rbac_v1_PreviewRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_PreviewRolesResponse>): grpc.ClientUnaryCall;
  previewRoles(argument: _rbac_v1_PreviewRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_PreviewRolesResponse>): grpc.ClientUnaryCall;
  previewRoles(argument: _rbac_v1_PreviewRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_PreviewRolesResponse>): grpc.ClientUnaryCall;
  previewRoles(argument: _rbac_v1_PreviewRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_PreviewRolesResponse>): grpc.ClientUnaryCall;
  
  /**
   * Blocks or unblocks a member of an organization, ends their sessions there or requires a new password. Refuses an actor who names
   * themselves, or a member whose rank is not below the actor's.
   */
  RestrictMember(argument: _rbac_v1_RestrictMemberRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  RestrictMember(argument: _rbac_v1_RestrictMemberRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  RestrictMember(argument: _rbac_v1_RestrictMemberRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  RestrictMember(argument: _rbac_v1_RestrictMemberRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  /**
   * Blocks or unblocks a member of an organization, ends their sessions there or requires a new password. Refuses an actor who names
   * themselves, or a member whose rank is not below the actor's.
   */
  restrictMember(argument: _rbac_v1_RestrictMemberRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  restrictMember(argument: _rbac_v1_RestrictMemberRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  restrictMember(argument: _rbac_v1_RestrictMemberRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  restrictMember(argument: _rbac_v1_RestrictMemberRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  
  /**
   * Replaces what Owners and Admins record of a member or a project's user: member.metadata in conditions.
   */
  SetMemberMetadata(argument: _rbac_v1_SetMemberMetadataRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  SetMemberMetadata(argument: _rbac_v1_SetMemberMetadataRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  SetMemberMetadata(argument: _rbac_v1_SetMemberMetadataRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  SetMemberMetadata(argument: _rbac_v1_SetMemberMetadataRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  /**
   * Replaces what Owners and Admins record of a member or a project's user: member.metadata in conditions.
   */
  setMemberMetadata(argument: _rbac_v1_SetMemberMetadataRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  setMemberMetadata(argument: _rbac_v1_SetMemberMetadataRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  setMemberMetadata(argument: _rbac_v1_SetMemberMetadataRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  setMemberMetadata(argument: _rbac_v1_SetMemberMetadataRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  
  /**
   * Replaces the roles of a user in a scope (PATCH /api/users roleIds).
   */
  SetSubjectRoles(argument: _rbac_v1_SetSubjectRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  SetSubjectRoles(argument: _rbac_v1_SetSubjectRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  SetSubjectRoles(argument: _rbac_v1_SetSubjectRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  SetSubjectRoles(argument: _rbac_v1_SetSubjectRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  /**
   * Replaces the roles of a user in a scope (PATCH /api/users roleIds).
   */
  setSubjectRoles(argument: _rbac_v1_SetSubjectRolesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  setSubjectRoles(argument: _rbac_v1_SetSubjectRolesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  setSubjectRoles(argument: _rbac_v1_SetSubjectRolesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  setSubjectRoles(argument: _rbac_v1_SetSubjectRolesRequest__Input, callback: grpc.requestCallback<_rbac_v1_Changed>): grpc.ClientUnaryCall;
  
}

/**
 * Roles of subjects, for the services that own memberships, users and API keys.
 */
export interface RolesHandlers extends grpc.UntypedServiceImplementation {
  /**
   * One member's organization role; refuses by rank and for the last Owner. One transaction.
   */
  ChangeMemberRole: grpc.handleUnaryCall<_rbac_v1_ChangeMemberRoleRequest, _rbac_v1_RoleSummary__Input>;
  
  /**
   * May the actor give these roles in this scope? (existence, rank, no escalation)
   */
  CheckGrant: grpc.handleUnaryCall<_rbac_v1_CheckGrantRequest, _rbac_v1_CheckGrantResponse__Input>;
  
  /**
   * How many roles and tags are defined in these scopes together, without built-in ones: for the record of their deletion.
   */
  CountInScopes: grpc.handleUnaryCall<_rbac_v1_ListScopesRequest, _rbac_v1_CountInScopesResponse__Input>;
  
  /**
   * What organizations that use a project may give there, and how many of their members hold a role; in the order of the request.
   */
  DescribeGrants: grpc.handleUnaryCall<_rbac_v1_DescribeGrantsRequest, _rbac_v1_DescribeGrantsResponse__Input>;
  
  /**
   * What tokens may say of a person in a project, or where an organization uses it.
   */
  DescribePerson: grpc.handleUnaryCall<_rbac_v1_DescribePersonRequest, _rbac_v1_DescribePersonResponse__Input>;
  
  /**
   * Ends all assignments of a user in an organization; refuses by rank and for the last Owner; emits membership.ended.
   */
  EndMembership: grpc.handleUnaryCall<_rbac_v1_EndMembershipRequest, _rbac_v1_Changed__Input>;
  
  /**
   * A user leaves several organizations in one transaction: all of them, or (last Owner of one) a conflict and none. Emits membership.ended for each.
   */
  EndMemberships: grpc.handleUnaryCall<_rbac_v1_EndMembershipsRequest, _rbac_v1_Empty__Input>;
  
  /**
   * Existing roles by id that are usable in the scope (its own or its parent's).
   */
  GetRoles: grpc.handleUnaryCall<_rbac_v1_GetRolesRequest, _rbac_v1_GetRolesResponse__Input>;
  
  /**
   * The people who hold a role in exactly this scope, by their ids, with these roles. `after` is the last id of the page before.
   */
  ListHolders: grpc.handleUnaryCall<_rbac_v1_ListHoldersRequest, _rbac_v1_ListHoldersResponse__Input>;
  
  /**
   * The highest role of a user in each of their organizations.
   */
  ListMemberRoles: grpc.handleUnaryCall<_rbac_v1_ListMemberRolesRequest, _rbac_v1_ListMemberRolesResponse__Input>;
  
  /**
   * Organizations in which the user is an Owner, with the number of Owners of each.
   */
  ListOwnedOrganizations: grpc.handleUnaryCall<_rbac_v1_ListOwnedOrganizationsRequest, _rbac_v1_ListOwnedOrganizationsResponse__Input>;
  
  ListScopeGroups: grpc.handleUnaryCall<_rbac_v1_ListScopesRequest, _rbac_v1_ListScopeGroupsResponse__Input>;
  
  /**
   * The roles or groups of each of these scopes, also an organization's built-in roles, in the order of the request, sorted by name.
   */
  ListScopeRoles: grpc.handleUnaryCall<_rbac_v1_ListScopesRequest, _rbac_v1_ListScopeRolesResponse__Input>;
  
  /**
   * Roles that each subject holds in exactly this scope.
   */
  ListSubjectRoles: grpc.handleUnaryCall<_rbac_v1_ListSubjectRolesRequest, _rbac_v1_ListSubjectRolesResponse__Input>;
  
  /**
   * What an identity provider says of a member at the sign-in: replaces what it gave in this scope. In an organization also what was given
   * by hand; an Owner stays as they are.
   */
  MapRoles: grpc.handleUnaryCall<_rbac_v1_MapRolesRequest, _rbac_v1_Changed__Input>;
  
  /**
   * What MapRoles would change for each of these people, by roles whose mappers could give them. Changes nothing.
   */
  PreviewRoles: grpc.handleUnaryCall<_rbac_v1_PreviewRolesRequest, _rbac_v1_PreviewRolesResponse__Input>;
  
  /**
   * Blocks or unblocks a member of an organization, ends their sessions there or requires a new password. Refuses an actor who names
   * themselves, or a member whose rank is not below the actor's.
   */
  RestrictMember: grpc.handleUnaryCall<_rbac_v1_RestrictMemberRequest, _rbac_v1_Changed__Input>;
  
  /**
   * Replaces what Owners and Admins record of a member or a project's user: member.metadata in conditions.
   */
  SetMemberMetadata: grpc.handleUnaryCall<_rbac_v1_SetMemberMetadataRequest, _rbac_v1_Changed__Input>;
  
  /**
   * Replaces the roles of a user in a scope (PATCH /api/users roleIds).
   */
  SetSubjectRoles: grpc.handleUnaryCall<_rbac_v1_SetSubjectRolesRequest, _rbac_v1_Changed__Input>;
  
}

export interface RolesDefinition extends grpc.ServiceDefinition {
  ChangeMemberRole: MethodDefinition<_rbac_v1_ChangeMemberRoleRequest__Input, _rbac_v1_RoleSummary__Input, _rbac_v1_ChangeMemberRoleRequest, _rbac_v1_RoleSummary>
  CheckGrant: MethodDefinition<_rbac_v1_CheckGrantRequest__Input, _rbac_v1_CheckGrantResponse__Input, _rbac_v1_CheckGrantRequest, _rbac_v1_CheckGrantResponse>
  CountInScopes: MethodDefinition<_rbac_v1_ListScopesRequest__Input, _rbac_v1_CountInScopesResponse__Input, _rbac_v1_ListScopesRequest, _rbac_v1_CountInScopesResponse>
  DescribeGrants: MethodDefinition<_rbac_v1_DescribeGrantsRequest__Input, _rbac_v1_DescribeGrantsResponse__Input, _rbac_v1_DescribeGrantsRequest, _rbac_v1_DescribeGrantsResponse>
  DescribePerson: MethodDefinition<_rbac_v1_DescribePersonRequest__Input, _rbac_v1_DescribePersonResponse__Input, _rbac_v1_DescribePersonRequest, _rbac_v1_DescribePersonResponse>
  EndMembership: MethodDefinition<_rbac_v1_EndMembershipRequest__Input, _rbac_v1_Changed__Input, _rbac_v1_EndMembershipRequest, _rbac_v1_Changed>
  EndMemberships: MethodDefinition<_rbac_v1_EndMembershipsRequest__Input, _rbac_v1_Empty__Input, _rbac_v1_EndMembershipsRequest, _rbac_v1_Empty>
  GetRoles: MethodDefinition<_rbac_v1_GetRolesRequest__Input, _rbac_v1_GetRolesResponse__Input, _rbac_v1_GetRolesRequest, _rbac_v1_GetRolesResponse>
  ListHolders: MethodDefinition<_rbac_v1_ListHoldersRequest__Input, _rbac_v1_ListHoldersResponse__Input, _rbac_v1_ListHoldersRequest, _rbac_v1_ListHoldersResponse>
  ListMemberRoles: MethodDefinition<_rbac_v1_ListMemberRolesRequest__Input, _rbac_v1_ListMemberRolesResponse__Input, _rbac_v1_ListMemberRolesRequest, _rbac_v1_ListMemberRolesResponse>
  ListOwnedOrganizations: MethodDefinition<_rbac_v1_ListOwnedOrganizationsRequest__Input, _rbac_v1_ListOwnedOrganizationsResponse__Input, _rbac_v1_ListOwnedOrganizationsRequest, _rbac_v1_ListOwnedOrganizationsResponse>
  ListScopeGroups: MethodDefinition<_rbac_v1_ListScopesRequest__Input, _rbac_v1_ListScopeGroupsResponse__Input, _rbac_v1_ListScopesRequest, _rbac_v1_ListScopeGroupsResponse>
  ListScopeRoles: MethodDefinition<_rbac_v1_ListScopesRequest__Input, _rbac_v1_ListScopeRolesResponse__Input, _rbac_v1_ListScopesRequest, _rbac_v1_ListScopeRolesResponse>
  ListSubjectRoles: MethodDefinition<_rbac_v1_ListSubjectRolesRequest__Input, _rbac_v1_ListSubjectRolesResponse__Input, _rbac_v1_ListSubjectRolesRequest, _rbac_v1_ListSubjectRolesResponse>
  MapRoles: MethodDefinition<_rbac_v1_MapRolesRequest__Input, _rbac_v1_Changed__Input, _rbac_v1_MapRolesRequest, _rbac_v1_Changed>
  PreviewRoles: MethodDefinition<_rbac_v1_PreviewRolesRequest__Input, _rbac_v1_PreviewRolesResponse__Input, _rbac_v1_PreviewRolesRequest, _rbac_v1_PreviewRolesResponse>
  RestrictMember: MethodDefinition<_rbac_v1_RestrictMemberRequest__Input, _rbac_v1_Changed__Input, _rbac_v1_RestrictMemberRequest, _rbac_v1_Changed>
  SetMemberMetadata: MethodDefinition<_rbac_v1_SetMemberMetadataRequest__Input, _rbac_v1_Changed__Input, _rbac_v1_SetMemberMetadataRequest, _rbac_v1_Changed>
  SetSubjectRoles: MethodDefinition<_rbac_v1_SetSubjectRolesRequest__Input, _rbac_v1_Changed__Input, _rbac_v1_SetSubjectRolesRequest, _rbac_v1_Changed>
}
