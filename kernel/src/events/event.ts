import type { EventPayloads, EventType } from '@tessera/proto/events';

/** Events of one key reach a subscriber in the order of their commits. */
export type OutgoingEvent = {
  [Type in EventType]: { readonly type: Type; readonly key: string; readonly payload: EventPayloads[Type] };
}[EventType];

export type EventEnvelope = { readonly id: string; readonly type: string; readonly key: string; readonly occurredAt: string };

export type EventLogger = { warn(details: object, message: string): void; error(details: object, message: string): void };
