import type { Kernel } from '@tessera/server/lifecycle';
import type { IdentityConfig } from './config.ts';
import { createBackground } from './ground/background.ts';
import { createCache } from './ground/cache/create.ts';
import { createRequestCounts } from './ground/request-counts.ts';
import { deriveKeys } from './ground/tokens/opaque-token.ts';
import type { OauthParts } from './parts.ts';
import { createProvider } from './sign-in/connections/provider.ts';
import { callbacksOf } from './sign-in/connections/settings.ts';
import { createFlowStore, type PasskeyChallenge, type PlatformFlow, type ProjectFlow, type SignInCode } from './sign-in/upstream/flow.ts';

export type Oauth = { readonly parts: OauthParts; isHealthy(): Promise<boolean>; stop(): Promise<void> };

const passkeySeconds = 300;
/** How long a count may wait once its minute is over. */
const flushMs = 5_000;

/**
 * The dependencies of the OAuth endpoints. Several replicas need a shared cache for their flows:
 * CACHE_STRATEGY=redis.
 */
export function createOauthParts(config: IdentityConfig, kernel: Kernel, sign: OauthParts['sign']): Oauth {
  const { logger, peers, relay } = kernel;
  const { APP_URL: appUrl, OAUTH_STATE_TTL_SECONDS: stateSeconds, OAUTH_CODE_TTL_SECONDS: codeSeconds } = config;
  const cache = createCache({ strategy: config.CACHE_STRATEGY, redisUrl: config.REDIS_URL, logger });
  const sealKey = deriveKeys(config.INTERNAL_AUTH_SECRET, 'flow');
  const background = createBackground(logger);
  const requestCounts = createRequestCounts();
  const failed = (error: unknown) => logger.error({ err: error }, 'counted requests could not be audited');
  const flushing = setInterval(() => void requestCounts.flush(new Date()).catch(failed), flushMs).unref();
  const providers = config.oauthProviders.map((settings) => {
    return [settings.name, { provider: createProvider(settings), callbacks: callbacksOf(settings, appUrl) }] as const;
  });
  return {
    parts: {
      providers: new Map(providers),
      platformFlows: createFlowStore<PlatformFlow>(cache, sealKey, 'platform', stateSeconds),
      projectFlows: createFlowStore<ProjectFlow>(cache, sealKey, 'project', stateSeconds),
      codes: createFlowStore<SignInCode>(cache, sealKey, 'code', codeSeconds),
      passkeyChallenges: createFlowStore<PasskeyChallenge>(cache, sealKey, 'passkey', passkeySeconds),
      counters: cache,
      emailEntryUrl: config.PROJECT_OAUTH_EMAIL_ENTRY_URL ?? `${config.SECURITY_FRONTEND_URL ?? appUrl}/auth/project/email`,
      accessTokenSeconds: config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES * 60,
      background,
      requestCounts,
      sign,
      verifyToken: kernel.verifyToken,
      permissions: peers.authorization,
      catalogue: peers.catalogue,
      deliver: (ids) => relay.deliver(ids),
      logger,
    },
    isHealthy: () => cache.isHealthy(),
    async stop() {
      clearInterval(flushing);
      await background.settle();
      await requestCounts.stop(new Date()).catch(failed);
      await cache.close();
    },
  };
}
