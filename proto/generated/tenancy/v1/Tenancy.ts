// Original file: tenancy/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { Admission__Input as _tenancy_v1_Admission__Input, Admission as _tenancy_v1_Admission } from '../../tenancy/v1/Admission.ts';
import type { AdmitMemberRequest__Input as _tenancy_v1_AdmitMemberRequest__Input, AdmitMemberRequest as _tenancy_v1_AdmitMemberRequest } from '../../tenancy/v1/AdmitMemberRequest.ts';
import type { Admitted__Input as _tenancy_v1_Admitted__Input, Admitted as _tenancy_v1_Admitted } from '../../tenancy/v1/Admitted.ts';
import type { CheckSetUpDomainRequest__Input as _tenancy_v1_CheckSetUpDomainRequest__Input, CheckSetUpDomainRequest as _tenancy_v1_CheckSetUpDomainRequest } from '../../tenancy/v1/CheckSetUpDomainRequest.ts';
import type { ClaimSetUpDomainRequest__Input as _tenancy_v1_ClaimSetUpDomainRequest__Input, ClaimSetUpDomainRequest as _tenancy_v1_ClaimSetUpDomainRequest } from '../../tenancy/v1/ClaimSetUpDomainRequest.ts';
import type { CloseAccountsRequest__Input as _tenancy_v1_CloseAccountsRequest__Input, CloseAccountsRequest as _tenancy_v1_CloseAccountsRequest } from '../../tenancy/v1/CloseAccountsRequest.ts';
import type { DomainOwner__Input as _tenancy_v1_DomainOwner__Input, DomainOwner as _tenancy_v1_DomainOwner } from '../../tenancy/v1/DomainOwner.ts';
import type { Empty__Input as _tenancy_v1_Empty__Input, Empty as _tenancy_v1_Empty } from '../../tenancy/v1/Empty.ts';
import type { FilterPeopleRequest__Input as _tenancy_v1_FilterPeopleRequest__Input, FilterPeopleRequest as _tenancy_v1_FilterPeopleRequest } from '../../tenancy/v1/FilterPeopleRequest.ts';
import type { FilterPeopleResponse__Input as _tenancy_v1_FilterPeopleResponse__Input, FilterPeopleResponse as _tenancy_v1_FilterPeopleResponse } from '../../tenancy/v1/FilterPeopleResponse.ts';
import type { FindDomainOwnerRequest__Input as _tenancy_v1_FindDomainOwnerRequest__Input, FindDomainOwnerRequest as _tenancy_v1_FindDomainOwnerRequest } from '../../tenancy/v1/FindDomainOwnerRequest.ts';
import type { GetAdmissionRequest__Input as _tenancy_v1_GetAdmissionRequest__Input, GetAdmissionRequest as _tenancy_v1_GetAdmissionRequest } from '../../tenancy/v1/GetAdmissionRequest.ts';
import type { GetScopesRequest__Input as _tenancy_v1_GetScopesRequest__Input, GetScopesRequest as _tenancy_v1_GetScopesRequest } from '../../tenancy/v1/GetScopesRequest.ts';
import type { GetScopesResponse__Input as _tenancy_v1_GetScopesResponse__Input, GetScopesResponse as _tenancy_v1_GetScopesResponse } from '../../tenancy/v1/GetScopesResponse.ts';
import type { GetSessionPolicyRequest__Input as _tenancy_v1_GetSessionPolicyRequest__Input, GetSessionPolicyRequest as _tenancy_v1_GetSessionPolicyRequest } from '../../tenancy/v1/GetSessionPolicyRequest.ts';
import type { HoldPlaceRequest__Input as _tenancy_v1_HoldPlaceRequest__Input, HoldPlaceRequest as _tenancy_v1_HoldPlaceRequest } from '../../tenancy/v1/HoldPlaceRequest.ts';
import type { ListAccountsRequest__Input as _tenancy_v1_ListAccountsRequest__Input, ListAccountsRequest as _tenancy_v1_ListAccountsRequest } from '../../tenancy/v1/ListAccountsRequest.ts';
import type { ListAccountsResponse__Input as _tenancy_v1_ListAccountsResponse__Input, ListAccountsResponse as _tenancy_v1_ListAccountsResponse } from '../../tenancy/v1/ListAccountsResponse.ts';
import type { ListMembershipsRequest__Input as _tenancy_v1_ListMembershipsRequest__Input, ListMembershipsRequest as _tenancy_v1_ListMembershipsRequest } from '../../tenancy/v1/ListMembershipsRequest.ts';
import type { ListMembershipsResponse__Input as _tenancy_v1_ListMembershipsResponse__Input, ListMembershipsResponse as _tenancy_v1_ListMembershipsResponse } from '../../tenancy/v1/ListMembershipsResponse.ts';
import type { ListOrganizationsRequest__Input as _tenancy_v1_ListOrganizationsRequest__Input, ListOrganizationsRequest as _tenancy_v1_ListOrganizationsRequest } from '../../tenancy/v1/ListOrganizationsRequest.ts';
import type { ListOrganizationsResponse__Input as _tenancy_v1_ListOrganizationsResponse__Input, ListOrganizationsResponse as _tenancy_v1_ListOrganizationsResponse } from '../../tenancy/v1/ListOrganizationsResponse.ts';
import type { ListPeopleRequest__Input as _tenancy_v1_ListPeopleRequest__Input, ListPeopleRequest as _tenancy_v1_ListPeopleRequest } from '../../tenancy/v1/ListPeopleRequest.ts';
import type { ListPeopleResponse__Input as _tenancy_v1_ListPeopleResponse__Input, ListPeopleResponse as _tenancy_v1_ListPeopleResponse } from '../../tenancy/v1/ListPeopleResponse.ts';
import type { ListPlacesRequest__Input as _tenancy_v1_ListPlacesRequest__Input, ListPlacesRequest as _tenancy_v1_ListPlacesRequest } from '../../tenancy/v1/ListPlacesRequest.ts';
import type { ListPlacesResponse__Input as _tenancy_v1_ListPlacesResponse__Input, ListPlacesResponse as _tenancy_v1_ListPlacesResponse } from '../../tenancy/v1/ListPlacesResponse.ts';
import type { ListSetUpDomainsRequest__Input as _tenancy_v1_ListSetUpDomainsRequest__Input, ListSetUpDomainsRequest as _tenancy_v1_ListSetUpDomainsRequest } from '../../tenancy/v1/ListSetUpDomainsRequest.ts';
import type { ListSetUpDomainsResponse__Input as _tenancy_v1_ListSetUpDomainsResponse__Input, ListSetUpDomainsResponse as _tenancy_v1_ListSetUpDomainsResponse } from '../../tenancy/v1/ListSetUpDomainsResponse.ts';
import type { NameScopesResponse__Input as _tenancy_v1_NameScopesResponse__Input, NameScopesResponse as _tenancy_v1_NameScopesResponse } from '../../tenancy/v1/NameScopesResponse.ts';
import type { RemovePersonRequest__Input as _tenancy_v1_RemovePersonRequest__Input, RemovePersonRequest as _tenancy_v1_RemovePersonRequest } from '../../tenancy/v1/RemovePersonRequest.ts';
import type { RemovePersonResponse__Input as _tenancy_v1_RemovePersonResponse__Input, RemovePersonResponse as _tenancy_v1_RemovePersonResponse } from '../../tenancy/v1/RemovePersonResponse.ts';
import type { SessionPolicy__Input as _tenancy_v1_SessionPolicy__Input, SessionPolicy as _tenancy_v1_SessionPolicy } from '../../tenancy/v1/SessionPolicy.ts';
import type { SetUpDomain__Input as _tenancy_v1_SetUpDomain__Input, SetUpDomain as _tenancy_v1_SetUpDomain } from '../../tenancy/v1/SetUpDomain.ts';
import type { SignUpOrganizationRequest__Input as _tenancy_v1_SignUpOrganizationRequest__Input, SignUpOrganizationRequest as _tenancy_v1_SignUpOrganizationRequest } from '../../tenancy/v1/SignUpOrganizationRequest.ts';
import type { SignUpOrganizationResponse__Input as _tenancy_v1_SignUpOrganizationResponse__Input, SignUpOrganizationResponse as _tenancy_v1_SignUpOrganizationResponse } from '../../tenancy/v1/SignUpOrganizationResponse.ts';

