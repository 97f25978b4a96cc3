// Original file: rbac/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { Check__Input as _rbac_v1_Check__Input, Check as _rbac_v1_Check } from '../../rbac/v1/Check.ts';
import type { CheckMany__Input as _rbac_v1_CheckMany__Input, CheckMany as _rbac_v1_CheckMany } from '../../rbac/v1/CheckMany.ts';
import type { Decision__Input as _rbac_v1_Decision__Input, Decision as _rbac_v1_Decision } from '../../rbac/v1/Decision.ts';
import type { DecisionMany__Input as _rbac_v1_DecisionMany__Input, DecisionMany as _rbac_v1_DecisionMany } from '../../rbac/v1/DecisionMany.ts';
import type { ListPermissionsRequest__Input as _rbac_v1_ListPermissionsRequest__Input, ListPermissionsRequest as _rbac_v1_ListPermissionsRequest } from '../../rbac/v1/ListPermissionsRequest.ts';
import type { ListPermissionsResponse__Input as _rbac_v1_ListPermissionsResponse__Input, ListPermissionsResponse as _rbac_v1_ListPermissionsResponse } from '../../rbac/v1/ListPermissionsResponse.ts';

/**
 * Decisions. Frequent calls have a batch form; decisions are in the order of the checks.
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
   * up to 1,000 checks
   */
  IsAuthorizedMany(argument: _rbac_v1_CheckMany__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  IsAuthorizedMany(argument: _rbac_v1_CheckMany__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  IsAuthorizedMany(argument: _rbac_v1_CheckMany__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  IsAuthorizedMany(argument: _rbac_v1_CheckMany__Input, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  /**
   * up to 1,000 checks
   */
  isAuthorizedMany(argument: _rbac_v1_CheckMany__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  isAuthorizedMany(argument: _rbac_v1_CheckMany__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  isAuthorizedMany(argument: _rbac_v1_CheckMany__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  isAuthorizedMany(argument: _rbac_v1_CheckMany__Input, callback: grpc.requestCallback<_rbac_v1_DecisionMany>): grpc.ClientUnaryCall;
  
  ListPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  ListPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  ListPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  ListPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  listPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  listPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  listPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  listPermissions(argument: _rbac_v1_ListPermissionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListPermissionsResponse>): grpc.ClientUnaryCall;
  
}

/**
 * Decisions. Frequent calls have a batch form; decisions are in the order of the checks.
 */
export interface AuthorizationHandlers extends grpc.UntypedServiceImplementation {
  IsAuthorized: grpc.handleUnaryCall<_rbac_v1_Check, _rbac_v1_Decision__Input>;
  
  /**
   * up to 1,000 checks
   */
  IsAuthorizedMany: grpc.handleUnaryCall<_rbac_v1_CheckMany, _rbac_v1_DecisionMany__Input>;
  
  ListPermissions: grpc.handleUnaryCall<_rbac_v1_ListPermissionsRequest, _rbac_v1_ListPermissionsResponse__Input>;
  
}

export interface AuthorizationDefinition extends grpc.ServiceDefinition {
  IsAuthorized: MethodDefinition<_rbac_v1_Check__Input, _rbac_v1_Decision__Input, _rbac_v1_Check, _rbac_v1_Decision>
  IsAuthorizedMany: MethodDefinition<_rbac_v1_CheckMany__Input, _rbac_v1_DecisionMany__Input, _rbac_v1_CheckMany, _rbac_v1_DecisionMany>
  ListPermissions: MethodDefinition<_rbac_v1_ListPermissionsRequest__Input, _rbac_v1_ListPermissionsResponse__Input, _rbac_v1_ListPermissionsRequest, _rbac_v1_ListPermissionsResponse>
}
