import { connect } from '@tessera/kernel/grpc';
import { type Counter, createDegradingCounter, createLocalCounter, createRedisCounts } from '@tessera/kernel/quota';
import { createKeyFinder, createTokenVerifier } from '@tessera/kernel/tokens';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { type Callers, createCallers } from './caller.ts';
import { layersOf } from './layers.ts';
import { createLimiter, type Limiter, noLimits } from './limits.ts';

/** The configured limits. Their connections are closed with the app. */
export function createConfiguredLimiter(app: FastifyInstance, config: GatewayConfig, callers: Callers, logger: FastifyBaseLogger): Limiter {
  if (!config.hasLimits) return noLimits;
  return createLimiter({ counter: counterOf(app, config, logger), layers: layersOf(config), callers, isTrusted: config.trustedNetworks });
}

function counterOf(app: FastifyInstance, config: GatewayConfig, logger: FastifyBaseLogger): Counter {
  const local = createLocalCounter();
  if (config.CACHE_STRATEGY === 'memory') return local;
  if (config.REDIS_URL === undefined) throw new Error('CACHE_STRATEGY=redis needs REDIS_URL.');
  const shared = createRedisCounts({ url: config.REDIS_URL, logger });
  app.addHook('onClose', async () => shared.close());
  return createDegradingCounter(shared, local, logger);
}

/** Verifies tokens by the keys of the service keys, to which it connects with the first of them. */
export function createConfiguredCallers(app: FastifyInstance, config: GatewayConfig): Callers {
  const keys = connect({
    service: 'keys.v1.Keys',
    url: config.KEYS_GRPC_URL,
    secret: config.INTERNAL_AUTH_SECRET,
    self: 'gateway',
    tls: config.grpcTls,
  });
  app.addHook('onClose', async () => keys.close());
  const verifier = createTokenVerifier({
    appUrl: config.APP_URL,
    findKey: createKeyFinder(async (kids) => (await keys.getVerificationKeys({ kids: [...kids] })).keys),
    // The token is only counted by: its service refuses it when it is revoked.
    revocations: { isRevoked: () => false, fresh: true },
    keyTtlSeconds: config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS,
  });
  return createCallers(verifier);
}
