// Generated from events/v1/service.proto by `npm run generate`. Do not edit.

export type Event = {
  id: string;
  type: string;
  key: string;
  payloadJson: string;
  occurredAt: string;
};

export type DeliverRequest = {
  producer: string;
  events: readonly Event[];
};

export type DeliverResponse = {
  /** ids that are committed (now or before) */
  accepted: readonly string[];
};

/** Durable delivery from one service's outbox to another's inbox: at least once, in order per key. */
export type InboxMethods = {
  deliver: { request: DeliverRequest; response: DeliverResponse };
};
