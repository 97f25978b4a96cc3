import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { defaultTransactionTimeoutMs, sql } from '@tessera/kernel/postgres';
import { parseScope, type Scope } from '@tessera/kernel/scope';
import { aroundQueries, countingQueries } from '../../../../test/support/queries.ts';
import { startTestStack } from '../testing/service.ts';
import { createPlaces } from './places.ts';
import { createRightsCache, type RightsCache } from './rights-cache.ts';
import { createTenantChanges, listChanged } from './tenants.ts';

const caches: RightsCache[] = [];
const stack = await startTestStack();
const { database, countQueries } = countingQueries(stack.openDatabase());
afterAll(async () => {
  for (const cache of caches) cache.stop();
  await stack.stop();
});

function makeCache(options: Partial<Parameters<typeof createRightsCache>[0]> = {}): RightsCache {
  const cache = createRightsCache({ database, places: createPlaces(database), ...options });
  caches.push(cache);
  return cache;
}
async function isAllowed(cache: RightsCache, scope: Scope, userId: string): Promise<boolean> {
  return (await cache.get(scope, { userId }))?.rights.actions.get('Role')?.has('Create') ?? false;
}

describe('the rights cache', () => {
  test('sees changes within a second even when every notice is lost', async () => {
    const cache = makeCache();
    cache.start();
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const userId = await acme.addMember('Dev');
    for (const scope of [acme.scope, project]) expect(await isAllowed(cache, scope, userId)).toBe(true);
    await stack.tell('user.left', { userId, scope: acme.scope });
    await sleep(950);
    for (const scope of [acme.scope, project]) expect(await isAllowed(cache, scope, userId)).toBe(false);
    cache.stop();
  });

  test('looks at the versions before it answers when the last look is too old', async () => {
    const cache = makeCache();
    const acme = await stack.makeOrganization();
    const userId = await acme.addMember('Dev');
    expect(await isAllowed(cache, acme.scope, userId)).toBe(true);
    await stack.tell('user.left', { userId, scope: acme.scope });
    expect(cache.peek(acme.scope, { userId })).toBeUndefined();
    expect(await isAllowed(cache, acme.scope, userId)).toBe(false);
  });

  for (const pauseSeconds of [45, 3_600])
    test(`misses no change after a pause of ${pauseSeconds} s without requests and notices`, async () => {
      let nowMs = 0;
      const cache = makeCache({ clock: () => nowMs });
      const acme = await stack.makeOrganization();
      const project = await stack.makeProject(acme.scope);
      const userId = await acme.addMember('Dev');
      for (const _ of [1, 2]) for (const scope of [acme.scope, project]) expect(await isAllowed(cache, scope, userId)).toBe(true);
      await stack.tell('user.left', { userId, scope: acme.scope });
      await database.query(sql(`UPDATE tenants SET changed_at = changed_at - $2 * interval '1 second' WHERE id = $1`), [
        acme.id,
        pauseSeconds - 1,
      ]);
      nowMs = pauseSeconds * 1_000;
      for (const scope of [acme.scope, project]) expect(await isAllowed(cache, scope, userId)).toBe(false);
    });

  test('looks back further than a transaction can last', async () => {
    const acme = await stack.makeOrganization();
    const age = `${defaultTransactionTimeoutMs} ms`;
    await database.query(sql('UPDATE tenants SET changed_at = clock_timestamp() - $2::interval WHERE id = $1'), [acme.id, age]);
    expect((await listChanged(database, 0)).map(({ id }) => id)).toContain(acme.id);
  });

  test('drops an entry after minutes even when no notice and no look reported its change', async () => {
    let nowMs = 1;
    const cache = makeCache({ clock: () => nowMs });
    const acme = await stack.makeOrganization();
    const userId = await acme.addMember('Dev');
    expect(await isAllowed(cache, acme.scope, userId)).toBe(true);
    await stack.tell('user.left', { userId, scope: acme.scope });
    // As if the write had been open for an hour: no look goes back that far.
    await database.query(sql(`UPDATE tenants SET changed_at = changed_at - interval '1 hour' WHERE id = $1`), [acme.id]);
    // The change was missed.
    expect(await isAllowed(cache, acme.scope, userId)).toBe(true);
    for (let minute = 0; minute < 6; minute += 1) {
      nowMs += 60_000;
      await isAllowed(cache, acme.scope, userId);
    }
    expect(await isAllowed(cache, acme.scope, userId)).toBe(false);
  });

  test('evicts the least recently used entries first, so a busy tenant keeps its own', async () => {
    const cache = makeCache({ maxEntries: 10, staleAfterMs: 60_000 });
    const [busy, idle] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const holder = { userId: busy.ownerId };
    await cache.get(busy.scope, holder);
    await cache.get(busy.scope, holder);
    for (let count = 0; count < 50; count += 1) {
      await cache.get(idle.scope, { userId: newId() });
      expect(Boolean(cache.peek(busy.scope, holder))).toStrictEqualFor(`after ${count} others`, true);
    }
    expect(cache.size).toBe(10);
  });

  test('does not keep an older read beside a newer one of the same tenant', async () => {
    const acme = await stack.makeOrganization();
    const userId = await acme.addMember('Dev');
    const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const gates = [early.promise, late.promise];
    const slow = aroundQueries(database, async (run) => {
      const rows = await run();
      await gates.shift();
      return rows;
    });
    const cache = makeCache({ database: slow, staleAfterMs: 60_000 });
    const old = cache.get(acme.scope, { userId });
    await sleep(50);
    await stack.tell('user.left', { userId, scope: acme.scope });
    const current = cache.get(acme.scope, { userId: acme.ownerId }, { fresh: true });
    late.resolve();
    await current;
    early.resolve();
    // It was asked before the change.
    expect((await old)?.rights.actions.get('Role')?.has('Create')).toBeTruthy();
    expect(await isAllowed(cache, acme.scope, userId)).toBe(false);
  });

  test('does not answer from memory while the database is unreachable', async () => {
    const cache = makeCache({
      database: aroundQueries(database, (run) => (isDown ? Promise.reject(new Error('down')) : run())),
    });
    let isDown = false;
    const acme = await stack.makeOrganization();
    expect(await isAllowed(cache, acme.scope, acme.ownerId)).toBe(true);
    isDown = true;
    await expect(isAllowed(cache, acme.scope, acme.ownerId)).rejects.toThrow();
  });

  test('does not keep a read that a change has overtaken', async () => {
    const acme = await stack.makeOrganization();
    const userId = await acme.addMember('Dev');
    let overtake: (() => Promise<unknown>) | undefined;
    const slow = aroundQueries(database, async (run) => {
      const rows = await run();
      await overtake?.();
      overtake = undefined;
      return rows;
    });
    const cache = makeCache({ database: slow, staleAfterMs: 60_000 });
    overtake = async () => {
      await stack.tell('user.left', { userId, scope: acme.scope });
      cache.drop({ id: acme.id, version: Number.MAX_SAFE_INTEGER });
    };
    // It was asked before the change.
    expect(await isAllowed(cache, acme.scope, userId)).toBe(true);
    expect(await isAllowed(cache, acme.scope, userId)).toBe(false);
  });

  test('drops only the tenant that changed', async () => {
    const cache = makeCache({ staleAfterMs: 60_000 });
    const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const [one, two] = [await stack.makeProject(acme.scope), await stack.makeProject(acme.scope)];
    const all = [acme.scope, one, two];
    const warm = async () => {
      for (const scope of all) await cache.get(scope, { userId: acme.ownerId });
      await cache.get(globex.scope, { userId: globex.ownerId });
    };
    const kept = () =>
      [...all.map((scope) => cache.peek(scope, { userId: acme.ownerId })), cache.peek(globex.scope, { userId: globex.ownerId })].map(
        Boolean,
      );
    await warm();
    await warm();
    expect(kept()).toStrictEqual([true, true, true, true]);
    cache.drop({ id: one.id, version: 1_000 });
    expect(kept()).toStrictEqual([true, false, true, true]);
    await warm();
    cache.drop({ id: acme.id, version: 1_000 });
    expect(kept()).toStrictEqual([false, false, false, true]);
    await warm();
    cache.drop({ id: acme.id, version: 1 });
    // An old notice is no news.
    expect(kept()).toStrictEqual([true, true, true, true]);
  });

  test('keeps nothing about scopes that do not exist', async () => {
    const cache = makeCache();
    const acme = await stack.makeOrganization();
    for (let count = 0; count < 50; count += 1) {
      expect(await cache.get({ tenant: 'organization', id: newId() }, { userId: newId() })).toBeUndefined();
      expect(await cache.get({ tenant: 'organizationProject', id: `${acme.id}:${newId()}` }, { userId: acme.ownerId })).toBeUndefined();
      await expect(cache.get({ tenant: 'account', id: `nonsense ${count}` }, { userId: newId() })).rejects.toMatchObject({
        kind: 'validation',
      });
    }
    expect([cache.size, cache.tenants]).toStrictEqual([0, 0]);
    expect(await cache.get(acme.scope, { userId: acme.ownerId })).toBeTruthy();
    await cache.get({ tenant: 'organizationProject', id: `${acme.id}:${newId()}` }, { userId: acme.ownerId });
    expect([cache.size, cache.tenants]).toStrictEqual([1, 1]);
  });

  test('stays within its bound of entries', async () => {
    const cache = makeCache({ maxEntries: 20 });
    const acme = await stack.makeOrganization();
    const projects = await Promise.all(Array.from({ length: 5 }, () => stack.makeProject(acme.scope)));
    for (let user = 0; user < 20; user += 1) {
      for (const scope of [acme.scope, ...projects]) await cache.get(scope, { userId: newId() });
      expect(cache.size).toBeLessThanOrEqual(20);
    }
    expect(cache.size).toBeGreaterThan(10);
  });

  test('stays within its bound of bytes when a tenant has large rights in many scopes', async () => {
    const { token, ...acme } = await stack.makeOrganization();
    const body = { scope: acme.scope, name: 'large', metadata: { text: 'x'.repeat(10_000) } };
    const { data } = await stack.request('POST', '/api/roles', { token, body });
    const holders = await Promise.all([1, 2, 3].map(() => stack.join(acme.scope, [`${data.id}`])));
    const projects = await Promise.all(Array.from({ length: 5 }, () => stack.makeProject(acme.scope)));
    const cache = makeCache({ maxWeight: 100_000, staleAfterMs: 60_000 });
    await cache.get(acme.scope, { userId: holders[0] ?? '' });
    await cache.get(acme.scope, { userId: holders[0] ?? '' });
    const readAll = async () => {
      for (const scope of projects)
        for (const userId of holders) {
          await cache.get(scope, { userId });
          expect(cache.weight).toBeLessThanOrEqual(100_000);
          const { queries } = await countQueries(() => cache.get(scope, { userId }));
          // What was read last is kept.
          expect(queries).toBe(0);
        }
    };
    for (const _ of [1, 2]) await readAll();
    expect(cache.weight).toBeGreaterThan(50_000);
    expect(cache.size).toBeGreaterThanOrEqual(5);
    cache.drop({ id: acme.id, version: 1_000_000 });
    await readAll();
    for (const scope of projects) cache.drop({ id: scope.id, version: 1_000_000 });
    expect([cache.weight, cache.size]).toStrictEqual([0, 0]);
  });

  test('costs one query when cold and one after a change', async () => {
    const cache = makeCache({ staleAfterMs: 60_000 });
    const acme = await stack.makeOrganization();
    const holder = { userId: acme.ownerId };
    const cost = async () => (await countQueries(() => cache.get(acme.scope, holder))).queries;
    await cache.get(acme.scope, { userId: newId() });
    // Cold.
    expect(await cost()).toBe(1);
    await cost();
    // Warm, and the versions were looked at.
    expect(await cost()).toBe(0);
    await database.scoped(parseScope(acme.scope), (tx) => createTenantChanges(() => undefined).bump(tx, parseScope(acme.scope)));
    cache.drop({ id: acme.id, version: 1_000 });
    expect(await cost()).toBe(1);
  });
});

