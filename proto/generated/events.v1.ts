// Generated from */v*/*.proto by `npm run generate`. Do not edit.
import type { Message } from '../message.ts';
import type { DeliverRequest as _DeliverRequest } from './events/v1/DeliverRequest.ts';
export type DeliverRequest = Message<_DeliverRequest>;
import type { DeliverResponse as _DeliverResponse } from './events/v1/DeliverResponse.ts';
export type DeliverResponse = Message<_DeliverResponse>;
import type { Event as _Event } from './events/v1/Event.ts';
export type Event = Message<_Event>;
