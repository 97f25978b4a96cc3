// Original file: rbac/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CheckTagsRequest__Input as _rbac_v1_CheckTagsRequest__Input, CheckTagsRequest as _rbac_v1_CheckTagsRequest } from '../../rbac/v1/CheckTagsRequest.ts';
import type { CheckTagsResponse__Input as _rbac_v1_CheckTagsResponse__Input, CheckTagsResponse as _rbac_v1_CheckTagsResponse } from '../../rbac/v1/CheckTagsResponse.ts';
import type { ListEntityTagsRequest__Input as _rbac_v1_ListEntityTagsRequest__Input, ListEntityTagsRequest as _rbac_v1_ListEntityTagsRequest } from '../../rbac/v1/ListEntityTagsRequest.ts';
import type { ListEntityTagsResponse__Input as _rbac_v1_ListEntityTagsResponse__Input, ListEntityTagsResponse as _rbac_v1_ListEntityTagsResponse } from '../../rbac/v1/ListEntityTagsResponse.ts';
import type { ListPrimaryTagsRequest__Input as _rbac_v1_ListPrimaryTagsRequest__Input, ListPrimaryTagsRequest as _rbac_v1_ListPrimaryTagsRequest } from '../../rbac/v1/ListPrimaryTagsRequest.ts';
import type { ListPrimaryTagsResponse__Input as _rbac_v1_ListPrimaryTagsResponse__Input, ListPrimaryTagsResponse as _rbac_v1_ListPrimaryTagsResponse } from '../../rbac/v1/ListPrimaryTagsResponse.ts';
import type { ListTaggedEntitiesRequest__Input as _rbac_v1_ListTaggedEntitiesRequest__Input, ListTaggedEntitiesRequest as _rbac_v1_ListTaggedEntitiesRequest } from '../../rbac/v1/ListTaggedEntitiesRequest.ts';
import type { ListTaggedEntitiesResponse__Input as _rbac_v1_ListTaggedEntitiesResponse__Input, ListTaggedEntitiesResponse as _rbac_v1_ListTaggedEntitiesResponse } from '../../rbac/v1/ListTaggedEntitiesResponse.ts';

/**
 * Tags of entities that other services own (user, organization, project, apiKey, projectApp).
 */
export interface TagsClient extends grpc.Client {
  CheckTags(argument: _rbac_v1_CheckTagsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckTagsResponse>): grpc.ClientUnaryCall;
  CheckTags(argument: _rbac_v1_CheckTagsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CheckTagsResponse>): grpc.ClientUnaryCall;
  CheckTags(argument: _rbac_v1_CheckTagsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckTagsResponse>): grpc.ClientUnaryCall;
  CheckTags(argument: _rbac_v1_CheckTagsRequest__Input, callback: grpc.requestCallback<_rbac_v1_CheckTagsResponse>): grpc.ClientUnaryCall;
  checkTags(argument: _rbac_v1_CheckTagsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckTagsResponse>): grpc.ClientUnaryCall;
  checkTags(argument: _rbac_v1_CheckTagsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_CheckTagsResponse>): grpc.ClientUnaryCall;
  checkTags(argument: _rbac_v1_CheckTagsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_CheckTagsResponse>): grpc.ClientUnaryCall;
  checkTags(argument: _rbac_v1_CheckTagsRequest__Input, callback: grpc.requestCallback<_rbac_v1_CheckTagsResponse>): grpc.ClientUnaryCall;
  
  ListEntityTags(argument: _rbac_v1_ListEntityTagsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListEntityTagsResponse>): grpc.ClientUnaryCall;
  ListEntityTags(argument: _rbac_v1_ListEntityTagsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListEntityTagsResponse>): grpc.ClientUnaryCall;
  ListEntityTags(argument: _rbac_v1_ListEntityTagsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListEntityTagsResponse>): grpc.ClientUnaryCall;
  ListEntityTags(argument: _rbac_v1_ListEntityTagsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListEntityTagsResponse>): grpc.ClientUnaryCall;
  listEntityTags(argument: _rbac_v1_ListEntityTagsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListEntityTagsResponse>): grpc.ClientUnaryCall;
  listEntityTags(argument: _rbac_v1_ListEntityTagsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListEntityTagsResponse>): grpc.ClientUnaryCall;
  listEntityTags(argument: _rbac_v1_ListEntityTagsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListEntityTagsResponse>): grpc.ClientUnaryCall;
  listEntityTags(argument: _rbac_v1_ListEntityTagsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListEntityTagsResponse>): grpc.ClientUnaryCall;
  
