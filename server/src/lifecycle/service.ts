import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Authorizer } from '@tessera/kernel/authorization';
import { secretsIn } from '@tessera/kernel/config';
import {
  type EventHandlers,
  everySeconds,
  inboxHandler,
  type Job,
  pruneKernelTables,
  sealAuditLog,
  startJob,
} from '@tessera/kernel/events';
import { type Implementation, implement, serveGrpc } from '@tessera/kernel/grpc';
import { listAudit, type Operation, type Runtime } from '@tessera/kernel/operation';
import { createLogger, type Logger, type Metrics, markedFields, startTracing } from '@tessera/kernel/telemetry';
import type { Revocations } from '@tessera/kernel/tokens';
import type { FastifyInstance } from 'fastify';
import { bindGraphql, type Subgraph } from '../graphql/index.ts';
import { bindRest } from '../rest/index.ts';
import { createInnerDoor, isReady, type Readiness } from './door.ts';
import { type Kernel, type KernelDefinition, openKernel } from './kernel.ts';
import { closePeers, type ServiceSettings } from './peers.ts';
import type { Running } from './process.ts';

export type ServiceParts<Deps> = {
  readonly deps: Deps;
  readonly graphql: Omit<Subgraph<Deps>, 'operations'>;
  readonly grpc: readonly Implementation[];
  readonly eventHandlers?: EventHandlers;
  readonly routes?: (app: FastifyInstance, runtime: Runtime<Deps>) => void;
  readonly authorizer?: Authorizer;
  readonly resolveScope?: Runtime<Deps>['resolveScope'];
  readonly jobs?: readonly Job[];
  /** Shown by /ready without affecting it: the service still works without them. */
  readonly degrading?: Readiness;
  readonly stop?: () => Promise<void>;
};

type Definition<Deps> = KernelDefinition & {
  readonly operations: readonly Operation<Deps>[];
  readonly compose: (kernel: Kernel) => ServiceParts<Deps> | Promise<ServiceParts<Deps>>;
};

export type Surroundings = { readonly logger?: Logger; readonly clock?: () => Date };

export type RunningService = Running & { readonly httpAddress: string; readonly grpcAddress: string };

/** Redacts what the schemas mark as secret. Level `info` until the configuration is read. */
export function createServiceLogger(
  service: string,
  operations: readonly Pick<Operation<never>, 'input' | 'output'>[],
  level = 'info',
): Logger {
  const secretFields = operations.flatMap(({ input, output }) => [...markedFields(input), ...markedFields(output)]);
  return createLogger({ service, level, secretFields });
}

export async function startService<Deps>(
  settings: ServiceSettings,
  definition: Definition<Deps>,
  { logger = createServiceLogger(definition.name, definition.operations, settings.LOG_LEVEL), clock = () => new Date() }: Surroundings = {},
): Promise<RunningService> {
  const tracing = await startTracing({ service: definition.name, endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT });
  const { kernel, revocations } = await openKernel(settings, definition, { logger, clock });
  const { database, notices, relay, peers } = kernel;
  const close = async () => {
    revocations.stop();
    closePeers(peers);
    await notices.close();
    await database.close();
    await tracing.stop();
  };
  try {
    const parts = await definition.compose(kernel);
    const servers = await openServers(settings, definition, kernel, parts, revocations);
    relay.start();
    const start = (name: string, seconds: number, work: () => Promise<void>) =>
      // After the commit of the job's slot: each portion is a transaction of its own.
      startJob({ db: database, logger, name, schedule: everySeconds(seconds), run: async () => work });
    const pruning = start('kernel.prune', 3_600, () => pruneKernelTables(database, settings.AUDIT_RETENTION_DAYS));
    const sealing = start('audit.seal', 20, () => sealAuditLog(database));
    notices.publish('schema-changed', { service: definition.name });
    return {
      ...servers,
      stop: async () => {
        await servers.stop();
        await Promise.all([relay, pruning, sealing, ...(parts.jobs ?? [])].map((part) => part.stop()));
        await parts.stop?.();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const longestFirstPullMs = 5_000;

/** The gRPC server first, because replicas learn revocations from each other's. */
async function openServers<Deps>(
  settings: ServiceSettings,
  { name, operations }: Definition<Deps>,
  kernel: Kernel,
  parts: ServiceParts<Deps>,
  revocations: Revocations,
): Promise<RunningService> {
  const { database, notices, relay, metrics, logger, clock, verifyToken } = kernel;
  const { deps, authorizer = kernel.authorizer, eventHandlers: handlers } = parts;
  const { INTERNAL_AUTH_SECRET: secret, METRICS_ENABLED, NODE_ENV } = settings;
  const inbox =
    handlers === undefined ? [] : [implement('events.v1.Inbox', { deliver: inboxHandler({ db: database, handlers, relay, logger }) })];
  const readiness = { database: () => database.isHealthy(), revocations: () => revocations.fresh };
  const app = createInnerDoor({
    service: name,
    secret,
    logger,
    metrics,
    readiness,
    showStack: NODE_ENV === 'development',
    // Without notices changes are polled (ARCHITECTURE.md).
    degrading: { notices: () => notices.healthy, ...parts.degrading },
  });
  const deliver = (eventIds: readonly string[]) => relay.deliver(eventIds);
  const runtime: Runtime<Deps> = {
    service: name,
    deps,
    database,
    authorizer,
    verifyToken,
    secrets: secretsIn(secret),
    deliver,
    clock,
    logger,
    countOperation: metrics.countOperation,
    resolveScope: parts.resolveScope,
  };
  bindRest(app, operations, runtime);
  bindGraphql(app, { ...parts.graphql, operations }, runtime);
  parts.routes?.(app, runtime);
  const { registry } = metrics;
  if (METRICS_ENABLED) app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  const observe: Metrics['observeCall'] = ({ seconds, ...call }) => {
    metrics.observeCall({ seconds, ...call });
    logger.debug({ ...call, durationMs: Math.round(seconds * 1_000) }, 'gRPC call');
  };
  const grpc = await serveGrpc({
    listen: settings.GRPC_LISTEN,
    secret,
    tls: settings.grpcTls,
    logger,
    observe,
    isReady: () => isReady(readiness),
    services: [...parts.grpc, ...inbox, implement('audit.v1.AuditLog', { list: (asked) => listAudit(database, asked) })],
  });
  // Until then each token is a 503. A source that is away may not keep /health and /ready closed.
  await Promise.race([revocations.start(), sleep(longestFirstPullMs, undefined, { ref: false })]);
  const httpAddress = await listenOn(app, settings.HTTP_LISTEN);
  const stop = async () => {
    await app.close();
    await grpc.stop();
  };
  return { httpAddress, grpcAddress: grpc.address, stop };
}

/** Listens on `host:port` or `unix:/path` (replacing its file). Returns the address. */
async function listenOn(app: FastifyInstance, listen: string): Promise<string> {
  if (listen.startsWith('unix:')) {
    const path = listen.slice('unix:'.length);
    rmSync(path, { force: true });
    await app.listen({ path });
    return listen;
  }
  const split = listen.lastIndexOf(':');
  return app.listen({ host: listen.slice(0, split).replace(/^\[|\]$/g, ''), port: Number(listen.slice(split + 1)) });
}
