/** How many requests an account or organization may send in a minute. */
import type { Authorizer, Check } from '../authorization/index.ts';
import { defineErrors } from '../errors/index.ts';
import type { RedisSettings } from '../redis/index.ts';
import { type Counter, createDegradingCounter, createLocalCounter } from './counts.ts';
import { createRedisCounts } from './redis-counts.ts';

export const errors = defineErrors({
  tooManyRequests: {
    kind: 'rate-limited',
    key: 'errors.quota.requests',
    en: 'This account or organization may send {limit} requests in a minute. Try again in {seconds} seconds.',
    de: 'Dieses Konto oder diese Organisation darf {limit} Anfragen in einer Minute senden. Versuchen Sie es in {seconds} Sekunden erneut.',
  },
});

/** A decision carries the limit only when it lets the caller in: no one else can use it up. */
type Limited = { readonly authorized: boolean; readonly requestsPerMinute?: number | undefined };

export type RequestQuota = {
  /**
   * Counts a request for the account or organization of the scope; 429 over its limit. A tenant in
   * `counted` has been counted for this request already.
   */
  admit(scope: Pick<Check['scope'], 'id'> | undefined, decision: Limited | undefined, counted?: Set<string>): Promise<void>;
  /** Each call counts as one request for each of the tenants that it lets the caller in to. */
  limit(authorizer: Authorizer): Authorizer;
  /** Since the start. */
  readonly requests: { readonly counted: number; readonly refused: number };
  close(): void;
};

const minute = { name: 'requests', windowSeconds: 60 } as const;
const idLength = 36;

export function createRequestQuota(counter: Counter, close = (): void => undefined): RequestQuota {
  const requests = { counted: 0, refused: 0 };
  const admit: RequestQuota['admit'] = async (scope, decision, counted) => {
    const limit = decision?.authorized === true ? decision.requestsPerMinute : undefined;
    const tenantId = scope?.id.slice(0, idLength);
    if (limit === undefined || tenantId === undefined || counted?.has(tenantId)) return;
    counted?.add(tenantId);
    const { count, resetSeconds } = await counter.increment(minute, tenantId, 1, performance.now());
    if (count <= limit) requests.counted += 1;
    else {
      requests.refused += 1;
      throw errors.tooManyRequests({ params: { limit, seconds: resetSeconds }, extensions: { quota: 'requestsPerMinute', limit } });
    }
  };
  return {
    admit,
    requests,
    close,
    limit: (authorizer) => ({
      check: async (checks, options) => {
        const decisions = await authorizer.check(checks, options);
        if (decisions.every(({ requestsPerMinute }) => requestsPerMinute === undefined)) return decisions;
        const counted = new Set<string>();
        for (const [index, decision] of decisions.entries())
          if (decision.requestsPerMinute !== undefined) await admit(checks[index]?.scope, decision, counted);
        return decisions;
      },
    }),
  };
}

type Settings = Omit<RedisSettings, 'REDIS_URL'> & { readonly CACHE_STRATEGY: 'memory' | 'redis'; readonly REDIS_URL?: string | undefined };
type Watch = (
  metric: { readonly type: 'counter'; readonly name: string; readonly label: string; readonly help: string },
  read: () => RequestQuota['requests'],
) => void;
type Surroundings = { readonly logger: { warn(details: object, message: string): void }; readonly metrics: { readonly watch: Watch } };

/** All replicas and services count together in Redis; without it each process counts alone. */
export function openRequestQuota({ CACHE_STRATEGY, REDIS_URL, ...sentinels }: Settings, { logger, metrics }: Surroundings): RequestQuota {
  const local = createLocalCounter();
  const shared =
    CACHE_STRATEGY === 'redis' && REDIS_URL !== undefined
      ? createRedisCounts({ settings: { REDIS_URL, ...sentinels }, logger })
      : undefined;
  const counter = shared === undefined ? local : createDegradingCounter(shared, local, logger);
  const quota = createRequestQuota(counter, () => shared?.close());
  const help = 'Requests of accounts and organizations with a limit, and those refused by it';
  metrics.watch({ type: 'counter', name: 'tenant_requests_total', label: 'result', help }, () => quota.requests);
  return quota;
}
