// Original file: audit/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ListRequest__Input as _audit_v1_ListRequest__Input, ListRequest as _audit_v1_ListRequest } from '../../audit/v1/ListRequest.ts';
import type { ListResponse__Input as _audit_v1_ListResponse__Input, ListResponse as _audit_v1_ListResponse } from '../../audit/v1/ListResponse.ts';

/**
 * Every service with a database reads its own log.
 */
export interface AuditLogClient extends grpc.Client {
  /**
   * Newest first; the caller has authorized the tenant, scope or person.
   */
  List(argument: _audit_v1_ListRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_audit_v1_ListResponse>): grpc.ClientUnaryCall;
  List(argument: _audit_v1_ListRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_audit_v1_ListResponse>): grpc.ClientUnaryCall;
  List(argument: _audit_v1_ListRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_audit_v1_ListResponse>): grpc.ClientUnaryCall;
  List(argument: _audit_v1_ListRequest__Input, callback: grpc.requestCallback<_audit_v1_ListResponse>): grpc.ClientUnaryCall;
  /**
   * Newest first; the caller has authorized the tenant, scope or person.
   */
  list(argument: _audit_v1_ListRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_audit_v1_ListResponse>): grpc.ClientUnaryCall;
  list(argument: _audit_v1_ListRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_audit_v1_ListResponse>): grpc.ClientUnaryCall;
  list(argument: _audit_v1_ListRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_audit_v1_ListResponse>): grpc.ClientUnaryCall;
  list(argument: _audit_v1_ListRequest__Input, callback: grpc.requestCallback<_audit_v1_ListResponse>): grpc.ClientUnaryCall;
  
}

/**
 * Every service with a database reads its own log.
 */
export interface AuditLogHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Newest first; the caller has authorized the tenant, scope or person.
   */
  List: grpc.handleUnaryCall<_audit_v1_ListRequest, _audit_v1_ListResponse__Input>;
  
}

export interface AuditLogDefinition extends grpc.ServiceDefinition {
  List: MethodDefinition<_audit_v1_ListRequest__Input, _audit_v1_ListResponse__Input, _audit_v1_ListRequest, _audit_v1_ListResponse>
}
