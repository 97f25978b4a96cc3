import { connect } from '@tessera/kernel/grpc';
import { type Counter, createDegradingCounter, createLocalCounter, createRedisCounts } from '@tessera/kernel/quota';
import type { Metrics } from '@tessera/kernel/telemetry';
import { createKeyFinder, createTokenVerifier, type TokenVerifier } from '@tessera/kernel/tokens';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { type AgentCounts, createAgentCounts } from './agent-counts.ts';
import type { Callers } from './caller.ts';
import { layersOf } from './layers.ts';
import { createLimiter, type Limiter, noLimits } from './limits.ts';

/** The configured limits. Their connections are closed with the app. */
export function createConfiguredLimiter(config: GatewayConfig, callers: Callers, { degrading: counter }: Counters): Limiter {
  if (!config.hasLimits) return noLimits;
  return createLimiter({ counter, layers: layersOf(config), callers, isTrusted: config.trustedNetworks });
}

export type Counters = {
  /** While the shared store is away each replica counts for itself. */
  readonly degrading: Counter;
  /** Fails while the shared store is away: what may happen once must not happen once a replica. */
  readonly strict: Counter;
};

export function createConfiguredCounters(app: FastifyInstance, config: GatewayConfig, logger: FastifyBaseLogger): Counters {
  const local = createLocalCounter();
  if (config.CACHE_STRATEGY === 'memory') return { degrading: local, strict: local };
  const { REDIS_URL, REDIS_SENTINELS, REDIS_SENTINEL_MASTER } = config;
  if (REDIS_URL === undefined) throw new Error('CACHE_STRATEGY=redis needs REDIS_URL.');
  const shared = createRedisCounts({ settings: { REDIS_URL, REDIS_SENTINELS, REDIS_SENTINEL_MASTER }, logger });
  app.addHook('onClose', async () => shared.close());
  const strict: Counter = {
    increment: async (layer, key, amount) => ({
      layer,
      ...(await shared.increment(`${layer.name}:${key}`, amount, layer.windowSeconds)),
    }),
  };
  return { degrading: createDegradingCounter(shared, local, logger), strict };
}

/** Tells identity, to which it connects with the first report. */
export function createConfiguredAgentCounts(
  app: FastifyInstance,
  config: GatewayConfig,
  { callers, metrics, logger }: { readonly callers: Callers; readonly metrics: Metrics; readonly logger: FastifyBaseLogger },
): AgentCounts {
  const identity = connect({
    service: 'identity.v1.Identity',
    url: config.IDENTITY_GRPC_URL,
    secret: config.INTERNAL_AUTH_SECRET,
    self: 'gateway',
    tls: config.grpcTls,
  });
  const counts = createAgentCounts({ callers, send: (report) => identity.countAgentRequests(report), logger });
  const watched = {
    name: 'gateway_agent_requests_total',
    help: 'Requests of apps that act for people; untold: identity has not heard of them',
  };
  metrics.watch({ type: 'counter', ...watched, label: 'outcome' }, () => counts.totals);
  app.addHook('onClose', async () => {
    await counts.stop();
    identity.close();
  });
  return counts;
}

/** Verifies tokens by the keys of the service keys, to which it connects with the first of them. */
export function createConfiguredVerifier(app: FastifyInstance, config: GatewayConfig): TokenVerifier {
  const keys = connect({
    service: 'keys.v1.Keys',
    url: config.KEYS_GRPC_URL,
    secret: config.INTERNAL_AUTH_SECRET,
    self: 'gateway',
    tls: config.grpcTls,
  });
  app.addHook('onClose', async () => keys.close());
  return createTokenVerifier({
    appUrl: config.APP_URL,
    findKey: createKeyFinder(async (kids) => (await keys.getVerificationKeys({ kids: [...kids] })).keys),
    // The token is only counted by: its service refuses it when it is revoked.
    revocations: { isRevoked: () => false, fresh: true },
    keyTtlSeconds: config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS,
  });
}
