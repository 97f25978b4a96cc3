/**
 * What a relay relies on of events.v1.Inbox. It runs on the services and on the fakes of them, so
 * that a fake which drifts away fails.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/events.v1.ts';

export type InboxUnderContract = { readonly deliver: (request: wire.DeliverRequest) => Promise<wire.DeliverResponse> };

/** An event that the service has a handler for, as its producer writes it. */
export type ContractEvent = Pick<wire.Event, 'type' | 'payloadJson'>;

type Subject = {
  readonly inbox: () => InboxUnderContract;
  readonly producer: string;
  readonly makeEvent: () => ContractEvent;
};

/** Registers the suite. `inbox` is looked up in each test: a service starts after that. */
export function describeInboxContract({ inbox, producer, makeEvent }: Subject): void {
  const eventOf = (changes: Partial<wire.Event> = {}): wire.Event => {
    const id = randomUUID();
    return { id, key: id, occurredAt: new Date().toISOString(), ...makeEvent(), ...changes };
  };
  const accepted = async (...events: wire.Event[]) => (await inbox().deliver({ producer, events })).accepted.toSorted();
  const idsOf = (...events: wire.Event[]) => events.map(({ id }) => id).toSorted();

  describe('events.v1.Inbox', () => {
    test('every event of a request is accepted, of one key and of several; none of none', async () => {
      const [one, two] = [eventOf(), eventOf()];
      const third = eventOf({ key: one.key });
      expect(await accepted(one, two, third)).toStrictEqual(idsOf(one, two, third));
      expect(await accepted()).toStrictEqual([]);
    });

    test('an event that was accepted before is accepted again', async () => {
      const event = eventOf();
      expect(await accepted(event)).toStrictEqual(idsOf(event));
      expect(await accepted(event)).toStrictEqual(idsOf(event));
    });

    test('an event that cannot be read is not accepted, and holds back the later ones of its key alone', async () => {
      const broken = eventOf({ payloadJson: '{' });
      const [later, other] = [eventOf({ key: broken.key }), eventOf()];
      expect(await accepted(broken, later, other)).toStrictEqual(idsOf(other));
    });
  });
}
