// Original file: revocation/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ListRequest__Input as _revocation_v1_ListRequest__Input, ListRequest as _revocation_v1_ListRequest } from '../../revocation/v1/ListRequest.ts';
import type { ListResponse__Input as _revocation_v1_ListResponse__Input, ListResponse as _revocation_v1_ListResponse } from '../../revocation/v1/ListResponse.ts';

/**
 * Implemented by identity (sessions, users) and keys (API keys, signing keys). Verifiers call it at the start and every few seconds.
 */
export interface RevocationsClient extends grpc.Client {
  List(argument: _revocation_v1_ListRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_revocation_v1_ListResponse>): grpc.ClientUnaryCall;
  List(argument: _revocation_v1_ListRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_revocation_v1_ListResponse>): grpc.ClientUnaryCall;
  List(argument: _revocation_v1_ListRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_revocation_v1_ListResponse>): grpc.ClientUnaryCall;
  List(argument: _revocation_v1_ListRequest__Input, callback: grpc.requestCallback<_revocation_v1_ListResponse>): grpc.ClientUnaryCall;
  list(argument: _revocation_v1_ListRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_revocation_v1_ListResponse>): grpc.ClientUnaryCall;
  list(argument: _revocation_v1_ListRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_revocation_v1_ListResponse>): grpc.ClientUnaryCall;
  list(argument: _revocation_v1_ListRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_revocation_v1_ListResponse>): grpc.ClientUnaryCall;
  list(argument: _revocation_v1_ListRequest__Input, callback: grpc.requestCallback<_revocation_v1_ListResponse>): grpc.ClientUnaryCall;
  
}

/**
 * Implemented by identity (sessions, users) and keys (API keys, signing keys). Verifiers call it at the start and every few seconds.
 */
export interface RevocationsHandlers extends grpc.UntypedServiceImplementation {
  List: grpc.handleUnaryCall<_revocation_v1_ListRequest, _revocation_v1_ListResponse__Input>;
  
}

export interface RevocationsDefinition extends grpc.ServiceDefinition {
  List: MethodDefinition<_revocation_v1_ListRequest__Input, _revocation_v1_ListResponse__Input, _revocation_v1_ListRequest, _revocation_v1_ListResponse>
}
