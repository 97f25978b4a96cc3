import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { aroundQueries, countingQueries } from '../../../test/support/queries.ts';
import { assertWithin, until } from '../../../test/support/until.ts';
import { newId } from '../ids/index.ts';
import { sql } from '../postgres/index.ts';
import { parseScope } from '../scope/index.ts';
import { appliedIn, note, noteApplied, openSides, receiver, sender, silent } from './fixture.ts';
import { createRelay, emit } from './index.ts';
import type { InboxClient } from './send.ts';

const { tenancy, rbac, close } = await openSides();
afterAll(close);
beforeEach(() => Promise.all([tenancy.query(sql('TRUNCATE outbox')), rbac.query(sql('TRUNCATE applied, inbox'))]));

function send(...events: ReturnType<typeof note>[]) {
  return tenancy.transaction((tx) => emit(tx, events));
}
async function values() {
  return (await appliedIn(rbac)).map(({ value }) => value);
}
async function pending() {
  return (await sender(tenancy, receiver(rbac)).backlog()).pending;
}

describe('emit', () => {
  test('commits with the change or not at all', async () => {
    const failed = tenancy.transaction(async (tx) => {
      await emit(tx, [note('a', '1')]);
      throw new Error('the change failed');
    });
    await expect(failed).rejects.toThrow();
    expect(await pending()).toBe(0);
  });

  test('writes one row for each subscriber, in one query, also as the restricted role', async () => {
    const scope = parseScope({ tenant: 'organization', id: newId() });
    const events = [{ type: 'user.left', key: 'a', payload: { userId: 'u', scope } } as const, note('b', '1')];
    const { database, countQueries } = countingQueries(tenancy);
    const { result: ids, queries } = await countQueries(() => database.scoped(scope, (tx) => emit(tx, events)));
    expect(queries).toBe(1);
    const rows = await tenancy.query(sql('SELECT id, subscriber FROM outbox ORDER BY key, subscriber'));
    expect(rows).toStrictEqual([
      { id: ids[0], subscriber: 'identity' },
      { id: ids[0], subscriber: 'keys' },
      { id: ids[0], subscriber: 'rbac' },
      { id: ids[1], subscriber: 'rbac' },
    ]);
    expect(await tenancy.transaction((tx) => emit(tx, []))).toStrictEqual([]);
  });

  test('numbers the events of one key in the order of their commits, and holds up no other key', async () => {
    const order: string[] = [];
    const [emitted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = tenancy.transaction(async (tx) => {
      await emit(tx, [note('same', 'first')]);
      emitted.resolve();
      await released.promise;
      order.push('slow');
    });
    await emitted.promise;
    const waiting = send(note('same', 'second')).then(() => order.push('waiting'));
    await send(note('other', 'x')).then(() => order.push('other'));
    released.resolve();
    await Promise.all([slow, waiting]);
    expect(order).toStrictEqual(['other', 'slow', 'waiting']);
    const rows = await tenancy.query<{ value: string }>(
      sql(`SELECT payload->>'organizationId' AS value FROM outbox WHERE key = 'same' ORDER BY seq`),
    );
    expect(rows.map(({ value }) => value)).toStrictEqual(['first', 'second']);
  });
});

describe('deliver', () => {
  test('is true when the events have been applied, in two queries of the sender', async () => {
    const { database, countQueries } = countingQueries(tenancy);
    const relay = sender(database, receiver(rbac));
    const ids = await send(note('a', '1'), note('a', '2'), note('b', '3'));
    const { result, queries } = await countQueries(async () => relay.deliver(ids));
    expect(result).toBe(true);
    expect(queries).toBe(2);
    expect((await values()).toSorted()).toStrictEqual(['1', '2', '3']);
    expect(await relay.deliver(ids)).toBe(true);
    expect(await relay.deliver([])).toBe(true);
  });

  test('takes along what is due before it in its lane, in order', async () => {
    await send(...Array.from({ length: 25 }, (_, index) => note('a', String(index))));
    const last = await send(note('a', 'last'));
    expect(await sender(tenancy, receiver(rbac)).deliver(last)).toBe(true);
    expect(await values()).toStrictEqual([...Array.from({ length: 25 }, (_, index) => String(index)), 'last']);
  });

  test('is false, soon and without an exception, when a subscriber fails, is away or hangs', async () => {
    const clients: InboxClient[] = [
      { deliver: async () => ({ accepted: [] }) },
      { deliver: () => Promise.reject(new Error('away')) },
      { deliver: () => new Promise(() => undefined) },
    ];
    for (const client of clients)
      await assertWithin(400, async () => {
        expect(await sender(tenancy, client).deliver(await send(note(newId(), '1')), { timeoutMs: 200 })).toBe(false);
      });
    expect(await createRelay({ db: tenancy, service: 'tenancy', clients: {}, logger: silent }).deliver(await send(note('z', '1')))).toBe(
      false,
    );
    expect(await pending()).toBeGreaterThanOrEqual(4);
  });

  test('ends before the deadline of the call whose answer waits for it', async () => {
    const hangs: InboxClient = { deliver: () => new Promise(() => undefined) };
    await assertWithin(900, async () => {
      expect(await sender(tenancy, hangs).deliver(await send(note(newId(), '1')), { call: { deadline: Date.now() + 900 } })).toBe(false);
    });
  });

  test('waits for a lane that another replica is delivering, instead of overtaking it', async () => {
    const inbox = receiver(rbac);
    const slow: InboxClient = { deliver: async (request, options) => sleep(200).then(() => inbox.deliver(request, options)) };
    const [first] = [await send(note('a', '1'))];
    const other = sender(tenancy, slow).deliver(first, { timeoutMs: 10_000 });
    await sleep(50);
    const second = await send(note('a', '2'));
    expect(await sender(tenancy, inbox).deliver(second, { timeoutMs: 10_000 })).toBe(true);
    expect(await other).toBe(true);
    expect(await values()).toStrictEqual(['1', '2']);
  });
});

describe('the relay', () => {
  test('delivers events left by other processes, and retries a failed lane while others go on', async () => {
    let isBroken = true;
    const inbox = receiver(rbac, {
      'organization.created': async (tx, { organizationId }, { key }) => {
        if (organizationId === 'bad' && isBroken) throw new Error('not yet');
        return noteApplied(tx, key, organizationId);
      },
    });
    const relay = sender(tenancy, inbox);
    await send(note('a', '1'), note('a', 'bad'), note('a', '2'), note('b', '3'));
    relay.start();
    await until(async () => (await values()).length >= 2);
    expect((await values()).toSorted()).toStrictEqual(['1', '3']);
    isBroken = false;
    await until(async () => (await pending()) === 0);
    await relay.stop();
    expect((await appliedIn(rbac)).filter(({ key }) => key === 'a').map(({ value }) => value)).toStrictEqual(['1', 'bad', '2']);
  });

  test('keeps order and applies once with three replicas, eager deliveries, lost answers and failing handlers', async () => {
    const keys = Array.from({ length: 10 }, (_, index) => `key ${index}`);
    const inbox = receiver(rbac, {
      'organization.created': async (tx, { organizationId }, { key }) => {
        await noteApplied(tx, key, organizationId);
        if (Math.random() < 0.05) throw new Error('by chance');
      },
    });
    const unreliable: InboxClient = {
      deliver: async (request, options) => {
        if (Math.random() < 0.1) throw new Error('never arrived');
        const answer = await inbox.deliver(request, options);
        if (Math.random() < 0.1) throw new Error('the answer was lost');
        return answer;
      },
    };
    const relays = [1, 2, 3].map(() => sender(tenancy, unreliable, { sendTimeoutMs: 500 }));
    for (const relay of relays) relay.start();
    const writers = keys.map(async (key, index) => {
      for (let value = 0; value < 20; value += 1) {
        const ids = await send(note(key, String(value)));
        if (value % 3 === index % 3) await relays[value % 3]?.deliver(ids, { timeoutMs: 100 });
      }
    });
    await Promise.all(writers);
    await until(async () => (await pending()) === 0, 30_000);
    await Promise.all(relays.map((relay) => relay.stop()));
    const byKey = Map.groupBy(await appliedIn(rbac), ({ key }) => key);
    const wanted = Array.from({ length: 20 }, (_, value) => String(value));
    for (const key of keys) expect(byKey.get(key)?.map(({ value }) => value)).toStrictEqualFor(key, wanted);
  });

  test('shares a backlog: two replicas each deliver a part of it', async () => {
    const shares = [0, 0];
    const inbox = receiver(rbac);
    const counting = (index: number): InboxClient => ({
      deliver: async (request, options) => {
        shares[index] = (shares[index] ?? 0) + request.events.length;
        // Neither ends its first part before the other has begun one.
        await until(() => shares.every((share) => share > 0));
        return inbox.deliver(request, options);
      },
    });
    await send(...Array.from({ length: 300 }, (_, index) => note(`key ${index}`, String(index))));
    const relays = [0, 1].map((index) => sender(tenancy, counting(index), { sendTimeoutMs: 15_000 }));
    for (const relay of relays) relay.start();
    await until(async () => (await pending()) === 0);
    await Promise.all(relays.map((relay) => relay.stop()));
    expect((shares[0] ?? 0) + (shares[1] ?? 0)).toBe(300);
  });

  test('is woken by a poke, of its own service only', async () => {
    const handlers: ((payload: { service: string }) => void)[] = [];
    const notices = {
      publish: (_: 'outbox', payload: { service: string }) => handlers.forEach((handler) => void handler(payload)),
      subscribe: (_: 'outbox', handler: (payload: { service: string }) => void) => handlers.push(handler),
    };
    let looks = 0;
    const watched = aroundQueries(tenancy, (run) => run().finally(() => (looks += 1)));
    const relay = sender(watched, receiver(rbac), { notices, pollMs: 60_000 });
    relay.start();
    await until(() => looks === 1);
    await send(note('a', '1'));
    notices.publish('outbox', { service: 'rbac' });
    await sleep(100);
    expect(await values()).toStrictEqual([]);
    relay.poke();
    await until(async () => (await values()).length === 1);
    await relay.stop();
  });

  test('keeps no payload of what has been delivered', async () => {
    await sender(tenancy, receiver(rbac)).deliver(await send(note('a', 'private')));
    expect(await tenancy.query(sql('SELECT payload FROM outbox'))).toStrictEqual([{ payload: {} }]);
  });
});