export interface TenancyClient extends grpc.Client {
  /**
   * Makes the person a member whom the organization's own identity provider has authenticated. The name and the address are stored when the
   * person is not known here yet. Checks again what GetAdmission says, and locks the domain. When it is repeated, the person stays a member
   * with their roles. A person who left or was removed becomes a member again only by an invitation.
   */
  AdmitMember(argument: _tenancy_v1_AdmitMemberRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Admitted>): grpc.ClientUnaryCall;
  AdmitMember(argument: _tenancy_v1_AdmitMemberRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_Admitted>): grpc.ClientUnaryCall;
  AdmitMember(argument: _tenancy_v1_AdmitMemberRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Admitted>): grpc.ClientUnaryCall;
  AdmitMember(argument: _tenancy_v1_AdmitMemberRequest__Input, callback: grpc.requestCallback<_tenancy_v1_Admitted>): grpc.ClientUnaryCall;
  /**
   * Makes the person a member whom the organization's own identity provider has authenticated. The name and the address are stored when the
   * person is not known here yet. Checks again what GetAdmission says, and locks the domain. When it is repeated, the person stays a member
   * with their roles. A person who left or was removed becomes a member again only by an invitation.
   */
  admitMember(argument: _tenancy_v1_AdmitMemberRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Admitted>): grpc.ClientUnaryCall;
  admitMember(argument: _tenancy_v1_AdmitMemberRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_Admitted>): grpc.ClientUnaryCall;
  admitMember(argument: _tenancy_v1_AdmitMemberRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Admitted>): grpc.ClientUnaryCall;
  admitMember(argument: _tenancy_v1_AdmitMemberRequest__Input, callback: grpc.requestCallback<_tenancy_v1_Admitted>): grpc.ClientUnaryCall;
  
