import { failures } from '../errors/index.ts';
import { openRedis, type RedisSettings } from '../redis/index.ts';
import type { SharedCounts } from './counts.ts';

type Options = {
  readonly settings: RedisSettings;
  readonly logger: { warn(details: object, message: string): void };
  readonly timeoutMs?: number;
};

/** Atomic. The first increment opens the window, which then expires. */
const incrementInWindow = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return { count, left }`;

/** Counts of all replicas. Without Redis they fail in time; the connection comes back by itself. */
export function createRedisCounts({ settings, logger, timeoutMs = 1_000 }: Options): SharedCounts & { close(): void } {
  const redis = openRedis(settings, { logger, timeoutMs });
  return {
    async increment(key, amount, windowSeconds) {
      const windowMs = Math.max(1, Math.round(windowSeconds * 1_000));
      const answer = await redis.eval(incrementInWindow, 1, key, amount, windowMs).catch((cause: unknown) => {
        throw failures.unavailable('cache', cause);
      });
      const [count, leftMs] = Array.isArray(answer) ? answer.map(Number) : [];
      if (count === undefined || leftMs === undefined) throw failures.unavailable('cache');
      return { count, resetSeconds: Math.max(1, Math.ceil(leftMs / 1_000)) };
    },
    close: () => redis.disconnect(),
  };
}
