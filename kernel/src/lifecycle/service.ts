import type { FastifyInstance } from 'fastify';
import type { Authorizer } from '../authorization/index.ts';
import { type EventHandlers, everySeconds, inboxHandler, type Job, pruneKernelTables, startJob } from '../events/index.ts';
import { bindGraphql, type Subgraph } from '../graphql/index.ts';
import { type Implementation, implement, serveGrpc } from '../grpc/index.ts';
import type { Operation, Runtime } from '../operation/index.ts';
import { bindRest } from '../rest/index.ts';
import { createLogger, type Logger, markedFields, startTracing } from '../telemetry/index.ts';
import type { Revocations } from '../tokens/index.ts';
import { createInnerDoor, isReady, type Readiness } from './door.ts';
import { type Kernel, type KernelDefinition, openKernel } from './kernel.ts';
import { listenOn } from './listen.ts';
import { watchKernel } from './metrics.ts';
import { closePeers } from './peers.ts';
import type { Running } from './process.ts';
import type { ServiceSettings } from './settings.ts';

/** What a service adds to the kernel; its `app.ts` composes it by hand. */
export type ServiceParts<Deps> = {
  readonly deps: Deps;
  readonly graphql: Omit<Subgraph<Deps>, 'operations'>;
  readonly grpc: readonly Implementation[];
  /** Undefined when `grpc` already contains an inbox. */
  readonly eventHandlers?: EventHandlers;
  /** Protocol routes: endpoints that are no operations. */
  readonly routes?: (app: FastifyInstance, runtime: Runtime<Deps>) => void;
  readonly authorizer?: Authorizer;
  readonly jobs?: readonly Job[];
  readonly readiness?: Readiness;
  readonly stop?: () => Promise<void>;
};

type Definition<Deps> = KernelDefinition & {
  readonly operations: readonly Operation<Deps>[];
  readonly compose: (kernel: Kernel) => ServiceParts<Deps> | Promise<ServiceParts<Deps>>;
};

/** What a test passes in place of standard output and the system clock. */
export type Surroundings = { readonly logger?: Logger; readonly clock?: () => Date };

export type RunningService = Running & { readonly httpAddress: string; readonly grpcAddress: string };

type Schemas = Pick<Operation<never>, 'input' | 'output'>;

/** Redacts what the schemas mark as secret. Level `info` until the configuration is read. */
export function createServiceLogger(service: string, operations: readonly Schemas[], level = 'info'): Logger {
  return createLogger({
    ...{ service, level },
    secretFields: operations.flatMap(({ input, output }) => [...markedFields(input), ...markedFields(output)]),
  });
}

/** Starts the kernel's parts, the service's, then its servers. Resolves when all work. */
export async function startService<Deps>(
  settings: ServiceSettings,
  definition: Definition<Deps>,
  { logger = createServiceLogger(definition.name, definition.operations, settings.LOG_LEVEL), clock = () => new Date() }: Surroundings = {},
): Promise<RunningService> {
  const tracing = await startTracing({ service: definition.name, endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT });
  const { kernel, revocations } = await openKernel(settings, definition, { logger, clock });
  const { database, notices, relay, peers } = kernel;
  watchKernel(kernel);
  const close = async () => {
    closePeers(peers);
    await notices.close();
    await database.close();
    await tracing.stop();
  };
  try {
    const parts = await definition.compose(kernel);
    const servers = await openServers(settings, definition, kernel, parts, revocations);
    void revocations.start();
    relay.start();
    const jobs = [startPruning(kernel, settings), ...(parts.jobs ?? [])];
    notices.publish('schema-changed', { service: definition.name });
    return {
      ...servers,
      stop: async () => {
        await servers.stop();
        await Promise.all([relay.stop(), ...jobs.map((job) => job.stop())]);
        revocations.stop();
        await parts.stop?.();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The gRPC server for the other services, and the HTTP server behind the gateway. */
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
  const readiness = { database: () => database.isHealthy(), revocations: () => revocations.fresh, ...parts.readiness };
  const app = createInnerDoor({
    ...{ service: name, secret, logger, metrics, readiness, showStack: NODE_ENV === 'development' },
    // Without notices changes are polled, within the bounds of interface.md section 5.
    degrading: { notices: () => notices.healthy },
  });
  const deliver = (eventIds: readonly string[]) => relay.deliver(eventIds);
  const unknownCallers: Record<string, number> = {};
  const counted = { type: 'counter', name: 'unknown_callers_total', help: 'Requests without a valid token', label: 'operation' } as const;
  metrics.watch(counted, () => unknownCallers);
  const runtime: Runtime<Deps> = {
    ...{ service: name, deps, database, authorizer, verifyToken, deliver, clock, logger },
    countUnknownCaller: (operation) => {
      unknownCallers[operation] = (unknownCallers[operation] ?? 0) + 1;
    },
  };
  bindRest(app, operations, runtime);
  bindGraphql(app, { ...parts.graphql, operations }, runtime);
  parts.routes?.(app, runtime);
  const { registry } = metrics;
  if (METRICS_ENABLED) app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  const grpc = await serveGrpc({
    ...{ listen: settings.GRPC_LISTEN, secret, tls: settings.grpcTls, logger, observe: metrics.observeCall },
    isReady: () => isReady(readiness),
    services: [...parts.grpc, ...inbox],
  });
  const httpAddress = await listenOn(app, settings.HTTP_LISTEN);
  const stop = async () => {
    await app.close();
    await grpc.stop();
  };
  return { httpAddress, grpcAddress: grpc.address, stop };
}

function startPruning({ database: db, logger }: Kernel, { AUDIT_RETENTION_DAYS: auditDays }: ServiceSettings): Job {
  return startJob({
    ...{ db, logger, name: 'kernel.prune', schedule: everySeconds(3_600) },
    // After the commit of the job's slot: each portion is a transaction of its own.
    run: async () => () => pruneKernelTables(db, { auditDays }),
  });
}
