import { createCredentialIssuer } from '@tessera/kernel/grpc';
import { doorPath } from '@tessera/kernel/lifecycle';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { GatewayConfig } from './config.ts';
import { installEdge } from './edge/edge.ts';
import { installFailures, sendOwnFailure } from './edge/failures.ts';
import { securityHeaders } from './edge/security-headers.ts';
import { createEdgeServer } from './edge/server.ts';
import { createReadiness } from './health/readiness.ts';
import { installHealth } from './health/routes.ts';
import { installConfiguredLimits } from './limits/install.ts';
import { installProxy } from './proxy/install.ts';
import { createUpstreams } from './proxy/upstream.ts';

/** The gateway, wired. Nothing listens yet. */
export const createGateway = async (config: GatewayConfig, logger: FastifyBaseLogger): Promise<FastifyInstance> => {
  const timeoutMs = config.GATEWAY_UPSTREAM_TIMEOUT_SECONDS * 1_000;
  const upstreams = createUpstreams(config.upstreamUrls, { connectMs: 2_000, headersMs: timeoutMs, bodyMs: timeoutMs });
  const issueCredential = createCredentialIssuer(config.INTERNAL_AUTH_SECRET, 'gateway');
  const responseDefaults = securityHeaders(config.isHttps);

  const app = Fastify({
    serverFactory: (handler) => createEdgeServer(handler, config.tls),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 256 },
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    frameworkErrors: sendOwnFailure,
  });
  installEdge(app, { trustedProxies: config.trustedProxies, cors: config.cors, responseDefaults });
  installFailures(app, config.NODE_ENV === 'development');
  installConfiguredLimits(app, config, logger);
  installHealth(app, createReadiness(upstreams, {}));
  installProxy(app, { upstreams, credential: (service) => issueCredential(doorPath(service)), responseDefaults });
  app.addHook('onClose', async () => {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  });
  await app.ready();
  return app;
};
