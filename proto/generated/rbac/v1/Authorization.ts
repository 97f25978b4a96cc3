// Original file: rbac/v1/authorization.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { Check__Input as _rbac_v1_Check__Input, Check as _rbac_v1_Check } from '../../rbac/v1/Check.ts';
import type { CheckMany__Input as _rbac_v1_CheckMany__Input, CheckMany as _rbac_v1_CheckMany } from '../../rbac/v1/CheckMany.ts';
import type { Decision__Input as _rbac_v1_Decision__Input, Decision as _rbac_v1_Decision } from '../../rbac/v1/Decision.ts';
import type { DecisionMany__Input as _rbac_v1_DecisionMany__Input, DecisionMany as _rbac_v1_DecisionMany } from '../../rbac/v1/DecisionMany.ts';
import type { FindActionsRequest__Input as _rbac_v1_FindActionsRequest__Input, FindActionsRequest as _rbac_v1_FindActionsRequest } from '../../rbac/v1/FindActionsRequest.ts';
import type { FindActionsResponse__Input as _rbac_v1_FindActionsResponse__Input, FindActionsResponse as _rbac_v1_FindActionsResponse } from '../../rbac/v1/FindActionsResponse.ts';
import type { FindResourcesRequest__Input as _rbac_v1_FindResourcesRequest__Input, FindResourcesRequest as _rbac_v1_FindResourcesRequest } from '../../rbac/v1/FindResourcesRequest.ts';
import type { FindResourcesResponse__Input as _rbac_v1_FindResourcesResponse__Input, FindResourcesResponse as _rbac_v1_FindResourcesResponse } from '../../rbac/v1/FindResourcesResponse.ts';
import type { FindSubjectsRequest__Input as _rbac_v1_FindSubjectsRequest__Input, FindSubjectsRequest as _rbac_v1_FindSubjectsRequest } from '../../rbac/v1/FindSubjectsRequest.ts';
import type { FindSubjectsResponse__Input as _rbac_v1_FindSubjectsResponse__Input, FindSubjectsResponse as _rbac_v1_FindSubjectsResponse } from '../../rbac/v1/FindSubjectsResponse.ts';
import type { ListPermissionsRequest__Input as _rbac_v1_ListPermissionsRequest__Input, ListPermissionsRequest as _rbac_v1_ListPermissionsRequest } from '../../rbac/v1/ListPermissionsRequest.ts';
import type { ListPermissionsResponse__Input as _rbac_v1_ListPermissionsResponse__Input, ListPermissionsResponse as _rbac_v1_ListPermissionsResponse } from '../../rbac/v1/ListPermissionsResponse.ts';

/**
 * Authorization decisions in one scope. The contract for applications; docs/decisions-over-grpc.md shows how to call it.
 * 
 * An application sends `authorization: Bearer <access token of an API key>` and checks rights within the scope of
 * that token, and where a user's token acts that its own project signed. The subject is an end user, by the user's own access token (`user_token`); a user, API key or app by id
 * (`subject`), if the application holds Decision:Evaluate in the scope; or the application itself (`subject` of type self).
 */
export interface AuthorizationClient extends grpc.Client {
  /**
   * What may the subject do, with which of its conditions met?
   */
  FindActions(argument: _rbac_v1_FindActionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindActionsResponse>): grpc.ClientUnaryCall;
  FindActions(argument: _rbac_v1_FindActionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_FindActionsResponse>): grpc.ClientUnaryCall;
  FindActions(argument: _rbac_v1_FindActionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindActionsResponse>): grpc.ClientUnaryCall;
  FindActions(argument: _rbac_v1_FindActionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_FindActionsResponse>): grpc.ClientUnaryCall;
  /**
   * What may the subject do, with which of its conditions met?
   */
  findActions(argument: _rbac_v1_FindActionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindActionsResponse>): grpc.ClientUnaryCall;
  findActions(argument: _rbac_v1_FindActionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_FindActionsResponse>): grpc.ClientUnaryCall;
  findActions(argument: _rbac_v1_FindActionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindActionsResponse>): grpc.ClientUnaryCall;
  findActions(argument: _rbac_v1_FindActionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_FindActionsResponse>): grpc.ClientUnaryCall;
  
