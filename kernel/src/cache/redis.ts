import { Redis } from 'ioredis';
import { failures } from '../errors/index.ts';
import type { Cache } from './cache.ts';

export type RedisCacheOptions = {
  readonly url: string;
  readonly logger?: { warn(details: object, message: string): void };
  readonly timeoutMs?: number;
};

const incrementInWindow = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return { count, left }`;

/** Commands that find no Redis in time fail as unavailable; the connection comes back by itself. */
export function createRedisCache({ url, logger, timeoutMs = 1_000 }: RedisCacheOptions): Cache {
  const redis = new Redis(url, {
    keyPrefix: 'tessera:',
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: 1,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(2_000, 50 * 2 ** Math.min(attempt, 6)),
  });
  redis.on('error', (error) => logger?.warn({ err: error }, 'the connection to Redis failed'));

  const ask = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((cause: unknown) => {
      throw failures.unavailable('cache', cause);
    });
  const milliseconds = (seconds: number) => Math.max(1, Math.round(seconds * 1_000));

  return {
    get: async (key) => (await ask(redis.get(key))) ?? undefined,
    set: async (key, value, ttlSeconds) => void (await ask(redis.set(key, value, 'PX', milliseconds(ttlSeconds)))),
    take: async (key) => (await ask(redis.getdel(key))) ?? undefined,
    setIfAbsent: async (key, value, ttlSeconds) => (await ask(redis.set(key, value, 'PX', milliseconds(ttlSeconds), 'NX'))) === 'OK',
    increment: async (key, amount, windowSeconds) => {
      const answer = await ask(redis.eval(incrementInWindow, 1, key, amount, milliseconds(windowSeconds)));
      const [count, leftMs] = Array.isArray(answer) ? answer.map(Number) : [];
      if (count === undefined || leftMs === undefined) throw failures.unavailable('cache');
      return { count, resetSeconds: Math.max(1, Math.ceil(leftMs / 1_000)) };
    },
    delete: async (key) => void (await ask(redis.del(key))),
    isHealthy: () =>
      redis.ping().then(
        () => true,
        () => false,
      ),
    close: async () => redis.disconnect(),
  };
}
