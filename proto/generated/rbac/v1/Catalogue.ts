// Original file: rbac/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CheckActionsRequest__Input as _rbac_v1_CheckActionsRequest__Input, CheckActionsRequest as _rbac_v1_CheckActionsRequest } from '../../rbac/v1/CheckActionsRequest.ts';
import type { CheckActionsResponse__Input as _rbac_v1_CheckActionsResponse__Input, CheckActionsResponse as _rbac_v1_CheckActionsResponse } from '../../rbac/v1/CheckActionsResponse.ts';

/**
 * What is defined in a scope, for the services whose things name actions (project apps).
 */
export interface CatalogueClient extends grpc.Client {
  /**
   * May the actor put these actions into something that others will act by? They exist in the scope, and no built-in one is
   * passed on that the actor does not hold there.
   */
  CheckActions(argument: _rbac_v1_CheckActionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  CheckActions(argument: _rbac_v1_CheckActionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  CheckActions(argument: _rbac_v1_CheckActionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  CheckActions(argument: _rbac_v1_CheckActionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  /**
   * May the actor put these actions into something that others will act by? They exist in the scope, and no built-in one is
   * passed on that the actor does not hold there.
   */
  checkActions(argument: _rbac_v1_CheckActionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  checkActions(argument: _rbac_v1_CheckActionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  checkActions(argument: _rbac_v1_CheckActionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  checkActions(argument: _rbac_v1_CheckActionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  
}

/**
 * What is defined in a scope, for the services whose things name actions (project apps).
 */
export interface CatalogueHandlers extends grpc.UntypedServiceImplementation {
  /**
   * May the actor put these actions into something that others will act by? They exist in the scope, and no built-in one is
   * passed on that the actor does not hold there.
   */
  CheckActions: grpc.handleUnaryCall<_rbac_v1_CheckActionsRequest, _rbac_v1_CheckActionsResponse__Input>;
  
}

export interface CatalogueDefinition extends grpc.ServiceDefinition {
  CheckActions: MethodDefinition<_rbac_v1_CheckActionsRequest__Input, _rbac_v1_CheckActionsResponse__Input, _rbac_v1_CheckActionsRequest, _rbac_v1_CheckActionsResponse>
}
