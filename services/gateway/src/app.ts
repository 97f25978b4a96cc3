import { setTimeout as sleep } from 'node:timers/promises';
import { createCredentialIssuer } from '@tessera/kernel/grpc';
import { doorPath, drainOnClose } from '@tessera/kernel/lifecycle';
import { createNotices } from '@tessera/kernel/notices';
import { createMetrics } from '@tessera/kernel/telemetry';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { GatewayConfig } from './config.ts';
import { createAccessLog } from './edge/access-log.ts';
import { installEdge, isWellFormed } from './edge/edge.ts';
import { installFailures } from './edge/failures.ts';
import { securityHeaders } from './edge/security-headers.ts';
import { createEdgeServer } from './edge/server.ts';
import { createAsk } from './graphql/ask.ts';
import { createGraph } from './graphql/graph.ts';
import { createRecomposer } from './graphql/recompose.ts';
import { installGraphql } from './graphql/routes.ts';
import { installMetrics } from './health/metrics.ts';
import { createReadiness } from './health/readiness.ts';
import { installHealth } from './health/routes.ts';
import { createConfiguredLimiter } from './limits/configured.ts';
import { installLimits } from './limits/hook.ts';
import { installApiDocs } from './pages/api-docs.ts';
import { installGraphiql } from './pages/graphiql.ts';
import { installRest } from './proxy/rest.ts';
import { createUpstreams, type ServiceName } from './proxy/upstream.ts';

const longestCloseMs = 2_000;

/** The gateway, wired. Nothing listens yet. */
export async function createGateway(
  config: GatewayConfig,
  supergraphSdl: string,
  logger: FastifyBaseLogger,
  writeAccess: (line: string) => void = () => undefined,
): Promise<FastifyInstance> {
  const timeoutMs = config.GATEWAY_UPSTREAM_TIMEOUT_SECONDS * 1_000;
  const upstreams = createUpstreams(config.upstreamUrls, { connectMs: 2_000, responseMs: timeoutMs });
  const issueCredential = createCredentialIssuer(config.INTERNAL_AUTH_SECRET, 'gateway');

  const edge = { trustedProxies: config.trustedProxies, cors: config.cors, responseDefaults: securityHeaders(config.isHttps) };
  const app = Fastify({
    serverFactory: (handler) =>
      createEdgeServer(handler, { tls: config.tls, responseDefaults: edge.responseDefaults, writeTimeoutMs: timeoutMs }),
    loggerInstance: logger,
    // A child logger for each request costs more than routing it; what is logged names its request.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 256 },
    forceCloseConnections: 'idle',
    // While connections drain, what still comes on them is served.
    return503OnClosing: false,
    // Nowhere, but a request like any other: counted, named in the log, and answered with everything that an answer carries.
    rewriteUrl: ({ url = '/' }) => (isWellFormed(url) ? url : '/malformed'),
  });
  const metrics = createMetrics({ service: 'gateway', enabled: config.METRICS_ENABLED });
  const showStack = config.NODE_ENV === 'development';
  const accessLog = createAccessLog({ mode: config.GATEWAY_ACCESS_LOG, level: config.LOG_LEVEL, write: writeAccess });
  installEdge(app, edge, { metrics, accessLog });
  installFailures(app, showStack);
  const doorPaths = { identity: doorPath('identity'), tenancy: doorPath('tenancy'), rbac: doorPath('rbac'), keys: doorPath('keys') };
  const credential = (service: ServiceName) => issueCredential(doorPaths[service]);
  const limiter = createConfiguredLimiter(app, config, logger);
  if (config.hasLimits) installLimits(app, limiter);
  const asking = { upstreams, credential, timeoutMs: config.GATEWAY_SUBGRAPH_TIMEOUT_SECONDS * 1_000, logger };
  const graph = await createGraph({
    supergraphSdl,
    ask: createAsk(asking),
    hasIntrospection: config.hasIntrospection,
    logger: speakingTo(logger),
  });
  const notices = config.NATS_URL === undefined ? undefined : createNotices({ nats: config, logger });
  const recomposer = createRecomposer({
    ...{ graph, upstreams, credential, notices, logger },
    pollSeconds: config.GATEWAY_SCHEMA_POLL_SECONDS,
  });
  installRest(app, { upstreams, credential, responseDefaults: edge.responseDefaults, timeoutMs });
  installGraphql(app, { graph, asking, limiter });
  installMetrics(app, metrics, config.METRICS_ENABLED);
  installHealth(app, createReadiness(upstreams));
  installApiDocs(app, new URL('../generated/openapi.json', import.meta.url));
  if (config.hasIntrospection) installGraphiql(app);
  drainOnClose(app);
  const closeParts = async () => {
    await recomposer.stop();
    await notices?.close();
    await graph.close();
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  };
  // The clients are gone by then: what a service that hangs still owes anybody holds no stop up.
  app.addHook('onClose', () => Promise.race([closeParts(), sleep(longestCloseMs, undefined, { ref: false })]));
  app.addHook('onListen', (done) => {
    void recomposer.look();
    done();
  });
  await app.ready();
  return app;
}

/** The planner's chatter is of no interest; its warnings are. */
function speakingTo(logger: FastifyBaseLogger) {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (message?: string) => logger.warn(message ?? ''),
    error: (message?: string) => logger.error(message ?? ''),
  };
}
