// Original file: rbac/v1/authorization.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { Check__Input as _rbac_v1_Check__Input, Check as _rbac_v1_Check } from '../../rbac/v1/Check.ts';
import type { CheckMany__Input as _rbac_v1_CheckMany__Input, CheckMany as _rbac_v1_CheckMany } from '../../rbac/v1/CheckMany.ts';
import type { Decision__Input as _rbac_v1_Decision__Input, Decision as _rbac_v1_Decision } from '../../rbac/v1/Decision.ts';
import type { DecisionMany__Input as _rbac_v1_DecisionMany__Input, DecisionMany as _rbac_v1_DecisionMany } from '../../rbac/v1/DecisionMany.ts';
import type { ListPermissionsRequest__Input as _rbac_v1_ListPermissionsRequest__Input, ListPermissionsRequest as _rbac_v1_ListPermissionsRequest } from '../../rbac/v1/ListPermissionsRequest.ts';
import type { ListPermissionsResponse__Input as _rbac_v1_ListPermissionsResponse__Input, ListPermissionsResponse as _rbac_v1_ListPermissionsResponse } from '../../rbac/v1/ListPermissionsResponse.ts';

/**
 * Authorization decisions in one scope. The contract for applications; docs/decisions-over-grpc.md shows how to call it.
 * 
 * An application sends `authorization: Bearer <access token of an API key>` and checks rights within the scope of
 * that token. The subject is an end user, by the user's own access token (`user_token`); a user by id (`subject`), if the
 * application holds Decision:Evaluate in the scope; or the application itself (`subject` of type self).
 */
export interface AuthorizationClient extends grpc.Client {
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
 * that token. The subject is an end user, by the user's own access token (`user_token`); a user by id (`subject`), if the
 * application holds Decision:Evaluate in the scope; or the application itself (`subject` of type self).
 */
export interface AuthorizationHandlers extends grpc.UntypedServiceImplementation {
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
  IsAuthorized: MethodDefinition<_rbac_v1_Check__Input, _rbac_v1_Decision__Input, _rbac_v1_Check, _rbac_v1_Decision>
  IsAuthorizedMany: MethodDefinition<_rbac_v1_CheckMany__Input, _rbac_v1_DecisionMany__Input, _rbac_v1_CheckMany, _rbac_v1_DecisionMany>
  ListPermissions: MethodDefinition<_rbac_v1_ListPermissionsRequest__Input, _rbac_v1_ListPermissionsResponse__Input, _rbac_v1_ListPermissionsRequest, _rbac_v1_ListPermissionsResponse>
}