  /**
   * On which resources may the subject do this?
   */
  FindResources(argument: _rbac_v1_FindResourcesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindResourcesResponse>): grpc.ClientUnaryCall;
  FindResources(argument: _rbac_v1_FindResourcesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_FindResourcesResponse>): grpc.ClientUnaryCall;
  FindResources(argument: _rbac_v1_FindResourcesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindResourcesResponse>): grpc.ClientUnaryCall;
  FindResources(argument: _rbac_v1_FindResourcesRequest__Input, callback: grpc.requestCallback<_rbac_v1_FindResourcesResponse>): grpc.ClientUnaryCall;
  /**
   * On which resources may the subject do this?
   */
  findResources(argument: _rbac_v1_FindResourcesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindResourcesResponse>): grpc.ClientUnaryCall;
  findResources(argument: _rbac_v1_FindResourcesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_FindResourcesResponse>): grpc.ClientUnaryCall;
  findResources(argument: _rbac_v1_FindResourcesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindResourcesResponse>): grpc.ClientUnaryCall;
  findResources(argument: _rbac_v1_FindResourcesRequest__Input, callback: grpc.requestCallback<_rbac_v1_FindResourcesResponse>): grpc.ClientUnaryCall;
  
  /**
   * Who may do this? Needs Decision:Evaluate.
   */
  FindSubjects(argument: _rbac_v1_FindSubjectsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindSubjectsResponse>): grpc.ClientUnaryCall;
  FindSubjects(argument: _rbac_v1_FindSubjectsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_FindSubjectsResponse>): grpc.ClientUnaryCall;
  FindSubjects(argument: _rbac_v1_FindSubjectsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindSubjectsResponse>): grpc.ClientUnaryCall;
  FindSubjects(argument: _rbac_v1_FindSubjectsRequest__Input, callback: grpc.requestCallback<_rbac_v1_FindSubjectsResponse>): grpc.ClientUnaryCall;
  /**
   * Who may do this? Needs Decision:Evaluate.
   */
  findSubjects(argument: _rbac_v1_FindSubjectsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindSubjectsResponse>): grpc.ClientUnaryCall;
  findSubjects(argument: _rbac_v1_FindSubjectsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_FindSubjectsResponse>): grpc.ClientUnaryCall;
  findSubjects(argument: _rbac_v1_FindSubjectsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindSubjectsResponse>): grpc.ClientUnaryCall;
  findSubjects(argument: _rbac_v1_FindSubjectsRequest__Input, callback: grpc.requestCallback<_rbac_v1_FindSubjectsResponse>): grpc.ClientUnaryCall;
  
  IsAuthorized(argument: _rbac_v1_Check__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Decision>): grpc.ClientUnaryCall;
  IsAuthorized(argument: _rbac_v1_Check__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Decision>): grpc.ClientUnaryCall;
  IsAuthorized(argument: _rbac_v1_Check__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Decision>): grpc.ClientUnaryCall;
  IsAuthorized(argument: _rbac_v1_Check__Input, callback: grpc.requestCallback<_rbac_v1_Decision>): grpc.ClientUnaryCall;
  isAuthorized(argument: _rbac_v1_Check__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Decision>): grpc.ClientUnaryCall;
  isAuthorized(argument: _rbac_v1_Check__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_Decision>): grpc.ClientUnaryCall;
  isAuthorized(argument: _rbac_v1_Check__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_Decision>): grpc.ClientUnaryCall;
  isAuthorized(argument: _rbac_v1_Check__Input, callback: grpc.requestCallback<_rbac_v1_Decision>): grpc.ClientUnaryCall;
  
