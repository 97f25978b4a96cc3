import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createCredentialIssuer } from '@tessera/kernel/grpc';
import { createNotices } from '@tessera/kernel/notices';
import { createMetrics } from '@tessera/kernel/telemetry';
import { doorPath, drainOnClose } from '@tessera/server/lifecycle';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { GatewayConfig } from './config.ts';
import { createAccessLog } from './edge/access-log.ts';
import type { EdgeOptions } from './edge/context.ts';
import { installEdge, installPreflights, isWellFormed } from './edge/edge.ts';
import { installFailures, type NotFoundPage } from './edge/failures.ts';
import { securityHeaders } from './edge/security-headers.ts';
import { createEdgeServer } from './edge/server.ts';
import type { SubgraphAccess } from './graphql/context.ts';
import { createGraph, type Graph } from './graphql/graph.ts';
import { createRecomposer } from './graphql/recompose.ts';
import { installGraphql } from './graphql/routes.ts';
import { createSubgraphFetch } from './graphql/subgraph-fetch.ts';
import { listenGrpc } from './grpc/listen.ts';
import { installMetrics } from './health/metrics.ts';
import { createReadiness } from './health/readiness.ts';
import { installHealth } from './health/routes.ts';
import { createBodies } from './limits/bodies.ts';
import { createCallers } from './limits/caller.ts';
import {
  createConfiguredAgentCounts,
  createConfiguredCounters,
  createConfiguredLimiter,
  createConfiguredVerifier,
} from './limits/configured.ts';
import { installLimits } from './limits/hook.ts';
import { installProofs } from './limits/proofs.ts';
import { installApiDocs, installSchemaFiles } from './pages/api-docs.ts';
import { graphiqlPage, installGraphiql } from './pages/graphiql.ts';
import { installWeb, notFoundPage, sessionScriptOf } from './pages/web.ts';
import { createPublicDocuments } from './proxy/public-documents.ts';
import { installRest } from './proxy/rest.ts';
import { createUpstreams, type ServiceName } from './proxy/upstream.ts';

const generated = new URL('../generated/', import.meta.url);
const connectMs = 2_000;
const maxCloseMs = 2_000;

/** Wires the gateway. It does not listen yet. */
export async function createGateway(
  config: GatewayConfig,
  supergraphSdl: string,
  logger: FastifyBaseLogger,
  writeAccess: (line: string) => void = () => undefined,
): Promise<FastifyInstance> {
  const timeoutMs = config.GATEWAY_UPSTREAM_TIMEOUT_SECONDS * 1_000;
  const edge = { trustedProxies: config.trustedProxies, cors: config.cors, responseDefaults: securityHeaders(config.isHttps) };
  const app = createApp(config, edge, logger);
  const metrics = createMetrics({ service: 'gateway', enabled: config.METRICS_ENABLED });
  const { GATEWAY_ACCESS_LOG: mode, GATEWAY_ACCESS_LOG_FORMAT: format, LOG_LEVEL: level } = config;
  const accessLog = createAccessLog({ mode, format, level, write: writeAccess });
  const verifier = createConfiguredVerifier(app, config);
  const callers = createCallers(verifier);
  const agents = createConfiguredAgentCounts(app, config, { callers, metrics, logger });
  installEdge(app, edge, { metrics, accessLog, answered: agents.answered });
  let page: NotFoundPage | undefined;
  installFailures(app, config.NODE_ENV === 'development', () => page);
  const counters = createConfiguredCounters(app, config, logger);
  const limiter = createConfiguredLimiter(config, callers, counters);
  const bodies = createBodies(callers);
  if (config.hasLimits) installLimits(app, limiter);
  installPreflights(app);
  installProofs(app, { appUrl: config.APP_URL, verifier, counter: counters.strict });

  const upstreams = createUpstreams(config.upstreamUrls, { connectMs, responseMs: timeoutMs });
  const credential = createCredentials(config.INTERNAL_AUTH_SECRET);
  const access = { upstreams, credential, timeoutMs: config.GATEWAY_SUBGRAPH_TIMEOUT_SECONDS * 1_000, logger };
  const graph = await createGraph({
    supergraphSdl,
    fetchSubgraph: createSubgraphFetch(access),
    hasIntrospection: config.hasIntrospection,
    logger: plannerLogger(logger),
  });
  const documents = createPublicDocuments({ upstreams, credential, timeoutMs });
  installRest(app, { upstreams, bodies, documents, limiter, credential, responseDefaults: edge.responseDefaults, timeoutMs });
  const webFolder = builtWeb(config, logger);
  const sessionScript = webFolder === undefined ? undefined : sessionScriptOf(webFolder);
  installGraphql(app, {
    graph,
    access,
    limiter,
    bodies,
    onDocumentsChanged: documents.expire,
    page: config.hasIntrospection ? graphiqlPage(sessionScript) : undefined,
  });
  installMetrics(app, metrics, config.METRICS_ENABLED);
  const readiness = createReadiness(upstreams);
  installHealth(app, readiness);
  if (config.hasApiDocs) installApiDocs(app, generated, sessionScript);
  if (config.hasSchemaFiles) installSchemaFiles(app, generated);
  if (config.hasIntrospection) installGraphiql(app);
  if (webFolder !== undefined) {
    installWeb(app, webFolder);
    page = notFoundPage(webFolder);
  }

  if (config.GATEWAY_GRPC_LISTEN !== undefined) {
    const isReady = async () => (await readiness()).checks['rbac'] === 'ok';
    const grpc = await listenGrpc(config.GATEWAY_GRPC_LISTEN, config, { limiter, agents, metrics, logger, isReady });
    app.addHook('preClose', () => grpc.stop());
  }

  const stopFollowing = followSchemas(app, graph, access, config, logger);
  drainOnClose(app);
  const closeParts = async () => {
    await stopFollowing();
    await graph.close();
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  };
  // All clients are disconnected by then: a service that hangs must not delay the stop.
  app.addHook('onClose', () => Promise.race([closeParts(), sleep(maxCloseMs, undefined, { ref: false })]));
  await app.ready();
  return app;
}

