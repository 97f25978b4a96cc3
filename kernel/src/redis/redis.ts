import { Redis, type RedisOptions } from 'ioredis';

export type RedisSettings = {
  readonly REDIS_URL: string;
  /** redis:// or rediss:// URLs, comma-separated. */
  readonly REDIS_SENTINELS?: string | undefined;
  readonly REDIS_SENTINEL_MASTER?: string | undefined;
};

type ConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

type Options = {
  readonly logger?: { warn(details: object, message: string): void } | undefined;
  readonly timeoutMs?: number;
  /** Connects when it is told to, and does not try again. */
  readonly once?: boolean;
};

function backOff(attempt: number): number {
  return Math.min(2_000, 50 * 2 ** Math.min(attempt, 6));
}

/** A former master that has become a copy refuses writes: its successor is looked for again. */
const reconnectAndRepeat = 2;
function whenReadOnly({ message }: Error): false | typeof reconnectAndRepeat {
  return message.startsWith('READONLY') && reconnectAndRepeat;
}

/** The sentinels know the host. REDIS_URL says the rest: login, number of the database, and TLS. */
function bySentinels({ REDIS_URL, REDIS_SENTINELS, REDIS_SENTINEL_MASTER }: RedisSettings): ConnectionOptions {
  if (REDIS_SENTINELS === undefined) return {};
  const { username, password, pathname, protocol } = new URL(REDIS_URL);
  const sentinels = REDIS_SENTINELS.split(',').map((url) => new URL(url.trim()));
  const [first] = sentinels;
  const [database] = /\d+$/.exec(pathname) ?? ['0'];
  return {
    name: REDIS_SENTINEL_MASTER ?? 'mymaster',
    sentinels: sentinels.map(({ hostname, port }) => ({ host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || 26_379) })),
    db: Number(database),
    // A master that no longer answers keeps its connections: the sentinels say when another is one.
    failoverDetector: true,
    reconnectOnError: whenReadOnly,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
    ...(first?.password ? { sentinelPassword: decodeURIComponent(first.password) } : {}),
    ...(first?.username ? { sentinelUsername: decodeURIComponent(first.username) } : {}),
    ...(first?.protocol === 'rediss:' ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  };
}

/** A command that no Redis takes in time fails. The connection comes back by itself. */
export function openRedis(settings: RedisSettings, { logger, timeoutMs = 1_000, once = false }: Options = {}): Redis {
  const retry = once ? () => null : backOff;
  const options: ConnectionOptions = {
    keyPrefix: 'tessera:',
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    // A client of a lost connection keeps the process alive for this long after `disconnect`.
    disconnectTimeout: 100,
    lazyConnect: once,
    maxRetriesPerRequest: once ? 0 : 1,
    enableAutoPipelining: true,
    retryStrategy: retry,
  };
  const { REDIS_URL, REDIS_SENTINELS } = settings;
  const sentinels = { ...bySentinels(settings), sentinelCommandTimeout: timeoutMs, sentinelRetryStrategy: retry };
  const redis = REDIS_SENTINELS === undefined ? new Redis(REDIS_URL, options) : new Redis({ ...options, ...sentinels });
  redis.on('error', (error) => logger?.warn({ err: error }, 'the connection to Redis failed'));
  return redis;
}
