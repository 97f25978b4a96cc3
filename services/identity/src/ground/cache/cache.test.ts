import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { describeUnless } from '../../../../../test/support/unless.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Cache } from './cache.ts';
import { createCache } from './create.ts';
import { createMemoryCache } from './memory.ts';
import { createRedisCache } from './redis.ts';

const redisUrl = process.env.TEST_REDIS_URL;
const strategies: { name: string; create: () => Cache; skip: string | false }[] = [
  { name: 'memory', create: () => createCache({ CACHE_STRATEGY: 'memory' }), skip: false },
  {
    name: 'redis',
    create: () => createCache({ CACHE_STRATEGY: 'redis', REDIS_URL: redisUrl }),
    skip: redisUrl ? false : 'NOT RUN against Redis: TEST_REDIS_URL is not set',
  },
];

for (const { name, create, skip } of strategies)
  describeUnless(skip)(`the cache contract, ${name}`, () => {
    let cache: Cache | undefined;
    const use = () => {
      cache ??= create();
      return { cache, key: randomUUID() };
    };
    afterAll(() => cache?.close());

    test('keeps a text until its time is over', async () => {
      const { cache, key } = use();
      expect(await cache.take(key)).toBeUndefined();
      await cache.set(key, 'höher', 60);
      expect(await cache.take(key)).toBe('höher');
      await cache.set(key, 'höher', 0.2);
      await sleep(400);
      expect(await cache.take(key)).toBeUndefined();
    });

    test('tells whether a text is kept, and forgets texts and counts', async () => {
      const { cache, key } = use();
      expect(await cache.has(key)).toBe(false);
      await cache.set(key, 'kept', 60);
      expect(await cache.has(key)).toBe(true);
      await cache.forget(key);
      expect(await cache.has(key)).toBe(false);
      await cache.increment(`${key} count`, 3, 60);
      await cache.forget(`${key} count`);
      expect(await cache.increment(`${key} count`, 1, 60)).toBe(1);
    });

    test('gives what is taken to exactly one of many', async () => {
      const { cache, key } = use();
      await cache.set(key, 'code', 10);
      const taken = await Promise.all(Array.from({ length: 50 }, () => cache.take(key)));
      expect(taken.filter((value) => value !== undefined)).toStrictEqual(['code']);
    });

    test('loses no increment', async () => {
      const { cache, key } = use();
      const answers = await Promise.all(Array.from({ length: 100 }, () => cache.increment(key, 2, 60)));
      expect(answers.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: 100 }, (_, index) => 2 * (index + 1)));
    });

    test('ends a window in its time, however often it is counted in', async () => {
      const { cache, key } = use();
      expect(await cache.increment(key, 1, 0.4)).toBe(1);
      // A window that moved with every count would never end.
      await until(async () => (await cache.increment(key, 1, 0.4)) === 1);
    });

    test('answers that it is healthy', async () => expect(await use().cache.isHealthy()).toBe(true));
  });

describe('memory', () => {
  test('is bounded, and a flood of counters pushes out no text', async () => {
    const cache = createMemoryCache(100);
    await cache.set('code', 'kept', 10);
    for (let index = 0; index < 1_000; index += 1) await cache.increment(`address:${index}`, 1, 10);
    expect(await cache.increment('address:0', 1, 10)).toBe(1);
    expect(await cache.take('code')).toBe('kept');
  });
});

describe('redis', () => {
  test('away: every call fails as unavailable, in time', async () => {
    const cache = createRedisCache({ settings: { REDIS_URL: 'redis://127.0.0.1:1' }, timeoutMs: 300 });
    const started = Date.now();
    await expect(cache.take('key')).rejects.toMatchObject({ name: 'AppError', kind: 'unavailable' });
    await expect(cache.increment('key', 1, 1)).rejects.toMatchObject({ name: 'AppError', kind: 'unavailable' });
    expect(await cache.isHealthy()).toBe(false);
    expect(Date.now() - started).toBeLessThan(10_000);
    await cache.close();
  });

  test('is refused without its address', () => expect(() => createCache({ CACHE_STRATEGY: 'redis' })).toThrow(/REDIS_URL/));
});
