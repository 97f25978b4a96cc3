import type { EventPayloads, EventType } from '@tessera/proto/events';
import type { DeliverRequest, DeliverResponse, Event } from '@tessera/proto/types/events.v1';
import { type Database, type kernelTables, type Params, queryBuilder, statement, type Transaction } from '../postgres/index.ts';
import { emit } from './emit.ts';
import type { EventEnvelope, EventLogger, OutgoingEvent } from './event.ts';
import type { Relay } from './relay.ts';

/** Applies an event in `tx`, as the owner, and returns what follows. Keys come in any order. */
export type EventHandler<Type extends EventType> = (
  tx: Transaction,
  payload: EventPayloads[Type],
  event: EventEnvelope,
) => Promise<readonly OutgoingEvent[] | undefined>;

export type EventHandlers = { readonly [Type in EventType]?: EventHandler<Type> };

export type InboxOptions = {
  readonly db: Database;
  readonly handlers: EventHandlers;
  /** Delivers what the handlers emit, so that a chain is complete when its first caller answers. */
  readonly relay?: Pick<Relay, 'deliver'>;
  readonly logger: EventLogger;
};

type Call = { readonly deadline?: Date | number | undefined };

const receive = statement('inbox_receive', (p: Params<{ eventId: string }>) =>
  queryBuilder<typeof kernelTables>()
    .insertInto('inbox')
    .values({ eventId: p.eventId })
    .onConflict((conflict) => conflict.doNothing()),
);
const lanesAtOnce = 4;

function handlerOf(handlers: EventHandlers, { type, payloadJson }: Event) {
  const handler = Object.hasOwn(handlers, type) ? handlers[type as EventType] : undefined;
  if (!handler) throw new Error(`There is no handler for '${type}'.`);
  const payload = JSON.parse(payloadJson) as never;
  return (tx: Transaction, envelope: EventEnvelope) => handler(tx, payload, envelope);
}

/** events.v1.Inbox/Deliver: each event is applied once, with its inbox row and its own events. */
export function inboxHandler({ db, handlers, relay, logger }: InboxOptions) {
  async function apply(event: Event): Promise<string[]> {
    const handle = handlerOf(handlers, event);
    const { id, type, key, occurredAt } = event;
    return db.transaction(async (tx) => {
      const isNew = (await tx.execute(receive, { eventId: id })) === 1;
      return isNew ? emit(tx, (await handle(tx, { id, type, key, occurredAt })) ?? []) : [];
    });
  }

  async function applyLane(producer: string, lane: readonly Event[]) {
    const accepted: string[] = [];
    const emitted: string[] = [];
    for (const event of lane) {
      try {
        emitted.push(...(await apply(event)));
        accepted.push(event.id);
      } catch (error) {
        logger.error({ err: error, producer, eventId: event.id, type: event.type, key: event.key }, 'an event could not be applied');
        break;
      }
    }
    return { accepted, emitted };
  }

  return async ({ producer, events }: DeliverRequest, call: Call = {}): Promise<DeliverResponse> => {
    const waiting = [...Map.groupBy(events, ({ key }) => key).values()];
    const done: { accepted: string[]; emitted: string[] }[] = [];
    const worker = async () => {
      for (let lane = waiting.shift(); lane; lane = waiting.shift()) done.push(await applyLane(producer, lane));
    };
    await Promise.all(Array.from({ length: lanesAtOnce }, worker));
    const emitted = done.flatMap((lane) => lane.emitted);
    if (emitted.length > 0) await relay?.deliver(emitted, { call });
    return { accepted: done.flatMap((lane) => lane.accepted) };
  };
}
