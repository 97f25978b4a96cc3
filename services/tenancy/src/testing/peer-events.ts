/** Events between tenancy and the fake services, in both directions. */
import { failures } from '@tessera/kernel/errors';
import { createRelay, type EventHandlers, inboxHandler, type Relay } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { Database } from '@tessera/kernel/postgres';
import type { EventPayloads, EventType } from '@tessera/proto/events';
import type { DeliverRequest } from '@tessera/proto/types/events.v1';
import { deliverToFake } from '../../../../proto/events/v1/testing/fake-inbox.ts';
import type { FakeIdentity } from './fake-identity.ts';
import type { FakeRbac } from './fake-rbac.ts';

export const silentLogger = { error: () => undefined, warn: () => undefined, info: () => undefined };

type Receive = (event: { type: string; payload: Record<string, unknown> }) => unknown;
type Peers = {
  readonly rbac: FakeRbac;
  readonly identity: FakeIdentity;
  readonly unreachable: ReadonlySet<string>;
  readonly handlers: EventHandlers;
};

/** Events for a peer that is unreachable stay in the outbox. */
export function createTestRelay(db: Database, { rbac, identity, unreachable, handlers }: Peers): Relay {
  const inboxOf = (name: string, receive: Receive) => ({
    deliver: async (request: DeliverRequest) => {
      if (unreachable.has(name)) throw failures.unavailable(name);
      return deliverToFake(request, ({ type, payloadJson }) => receive({ type, payload: JSON.parse(payloadJson) }));
    },
  });
  const own = inboxHandler({ db, handlers, logger: silentLogger });
  return createRelay({
    db,
    service: 'tenancy',
    logger: silentLogger,
    pollMs: 20,
    clients: {
      rbac: inboxOf('rbac', (event) => rbac.receive(event)),
      identity: inboxOf('identity', (event) => identity.receive(event)),
      keys: inboxOf('keys', () => undefined),
      // Events about its own audit log come back to it.
      tenancy: { deliver: (request) => own(request) },
    },
  });
}

/** Events that peers send. One that is not accepted is sent again, as a relay does. */
export function createIncomingEvents(db: Database, relay: Pick<Relay, 'deliver'>, handlers: EventHandlers) {
  const inbox = inboxHandler({ db, handlers, relay, logger: silentLogger });
  let unaccepted: (() => Promise<boolean>)[] = [];

  /** Delivers an event once. True when tenancy accepted it. */
  async function deliver<Type extends EventType>(
    type: Type,
    payload: EventPayloads[Type],
    options: { id?: string; at?: string } = {},
  ): Promise<boolean> {
    const { id = newId(), at = new Date().toISOString() } = options;
    const event = { id, type, key: id, payloadJson: JSON.stringify(payload), occurredAt: at };
    return (await inbox({ producer: 'peer', events: [event] })).accepted.includes(id);
  }
  async function attempt(send: () => Promise<boolean>): Promise<void> {
    if (!(await send().catch(() => false))) unaccepted.push(send);
  }
  return {
    deliver,
    /** Delivers an event, now or at a later `redeliver`. */
    send<Type extends EventType>(type: Type, payload: EventPayloads[Type]): Promise<void> {
      const options = { id: newId(), at: new Date().toISOString() };
      return attempt(() => deliver(type, payload, options));
    },
    /** Tries all unaccepted events again; how many are still unaccepted. */
    async redeliver(): Promise<number> {
      const waiting = unaccepted;
      unaccepted = [];
      for (const send of waiting) await attempt(send);
      return unaccepted.length;
    },
  };
}