  /**
   * Looks for the record of a domain of the link now; not found for any other domain.
   */
  CheckSetUpDomain(argument: _tenancy_v1_CheckSetUpDomainRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  CheckSetUpDomain(argument: _tenancy_v1_CheckSetUpDomainRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  CheckSetUpDomain(argument: _tenancy_v1_CheckSetUpDomainRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  CheckSetUpDomain(argument: _tenancy_v1_CheckSetUpDomainRequest__Input, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  /**
   * Looks for the record of a domain of the link now; not found for any other domain.
   */
  checkSetUpDomain(argument: _tenancy_v1_CheckSetUpDomainRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  checkSetUpDomain(argument: _tenancy_v1_CheckSetUpDomainRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  checkSetUpDomain(argument: _tenancy_v1_CheckSetUpDomainRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  checkSetUpDomain(argument: _tenancy_v1_CheckSetUpDomainRequest__Input, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  
  /**
   * Claims a domain for the organization of a set-up link. One that the organization has claimed already becomes the link's.
   */
  ClaimSetUpDomain(argument: _tenancy_v1_ClaimSetUpDomainRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  ClaimSetUpDomain(argument: _tenancy_v1_ClaimSetUpDomainRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  ClaimSetUpDomain(argument: _tenancy_v1_ClaimSetUpDomainRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  ClaimSetUpDomain(argument: _tenancy_v1_ClaimSetUpDomainRequest__Input, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  /**
   * Claims a domain for the organization of a set-up link. One that the organization has claimed already becomes the link's.
   */
  claimSetUpDomain(argument: _tenancy_v1_ClaimSetUpDomainRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  claimSetUpDomain(argument: _tenancy_v1_ClaimSetUpDomainRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  claimSetUpDomain(argument: _tenancy_v1_ClaimSetUpDomainRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  claimSetUpDomain(argument: _tenancy_v1_ClaimSetUpDomainRequest__Input, callback: grpc.requestCallback<_tenancy_v1_SetUpDomain>): grpc.ClientUnaryCall;
  
  /**
   * Conflict for the last Owner of an organization with other members; emits accounts.closed.
   */
  CloseAccounts(argument: _tenancy_v1_CloseAccountsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  CloseAccounts(argument: _tenancy_v1_CloseAccountsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  CloseAccounts(argument: _tenancy_v1_CloseAccountsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  CloseAccounts(argument: _tenancy_v1_CloseAccountsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  /**
   * Conflict for the last Owner of an organization with other members; emits accounts.closed.
   */
  closeAccounts(argument: _tenancy_v1_CloseAccountsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  closeAccounts(argument: _tenancy_v1_CloseAccountsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  closeAccounts(argument: _tenancy_v1_CloseAccountsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  closeAccounts(argument: _tenancy_v1_CloseAccountsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  
  /**
   * Which of these users belong to the scope.
   */
  FilterPeople(argument: _tenancy_v1_FilterPeopleRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_FilterPeopleResponse>): grpc.ClientUnaryCall;
  FilterPeople(argument: _tenancy_v1_FilterPeopleRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_FilterPeopleResponse>): grpc.ClientUnaryCall;
  FilterPeople(argument: _tenancy_v1_FilterPeopleRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_FilterPeopleResponse>): grpc.ClientUnaryCall;
  FilterPeople(argument: _tenancy_v1_FilterPeopleRequest__Input, callback: grpc.requestCallback<_tenancy_v1_FilterPeopleResponse>): grpc.ClientUnaryCall;
  /**
   * Which of these users belong to the scope.
   */
  filterPeople(argument: _tenancy_v1_FilterPeopleRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_FilterPeopleResponse>): grpc.ClientUnaryCall;
  filterPeople(argument: _tenancy_v1_FilterPeopleRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_FilterPeopleResponse>): grpc.ClientUnaryCall;
  filterPeople(argument: _tenancy_v1_FilterPeopleRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_FilterPeopleResponse>): grpc.ClientUnaryCall;
  filterPeople(argument: _tenancy_v1_FilterPeopleRequest__Input, callback: grpc.requestCallback<_tenancy_v1_FilterPeopleResponse>): grpc.ClientUnaryCall;
  
  /**
   * The organization that has proven the domain of the address, and is neither suspended nor gone.
   */
  FindDomainOwner(argument: _tenancy_v1_FindDomainOwnerRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_DomainOwner>): grpc.ClientUnaryCall;
  FindDomainOwner(argument: _tenancy_v1_FindDomainOwnerRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_DomainOwner>): grpc.ClientUnaryCall;
  FindDomainOwner(argument: _tenancy_v1_FindDomainOwnerRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_DomainOwner>): grpc.ClientUnaryCall;
  FindDomainOwner(argument: _tenancy_v1_FindDomainOwnerRequest__Input, callback: grpc.requestCallback<_tenancy_v1_DomainOwner>): grpc.ClientUnaryCall;
  /**
   * The organization that has proven the domain of the address, and is neither suspended nor gone.
   */
  findDomainOwner(argument: _tenancy_v1_FindDomainOwnerRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_DomainOwner>): grpc.ClientUnaryCall;
  findDomainOwner(argument: _tenancy_v1_FindDomainOwnerRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_DomainOwner>): grpc.ClientUnaryCall;
  findDomainOwner(argument: _tenancy_v1_FindDomainOwnerRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_DomainOwner>): grpc.ClientUnaryCall;
  findDomainOwner(argument: _tenancy_v1_FindDomainOwnerRequest__Input, callback: grpc.requestCallback<_tenancy_v1_DomainOwner>): grpc.ClientUnaryCall;
  
  /**
   * Whether an organization's own identity provider may sign in, or make a member of, a person with this address now.
   */
  GetAdmission(argument: _tenancy_v1_GetAdmissionRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Admission>): grpc.ClientUnaryCall;
  GetAdmission(argument: _tenancy_v1_GetAdmissionRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_Admission>): grpc.ClientUnaryCall;
  GetAdmission(argument: _tenancy_v1_GetAdmissionRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Admission>): grpc.ClientUnaryCall;
  GetAdmission(argument: _tenancy_v1_GetAdmissionRequest__Input, callback: grpc.requestCallback<_tenancy_v1_Admission>): grpc.ClientUnaryCall;
  /**
   * Whether an organization's own identity provider may sign in, or make a member of, a person with this address now.
   */
  getAdmission(argument: _tenancy_v1_GetAdmissionRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Admission>): grpc.ClientUnaryCall;
  getAdmission(argument: _tenancy_v1_GetAdmissionRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_Admission>): grpc.ClientUnaryCall;
  getAdmission(argument: _tenancy_v1_GetAdmissionRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Admission>): grpc.ClientUnaryCall;
  getAdmission(argument: _tenancy_v1_GetAdmissionRequest__Input, callback: grpc.requestCallback<_tenancy_v1_Admission>): grpc.ClientUnaryCall;
  
  /**
   * Which of these scopes exist and are not deleted.
   */
  GetScopes(argument: _tenancy_v1_GetScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_GetScopesResponse>): grpc.ClientUnaryCall;
  GetScopes(argument: _tenancy_v1_GetScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_GetScopesResponse>): grpc.ClientUnaryCall;
  GetScopes(argument: _tenancy_v1_GetScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_GetScopesResponse>): grpc.ClientUnaryCall;
  GetScopes(argument: _tenancy_v1_GetScopesRequest__Input, callback: grpc.requestCallback<_tenancy_v1_GetScopesResponse>): grpc.ClientUnaryCall;
  /**
   * Which of these scopes exist and are not deleted.
   */
  getScopes(argument: _tenancy_v1_GetScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_GetScopesResponse>): grpc.ClientUnaryCall;
  getScopes(argument: _tenancy_v1_GetScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_GetScopesResponse>): grpc.ClientUnaryCall;
  getScopes(argument: _tenancy_v1_GetScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_GetScopesResponse>): grpc.ClientUnaryCall;
  getScopes(argument: _tenancy_v1_GetScopesRequest__Input, callback: grpc.requestCallback<_tenancy_v1_GetScopesResponse>): grpc.ClientUnaryCall;
  
  /**
   * What the organization of a scope demands of sessions; nothing for accounts, their projects, and scopes that do not exist.
   */
  GetSessionPolicy(argument: _tenancy_v1_GetSessionPolicyRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SessionPolicy>): grpc.ClientUnaryCall;
  GetSessionPolicy(argument: _tenancy_v1_GetSessionPolicyRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_SessionPolicy>): grpc.ClientUnaryCall;
  GetSessionPolicy(argument: _tenancy_v1_GetSessionPolicyRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SessionPolicy>): grpc.ClientUnaryCall;
  GetSessionPolicy(argument: _tenancy_v1_GetSessionPolicyRequest__Input, callback: grpc.requestCallback<_tenancy_v1_SessionPolicy>): grpc.ClientUnaryCall;
  /**
   * What the organization of a scope demands of sessions; nothing for accounts, their projects, and scopes that do not exist.
   */
  getSessionPolicy(argument: _tenancy_v1_GetSessionPolicyRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SessionPolicy>): grpc.ClientUnaryCall;
  getSessionPolicy(argument: _tenancy_v1_GetSessionPolicyRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_SessionPolicy>): grpc.ClientUnaryCall;
  getSessionPolicy(argument: _tenancy_v1_GetSessionPolicyRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SessionPolicy>): grpc.ClientUnaryCall;
  getSessionPolicy(argument: _tenancy_v1_GetSessionPolicyRequest__Input, callback: grpc.requestCallback<_tenancy_v1_SessionPolicy>): grpc.ClientUnaryCall;
  
  /**
   * Holds a member's place for a person whom the caller is about to make there, until their user.joined or for an hour; the refusal of the
   * quota when there is none. Without a limit it does nothing.
   */
  HoldPlace(argument: _tenancy_v1_HoldPlaceRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  HoldPlace(argument: _tenancy_v1_HoldPlaceRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  HoldPlace(argument: _tenancy_v1_HoldPlaceRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  HoldPlace(argument: _tenancy_v1_HoldPlaceRequest__Input, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  /**
   * Holds a member's place for a person whom the caller is about to make there, until their user.joined or for an hour; the refusal of the
   * quota when there is none. Without a limit it does nothing.
   */
  holdPlace(argument: _tenancy_v1_HoldPlaceRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  holdPlace(argument: _tenancy_v1_HoldPlaceRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  holdPlace(argument: _tenancy_v1_HoldPlaceRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  holdPlace(argument: _tenancy_v1_HoldPlaceRequest__Input, callback: grpc.requestCallback<_tenancy_v1_Empty>): grpc.ClientUnaryCall;
  
  /**
   * The accounts of many users.
   */
  ListAccounts(argument: _tenancy_v1_ListAccountsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListAccountsResponse>): grpc.ClientUnaryCall;
  ListAccounts(argument: _tenancy_v1_ListAccountsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListAccountsResponse>): grpc.ClientUnaryCall;
  ListAccounts(argument: _tenancy_v1_ListAccountsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListAccountsResponse>): grpc.ClientUnaryCall;
  ListAccounts(argument: _tenancy_v1_ListAccountsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListAccountsResponse>): grpc.ClientUnaryCall;
  /**
   * The accounts of many users.
   */
  listAccounts(argument: _tenancy_v1_ListAccountsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListAccountsResponse>): grpc.ClientUnaryCall;
  listAccounts(argument: _tenancy_v1_ListAccountsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListAccountsResponse>): grpc.ClientUnaryCall;
  listAccounts(argument: _tenancy_v1_ListAccountsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListAccountsResponse>): grpc.ClientUnaryCall;
  listAccounts(argument: _tenancy_v1_ListAccountsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListAccountsResponse>): grpc.ClientUnaryCall;
  
  ListMemberships(argument: _tenancy_v1_ListMembershipsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListMembershipsResponse>): grpc.ClientUnaryCall;
  ListMemberships(argument: _tenancy_v1_ListMembershipsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListMembershipsResponse>): grpc.ClientUnaryCall;
  ListMemberships(argument: _tenancy_v1_ListMembershipsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListMembershipsResponse>): grpc.ClientUnaryCall;
  ListMemberships(argument: _tenancy_v1_ListMembershipsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListMembershipsResponse>): grpc.ClientUnaryCall;
  listMemberships(argument: _tenancy_v1_ListMembershipsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListMembershipsResponse>): grpc.ClientUnaryCall;
  listMemberships(argument: _tenancy_v1_ListMembershipsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListMembershipsResponse>): grpc.ClientUnaryCall;
  listMemberships(argument: _tenancy_v1_ListMembershipsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListMembershipsResponse>): grpc.ClientUnaryCall;
  listMemberships(argument: _tenancy_v1_ListMembershipsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListMembershipsResponse>): grpc.ClientUnaryCall;
  
  /**
   * The organizations of a person, oldest membership first, each with the projects that it uses now.
   */
  ListOrganizations(argument: _tenancy_v1_ListOrganizationsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListOrganizationsResponse>): grpc.ClientUnaryCall;
  ListOrganizations(argument: _tenancy_v1_ListOrganizationsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListOrganizationsResponse>): grpc.ClientUnaryCall;
  ListOrganizations(argument: _tenancy_v1_ListOrganizationsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListOrganizationsResponse>): grpc.ClientUnaryCall;
  ListOrganizations(argument: _tenancy_v1_ListOrganizationsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListOrganizationsResponse>): grpc.ClientUnaryCall;
  /**
   * The organizations of a person, oldest membership first, each with the projects that it uses now.
   */
  listOrganizations(argument: _tenancy_v1_ListOrganizationsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListOrganizationsResponse>): grpc.ClientUnaryCall;
  listOrganizations(argument: _tenancy_v1_ListOrganizationsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListOrganizationsResponse>): grpc.ClientUnaryCall;
  listOrganizations(argument: _tenancy_v1_ListOrganizationsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListOrganizationsResponse>): grpc.ClientUnaryCall;
  listOrganizations(argument: _tenancy_v1_ListOrganizationsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListOrganizationsResponse>): grpc.ClientUnaryCall;
  
  /**
   * People of a scope, those of a project with the members of its organization or its account's owner: search over name and email, sorted, paged; the ids in order.
   */
  ListPeople(argument: _tenancy_v1_ListPeopleRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListPeopleResponse>): grpc.ClientUnaryCall;
  ListPeople(argument: _tenancy_v1_ListPeopleRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListPeopleResponse>): grpc.ClientUnaryCall;
  ListPeople(argument: _tenancy_v1_ListPeopleRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListPeopleResponse>): grpc.ClientUnaryCall;
  ListPeople(argument: _tenancy_v1_ListPeopleRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListPeopleResponse>): grpc.ClientUnaryCall;
  /**
   * People of a scope, those of a project with the members of its organization or its account's owner: search over name and email, sorted, paged; the ids in order.
   */
  listPeople(argument: _tenancy_v1_ListPeopleRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListPeopleResponse>): grpc.ClientUnaryCall;
  listPeople(argument: _tenancy_v1_ListPeopleRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListPeopleResponse>): grpc.ClientUnaryCall;
  listPeople(argument: _tenancy_v1_ListPeopleRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListPeopleResponse>): grpc.ClientUnaryCall;
  listPeople(argument: _tenancy_v1_ListPeopleRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListPeopleResponse>): grpc.ClientUnaryCall;
  
  /**
   * Where a person may sign in to a project of an organization: in the project itself, and in the organizations that use it and have the
   * person as a member. None that the operator or the owner of the project has suspended.
   */
  ListPlaces(argument: _tenancy_v1_ListPlacesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListPlacesResponse>): grpc.ClientUnaryCall;
  ListPlaces(argument: _tenancy_v1_ListPlacesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListPlacesResponse>): grpc.ClientUnaryCall;
  ListPlaces(argument: _tenancy_v1_ListPlacesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListPlacesResponse>): grpc.ClientUnaryCall;
  ListPlaces(argument: _tenancy_v1_ListPlacesRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListPlacesResponse>): grpc.ClientUnaryCall;
  /**
   * Where a person may sign in to a project of an organization: in the project itself, and in the organizations that use it and have the
   * person as a member. None that the operator or the owner of the project has suspended.
   */
  listPlaces(argument: _tenancy_v1_ListPlacesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListPlacesResponse>): grpc.ClientUnaryCall;
  listPlaces(argument: _tenancy_v1_ListPlacesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListPlacesResponse>): grpc.ClientUnaryCall;
  listPlaces(argument: _tenancy_v1_ListPlacesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListPlacesResponse>): grpc.ClientUnaryCall;
  listPlaces(argument: _tenancy_v1_ListPlacesRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListPlacesResponse>): grpc.ClientUnaryCall;
  
  /**
   * The domains that a set-up link has named, oldest first.
   */
  ListSetUpDomains(argument: _tenancy_v1_ListSetUpDomainsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListSetUpDomainsResponse>): grpc.ClientUnaryCall;
  ListSetUpDomains(argument: _tenancy_v1_ListSetUpDomainsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListSetUpDomainsResponse>): grpc.ClientUnaryCall;
  ListSetUpDomains(argument: _tenancy_v1_ListSetUpDomainsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListSetUpDomainsResponse>): grpc.ClientUnaryCall;
  ListSetUpDomains(argument: _tenancy_v1_ListSetUpDomainsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListSetUpDomainsResponse>): grpc.ClientUnaryCall;
  /**
   * The domains that a set-up link has named, oldest first.
   */
  listSetUpDomains(argument: _tenancy_v1_ListSetUpDomainsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListSetUpDomainsResponse>): grpc.ClientUnaryCall;
  listSetUpDomains(argument: _tenancy_v1_ListSetUpDomainsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_ListSetUpDomainsResponse>): grpc.ClientUnaryCall;
  listSetUpDomains(argument: _tenancy_v1_ListSetUpDomainsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_ListSetUpDomainsResponse>): grpc.ClientUnaryCall;
  listSetUpDomains(argument: _tenancy_v1_ListSetUpDomainsRequest__Input, callback: grpc.requestCallback<_tenancy_v1_ListSetUpDomainsResponse>): grpc.ClientUnaryCall;
  
  /**
   * What scopes are called.
   */
  NameScopes(argument: _tenancy_v1_GetScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_NameScopesResponse>): grpc.ClientUnaryCall;
  NameScopes(argument: _tenancy_v1_GetScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_NameScopesResponse>): grpc.ClientUnaryCall;
  NameScopes(argument: _tenancy_v1_GetScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_NameScopesResponse>): grpc.ClientUnaryCall;
  NameScopes(argument: _tenancy_v1_GetScopesRequest__Input, callback: grpc.requestCallback<_tenancy_v1_NameScopesResponse>): grpc.ClientUnaryCall;
  /**
   * What scopes are called.
   */
  nameScopes(argument: _tenancy_v1_GetScopesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_NameScopesResponse>): grpc.ClientUnaryCall;
  nameScopes(argument: _tenancy_v1_GetScopesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_NameScopesResponse>): grpc.ClientUnaryCall;
  nameScopes(argument: _tenancy_v1_GetScopesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_NameScopesResponse>): grpc.ClientUnaryCall;
  nameScopes(argument: _tenancy_v1_GetScopesRequest__Input, callback: grpc.requestCallback<_tenancy_v1_NameScopesResponse>): grpc.ClientUnaryCall;
  
  /**
   * DELETE /api/users/{id} in a project scope
   */
  RemovePerson(argument: _tenancy_v1_RemovePersonRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_RemovePersonResponse>): grpc.ClientUnaryCall;
  RemovePerson(argument: _tenancy_v1_RemovePersonRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_RemovePersonResponse>): grpc.ClientUnaryCall;
  RemovePerson(argument: _tenancy_v1_RemovePersonRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_RemovePersonResponse>): grpc.ClientUnaryCall;
  RemovePerson(argument: _tenancy_v1_RemovePersonRequest__Input, callback: grpc.requestCallback<_tenancy_v1_RemovePersonResponse>): grpc.ClientUnaryCall;
  /**
   * DELETE /api/users/{id} in a project scope
   */
  removePerson(argument: _tenancy_v1_RemovePersonRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_RemovePersonResponse>): grpc.ClientUnaryCall;
  removePerson(argument: _tenancy_v1_RemovePersonRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_RemovePersonResponse>): grpc.ClientUnaryCall;
  removePerson(argument: _tenancy_v1_RemovePersonRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_RemovePersonResponse>): grpc.ClientUnaryCall;
  removePerson(argument: _tenancy_v1_RemovePersonRequest__Input, callback: grpc.requestCallback<_tenancy_v1_RemovePersonResponse>): grpc.ClientUnaryCall;
  
  /**
   * Makes an organization of a person who signs in to an app, its Owner, with an active grant of the project. Repeated with the same name it is
   * the same organization; conflict when another one of the person's uses the project already.
   */
  SignUpOrganization(argument: _tenancy_v1_SignUpOrganizationRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SignUpOrganizationResponse>): grpc.ClientUnaryCall;
  SignUpOrganization(argument: _tenancy_v1_SignUpOrganizationRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_SignUpOrganizationResponse>): grpc.ClientUnaryCall;
  SignUpOrganization(argument: _tenancy_v1_SignUpOrganizationRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SignUpOrganizationResponse>): grpc.ClientUnaryCall;
  SignUpOrganization(argument: _tenancy_v1_SignUpOrganizationRequest__Input, callback: grpc.requestCallback<_tenancy_v1_SignUpOrganizationResponse>): grpc.ClientUnaryCall;
  /**
   * Makes an organization of a person who signs in to an app, its Owner, with an active grant of the project. Repeated with the same name it is
   * the same organization; conflict when another one of the person's uses the project already.
   */
  signUpOrganization(argument: _tenancy_v1_SignUpOrganizationRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SignUpOrganizationResponse>): grpc.ClientUnaryCall;
  signUpOrganization(argument: _tenancy_v1_SignUpOrganizationRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_tenancy_v1_SignUpOrganizationResponse>): grpc.ClientUnaryCall;
  signUpOrganization(argument: _tenancy_v1_SignUpOrganizationRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_tenancy_v1_SignUpOrganizationResponse>): grpc.ClientUnaryCall;
  signUpOrganization(argument: _tenancy_v1_SignUpOrganizationRequest__Input, callback: grpc.requestCallback<_tenancy_v1_SignUpOrganizationResponse>): grpc.ClientUnaryCall;
  
}

export interface TenancyHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Makes the person a member whom the organization's own identity provider has authenticated. The name and the address are stored when the
   * person is not known here yet. Checks again what GetAdmission says, and locks the domain. When it is repeated, the person stays a member
   * with their roles. A person who left or was removed becomes a member again only by an invitation.
   */
  AdmitMember: grpc.handleUnaryCall<_tenancy_v1_AdmitMemberRequest, _tenancy_v1_Admitted__Input>;
  
  /**
   * Looks for the record of a domain of the link now; not found for any other domain.
   */
  CheckSetUpDomain: grpc.handleUnaryCall<_tenancy_v1_CheckSetUpDomainRequest, _tenancy_v1_SetUpDomain__Input>;
  
  /**
   * Claims a domain for the organization of a set-up link. One that the organization has claimed already becomes the link's.
   */
  ClaimSetUpDomain: grpc.handleUnaryCall<_tenancy_v1_ClaimSetUpDomainRequest, _tenancy_v1_SetUpDomain__Input>;
  
  /**
   * Conflict for the last Owner of an organization with other members; emits accounts.closed.
   */
  CloseAccounts: grpc.handleUnaryCall<_tenancy_v1_CloseAccountsRequest, _tenancy_v1_Empty__Input>;
  
  /**
   * Which of these users belong to the scope.
   */
  FilterPeople: grpc.handleUnaryCall<_tenancy_v1_FilterPeopleRequest, _tenancy_v1_FilterPeopleResponse__Input>;
  
  /**
   * The organization that has proven the domain of the address, and is neither suspended nor gone.
   */
  FindDomainOwner: grpc.handleUnaryCall<_tenancy_v1_FindDomainOwnerRequest, _tenancy_v1_DomainOwner__Input>;
  
  /**
   * Whether an organization's own identity provider may sign in, or make a member of, a person with this address now.
   */
  GetAdmission: grpc.handleUnaryCall<_tenancy_v1_GetAdmissionRequest, _tenancy_v1_Admission__Input>;
  
  /**
   * Which of these scopes exist and are not deleted.
   */
  GetScopes: grpc.handleUnaryCall<_tenancy_v1_GetScopesRequest, _tenancy_v1_GetScopesResponse__Input>;
  
  /**
   * What the organization of a scope demands of sessions; nothing for accounts, their projects, and scopes that do not exist.
   */
  GetSessionPolicy: grpc.handleUnaryCall<_tenancy_v1_GetSessionPolicyRequest, _tenancy_v1_SessionPolicy__Input>;
  
  /**
   * Holds a member's place for a person whom the caller is about to make there, until their user.joined or for an hour; the refusal of the
   * quota when there is none. Without a limit it does nothing.
   */
  HoldPlace: grpc.handleUnaryCall<_tenancy_v1_HoldPlaceRequest, _tenancy_v1_Empty__Input>;
  
  /**
   * The accounts of many users.
   */
  ListAccounts: grpc.handleUnaryCall<_tenancy_v1_ListAccountsRequest, _tenancy_v1_ListAccountsResponse__Input>;
  
  ListMemberships: grpc.handleUnaryCall<_tenancy_v1_ListMembershipsRequest, _tenancy_v1_ListMembershipsResponse__Input>;
  
  /**
   * The organizations of a person, oldest membership first, each with the projects that it uses now.
   */
  ListOrganizations: grpc.handleUnaryCall<_tenancy_v1_ListOrganizationsRequest, _tenancy_v1_ListOrganizationsResponse__Input>;
  
  /**
   * People of a scope, those of a project with the members of its organization or its account's owner: search over name and email, sorted, paged; the ids in order.
   */
  ListPeople: grpc.handleUnaryCall<_tenancy_v1_ListPeopleRequest, _tenancy_v1_ListPeopleResponse__Input>;
  
  /**
   * Where a person may sign in to a project of an organization: in the project itself, and in the organizations that use it and have the
   * person as a member. None that the operator or the owner of the project has suspended.
   */
  ListPlaces: grpc.handleUnaryCall<_tenancy_v1_ListPlacesRequest, _tenancy_v1_ListPlacesResponse__Input>;
  
  /**
   * The domains that a set-up link has named, oldest first.
   */
  ListSetUpDomains: grpc.handleUnaryCall<_tenancy_v1_ListSetUpDomainsRequest, _tenancy_v1_ListSetUpDomainsResponse__Input>;
  
  /**
   * What scopes are called.
   */
  NameScopes: grpc.handleUnaryCall<_tenancy_v1_GetScopesRequest, _tenancy_v1_NameScopesResponse__Input>;
  
  /**
   * DELETE /api/users/{id} in a project scope
   */
  RemovePerson: grpc.handleUnaryCall<_tenancy_v1_RemovePersonRequest, _tenancy_v1_RemovePersonResponse__Input>;
  
  /**
   * Makes an organization of a person who signs in to an app, its Owner, with an active grant of the project. Repeated with the same name it is
   * the same organization; conflict when another one of the person's uses the project already.
   */
  SignUpOrganization: grpc.handleUnaryCall<_tenancy_v1_SignUpOrganizationRequest, _tenancy_v1_SignUpOrganizationResponse__Input>;
  
}

export interface TenancyDefinition extends grpc.ServiceDefinition {
  AdmitMember: MethodDefinition<_tenancy_v1_AdmitMemberRequest__Input, _tenancy_v1_Admitted__Input, _tenancy_v1_AdmitMemberRequest, _tenancy_v1_Admitted>
  CheckSetUpDomain: MethodDefinition<_tenancy_v1_CheckSetUpDomainRequest__Input, _tenancy_v1_SetUpDomain__Input, _tenancy_v1_CheckSetUpDomainRequest, _tenancy_v1_SetUpDomain>
  ClaimSetUpDomain: MethodDefinition<_tenancy_v1_ClaimSetUpDomainRequest__Input, _tenancy_v1_SetUpDomain__Input, _tenancy_v1_ClaimSetUpDomainRequest, _tenancy_v1_SetUpDomain>
  CloseAccounts: MethodDefinition<_tenancy_v1_CloseAccountsRequest__Input, _tenancy_v1_Empty__Input, _tenancy_v1_CloseAccountsRequest, _tenancy_v1_Empty>
  FilterPeople: MethodDefinition<_tenancy_v1_FilterPeopleRequest__Input, _tenancy_v1_FilterPeopleResponse__Input, _tenancy_v1_FilterPeopleRequest, _tenancy_v1_FilterPeopleResponse>
  FindDomainOwner: MethodDefinition<_tenancy_v1_FindDomainOwnerRequest__Input, _tenancy_v1_DomainOwner__Input, _tenancy_v1_FindDomainOwnerRequest, _tenancy_v1_DomainOwner>
  GetAdmission: MethodDefinition<_tenancy_v1_GetAdmissionRequest__Input, _tenancy_v1_Admission__Input, _tenancy_v1_GetAdmissionRequest, _tenancy_v1_Admission>
  GetScopes: MethodDefinition<_tenancy_v1_GetScopesRequest__Input, _tenancy_v1_GetScopesResponse__Input, _tenancy_v1_GetScopesRequest, _tenancy_v1_GetScopesResponse>
  GetSessionPolicy: MethodDefinition<_tenancy_v1_GetSessionPolicyRequest__Input, _tenancy_v1_SessionPolicy__Input, _tenancy_v1_GetSessionPolicyRequest, _tenancy_v1_SessionPolicy>
  HoldPlace: MethodDefinition<_tenancy_v1_HoldPlaceRequest__Input, _tenancy_v1_Empty__Input, _tenancy_v1_HoldPlaceRequest, _tenancy_v1_Empty>
  ListAccounts: MethodDefinition<_tenancy_v1_ListAccountsRequest__Input, _tenancy_v1_ListAccountsResponse__Input, _tenancy_v1_ListAccountsRequest, _tenancy_v1_ListAccountsResponse>
  ListMemberships: MethodDefinition<_tenancy_v1_ListMembershipsRequest__Input, _tenancy_v1_ListMembershipsResponse__Input, _tenancy_v1_ListMembershipsRequest, _tenancy_v1_ListMembershipsResponse>
  ListOrganizations: MethodDefinition<_tenancy_v1_ListOrganizationsRequest__Input, _tenancy_v1_ListOrganizationsResponse__Input, _tenancy_v1_ListOrganizationsRequest, _tenancy_v1_ListOrganizationsResponse>
  ListPeople: MethodDefinition<_tenancy_v1_ListPeopleRequest__Input, _tenancy_v1_ListPeopleResponse__Input, _tenancy_v1_ListPeopleRequest, _tenancy_v1_ListPeopleResponse>
  ListPlaces: MethodDefinition<_tenancy_v1_ListPlacesRequest__Input, _tenancy_v1_ListPlacesResponse__Input, _tenancy_v1_ListPlacesRequest, _tenancy_v1_ListPlacesResponse>
  ListSetUpDomains: MethodDefinition<_tenancy_v1_ListSetUpDomainsRequest__Input, _tenancy_v1_ListSetUpDomainsResponse__Input, _tenancy_v1_ListSetUpDomainsRequest, _tenancy_v1_ListSetUpDomainsResponse>
  NameScopes: MethodDefinition<_tenancy_v1_GetScopesRequest__Input, _tenancy_v1_NameScopesResponse__Input, _tenancy_v1_GetScopesRequest, _tenancy_v1_NameScopesResponse>
  RemovePerson: MethodDefinition<_tenancy_v1_RemovePersonRequest__Input, _tenancy_v1_RemovePersonResponse__Input, _tenancy_v1_RemovePersonRequest, _tenancy_v1_RemovePersonResponse>
  SignUpOrganization: MethodDefinition<_tenancy_v1_SignUpOrganizationRequest__Input, _tenancy_v1_SignUpOrganizationResponse__Input, _tenancy_v1_SignUpOrganizationRequest, _tenancy_v1_SignUpOrganizationResponse>
}
