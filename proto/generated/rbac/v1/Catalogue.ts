// Original file: rbac/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CheckActionsRequest__Input as _rbac_v1_CheckActionsRequest__Input, CheckActionsRequest as _rbac_v1_CheckActionsRequest } from '../../rbac/v1/CheckActionsRequest.ts';
import type { CheckActionsResponse__Input as _rbac_v1_CheckActionsResponse__Input, CheckActionsResponse as _rbac_v1_CheckActionsResponse } from '../../rbac/v1/CheckActionsResponse.ts';
import type { DescribeActionsRequest__Input as _rbac_v1_DescribeActionsRequest__Input, DescribeActionsRequest as _rbac_v1_DescribeActionsRequest } from '../../rbac/v1/DescribeActionsRequest.ts';
import type { DescribeActionsResponse__Input as _rbac_v1_DescribeActionsResponse__Input, DescribeActionsResponse as _rbac_v1_DescribeActionsResponse } from '../../rbac/v1/DescribeActionsResponse.ts';
import type { FindResourceServerRequest__Input as _rbac_v1_FindResourceServerRequest__Input, FindResourceServerRequest as _rbac_v1_FindResourceServerRequest } from '../../rbac/v1/FindResourceServerRequest.ts';
import type { FindResourceServerResponse__Input as _rbac_v1_FindResourceServerResponse__Input, FindResourceServerResponse as _rbac_v1_FindResourceServerResponse } from '../../rbac/v1/FindResourceServerResponse.ts';

/**
 * What is defined in a scope, for services whose entities name actions (project apps).
 */
export interface CatalogueClient extends grpc.Client {
  /**
   * May the actor let others use these actions? They must exist in the scope, and the actor must hold the built-in ones there.
   */
  CheckActions(argument: _rbac_v1_CheckActionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  CheckActions(argument: _rbac_v1_CheckActionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  CheckActions(argument: _rbac_v1_CheckActionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  CheckActions(argument: _rbac_v1_CheckActionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  /**
   * May the actor let others use these actions? They must exist in the scope, and the actor must hold the built-in ones there.
   */
  checkActions(argument: _rbac_v1_CheckActionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  checkActions(argument: _rbac_v1_CheckActionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  checkActions(argument: _rbac_v1_CheckActionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  checkActions(argument: _rbac_v1_CheckActionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_CheckActionsResponse>): grpc.ClientUnaryCall;
  
  /**
   * What actions are called, for the person who is asked to allow them.
   */
  DescribeActions(argument: _rbac_v1_DescribeActionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribeActionsResponse>): grpc.ClientUnaryCall;
  DescribeActions(argument: _rbac_v1_DescribeActionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DescribeActionsResponse>): grpc.ClientUnaryCall;
  DescribeActions(argument: _rbac_v1_DescribeActionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribeActionsResponse>): grpc.ClientUnaryCall;
  DescribeActions(argument: _rbac_v1_DescribeActionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_DescribeActionsResponse>): grpc.ClientUnaryCall;
  /**
   * What actions are called, for the person who is asked to allow them.
   */
  describeActions(argument: _rbac_v1_DescribeActionsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribeActionsResponse>): grpc.ClientUnaryCall;
  describeActions(argument: _rbac_v1_DescribeActionsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_DescribeActionsResponse>): grpc.ClientUnaryCall;
  describeActions(argument: _rbac_v1_DescribeActionsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_DescribeActionsResponse>): grpc.ClientUnaryCall;
  describeActions(argument: _rbac_v1_DescribeActionsRequest__Input, callback: grpc.requestCallback<_rbac_v1_DescribeActionsResponse>): grpc.ClientUnaryCall;
  
  /**
   * The active resources of a project that the API with this identifier serves (RFC 8707).
   */
  FindResourceServer(argument: _rbac_v1_FindResourceServerRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindResourceServerResponse>): grpc.ClientUnaryCall;
  FindResourceServer(argument: _rbac_v1_FindResourceServerRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_FindResourceServerResponse>): grpc.ClientUnaryCall;
  FindResourceServer(argument: _rbac_v1_FindResourceServerRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindResourceServerResponse>): grpc.ClientUnaryCall;
  FindResourceServer(argument: _rbac_v1_FindResourceServerRequest__Input, callback: grpc.requestCallback<_rbac_v1_FindResourceServerResponse>): grpc.ClientUnaryCall;
  /**
   * The active resources of a project that the API with this identifier serves (RFC 8707).
   */
  findResourceServer(argument: _rbac_v1_FindResourceServerRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindResourceServerResponse>): grpc.ClientUnaryCall;
  findResourceServer(argument: _rbac_v1_FindResourceServerRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_FindResourceServerResponse>): grpc.ClientUnaryCall;
  findResourceServer(argument: _rbac_v1_FindResourceServerRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_FindResourceServerResponse>): grpc.ClientUnaryCall;
  findResourceServer(argument: _rbac_v1_FindResourceServerRequest__Input, callback: grpc.requestCallback<_rbac_v1_FindResourceServerResponse>): grpc.ClientUnaryCall;
  
}

/**
 * What is defined in a scope, for services whose entities name actions (project apps).
 */
export interface CatalogueHandlers extends grpc.UntypedServiceImplementation {
  /**
   * May the actor let others use these actions? They must exist in the scope, and the actor must hold the built-in ones there.
   */
  CheckActions: grpc.handleUnaryCall<_rbac_v1_CheckActionsRequest, _rbac_v1_CheckActionsResponse__Input>;
  
  /**
   * What actions are called, for the person who is asked to allow them.
   */
  DescribeActions: grpc.handleUnaryCall<_rbac_v1_DescribeActionsRequest, _rbac_v1_DescribeActionsResponse__Input>;
  
  /**
   * The active resources of a project that the API with this identifier serves (RFC 8707).
   */
  FindResourceServer: grpc.handleUnaryCall<_rbac_v1_FindResourceServerRequest, _rbac_v1_FindResourceServerResponse__Input>;
  
}

export interface CatalogueDefinition extends grpc.ServiceDefinition {
  CheckActions: MethodDefinition<_rbac_v1_CheckActionsRequest__Input, _rbac_v1_CheckActionsResponse__Input, _rbac_v1_CheckActionsRequest, _rbac_v1_CheckActionsResponse>
  DescribeActions: MethodDefinition<_rbac_v1_DescribeActionsRequest__Input, _rbac_v1_DescribeActionsResponse__Input, _rbac_v1_DescribeActionsRequest, _rbac_v1_DescribeActionsResponse>
  FindResourceServer: MethodDefinition<_rbac_v1_FindResourceServerRequest__Input, _rbac_v1_FindResourceServerResponse__Input, _rbac_v1_FindResourceServerRequest, _rbac_v1_FindResourceServerResponse>
}
