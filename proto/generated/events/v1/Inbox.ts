// Original file: events/v1/service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DeliverRequest__Input as _events_v1_DeliverRequest__Input, DeliverRequest as _events_v1_DeliverRequest } from '../../events/v1/DeliverRequest.ts';
import type { DeliverResponse__Input as _events_v1_DeliverResponse__Input, DeliverResponse as _events_v1_DeliverResponse } from '../../events/v1/DeliverResponse.ts';

/**
 * Durable delivery from one service's outbox to another's inbox: at least once, in order per key.
 */
export interface InboxClient extends grpc.Client {
  Deliver(argument: _events_v1_DeliverRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_events_v1_DeliverResponse>): grpc.ClientUnaryCall;
  Deliver(argument: _events_v1_DeliverRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_events_v1_DeliverResponse>): grpc.ClientUnaryCall;
  Deliver(argument: _events_v1_DeliverRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_events_v1_DeliverResponse>): grpc.ClientUnaryCall;
  Deliver(argument: _events_v1_DeliverRequest__Input, callback: grpc.requestCallback<_events_v1_DeliverResponse>): grpc.ClientUnaryCall;
  deliver(argument: _events_v1_DeliverRequest__Input, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_events_v1_DeliverResponse>): grpc.ClientUnaryCall;
  deliver(argument: _events_v1_DeliverRequest__Input, metadata: grpc.Metadata, callback: grpc.requestCallback<_events_v1_DeliverResponse>): grpc.ClientUnaryCall;
  deliver(argument: _events_v1_DeliverRequest__Input, options: grpc.CallOptions, callback: grpc.requestCallback<_events_v1_DeliverResponse>): grpc.ClientUnaryCall;
  deliver(argument: _events_v1_DeliverRequest__Input, callback: grpc.requestCallback<_events_v1_DeliverResponse>): grpc.ClientUnaryCall;
  
}

/**
 * Durable delivery from one service's outbox to another's inbox: at least once, in order per key.
 */
export interface InboxHandlers extends grpc.UntypedServiceImplementation {
  Deliver: grpc.handleUnaryCall<_events_v1_DeliverRequest, _events_v1_DeliverResponse__Input>;
  
}

export interface InboxDefinition extends grpc.ServiceDefinition {
  Deliver: MethodDefinition<_events_v1_DeliverRequest__Input, _events_v1_DeliverResponse__Input, _events_v1_DeliverRequest, _events_v1_DeliverResponse>
}
