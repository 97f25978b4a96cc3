import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { aroundQueries } from '../../../tools/testing/queries.ts';
import { assertWithin, until } from '../../../tools/testing/until.ts';
import { newId } from '../ids/index.ts';
import { countQueries, sql } from '../postgres/index.ts';
import { parseScope } from '../scope/index.ts';
import { appliedIn, note, noteApplied, openSides, receiver, sender, silent } from './fixture.ts';
import { createRelay, emit } from './index.ts';
import type { InboxClient } from './send.ts';

const { tenancy, rbac, close } = await openSides();
after(close);
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
  it('commits with the change or not at all', async () => {
    const failed = tenancy.transaction(async (tx) => {
      await emit(tx, [note('a', '1')]);
      throw new Error('the change failed');
    });
    await assert.rejects(failed);
    assert.equal(await pending(), 0);
  });

  it('writes one row for each subscriber, in one query, also as the restricted role', async () => {
    const scope = parseScope({ tenant: 'organization', id: newId() });
    const events = [{ type: 'user.left', key: 'a', payload: { userId: 'u', scope } } as const, note('b', '1')];
    const { result: ids, queries } = await countQueries(() => tenancy.scoped(scope, (tx) => emit(tx, events)));
    assert.equal(queries, 1);
    const rows = await tenancy.query(sql('SELECT id, subscriber FROM outbox ORDER BY key, subscriber'));
    assert.deepEqual(rows, [
      { id: ids[0], subscriber: 'identity' },
      { id: ids[0], subscriber: 'keys' },
      { id: ids[0], subscriber: 'rbac' },
      { id: ids[1], subscriber: 'rbac' },
    ]);
    assert.deepEqual(await tenancy.transaction((tx) => emit(tx, [])), []);
  });

  it('numbers the events of one key in the order of their commits, and holds up no other key', async () => {
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
    assert.deepEqual(order, ['other', 'slow', 'waiting']);
    const rows = await tenancy.query<{ value: string }>(
      sql(`SELECT payload->>'organizationId' AS value FROM outbox WHERE key = 'same' ORDER BY seq`),
    );
    assert.deepEqual(
      rows.map(({ value }) => value),
      ['first', 'second'],
    );
  });
});

describe('deliver', () => {
  it('is true when the events have been applied, in two queries of the sender', async () => {
    const relay = sender(tenancy, receiver(rbac));
    const ids = await send(note('a', '1'), note('a', '2'), note('b', '3'));
    const { result, queries } = await countQueries(async () => relay.deliver(ids));
    assert.equal(result, true);
    assert.ok(queries <= 2 + 2 * 3, `${queries} with those of the receiver`);
    assert.deepEqual((await values()).toSorted(), ['1', '2', '3']);
    assert.equal(await relay.deliver(ids), true);
    assert.equal(await relay.deliver([]), true);
  });

  it('takes along what is due before it in its lane, in order', async () => {
    await send(...Array.from({ length: 25 }, (_, index) => note('a', String(index))));
    const last = await send(note('a', 'last'));
    assert.equal(await sender(tenancy, receiver(rbac)).deliver(last), true);
    assert.deepEqual(await values(), [...Array.from({ length: 25 }, (_, index) => String(index)), 'last']);
  });

  it('is false, soon and without an exception, when a subscriber fails, is away or hangs', async () => {
    const clients: InboxClient[] = [
      { deliver: async () => ({ accepted: [] }) },
      { deliver: () => Promise.reject(new Error('away')) },
      { deliver: () => new Promise(() => undefined) },
    ];
    for (const client of clients) {
      await assertWithin(400, async () => {
        assert.equal(await sender(tenancy, client).deliver(await send(note(newId(), '1')), { timeoutMs: 200 }), false);
      });
    }
    assert.equal(
      await createRelay({ db: tenancy, service: 'tenancy', clients: {}, logger: silent }).deliver(await send(note('z', '1'))),
      false,
    );
    assert.ok((await pending()) >= 4);
  });

  it('waits for a lane that somebody else is delivering just now, instead of overtaking', async () => {
    const inbox = receiver(rbac);
    const slow: InboxClient = { deliver: async (request, options) => sleep(200).then(() => inbox.deliver(request, options)) };
    const [first] = [await send(note('a', '1'))];
    const other = sender(tenancy, slow).deliver(first, { timeoutMs: 10_000 });
    await sleep(50);
    const second = await send(note('a', '2'));
    assert.equal(await sender(tenancy, inbox).deliver(second, { timeoutMs: 10_000 }), true);
    assert.equal(await other, true);
    assert.deepEqual(await values(), ['1', '2']);
  });
});

describe('the relay', () => {
  it('finds what nobody delivered, and starts again after failures while other lanes go on', async () => {
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
    assert.deepEqual((await values()).toSorted(), ['1', '3']);
    isBroken = false;
    await until(async () => (await pending()) === 0);
    await relay.stop();
    assert.deepEqual(
      (await appliedIn(rbac)).filter(({ key }) => key === 'a').map(({ value }) => value),
      ['1', 'bad', '2'],
    );
  });

  it('keeps order and applies once with three replicas, eager deliveries, lost answers and failing handlers', async () => {
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
    for (const key of keys)
      assert.deepEqual(
        byKey.get(key)?.map(({ value }) => value),
        wanted,
        key,
      );
  });

  it('shares a backlog: two replicas each deliver a part of it', async () => {
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
    assert.equal((shares[0] ?? 0) + (shares[1] ?? 0), 300);
  });

  it('is woken by a poke, of its own service only', async () => {
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
    assert.deepEqual(await values(), []);
    relay.poke();
    await until(async () => (await values()).length === 1);
    await relay.stop();
  });

  it('keeps no payload of what has been delivered', async () => {
    await sender(tenancy, receiver(rbac)).deliver(await send(note('a', 'private')));
    assert.deepEqual(await tenancy.query(sql('SELECT payload FROM outbox')), [{ payload: {} }]);
  });
});
