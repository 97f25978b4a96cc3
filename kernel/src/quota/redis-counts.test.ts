import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { describeUnless } from '../../../test/support/unless.ts';
import { until } from '../../../test/support/until.ts';
import { createRedisCounts } from './redis-counts.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

const logger = { warn: () => undefined };
const redisUrl = process.env['TEST_REDIS_URL'];

function open(cleanup: AsyncDisposableStack, url = redisUrl ?? '', timeoutMs = 1_000) {
  const counts = createRedisCounts({ settings: { REDIS_URL: url }, logger, timeoutMs });
  cleanup.defer(async () => counts.close());
  return { counts, key: randomUUID() };
}

describeUnless(redisUrl === undefined && 'NOT RUN against Redis: TEST_REDIS_URL is not set')('counts in Redis', () => {
  test('lose no increment', async () => {
    const { counts, key } = open(cleanup);
    const answers = await Promise.all(Array.from({ length: 100 }, () => counts.increment(key, 2, 60)));
    expect(answers.map(({ count }) => count).toSorted((a, b) => a - b)).toStrictEqual(
      Array.from({ length: 100 }, (_, index) => 2 * (index + 1)),
    );
  });

  test('end a window in its time, however often it is counted in', async () => {
    const { counts, key } = open(cleanup);
    expect(await counts.increment(key, 1, 0.4)).toStrictEqual({ count: 1, resetSeconds: 1 });
    // A window that moved with every count would never end.
    await until(async () => (await counts.increment(key, 1, 0.4)).count === 1);
  });

  test('say how long a window still lasts', async () => {
    const { counts, key } = open(cleanup);
    expect(await counts.increment(key, 1, 900)).toStrictEqual({ count: 1, resetSeconds: 900 });
  });
});

test('a count fails as unavailable, in time, when Redis is away', async () => {
  const { counts } = open(cleanup, 'redis://127.0.0.1:1', 300);
  const startedAt = Date.now();
  await expect(counts.increment('key', 1, 1)).rejects.toMatchObject({ name: 'AppError', kind: 'unavailable' });
  expect(Date.now() - startedAt).toBeLessThan(10_000);
});