/** Without a build there are no pages, but everything else works. */
function builtWeb({ GATEWAY_WEB_FOLDER: given }: GatewayConfig, logger: FastifyBaseLogger): string | undefined {
  const folder = given ?? fileURLToPath(new URL('../../../web/dist', import.meta.url));
  if (existsSync(join(folder, 'assets'))) return folder;
  logger.warn({ folder }, 'the pages are not built, so none are served');
  return undefined;
}

function createApp({ tls, GATEWAY_UPSTREAM_TIMEOUT_SECONDS }: GatewayConfig, edge: EdgeOptions, logger: FastifyBaseLogger) {
  const { responseDefaults } = edge;
  const writeTimeoutMs = GATEWAY_UPSTREAM_TIMEOUT_SECONDS * 1_000;
  return Fastify({
    serverFactory: (handler) => createEdgeServer(handler, { tls, responseDefaults, writeTimeoutMs }),
    loggerInstance: logger,
    // A child logger for each request costs more than routing it. Log lines get the request id from
    // the request context.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 256 },
    forceCloseConnections: 'idle',
    // Requests on draining connections are still served.
    return503OnClosing: false,
    // A malformed path gets a 404 like any other: with a request id, metrics, a log line and the
    // default headers.
    rewriteUrl: ({ url = '/' }) => (isWellFormed(url) ? url : '/malformed'),
  });
}

/** The credential for a service's HTTP port. */
function createCredentials(secret: string): (service: ServiceName) => string {
  const issue = createCredentialIssuer(secret, 'gateway');
  const paths = { identity: doorPath('identity'), tenancy: doorPath('tenancy'), rbac: doorPath('rbac'), keys: doorPath('keys') };
  return (service) => issue(paths[service]);
}

function followSchemas(
  app: FastifyInstance,
  graph: Graph,
  { upstreams, credential }: SubgraphAccess,
  config: GatewayConfig,
  logger: FastifyBaseLogger,
): () => Promise<void> {
  const notices = config.NATS_URL === undefined ? undefined : createNotices({ nats: config, secret: config.INTERNAL_AUTH_SECRET, logger });
  const recomposer = createRecomposer({ graph, upstreams, credential, notices, logger, pollSeconds: config.GATEWAY_SCHEMA_POLL_SECONDS });
  app.addHook('onListen', (done) => {
    void recomposer.refresh();
    done();
  });
  return async () => {
    await recomposer.stop();
    await notices?.close();
  };
}

/** Drops the debug lines of the planner. */
function plannerLogger(logger: FastifyBaseLogger) {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (message?: string) => logger.warn(message ?? ''),
    error: (message?: string) => logger.error(message ?? ''),
  };
}
