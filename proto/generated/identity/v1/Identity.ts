// Original file: identity/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CountAgentRequestsRequest__Input as _identity_v1_CountAgentRequestsRequest__Input, CountAgentRequestsRequest as _identity_v1_CountAgentRequestsRequest } from '../../identity/v1/CountAgentRequestsRequest.ts';
import type { CountProjectAppsRequest__Input as _identity_v1_CountProjectAppsRequest__Input, CountProjectAppsRequest as _identity_v1_CountProjectAppsRequest } from '../../identity/v1/CountProjectAppsRequest.ts';
import type { CountProjectAppsResponse__Input as _identity_v1_CountProjectAppsResponse__Input, CountProjectAppsResponse as _identity_v1_CountProjectAppsResponse } from '../../identity/v1/CountProjectAppsResponse.ts';
import type { Empty__Input as _identity_v1_Empty__Input, Empty as _identity_v1_Empty } from '../../identity/v1/Empty.ts';
import type { ExchangeDirectoryTokenRequest__Input as _identity_v1_ExchangeDirectoryTokenRequest__Input, ExchangeDirectoryTokenRequest as _identity_v1_ExchangeDirectoryTokenRequest } from '../../identity/v1/ExchangeDirectoryTokenRequest.ts';
import type { ExchangeDirectoryTokenResponse__Input as _identity_v1_ExchangeDirectoryTokenResponse__Input, ExchangeDirectoryTokenResponse as _identity_v1_ExchangeDirectoryTokenResponse } from '../../identity/v1/ExchangeDirectoryTokenResponse.ts';
import type { FilterConsentingRequest__Input as _identity_v1_FilterConsentingRequest__Input, FilterConsentingRequest as _identity_v1_FilterConsentingRequest } from '../../identity/v1/FilterConsentingRequest.ts';
import type { FilterConsentingResponse__Input as _identity_v1_FilterConsentingResponse__Input, FilterConsentingResponse as _identity_v1_FilterConsentingResponse } from '../../identity/v1/FilterConsentingResponse.ts';
import type { FilterWithoutSecondFactorRequest__Input as _identity_v1_FilterWithoutSecondFactorRequest__Input, FilterWithoutSecondFactorRequest as _identity_v1_FilterWithoutSecondFactorRequest } from '../../identity/v1/FilterWithoutSecondFactorRequest.ts';
import type { FilterWithoutSecondFactorResponse__Input as _identity_v1_FilterWithoutSecondFactorResponse__Input, FilterWithoutSecondFactorResponse as _identity_v1_FilterWithoutSecondFactorResponse } from '../../identity/v1/FilterWithoutSecondFactorResponse.ts';
import type { FindActingAppRequest__Input as _identity_v1_FindActingAppRequest__Input, FindActingAppRequest as _identity_v1_FindActingAppRequest } from '../../identity/v1/FindActingAppRequest.ts';
import type { FindActingAppResponse__Input as _identity_v1_FindActingAppResponse__Input, FindActingAppResponse as _identity_v1_FindActingAppResponse } from '../../identity/v1/FindActingAppResponse.ts';
import type { FindPlatformAdministratorRequest__Input as _identity_v1_FindPlatformAdministratorRequest__Input, FindPlatformAdministratorRequest as _identity_v1_FindPlatformAdministratorRequest } from '../../identity/v1/FindPlatformAdministratorRequest.ts';
import type { FindPlatformAdministratorResponse__Input as _identity_v1_FindPlatformAdministratorResponse__Input, FindPlatformAdministratorResponse as _identity_v1_FindPlatformAdministratorResponse } from '../../identity/v1/FindPlatformAdministratorResponse.ts';
import type { FindServiceAccountRequest__Input as _identity_v1_FindServiceAccountRequest__Input, FindServiceAccountRequest as _identity_v1_FindServiceAccountRequest } from '../../identity/v1/FindServiceAccountRequest.ts';
import type { FindServiceAccountResponse__Input as _identity_v1_FindServiceAccountResponse__Input, FindServiceAccountResponse as _identity_v1_FindServiceAccountResponse } from '../../identity/v1/FindServiceAccountResponse.ts';
import type { FindServiceCredentialRequest__Input as _identity_v1_FindServiceCredentialRequest__Input, FindServiceCredentialRequest as _identity_v1_FindServiceCredentialRequest } from '../../identity/v1/FindServiceCredentialRequest.ts';
import type { FindServiceCredentialResponse__Input as _identity_v1_FindServiceCredentialResponse__Input, FindServiceCredentialResponse as _identity_v1_FindServiceCredentialResponse } from '../../identity/v1/FindServiceCredentialResponse.ts';
import type { FindUserByEmailRequest__Input as _identity_v1_FindUserByEmailRequest__Input, FindUserByEmailRequest as _identity_v1_FindUserByEmailRequest } from '../../identity/v1/FindUserByEmailRequest.ts';
import type { FindUserByEmailResponse__Input as _identity_v1_FindUserByEmailResponse__Input, FindUserByEmailResponse as _identity_v1_FindUserByEmailResponse } from '../../identity/v1/FindUserByEmailResponse.ts';
import type { FindVouchedAppRequest__Input as _identity_v1_FindVouchedAppRequest__Input, FindVouchedAppRequest as _identity_v1_FindVouchedAppRequest } from '../../identity/v1/FindVouchedAppRequest.ts';
import type { FindVouchedAppResponse__Input as _identity_v1_FindVouchedAppResponse__Input, FindVouchedAppResponse as _identity_v1_FindVouchedAppResponse } from '../../identity/v1/FindVouchedAppResponse.ts';
import type { GetUsersRequest__Input as _identity_v1_GetUsersRequest__Input, GetUsersRequest as _identity_v1_GetUsersRequest } from '../../identity/v1/GetUsersRequest.ts';
import type { GetUsersResponse__Input as _identity_v1_GetUsersResponse__Input, GetUsersResponse as _identity_v1_GetUsersResponse } from '../../identity/v1/GetUsersResponse.ts';
import type { ListMachineAppsRequest__Input as _identity_v1_ListMachineAppsRequest__Input, ListMachineAppsRequest as _identity_v1_ListMachineAppsRequest } from '../../identity/v1/ListMachineAppsRequest.ts';
import type { ListMachineAppsResponse__Input as _identity_v1_ListMachineAppsResponse__Input, ListMachineAppsResponse as _identity_v1_ListMachineAppsResponse } from '../../identity/v1/ListMachineAppsResponse.ts';
import type { MarkEmailVerifiedRequest__Input as _identity_v1_MarkEmailVerifiedRequest__Input, MarkEmailVerifiedRequest as _identity_v1_MarkEmailVerifiedRequest } from '../../identity/v1/MarkEmailVerifiedRequest.ts';
import type { RegisterInvitedRequest__Input as _identity_v1_RegisterInvitedRequest__Input, RegisterInvitedRequest as _identity_v1_RegisterInvitedRequest } from '../../identity/v1/RegisterInvitedRequest.ts';
import type { RegisterInvitedResponse__Input as _identity_v1_RegisterInvitedResponse__Input, RegisterInvitedResponse as _identity_v1_RegisterInvitedResponse } from '../../identity/v1/RegisterInvitedResponse.ts';
import type { RegisterProvisionedPeopleRequest__Input as _identity_v1_RegisterProvisionedPeopleRequest__Input, RegisterProvisionedPeopleRequest as _identity_v1_RegisterProvisionedPeopleRequest } from '../../identity/v1/RegisterProvisionedPeopleRequest.ts';
import type { RegisterProvisionedPeopleResponse__Input as _identity_v1_RegisterProvisionedPeopleResponse__Input, RegisterProvisionedPeopleResponse as _identity_v1_RegisterProvisionedPeopleResponse } from '../../identity/v1/RegisterProvisionedPeopleResponse.ts';
import type { RegisterProvisionedRequest__Input as _identity_v1_RegisterProvisionedRequest__Input, RegisterProvisionedRequest as _identity_v1_RegisterProvisionedRequest } from '../../identity/v1/RegisterProvisionedRequest.ts';
import type { RejectRegistrationRequest__Input as _identity_v1_RejectRegistrationRequest__Input, RejectRegistrationRequest as _identity_v1_RejectRegistrationRequest } from '../../identity/v1/RejectRegistrationRequest.ts';