  /**
   * up to 1,000 checks; the decisions are in their order
   */
  IsAuthorizedMany(argument: _rbac_v1_CheckMany__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  IsAuthorizedMany(argument: _rbac_v1_CheckMany__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  IsAuthorizedMany(argument: _rbac_v1_CheckMany__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  IsAuthorizedMany(argument: _rbac_v1_CheckMany__Input, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  /**
   * up to 1,000 checks; the decisions are in their order
   */
  isAuthorizedMany(argument: _rbac_v1_CheckMany__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  isAuthorizedMany(argument: _rbac_v1_CheckMany__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  isAuthorizedMany(argument: _rbac_v1_CheckMany__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  isAuthorizedMany(argument: _rbac_v1_CheckMany__Input, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  
  /**
   * All that the subject may do in the scope.
   */
  ListPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  ListPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  ListPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  ListPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  /**
   * All that the subject may do in the scope.
   */
  listPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  listPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  listPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  listPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  
}

/**
 * Authorization decisions in one scope. The contract for applications; docs/decisions-over-grpc.md shows how to call it.
 * 
 * An application sends `authorization: Bearer <access token of an API key>` and checks rights within the scope of
 * that token, and where a user's token acts that its own project signed. The subject is an end user, by the user's own access token (`user_token`); a user, API key or app by id
 * (`subject`), if the application holds Decision:Evaluate in the scope; or the application itself (`subject` of type self).
 */
export interface AuthorizationHandlers extends grpc.UntypedServiceImplementation {
  /**
   * What may the subject do, with which of its conditions met?
   */
  FindActions: grpc.handleUnaryCall<_rbac_v1_FindActionsRequest, _rbac_v1_FindActionsResponse__Input>;
  
  /**
   * On which resources may the subject do this?
   */
  FindResources: grpc.handleUnaryCall<_rbac_v1_FindResourcesRequest, _rbac_v1_FindResourcesResponse__Input>;
  
  /**
   * Who may do this? Needs Decision:Evaluate.
   */
  FindSubjects: grpc.handleUnaryCall<_rbac_v1_FindSubjectsRequest, _rbac_v1_FindSubjectsResponse__Input>;
  
  IsAuthorized: grpc.handleUnaryCall<_rbac_v1_Check, _rbac_v1_Decision__Input>;
  
  /**
   * up to 1,000 checks; the decisions are in their order
   */
  IsAuthorizedMany: grpc.handleUnaryCall<_rbac_v1_CheckMany, _rbac_v1_DecisionMany__Input>;
  
  /**
   * All that the subject may do in the scope.
   */
  ListPermissions: grpc.handleUnaryCall<_rbac_v1_ListPermissionsRequest, _rbac_v1_ListPermissionsResponse__Input>;
  
}

export interface AuthorizationDefinition extends grpc.ServiceDefinition {
  FindActions: MethodDefinition<_rbac_v1_FindActionsRequest__Input, _rbac_v1_FindActionsResponse__Input, _rbac_v1_FindActionsRequest, _rbac_v1_FindActionsResponse>
  FindResources: MethodDefinition<_rbac_v1_FindResourcesRequest__Input, _rbac_v1_FindResourcesResponse__Input, _rbac_v1_FindResourcesRequest, _rbac_v1_FindResourcesResponse>
  FindSubjects: MethodDefinition<_rbac_v1_FindSubjectsRequest__Input, _rbac_v1_FindSubjectsResponse__Input, _rbac_v1_FindSubjectsRequest, _rbac_v1_FindSubjectsResponse>
  IsAuthorized: MethodDefinition<_rbac_v1_Check__Input, _rbac_v1_Decision__Input, _rbac_v1_Check, _rbac_v1_Decision>
  IsAuthorizedMany: MethodDefinition<_rbac_v1_CheckMany__Input, _rbac_v1_DecisionMany__Input, _rbac_v1_CheckMany, _rbac_v1_DecisionMany>
  ListPermissions: MethodDefinition<_rbac_v1_ListPermissionsRequest__Input, _rbac_v1_ListPermissionsResponse__Input, _rbac_v1_ListPermissionsRequest, _rbac_v1_ListPermissionsResponse>
}
