import { failures } from '@tessera/kernel/errors';
import { openRedis, type RedisSettings } from '@tessera/kernel/redis';
import type { Cache } from './cache.ts';

export type RedisCacheOptions = {
  readonly settings: RedisSettings;
  readonly logger?: { warn(details: object, message: string): void } | undefined;
  readonly timeoutMs?: number;
};

/** Atomic. The first increment opens the window, which then expires. */
const incrementInWindow = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return count`;

/** Commands that find no Redis in time fail as unavailable; the connection comes back by itself. */
export function createRedisCache({ settings, logger, timeoutMs = 1_000 }: RedisCacheOptions): Cache {
  const redis = openRedis(settings, { logger, timeoutMs });
  const ask = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((cause: unknown) => {
      throw failures.unavailable('cache', cause);
    });
  const milliseconds = (seconds: number) => Math.max(1, Math.round(seconds * 1_000));

  return {
    set: async (key, value, ttlSeconds) => void (await ask(redis.set(key, value, 'PX', milliseconds(ttlSeconds)))),
    take: async (key) => (await ask(redis.getdel(key))) ?? undefined,
    has: async (key) => (await ask(redis.exists(key))) === 1,
    forget: async (key) => void (await ask(redis.del(key))),
    increment: async (key, amount, windowSeconds) => {
      const count = await ask(redis.eval(incrementInWindow, 1, key, amount, milliseconds(windowSeconds)));
      if (typeof count !== 'number') throw failures.unavailable('cache');
      return count;
    },
    isHealthy: () =>
      redis.ping().then(
        () => true,
        () => false,
      ),
    close: async () => redis.disconnect(),
  };
}
