import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Event } from '@tessera/proto/types/events.v1';
import { assertWithin } from '../../../test/support/until.ts';
import { newId } from '../ids/index.ts';
import { sql } from '../postgres/index.ts';
import { appliedIn, noteApplied, openSides, receiver, silent } from './fixture.ts';
import { createRelay, inboxHandler, type Relay } from './index.ts';

const { tenancy, rbac, close } = await openSides();
afterAll(close);
beforeEach(() => rbac.query(sql('TRUNCATE applied, inbox, outbox')));

function event(value: string, key = 'key', type = 'organization.created'): Event {
  return {
    id: newId(),
    type,
    key,
    payloadJson: JSON.stringify({ organizationId: value, ownerId: '' }),
    occurredAt: new Date().toISOString(),
  };
}
async function values(db = rbac) {
  return (await appliedIn(db)).map(({ value }) => value);
}

/** Whose handler emits what tenancy must hear of in turn. */
function passesOn(relay: Relay) {
  return inboxHandler({
    db: rbac,
    relay,
    logger: silent,
    handlers: {
      'organization.created': async (_, { organizationId }) => [
        {
          type: 'membership.ended',
          key: organizationId,
          payload: { userId: organizationId, scope: { tenant: 'organization', id: organizationId } },
        },
      ],
    },
  });
}

describe('the inbox', () => {
  test('applies an event once, however often and however parallel it arrives', async () => {
    const events = [event('1'), event('2')];
    const request = { producer: 'tenancy', events };
    const answers = await Promise.all(Array.from({ length: 10 }, () => receiver(rbac).deliver(request)));
    for (const { accepted } of answers) expect(accepted).toStrictEqual(events.map(({ id }) => id));
    expect(await values()).toStrictEqual(['1', '2']);
  });

  test('takes back everything of an event that fails, stops its lane there and goes on with others', async () => {
    const inbox = receiver(rbac, {
      'organization.created': async (tx, { organizationId }, { key }) => {
        await noteApplied(tx, key, organizationId);
        if (organizationId === 'bad') throw new Error('not now');
      },
    });
    const events = [event('1'), event('bad'), event('2'), event('3', 'other key')];
    const { accepted } = await inbox.deliver({ producer: 'tenancy', events });
    expect(accepted.toSorted()).toStrictEqual([events[0]?.id, events[3]?.id].toSorted());
    expect((await values()).toSorted()).toStrictEqual(['1', '3']);
    expect(await rbac.query(sql('SELECT count(*) AS count FROM inbox'))).toStrictEqual([{ count: 2 }]);
  });

  test('accepts nothing that it has no handler for, or cannot read', async () => {
    const unreadable = { ...event('1', 'b'), payloadJson: '{' };
    const events = [event('1', 'a', 'user.left'), unreadable, event('1', 'c', 'constructor')];
    expect(await receiver(rbac).deliver({ producer: 'tenancy', events })).toStrictEqual({ accepted: [] });
  });

  test('answers when the whole chain that follows is complete', async () => {
    const back = receiver(tenancy, {
      'membership.ended': async (tx, { userId }, { key }) => {
        await sleep(50);
        return noteApplied(tx, key, userId);
      },
    });
    const relay = createRelay({ db: rbac, service: 'rbac', clients: { tenancy: back }, logger: silent });
    const handle = passesOn(relay);
    const { accepted } = await handle(
      { producer: 'tenancy', events: [event('1', 'a'), event('2', 'b')] },
      { deadline: new Date(Date.now() + 15_000) },
    );
    expect(accepted).toHaveLength(2);
    expect((await values(tenancy)).toSorted()).toStrictEqual(['1', '2']);
  });

  test('answers in time even when the chain cannot be completed', async () => {
    const relay = createRelay({
      db: rbac,
      service: 'rbac',
      clients: { tenancy: { deliver: () => new Promise(() => undefined) } },
      logger: silent,
    });
    const handle = passesOn(relay);
    await assertWithin(600, async () => {
      const { accepted } = await handle({ producer: 'tenancy', events: [event(newId(), newId())] }, { deadline: Date.now() + 600 });
      expect(accepted).toHaveLength(1);
    });
  });
});