describe('concurrent reads of rights', () => {
  test('many concurrent requests for the same rights cost one query', async () => {
    const cache = makeCache();
    const { scope, ownerId: userId } = await stack.makeOrganization();
    const { result, queries } = await countQueries(() => Promise.all(Array.from({ length: 50 }, () => cache.get(scope, { userId }))));
    expect(queries).toBe(1);
    expect(result.every((loaded) => loaded !== undefined && loaded === result[0] && loaded.rights.rank === 1)).toBe(true);
  });

  test('concurrent reads of many scopes are one query', async () => {
    const cache = makeCache();
    const organizations = await Promise.all(Array.from({ length: 5 }, () => stack.makeOrganization()));
    const { result, queries } = await countQueries(() =>
      Promise.all(organizations.map(({ scope, ownerId: userId }) => cache.get(scope, { userId }))),
    );
    expect(queries).toBe(1);
    expect(result.every((loaded) => loaded?.rights.rank === 1)).toBe(true);
  });

  test('a request after a change starts a new read although an older one is under way', async () => {
    const cache = makeCache();
    const { scope, ownerId: userId } = await stack.makeOrganization();
    const { result, queries } = await countQueries(async () => {
      const early = cache.get(scope, { userId });
      await turn();
      cache.drop({ id: scope.id, version: 1_000_000 });
      return Promise.all([cache.get(scope, { userId }), early]);
    });
    expect(queries).toBe(2);
    expect(result[0]).not.toBe(result[1]);
  });

  test('requests that skip the cache share a read only within one tick', async () => {
    const cache = makeCache();
    const { scope, ownerId: userId } = await stack.makeOrganization();
    const askTogether = () => Promise.all([1, 2, 3].map(() => cache.get(scope, { userId }, { fresh: true })));
    for (const _ of [1, 2]) expect((await countQueries(askTogether)).queries).toBe(1);
    const { queries } = await countQueries(async () => {
      const early = cache.get(scope, { userId }, { fresh: true });
      await turn();
      await Promise.all([early, cache.get(scope, { userId }, { fresh: true })]);
    });
    expect(queries).toBe(2);
  });
});