export interface IdentityClient extends grpc.Client {
  /**
   * What apps have asked for people since the last call of this gateway; 500 at most. Where an app does not act for the person, nothing is counted.
   */
  CountAgentRequests(argument: _identity_v1_CountAgentRequestsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  CountAgentRequests(argument: _identity_v1_CountAgentRequestsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  CountAgentRequests(argument: _identity_v1_CountAgentRequestsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  CountAgentRequests(argument: _identity_v1_CountAgentRequestsRequest__Input, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  /**
   * What apps have asked for people since the last call of this gateway; 500 at most. Where an app does not act for the person, nothing is counted.
   */
  countAgentRequests(argument: _identity_v1_CountAgentRequestsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  countAgentRequests(argument: _identity_v1_CountAgentRequestsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  countAgentRequests(argument: _identity_v1_CountAgentRequestsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  countAgentRequests(argument: _identity_v1_CountAgentRequestsRequest__Input, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  
  /**
   * How many apps these projects have: for the record of the projects' deletion.
   */
  CountProjectApps(argument: _identity_v1_CountProjectAppsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CountProjectAppsResponse>): grpc.ClientUnaryCall;
  CountProjectApps(argument: _identity_v1_CountProjectAppsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_CountProjectAppsResponse>): grpc.ClientUnaryCall;
  CountProjectApps(argument: _identity_v1_CountProjectAppsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CountProjectAppsResponse>): grpc.ClientUnaryCall;
  CountProjectApps(argument: _identity_v1_CountProjectAppsRequest__Input, callback: grpc.requestCallback<_identity_v1_CountProjectAppsResponse>): grpc.ClientUnaryCall;
  /**
   * How many apps these projects have: for the record of the projects' deletion.
   */
  countProjectApps(argument: _identity_v1_CountProjectAppsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CountProjectAppsResponse>): grpc.ClientUnaryCall;
  countProjectApps(argument: _identity_v1_CountProjectAppsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_CountProjectAppsResponse>): grpc.ClientUnaryCall;
  countProjectApps(argument: _identity_v1_CountProjectAppsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CountProjectAppsResponse>): grpc.ClientUnaryCall;
  countProjectApps(argument: _identity_v1_CountProjectAppsRequest__Input, callback: grpc.requestCallback<_identity_v1_CountProjectAppsResponse>): grpc.ClientUnaryCall;
  
  /**
   * A directory's long-lived token as an access token of its service account, good for SCIM at this organization. Empty when the organization has no
   * such token; 403 while its account may not be used.
   */
  ExchangeDirectoryToken(argument: _identity_v1_ExchangeDirectoryTokenRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ExchangeDirectoryTokenResponse>): grpc.ClientUnaryCall;
  ExchangeDirectoryToken(argument: _identity_v1_ExchangeDirectoryTokenRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ExchangeDirectoryTokenResponse>): grpc.ClientUnaryCall;
  ExchangeDirectoryToken(argument: _identity_v1_ExchangeDirectoryTokenRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ExchangeDirectoryTokenResponse>): grpc.ClientUnaryCall;
  ExchangeDirectoryToken(argument: _identity_v1_ExchangeDirectoryTokenRequest__Input, callback: grpc.requestCallback<_identity_v1_ExchangeDirectoryTokenResponse>): grpc.ClientUnaryCall;
  /**
   * A directory's long-lived token as an access token of its service account, good for SCIM at this organization. Empty when the organization has no
   * such token; 403 while its account may not be used.
   */
  exchangeDirectoryToken(argument: _identity_v1_ExchangeDirectoryTokenRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ExchangeDirectoryTokenResponse>): grpc.ClientUnaryCall;
  exchangeDirectoryToken(argument: _identity_v1_ExchangeDirectoryTokenRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ExchangeDirectoryTokenResponse>): grpc.ClientUnaryCall;
  exchangeDirectoryToken(argument: _identity_v1_ExchangeDirectoryTokenRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ExchangeDirectoryTokenResponse>): grpc.ClientUnaryCall;
  exchangeDirectoryToken(argument: _identity_v1_ExchangeDirectoryTokenRequest__Input, callback: grpc.requestCallback<_identity_v1_ExchangeDirectoryTokenResponse>): grpc.ClientUnaryCall;
  
  /**
   * Of these people those whose consent for this app lets it use the scope, or who were never asked: as FindActingApp says of each; 5,000 at most.
   */
  FilterConsenting(argument: _identity_v1_FilterConsentingRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FilterConsentingResponse>): grpc.ClientUnaryCall;
  FilterConsenting(argument: _identity_v1_FilterConsentingRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FilterConsentingResponse>): grpc.ClientUnaryCall;
  FilterConsenting(argument: _identity_v1_FilterConsentingRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FilterConsentingResponse>): grpc.ClientUnaryCall;
  FilterConsenting(argument: _identity_v1_FilterConsentingRequest__Input, callback: grpc.requestCallback<_identity_v1_FilterConsentingResponse>): grpc.ClientUnaryCall;
  /**
   * Of these people those whose consent for this app lets it use the scope, or who were never asked: as FindActingApp says of each; 5,000 at most.
   */
  filterConsenting(argument: _identity_v1_FilterConsentingRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FilterConsentingResponse>): grpc.ClientUnaryCall;
  filterConsenting(argument: _identity_v1_FilterConsentingRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FilterConsentingResponse>): grpc.ClientUnaryCall;
  filterConsenting(argument: _identity_v1_FilterConsentingRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FilterConsentingResponse>): grpc.ClientUnaryCall;
  filterConsenting(argument: _identity_v1_FilterConsentingRequest__Input, callback: grpc.requestCallback<_identity_v1_FilterConsentingResponse>): grpc.ClientUnaryCall;
  
  /**
   * Of these people those who exist and have confirmed no second factor; 1,000 at most.
   */
  FilterWithoutSecondFactor(argument: _identity_v1_FilterWithoutSecondFactorRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FilterWithoutSecondFactorResponse>): grpc.ClientUnaryCall;
  FilterWithoutSecondFactor(argument: _identity_v1_FilterWithoutSecondFactorRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FilterWithoutSecondFactorResponse>): grpc.ClientUnaryCall;
  FilterWithoutSecondFactor(argument: _identity_v1_FilterWithoutSecondFactorRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FilterWithoutSecondFactorResponse>): grpc.ClientUnaryCall;
  FilterWithoutSecondFactor(argument: _identity_v1_FilterWithoutSecondFactorRequest__Input, callback: grpc.requestCallback<_identity_v1_FilterWithoutSecondFactorResponse>): grpc.ClientUnaryCall;
  /**
   * Of these people those who exist and have confirmed no second factor; 1,000 at most.
   */
  filterWithoutSecondFactor(argument: _identity_v1_FilterWithoutSecondFactorRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FilterWithoutSecondFactorResponse>): grpc.ClientUnaryCall;
  filterWithoutSecondFactor(argument: _identity_v1_FilterWithoutSecondFactorRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FilterWithoutSecondFactorResponse>): grpc.ClientUnaryCall;
  filterWithoutSecondFactor(argument: _identity_v1_FilterWithoutSecondFactorRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FilterWithoutSecondFactorResponse>): grpc.ClientUnaryCall;
  filterWithoutSecondFactor(argument: _identity_v1_FilterWithoutSecondFactorRequest__Input, callback: grpc.requestCallback<_identity_v1_FilterWithoutSecondFactorResponse>): grpc.ClientUnaryCall;
  
  /**
   * An app that acts for a person, with the scopes that it may use for the person now. Empty when the app does not exist or is stopped.
   */
  FindActingApp(argument: _identity_v1_FindActingAppRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindActingAppResponse>): grpc.ClientUnaryCall;
  FindActingApp(argument: _identity_v1_FindActingAppRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindActingAppResponse>): grpc.ClientUnaryCall;
  FindActingApp(argument: _identity_v1_FindActingAppRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindActingAppResponse>): grpc.ClientUnaryCall;
  FindActingApp(argument: _identity_v1_FindActingAppRequest__Input, callback: grpc.requestCallback<_identity_v1_FindActingAppResponse>): grpc.ClientUnaryCall;
  /**
   * An app that acts for a person, with the scopes that it may use for the person now. Empty when the app does not exist or is stopped.
   */
  findActingApp(argument: _identity_v1_FindActingAppRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindActingAppResponse>): grpc.ClientUnaryCall;
  findActingApp(argument: _identity_v1_FindActingAppRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindActingAppResponse>): grpc.ClientUnaryCall;
  findActingApp(argument: _identity_v1_FindActingAppRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindActingAppResponse>): grpc.ClientUnaryCall;
  findActingApp(argument: _identity_v1_FindActingAppRequest__Input, callback: grpc.requestCallback<_identity_v1_FindActingAppResponse>): grpc.ClientUnaryCall;
  
  /**
   * Whether this person administers the platform now: named on the command line, with a verified address, not deleted.
   */
  FindPlatformAdministrator(argument: _identity_v1_FindPlatformAdministratorRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindPlatformAdministratorResponse>): grpc.ClientUnaryCall;
  FindPlatformAdministrator(argument: _identity_v1_FindPlatformAdministratorRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindPlatformAdministratorResponse>): grpc.ClientUnaryCall;
  FindPlatformAdministrator(argument: _identity_v1_FindPlatformAdministratorRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindPlatformAdministratorResponse>): grpc.ClientUnaryCall;
  FindPlatformAdministrator(argument: _identity_v1_FindPlatformAdministratorRequest__Input, callback: grpc.requestCallback<_identity_v1_FindPlatformAdministratorResponse>): grpc.ClientUnaryCall;
  /**
   * Whether this person administers the platform now: named on the command line, with a verified address, not deleted.
   */
  findPlatformAdministrator(argument: _identity_v1_FindPlatformAdministratorRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindPlatformAdministratorResponse>): grpc.ClientUnaryCall;
  findPlatformAdministrator(argument: _identity_v1_FindPlatformAdministratorRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindPlatformAdministratorResponse>): grpc.ClientUnaryCall;
  findPlatformAdministrator(argument: _identity_v1_FindPlatformAdministratorRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindPlatformAdministratorResponse>): grpc.ClientUnaryCall;
  findPlatformAdministrator(argument: _identity_v1_FindPlatformAdministratorRequest__Input, callback: grpc.requestCallback<_identity_v1_FindPlatformAdministratorResponse>): grpc.ClientUnaryCall;
  
  /**
   * Whether this service account exists and its account or organization is not suspended. It may have no credential.
   */
  FindServiceAccount(argument: _identity_v1_FindServiceAccountRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindServiceAccountResponse>): grpc.ClientUnaryCall;
  FindServiceAccount(argument: _identity_v1_FindServiceAccountRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindServiceAccountResponse>): grpc.ClientUnaryCall;
  FindServiceAccount(argument: _identity_v1_FindServiceAccountRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindServiceAccountResponse>): grpc.ClientUnaryCall;
  FindServiceAccount(argument: _identity_v1_FindServiceAccountRequest__Input, callback: grpc.requestCallback<_identity_v1_FindServiceAccountResponse>): grpc.ClientUnaryCall;
  /**
   * Whether this service account exists and its account or organization is not suspended. It may have no credential.
   */
  findServiceAccount(argument: _identity_v1_FindServiceAccountRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindServiceAccountResponse>): grpc.ClientUnaryCall;
  findServiceAccount(argument: _identity_v1_FindServiceAccountRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindServiceAccountResponse>): grpc.ClientUnaryCall;
  findServiceAccount(argument: _identity_v1_FindServiceAccountRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindServiceAccountResponse>): grpc.ClientUnaryCall;
  findServiceAccount(argument: _identity_v1_FindServiceAccountRequest__Input, callback: grpc.requestCallback<_identity_v1_FindServiceAccountResponse>): grpc.ClientUnaryCall;
  
  /**
   * Whether this credential of this service account would get a token now.
   */
  FindServiceCredential(argument: _identity_v1_FindServiceCredentialRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindServiceCredentialResponse>): grpc.ClientUnaryCall;
  FindServiceCredential(argument: _identity_v1_FindServiceCredentialRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindServiceCredentialResponse>): grpc.ClientUnaryCall;
  FindServiceCredential(argument: _identity_v1_FindServiceCredentialRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindServiceCredentialResponse>): grpc.ClientUnaryCall;
  FindServiceCredential(argument: _identity_v1_FindServiceCredentialRequest__Input, callback: grpc.requestCallback<_identity_v1_FindServiceCredentialResponse>): grpc.ClientUnaryCall;
  /**
   * Whether this credential of this service account would get a token now.
   */
  findServiceCredential(argument: _identity_v1_FindServiceCredentialRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindServiceCredentialResponse>): grpc.ClientUnaryCall;
  findServiceCredential(argument: _identity_v1_FindServiceCredentialRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindServiceCredentialResponse>): grpc.ClientUnaryCall;
  findServiceCredential(argument: _identity_v1_FindServiceCredentialRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindServiceCredentialResponse>): grpc.ClientUnaryCall;
  findServiceCredential(argument: _identity_v1_FindServiceCredentialRequest__Input, callback: grpc.requestCallback<_identity_v1_FindServiceCredentialResponse>): grpc.ClientUnaryCall;
  
  FindUserByEmail(argument: _identity_v1_FindUserByEmailRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindUserByEmailResponse>): grpc.ClientUnaryCall;
  FindUserByEmail(argument: _identity_v1_FindUserByEmailRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindUserByEmailResponse>): grpc.ClientUnaryCall;
  FindUserByEmail(argument: _identity_v1_FindUserByEmailRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindUserByEmailResponse>): grpc.ClientUnaryCall;
  FindUserByEmail(argument: _identity_v1_FindUserByEmailRequest__Input, callback: grpc.requestCallback<_identity_v1_FindUserByEmailResponse>): grpc.ClientUnaryCall;
  findUserByEmail(argument: _identity_v1_FindUserByEmailRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindUserByEmailResponse>): grpc.ClientUnaryCall;
  findUserByEmail(argument: _identity_v1_FindUserByEmailRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindUserByEmailResponse>): grpc.ClientUnaryCall;
  findUserByEmail(argument: _identity_v1_FindUserByEmailRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindUserByEmailResponse>): grpc.ClientUnaryCall;
  findUserByEmail(argument: _identity_v1_FindUserByEmailRequest__Input, callback: grpc.requestCallback<_identity_v1_FindUserByEmailResponse>): grpc.ClientUnaryCall;
  
  /**
   * The app that a token was given to, or the app with this id, when somebody vouches for it now; and what its tokens may do for the user.
   */
  FindVouchedApp(argument: _identity_v1_FindVouchedAppRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindVouchedAppResponse>): grpc.ClientUnaryCall;
  FindVouchedApp(argument: _identity_v1_FindVouchedAppRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindVouchedAppResponse>): grpc.ClientUnaryCall;
  FindVouchedApp(argument: _identity_v1_FindVouchedAppRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindVouchedAppResponse>): grpc.ClientUnaryCall;
  FindVouchedApp(argument: _identity_v1_FindVouchedAppRequest__Input, callback: grpc.requestCallback<_identity_v1_FindVouchedAppResponse>): grpc.ClientUnaryCall;
  /**
   * The app that a token was given to, or the app with this id, when somebody vouches for it now; and what its tokens may do for the user.
   */
  findVouchedApp(argument: _identity_v1_FindVouchedAppRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindVouchedAppResponse>): grpc.ClientUnaryCall;
  findVouchedApp(argument: _identity_v1_FindVouchedAppRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_FindVouchedAppResponse>): grpc.ClientUnaryCall;
  findVouchedApp(argument: _identity_v1_FindVouchedAppRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_FindVouchedAppResponse>): grpc.ClientUnaryCall;
  findVouchedApp(argument: _identity_v1_FindVouchedAppRequest__Input, callback: grpc.requestCallback<_identity_v1_FindVouchedAppResponse>): grpc.ClientUnaryCall;
  
  GetUsers(argument: _identity_v1_GetUsersRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetUsersResponse>): grpc.ClientUnaryCall;
  GetUsers(argument: _identity_v1_GetUsersRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_GetUsersResponse>): grpc.ClientUnaryCall;
  GetUsers(argument: _identity_v1_GetUsersRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetUsersResponse>): grpc.ClientUnaryCall;
  GetUsers(argument: _identity_v1_GetUsersRequest__Input, callback: grpc.requestCallback<_identity_v1_GetUsersResponse>): grpc.ClientUnaryCall;
  getUsers(argument: _identity_v1_GetUsersRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetUsersResponse>): grpc.ClientUnaryCall;
  getUsers(argument: _identity_v1_GetUsersRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_GetUsersResponse>): grpc.ClientUnaryCall;
  getUsers(argument: _identity_v1_GetUsersRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetUsersResponse>): grpc.ClientUnaryCall;
  getUsers(argument: _identity_v1_GetUsersRequest__Input, callback: grpc.requestCallback<_identity_v1_GetUsersResponse>): grpc.ClientUnaryCall;
  
  /**
   * The machine apps of a project that would get a token now, by id, with the role of each.
   */
  ListMachineApps(argument: _identity_v1_ListMachineAppsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListMachineAppsResponse>): grpc.ClientUnaryCall;
  ListMachineApps(argument: _identity_v1_ListMachineAppsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListMachineAppsResponse>): grpc.ClientUnaryCall;
  ListMachineApps(argument: _identity_v1_ListMachineAppsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListMachineAppsResponse>): grpc.ClientUnaryCall;
  ListMachineApps(argument: _identity_v1_ListMachineAppsRequest__Input, callback: grpc.requestCallback<_identity_v1_ListMachineAppsResponse>): grpc.ClientUnaryCall;
  /**
   * The machine apps of a project that would get a token now, by id, with the role of each.
   */
  listMachineApps(argument: _identity_v1_ListMachineAppsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListMachineAppsResponse>): grpc.ClientUnaryCall;
  listMachineApps(argument: _identity_v1_ListMachineAppsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListMachineAppsResponse>): grpc.ClientUnaryCall;
  listMachineApps(argument: _identity_v1_ListMachineAppsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListMachineAppsResponse>): grpc.ClientUnaryCall;
  listMachineApps(argument: _identity_v1_ListMachineAppsRequest__Input, callback: grpc.requestCallback<_identity_v1_ListMachineAppsResponse>): grpc.ClientUnaryCall;
  
  /**
   * Marks the address of a user verified (an accepted invitation proves it).
   */
  MarkEmailVerified(argument: _identity_v1_MarkEmailVerifiedRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  MarkEmailVerified(argument: _identity_v1_MarkEmailVerifiedRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  MarkEmailVerified(argument: _identity_v1_MarkEmailVerifiedRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  MarkEmailVerified(argument: _identity_v1_MarkEmailVerifiedRequest__Input, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  /**
   * Marks the address of a user verified (an accepted invitation proves it).
   */
  markEmailVerified(argument: _identity_v1_MarkEmailVerifiedRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  markEmailVerified(argument: _identity_v1_MarkEmailVerifiedRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  markEmailVerified(argument: _identity_v1_MarkEmailVerifiedRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  markEmailVerified(argument: _identity_v1_MarkEmailVerifiedRequest__Input, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  
  /**
   * Registers the recipient of an invitation, whose address the mail's token has verified. Emits user.registered with the
   * invitation, from which tenancy makes the membership. Idempotent per invitation.
   */
  RegisterInvited(argument: _identity_v1_RegisterInvitedRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  RegisterInvited(argument: _identity_v1_RegisterInvitedRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  RegisterInvited(argument: _identity_v1_RegisterInvitedRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  RegisterInvited(argument: _identity_v1_RegisterInvitedRequest__Input, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  /**
   * Registers the recipient of an invitation, whose address the mail's token has verified. Emits user.registered with the
   * invitation, from which tenancy makes the membership. Idempotent per invitation.
   */
  registerInvited(argument: _identity_v1_RegisterInvitedRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  registerInvited(argument: _identity_v1_RegisterInvitedRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  registerInvited(argument: _identity_v1_RegisterInvitedRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  registerInvited(argument: _identity_v1_RegisterInvitedRequest__Input, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  
  /**
   * Registers a person whom an organization's directory sends, without a password. The address is of a domain that the organization has proven,
   * and counts as verified. Otherwise as RegisterInvited. 409 when an account has the address by now.
   */
  RegisterProvisioned(argument: _identity_v1_RegisterProvisionedRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  RegisterProvisioned(argument: _identity_v1_RegisterProvisionedRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  RegisterProvisioned(argument: _identity_v1_RegisterProvisionedRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  RegisterProvisioned(argument: _identity_v1_RegisterProvisionedRequest__Input, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  /**
   * Registers a person whom an organization's directory sends, without a password. The address is of a domain that the organization has proven,
   * and counts as verified. Otherwise as RegisterInvited. 409 when an account has the address by now.
   */
  registerProvisioned(argument: _identity_v1_RegisterProvisionedRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  registerProvisioned(argument: _identity_v1_RegisterProvisionedRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  registerProvisioned(argument: _identity_v1_RegisterProvisionedRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  registerProvisioned(argument: _identity_v1_RegisterProvisionedRequest__Input, callback: grpc.requestCallback<_identity_v1_RegisterInvitedResponse>): grpc.ClientUnaryCall;
  
  /**
   * The same for many people, 100 at most, in one commit. Emits users.provisioned.
   */
  RegisterProvisionedPeople(argument: _identity_v1_RegisterProvisionedPeopleRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterProvisionedPeopleResponse>): grpc.ClientUnaryCall;
  RegisterProvisionedPeople(argument: _identity_v1_RegisterProvisionedPeopleRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RegisterProvisionedPeopleResponse>): grpc.ClientUnaryCall;
  RegisterProvisionedPeople(argument: _identity_v1_RegisterProvisionedPeopleRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterProvisionedPeopleResponse>): grpc.ClientUnaryCall;
  RegisterProvisionedPeople(argument: _identity_v1_RegisterProvisionedPeopleRequest__Input, callback: grpc.requestCallback<_identity_v1_RegisterProvisionedPeopleResponse>): grpc.ClientUnaryCall;
  /**
   * The same for many people, 100 at most, in one commit. Emits users.provisioned.
   */
  registerProvisionedPeople(argument: _identity_v1_RegisterProvisionedPeopleRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterProvisionedPeopleResponse>): grpc.ClientUnaryCall;
  registerProvisionedPeople(argument: _identity_v1_RegisterProvisionedPeopleRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RegisterProvisionedPeopleResponse>): grpc.ClientUnaryCall;
  registerProvisionedPeople(argument: _identity_v1_RegisterProvisionedPeopleRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RegisterProvisionedPeopleResponse>): grpc.ClientUnaryCall;
  registerProvisionedPeople(argument: _identity_v1_RegisterProvisionedPeopleRequest__Input, callback: grpc.requestCallback<_identity_v1_RegisterProvisionedPeopleResponse>): grpc.ClientUnaryCall;
  
  /**
   * Deletes the account of an address that never held it, on the word of whoever reads its mail (an invitation was sent there).
   */
  RejectRegistration(argument: _identity_v1_RejectRegistrationRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  RejectRegistration(argument: _identity_v1_RejectRegistrationRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  RejectRegistration(argument: _identity_v1_RejectRegistrationRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  RejectRegistration(argument: _identity_v1_RejectRegistrationRequest__Input, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  /**
   * Deletes the account of an address that never held it, on the word of whoever reads its mail (an invitation was sent there).
   */
  rejectRegistration(argument: _identity_v1_RejectRegistrationRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  rejectRegistration(argument: _identity_v1_RejectRegistrationRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  rejectRegistration(argument: _identity_v1_RejectRegistrationRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  rejectRegistration(argument: _identity_v1_RejectRegistrationRequest__Input, callback: grpc.requestCallback<_identity_v1_Empty>): grpc.ClientUnaryCall;
  
}

export interface IdentityHandlers extends grpc.UntypedServiceImplementation {
  /**
   * What apps have asked for people since the last call of this gateway; 500 at most. Where an app does not act for the person, nothing is counted.
   */
  CountAgentRequests: grpc.handleUnaryCall<_identity_v1_CountAgentRequestsRequest, _identity_v1_Empty__Input>;
  
  /**
   * How many apps these projects have: for the record of the projects' deletion.
   */
  CountProjectApps: grpc.handleUnaryCall<_identity_v1_CountProjectAppsRequest, _identity_v1_CountProjectAppsResponse__Input>;
  
  /**
   * A directory's long-lived token as an access token of its service account, good for SCIM at this organization. Empty when the organization has no
   * such token; 403 while its account may not be used.
   */
  ExchangeDirectoryToken: grpc.handleUnaryCall<_identity_v1_ExchangeDirectoryTokenRequest, _identity_v1_ExchangeDirectoryTokenResponse__Input>;
  
  /**
   * Of these people those whose consent for this app lets it use the scope, or who were never asked: as FindActingApp says of each; 5,000 at most.
   */
  FilterConsenting: grpc.handleUnaryCall<_identity_v1_FilterConsentingRequest, _identity_v1_FilterConsentingResponse__Input>;
  
  /**
   * Of these people those who exist and have confirmed no second factor; 1,000 at most.
   */
  FilterWithoutSecondFactor: grpc.handleUnaryCall<_identity_v1_FilterWithoutSecondFactorRequest, _identity_v1_FilterWithoutSecondFactorResponse__Input>;
  
  /**
   * An app that acts for a person, with the scopes that it may use for the person now. Empty when the app does not exist or is stopped.
   */
  FindActingApp: grpc.handleUnaryCall<_identity_v1_FindActingAppRequest, _identity_v1_FindActingAppResponse__Input>;
  
  /**
   * Whether this person administers the platform now: named on the command line, with a verified address, not deleted.
   */
  FindPlatformAdministrator: grpc.handleUnaryCall<_identity_v1_FindPlatformAdministratorRequest, _identity_v1_FindPlatformAdministratorResponse__Input>;
  
  /**
   * Whether this service account exists and its account or organization is not suspended. It may have no credential.
   */
  FindServiceAccount: grpc.handleUnaryCall<_identity_v1_FindServiceAccountRequest, _identity_v1_FindServiceAccountResponse__Input>;
  
  /**
   * Whether this credential of this service account would get a token now.
   */
  FindServiceCredential: grpc.handleUnaryCall<_identity_v1_FindServiceCredentialRequest, _identity_v1_FindServiceCredentialResponse__Input>;
  
  FindUserByEmail: grpc.handleUnaryCall<_identity_v1_FindUserByEmailRequest, _identity_v1_FindUserByEmailResponse__Input>;
  
  /**
   * The app that a token was given to, or the app with this id, when somebody vouches for it now; and what its tokens may do for the user.
   */
  FindVouchedApp: grpc.handleUnaryCall<_identity_v1_FindVouchedAppRequest, _identity_v1_FindVouchedAppResponse__Input>;
  
  GetUsers: grpc.handleUnaryCall<_identity_v1_GetUsersRequest, _identity_v1_GetUsersResponse__Input>;
  
  /**
   * The machine apps of a project that would get a token now, by id, with the role of each.
   */
  ListMachineApps: grpc.handleUnaryCall<_identity_v1_ListMachineAppsRequest, _identity_v1_ListMachineAppsResponse__Input>;
  
  /**
   * Marks the address of a user verified (an accepted invitation proves it).
   */
  MarkEmailVerified: grpc.handleUnaryCall<_identity_v1_MarkEmailVerifiedRequest, _identity_v1_Empty__Input>;
  
  /**
   * Registers the recipient of an invitation, whose address the mail's token has verified. Emits user.registered with the
   * invitation, from which tenancy makes the membership. Idempotent per invitation.
   */
  RegisterInvited: grpc.handleUnaryCall<_identity_v1_RegisterInvitedRequest, _identity_v1_RegisterInvitedResponse__Input>;
  
  /**
   * Registers a person whom an organization's directory sends, without a password. The address is of a domain that the organization has proven,
   * and counts as verified. Otherwise as RegisterInvited. 409 when an account has the address by now.
   */
  RegisterProvisioned: grpc.handleUnaryCall<_identity_v1_RegisterProvisionedRequest, _identity_v1_RegisterInvitedResponse__Input>;
  
  /**
   * The same for many people, 100 at most, in one commit. Emits users.provisioned.
   */
  RegisterProvisionedPeople: grpc.handleUnaryCall<_identity_v1_RegisterProvisionedPeopleRequest, _identity_v1_RegisterProvisionedPeopleResponse__Input>;
  
  /**
   * Deletes the account of an address that never held it, on the word of whoever reads its mail (an invitation was sent there).
   */
  RejectRegistration: grpc.handleUnaryCall<_identity_v1_RejectRegistrationRequest, _identity_v1_Empty__Input>;
  
}

export interface IdentityDefinition extends grpc.ServiceDefinition {
  CountAgentRequests: MethodDefinition<_identity_v1_CountAgentRequestsRequest__Input, _identity_v1_Empty__Input, _identity_v1_CountAgentRequestsRequest, _identity_v1_Empty>
  CountProjectApps: MethodDefinition<_identity_v1_CountProjectAppsRequest__Input, _identity_v1_CountProjectAppsResponse__Input, _identity_v1_CountProjectAppsRequest, _identity_v1_CountProjectAppsResponse>
  ExchangeDirectoryToken: MethodDefinition<_identity_v1_ExchangeDirectoryTokenRequest__Input, _identity_v1_ExchangeDirectoryTokenResponse__Input, _identity_v1_ExchangeDirectoryTokenRequest, _identity_v1_ExchangeDirectoryTokenResponse>
  FilterConsenting: MethodDefinition<_identity_v1_FilterConsentingRequest__Input, _identity_v1_FilterConsentingResponse__Input, _identity_v1_FilterConsentingRequest, _identity_v1_FilterConsentingResponse>
  FilterWithoutSecondFactor: MethodDefinition<_identity_v1_FilterWithoutSecondFactorRequest__Input, _identity_v1_FilterWithoutSecondFactorResponse__Input, _identity_v1_FilterWithoutSecondFactorRequest, _identity_v1_FilterWithoutSecondFactorResponse>
  FindActingApp: MethodDefinition<_identity_v1_FindActingAppRequest__Input, _identity_v1_FindActingAppResponse__Input, _identity_v1_FindActingAppRequest, _identity_v1_FindActingAppResponse>
  FindPlatformAdministrator: MethodDefinition<_identity_v1_FindPlatformAdministratorRequest__Input, _identity_v1_FindPlatformAdministratorResponse__Input, _identity_v1_FindPlatformAdministratorRequest, _identity_v1_FindPlatformAdministratorResponse>
  FindServiceAccount: MethodDefinition<_identity_v1_FindServiceAccountRequest__Input, _identity_v1_FindServiceAccountResponse__Input, _identity_v1_FindServiceAccountRequest, _identity_v1_FindServiceAccountResponse>
  FindServiceCredential: MethodDefinition<_identity_v1_FindServiceCredentialRequest__Input, _identity_v1_FindServiceCredentialResponse__Input, _identity_v1_FindServiceCredentialRequest, _identity_v1_FindServiceCredentialResponse>
  FindUserByEmail: MethodDefinition<_identity_v1_FindUserByEmailRequest__Input, _identity_v1_FindUserByEmailResponse__Input, _identity_v1_FindUserByEmailRequest, _identity_v1_FindUserByEmailResponse>
  FindVouchedApp: MethodDefinition<_identity_v1_FindVouchedAppRequest__Input, _identity_v1_FindVouchedAppResponse__Input, _identity_v1_FindVouchedAppRequest, _identity_v1_FindVouchedAppResponse>
  GetUsers: MethodDefinition<_identity_v1_GetUsersRequest__Input, _identity_v1_GetUsersResponse__Input, _identity_v1_GetUsersRequest, _identity_v1_GetUsersResponse>
  ListMachineApps: MethodDefinition<_identity_v1_ListMachineAppsRequest__Input, _identity_v1_ListMachineAppsResponse__Input, _identity_v1_ListMachineAppsRequest, _identity_v1_ListMachineAppsResponse>
  MarkEmailVerified: MethodDefinition<_identity_v1_MarkEmailVerifiedRequest__Input, _identity_v1_Empty__Input, _identity_v1_MarkEmailVerifiedRequest, _identity_v1_Empty>
  RegisterInvited: MethodDefinition<_identity_v1_RegisterInvitedRequest__Input, _identity_v1_RegisterInvitedResponse__Input, _identity_v1_RegisterInvitedRequest, _identity_v1_RegisterInvitedResponse>
  RegisterProvisioned: MethodDefinition<_identity_v1_RegisterProvisionedRequest__Input, _identity_v1_RegisterInvitedResponse__Input, _identity_v1_RegisterProvisionedRequest, _identity_v1_RegisterInvitedResponse>
  RegisterProvisionedPeople: MethodDefinition<_identity_v1_RegisterProvisionedPeopleRequest__Input, _identity_v1_RegisterProvisionedPeopleResponse__Input, _identity_v1_RegisterProvisionedPeopleRequest, _identity_v1_RegisterProvisionedPeopleResponse>
  RejectRegistration: MethodDefinition<_identity_v1_RejectRegistrationRequest__Input, _identity_v1_Empty__Input, _identity_v1_RejectRegistrationRequest, _identity_v1_Empty>
}
