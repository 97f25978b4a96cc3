import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { until } from '../../../tools/testing/until.ts';
import { AppError } from '../errors/index.ts';
import { type Cache, createCache } from './index.ts';
import { createMemoryCache } from './memory.ts';
import { createRedisCache } from './redis.ts';

const redisUrl = process.env.TEST_REDIS_URL;
const strategies: { name: string; create: () => Cache; skip: string | false }[] = [
  { name: 'memory', create: () => createCache({ strategy: 'memory' }), skip: false },
  {
    name: 'redis',
    create: () => createCache({ strategy: 'redis', redisUrl }),
    skip: redisUrl ? false : 'NOT RUN against Redis: TEST_REDIS_URL is not set',
  },
];

for (const { name, create, skip } of strategies) {
  describe(`the cache contract, ${name}`, { skip }, () => {
    let cache: Cache | undefined;
    const use = () => {
      cache ??= create();
      return { cache, key: randomUUID() };
    };
    after(() => cache?.close());

    it('keeps a text until its time is over', async () => {
      const { cache, key } = use();
      assert.equal(await cache.get(key), undefined);
      await cache.set(key, 'höher', 60);
      assert.equal(await cache.get(key), 'höher');
      await cache.set(key, 'höher', 0.2);
      await until(async () => (await cache.get(key)) === undefined);
    });

    it('gives what is taken to exactly one of many', async () => {
      const { cache, key } = use();
      await cache.set(key, 'code', 10);
      const taken = await Promise.all(Array.from({ length: 50 }, () => cache.take(key)));
      assert.deepEqual(
        taken.filter((value) => value !== undefined),
        ['code'],
      );
    });

    it('sets an absent key for exactly one of many, and again when it has gone', async () => {
      const { cache, key } = use();
      const won = await Promise.all(Array.from({ length: 50 }, (_, index) => cache.setIfAbsent(key, String(index), 60)));
      assert.equal(won.filter(Boolean).length, 1);
      assert.equal(await cache.get(key), String(won.indexOf(true)));
      assert.equal(await cache.setIfAbsent(`${key} brief`, 'first', 0.2), true);
      await until(() => cache.setIfAbsent(`${key} brief`, 'next', 60));
    });

    it('loses no increment', async () => {
      const { cache, key } = use();
      const answers = await Promise.all(Array.from({ length: 100 }, () => cache.increment(key, 2, 60)));
      assert.deepEqual(
        answers.map(({ count }) => count).sort((a, b) => a - b),
        Array.from({ length: 100 }, (_, index) => 2 * (index + 1)),
      );
    });

    it('ends a window in its time, however often it is counted in', async () => {
      const { cache, key } = use();
      assert.deepEqual(await cache.increment(key, 1, 0.4), { count: 1, resetSeconds: 1 });
      // A window that moved with every count would never end.
      await until(async () => (await cache.increment(key, 1, 0.4)).count === 1);
    });

    it('says how long a window still lasts', async () => {
      const { cache, key } = use();
      assert.deepEqual(await cache.increment(key, 1, 900), { count: 1, resetSeconds: 900 });
    });

    it('deletes texts and counters', async () => {
      const { cache, key } = use();
      await cache.set(key, 'x', 10);
      await cache.delete(key);
      assert.equal(await cache.get(key), undefined);
      await cache.increment(`${key}:count`, 5, 10);
      await cache.delete(`${key}:count`);
      assert.equal((await cache.increment(`${key}:count`, 1, 10)).count, 1);
    });

    it('answers that it is healthy', async () => assert.equal(await use().cache.isHealthy(), true));
  });
}

describe('memory', () => {
  it('is bounded, and a flood of counters pushes out no text', async () => {
    const cache = createMemoryCache(100);
    await cache.set('code', 'kept', 10);
    for (let index = 0; index < 1_000; index += 1) await cache.increment(`address:${index}`, 1, 10);
    assert.equal((await cache.increment('address:0', 1, 10)).count, 1);
    assert.equal(await cache.get('code'), 'kept');
  });
});

describe('redis', () => {
  it('away: every call fails as unavailable, in time', async () => {
    const cache = createRedisCache({ url: 'redis://127.0.0.1:1', timeoutMs: 300 });
    const started = Date.now();
    await assert.rejects(cache.get('key'), (error) => error instanceof AppError && error.kind === 'unavailable');
    await assert.rejects(cache.increment('key', 1, 1), (error) => error instanceof AppError && error.kind === 'unavailable');
    assert.equal(await cache.isHealthy(), false);
    assert.ok(Date.now() - started < 10_000);
    await cache.close();
  });

  it('is refused without its address', () => {
    assert.throws(() => createCache({ strategy: 'redis' }), /REDIS_URL/);
  });
});