  /**
   * The primary tag of each project that has one. The projects may lie in many accounts and organizations.
   */
  ListPrimaryTags(argument: _rbac_v1_ListPrimaryTagsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPrimaryTagsResponse>): grpc.ClientUnaryCall;
  ListPrimaryTags(argument: _rbac_v1_ListPrimaryTagsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListPrimaryTagsResponse>): grpc.ClientUnaryCall;
  ListPrimaryTags(argument: _rbac_v1_ListPrimaryTagsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPrimaryTagsResponse>): grpc.ClientUnaryCall;
  ListPrimaryTags(argument: _rbac_v1_ListPrimaryTagsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListPrimaryTagsResponse>): grpc.ClientUnaryCall;
  /**
   * The primary tag of each project that has one. The projects may lie in many accounts and organizations.
   */
  listPrimaryTags(argument: _rbac_v1_ListPrimaryTagsRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPrimaryTagsResponse>): grpc.ClientUnaryCall;
  listPrimaryTags(argument: _rbac_v1_ListPrimaryTagsRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListPrimaryTagsResponse>): grpc.ClientUnaryCall;
  listPrimaryTags(argument: _rbac_v1_ListPrimaryTagsRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListPrimaryTagsResponse>): grpc.ClientUnaryCall;
  listPrimaryTags(argument: _rbac_v1_ListPrimaryTagsRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListPrimaryTagsResponse>): grpc.ClientUnaryCall;
  
  ListTaggedEntities(argument: _rbac_v1_ListTaggedEntitiesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListTaggedEntitiesResponse>): grpc.ClientUnaryCall;
  ListTaggedEntities(argument: _rbac_v1_ListTaggedEntitiesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListTaggedEntitiesResponse>): grpc.ClientUnaryCall;
  ListTaggedEntities(argument: _rbac_v1_ListTaggedEntitiesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListTaggedEntitiesResponse>): grpc.ClientUnaryCall;
  ListTaggedEntities(argument: _rbac_v1_ListTaggedEntitiesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListTaggedEntitiesResponse>): grpc.ClientUnaryCall;
  listTaggedEntities(argument: _rbac_v1_ListTaggedEntitiesRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListTaggedEntitiesResponse>): grpc.ClientUnaryCall;
  listTaggedEntities(argument: _rbac_v1_ListTaggedEntitiesRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_rbac_v1_ListTaggedEntitiesResponse>): grpc.ClientUnaryCall;
  listTaggedEntities(argument: _rbac_v1_ListTaggedEntitiesRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_rbac_v1_ListTaggedEntitiesResponse>): grpc.ClientUnaryCall;
  listTaggedEntities(argument: _rbac_v1_ListTaggedEntitiesRequest__Input, callback: grpc.requestCallback<_rbac_v1_ListTaggedEntitiesResponse>): grpc.ClientUnaryCall;
  
}

/**
 * Tags of entities that other services own (user, organization, project, apiKey, projectApp).
 */
export interface TagsHandlers extends grpc.UntypedServiceImplementation {
  CheckTags: grpc.handleUnaryCall<_rbac_v1_CheckTagsRequest, _rbac_v1_CheckTagsResponse__Input>;
  
  ListEntityTags: grpc.handleUnaryCall<_rbac_v1_ListEntityTagsRequest, _rbac_v1_ListEntityTagsResponse__Input>;
  
  /**
   * The primary tag of each project that has one. The projects may lie in many accounts and organizations.
   */
  ListPrimaryTags: grpc.handleUnaryCall<_rbac_v1_ListPrimaryTagsRequest, _rbac_v1_ListPrimaryTagsResponse__Input>;
  
  ListTaggedEntities: grpc.handleUnaryCall<_rbac_v1_ListTaggedEntitiesRequest, _rbac_v1_ListTaggedEntitiesResponse__Input>;
  
}

export interface TagsDefinition extends grpc.ServiceDefinition {
  CheckTags: MethodDefinition<_rbac_v1_CheckTagsRequest__Input, _rbac_v1_CheckTagsResponse__Input, _rbac_v1_CheckTagsRequest, _rbac_v1_CheckTagsResponse>
  ListEntityTags: MethodDefinition<_rbac_v1_ListEntityTagsRequest__Input, _rbac_v1_ListEntityTagsResponse__Input, _rbac_v1_ListEntityTagsRequest, _rbac_v1_ListEntityTagsResponse>
  ListPrimaryTags: MethodDefinition<_rbac_v1_ListPrimaryTagsRequest__Input, _rbac_v1_ListPrimaryTagsResponse__Input, _rbac_v1_ListPrimaryTagsRequest, _rbac_v1_ListPrimaryTagsResponse>
  ListTaggedEntities: MethodDefinition<_rbac_v1_ListTaggedEntitiesRequest__Input, _rbac_v1_ListTaggedEntitiesResponse__Input, _rbac_v1_ListTaggedEntitiesRequest, _rbac_v1_ListTaggedEntitiesResponse>
}
