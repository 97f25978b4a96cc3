import type { FastifyInstance } from 'fastify';
import { type Authorizer, createRemoteAuthorizer } from '../authorization/index.ts';
import {
  createRelay,
  type EventHandlers,
  everySeconds,
  inboxHandler,
  type Job,
  pruneKernelTables,
  type Relay,
  startJob,
} from '../events/index.ts';
import { bindGraphql, type Subgraph } from '../graphql/index.ts';
import { connect, type GrpcTls, type Implementation, implement, serveGrpc } from '../grpc/index.ts';
import { createNotices, type Notices } from '../notices/index.ts';
import type { Operation, Runtime } from '../operation/index.ts';
import { type AnyTable, assertPolicies, createDatabase, type Database, pivotsOf } from '../postgres/index.ts';
import { bindRest, openApiPaths } from '../rest/index.ts';
import { createLogger, createMetrics, type Logger, type Metrics, markedFields, startTracing } from '../telemetry/index.ts';
import {
  type Claims,
  createRevocations,
  createTokenVerifier,
  type FindKey,
  type Revocation,
  type RevocationSource,
  type Revocations,
} from '../tokens/index.ts';
import { createInnerDoor, type Readiness } from './door.ts';
import { listenOn } from './listen.ts';
import { watchKernel } from './metrics.ts';
import type { Running } from './process.ts';

/** What every service reads of its environment (`serviceConfig`). */
export type ServiceSettings = {
  readonly NODE_ENV: string;
  readonly LOG_LEVEL: string;
  readonly APP_URL: string;
  readonly INTERNAL_AUTH_SECRET: string;
  readonly IDENTITY_GRPC_URL: string;
  readonly TENANCY_GRPC_URL: string;
  readonly RBAC_GRPC_URL: string;
  readonly KEYS_GRPC_URL: string;
  readonly grpcTls: GrpcTls | undefined;
  readonly NATS_URL: string | undefined;
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_SIZE: number;
  readonly HTTP_LISTEN: string;
  readonly GRPC_LISTEN: string;
  readonly REVOCATION_STALE_AFTER_SECONDS: number;
  readonly SECURITY_ENABLE_RLS: boolean;
  readonly SECURITY_RLS_ROLE: string;
  readonly JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS: number;
  readonly METRICS_ENABLED: boolean;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
};

type Name = 'identity' | 'tenancy' | 'rbac' | 'keys';

/** The parts that a service builds on. */
export type Kernel = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly notices: Notices;
  readonly relay: Relay;
  readonly peers: ReturnType<typeof connectPeers>;
  /** Decisions, asked of rbac; rbac brings its own. */
  readonly authorizer: Authorizer;
  verifyToken(token: string): Promise<Claims>;
  /** After the commit that made it true: refuses these tokens here at once and tells everybody else. */
  revoke(revocation: Revocation): void;
  readonly clock: () => Date;
};

/** What a service adds to them; `app.ts` composes it by hand. */
export type ServiceParts<Deps> = {
  readonly deps: Deps;
  readonly graphql: Omit<Subgraph<Deps>, 'operations'>;
  readonly grpc: readonly Implementation[];
  /** Left out by a service whose `grpc` brings an inbox of its own. */
  readonly eventHandlers?: EventHandlers;
  /** The kernel's database with something added: what operations and event handlers then write through. */
  readonly database?: Database;
  /** Protocol routes: what is no operation. */
  readonly routes?: (app: FastifyInstance, runtime: Runtime<Deps>) => void;
  readonly authorizer?: Authorizer;
  readonly findKey?: FindKey;
  readonly revocationSource?: RevocationSource;
  readonly jobs?: readonly Job[];
  readonly readiness?: Readiness;
  readonly stop?: () => Promise<void>;
};

function connectPeers(self: Name, settings: ServiceSettings) {
  const { INTERNAL_AUTH_SECRET: secret, grpcTls: tls, IDENTITY_GRPC_URL, TENANCY_GRPC_URL, RBAC_GRPC_URL, KEYS_GRPC_URL } = settings;
  const common = { secret, self, tls };
  return {
    identity: connect({ ...common, service: 'identity.v1.Identity', url: IDENTITY_GRPC_URL }),
    tenancy: connect({ ...common, service: 'tenancy.v1.Tenancy', url: TENANCY_GRPC_URL }),
    authorization: connect({ ...common, service: 'rbac.v1.Authorization', url: RBAC_GRPC_URL, isHot: true }),
    roles: connect({ ...common, service: 'rbac.v1.Roles', url: RBAC_GRPC_URL }),
    tags: connect({ ...common, service: 'rbac.v1.Tags', url: RBAC_GRPC_URL }),
    catalogue: connect({ ...common, service: 'rbac.v1.Catalogue', url: RBAC_GRPC_URL }),
    keys: connect({ ...common, service: 'keys.v1.Keys', url: KEYS_GRPC_URL, isHot: true }),
    identityRevocations: connect({ ...common, service: 'revocation.v1.Revocations', url: IDENTITY_GRPC_URL }),
    keysRevocations: connect({ ...common, service: 'revocation.v1.Revocations', url: KEYS_GRPC_URL }),
    inboxes: {
      identity: connect({ ...common, service: 'events.v1.Inbox', url: IDENTITY_GRPC_URL }),
      tenancy: connect({ ...common, service: 'events.v1.Inbox', url: TENANCY_GRPC_URL }),
      rbac: connect({ ...common, service: 'events.v1.Inbox', url: RBAC_GRPC_URL }),
      keys: connect({ ...common, service: 'events.v1.Inbox', url: KEYS_GRPC_URL }),
    },
  };
}

function closePeers({ inboxes, ...others }: Kernel['peers']): void {
  for (const client of [...Object.values(others), ...Object.values(inboxes)]) client.close();
}

function sourcesOf(name: Name, own: RevocationSource | undefined, peers: Kernel['peers']): readonly RevocationSource[] {
  return [
    name === 'identity' && own ? own : { name: 'identity', list: (request) => peers.identityRevocations.list(request) },
    name === 'keys' && own ? own : { name: 'keys', list: (request) => peers.keysRevocations.list(request) },
  ];
}

type Definition<Deps> = {
  readonly name: Name;
  readonly operations: readonly Operation<Deps>[];
  /** For a service without entities: its tables under row-level security. */
  readonly pivots?: readonly string[];
  /** Every table of the service. The start fails when one that has policies in its entity lacks them in the database. */
  readonly entities?: Readonly<Record<string, AnyTable>>;
  readonly compose: (kernel: Kernel) => ServiceParts<Deps> | Promise<ServiceParts<Deps>>;
};

/** What a test brings in place of standard output and the time of day. */
export type Surroundings = { readonly logger?: Logger; readonly clock?: () => Date };

export type RunningService = Running & { readonly httpAddress: string; readonly grpcAddress: string };

type Marked = Pick<Operation<never>, 'input' | 'output'>;

/** Hides what the operations' schemas mark as secret. `info` until the configuration is read. */
export function createServiceLogger(service: string, operations: readonly Marked[], level = 'info'): Logger {
  return createLogger({
    ...{ service, level },
    secretFields: operations.flatMap(({ input, output }) => [...markedFields(input), ...markedFields(output)]),
  });
}

/** Starts a service: the kernel's parts, then what `compose` makes of them, then its doors. Ready means that all of it works. */
export async function startService<Deps>(
  settings: ServiceSettings,
  definition: Definition<Deps>,
  { logger = createServiceLogger(definition.name, definition.operations, settings.LOG_LEVEL), clock = () => new Date() }: Surroundings = {},
): Promise<RunningService> {
  const tracing = await startTracing({ service: definition.name, endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT });
  const { kernel, late } = await openKernel(settings, definition, { logger, clock });
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
    const revocations = openTokens(settings, definition.name, kernel, parts, late);
    const doors = await openDoors(settings, definition, kernel, parts, revocations);
    void revocations.start();
    relay.start();
    const jobs = [startPruning(kernel), ...(parts.jobs ?? [])];
    notices.publish('schema-changed', { service: definition.name });
    return {
      ...doors,
      stop: async () => {
        await doors.stop();
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

/** What can only be known once the service is composed, though `compose` is given the way to it. */
type Late = { verify?: Kernel['verifyToken']; add?: Kernel['revoke'] };

async function openKernel<Deps>(
  settings: ServiceSettings,
  { name, pivots: named = [], entities = {} }: Definition<Deps>,
  { logger, clock }: Required<Surroundings>,
): Promise<{ kernel: Kernel; late: Late }> {
  const pivots = [...named, ...pivotsOf(entities)];
  const database = createDatabase({
    url: settings.DATABASE_URL,
    schema: name,
    entities,
    poolSize: settings.DATABASE_POOL_SIZE,
    rlsEnabled: settings.SECURITY_ENABLE_RLS,
    ...(pivots.length > 0 ? { restrictedRole: settings.SECURITY_RLS_ROLE } : {}),
    logger,
  });
  await assertPolicies(database, pivots);
  const notices = createNotices({ natsUrl: settings.NATS_URL, databaseUrl: settings.DATABASE_URL, logger });
  const peers = connectPeers(name, settings);
  const late: Late = {};
  const kernel: Kernel = {
    ...{ logger, database, notices, peers, clock },
    metrics: createMetrics({ service: name, enabled: settings.METRICS_ENABLED }),
    relay: createRelay({ db: database, service: name, clients: peers.inboxes, notices, logger }),
    authorizer: createRemoteAuthorizer({ client: peers.authorization, notices }),
    verifyToken: (token) => late.verify?.(token) ?? Promise.reject(new Error('tokens are verified once the service is composed')),
    revoke: (revocation) => {
      late.add?.(revocation);
      notices.publish('revocation', revocation);
    },
  };
  return { kernel, late };
}

/** How tokens are verified here: with the keys that keys tells of, and with what identity and keys have revoked. */
function openTokens<Deps>(
  settings: ServiceSettings,
  name: Name,
  { peers, notices, logger, clock }: Kernel,
  parts: ServiceParts<Deps>,
  late: Late,
): Revocations {
  const revocations = createRevocations({
    sources: sourcesOf(name, parts.revocationSource, peers),
    staleAfterSeconds: settings.REVOCATION_STALE_AFTER_SECONDS,
    ...{ notices, logger },
  });
  const verifier = createTokenVerifier({
    appUrl: settings.APP_URL,
    findKey: parts.findKey ?? ((kid) => peers.keys.getVerificationKey({ kid })),
    revocations,
    keyTtlSeconds: settings.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS,
    clock: () => clock().getTime(),
  });
  late.verify = (token) => verifier.verify(token);
  late.add = (revocation) => revocations.add(revocation);
  return revocations;
}

/** The gRPC door for other services, and the HTTP door behind the gateway. */
async function openDoors<Deps>(
  settings: ServiceSettings,
  { name, operations }: Definition<Deps>,
  kernel: Kernel,
  parts: ServiceParts<Deps>,
  revocations: Revocations,
): Promise<RunningService> {
  const { notices, relay, metrics, logger, clock, verifyToken } = kernel;
  const { deps, database = kernel.database, authorizer = kernel.authorizer, eventHandlers: handlers } = parts;
  const { INTERNAL_AUTH_SECRET: secret, METRICS_ENABLED, NODE_ENV } = settings;
  const inbox =
    handlers === undefined ? [] : [implement('events.v1.Inbox', { deliver: inboxHandler({ db: database, handlers, relay, logger }) })];
  const app = createInnerDoor({
    ...{ service: name, secret, logger, metrics, showStack: NODE_ENV === 'development' },
    readiness: {
      database: () => database.isHealthy(),
      revocations: () => revocations.fresh,
      ...parts.readiness,
    },
    // Without notices changes arrive by pulling: later, but within the bounds.
    degrading: { notices: () => notices.healthy },
  });
  const deliver = (eventIds: readonly string[]) => relay.deliver(eventIds);
  const runtime: Runtime<Deps> = { service: name, deps, database, authorizer, verifyToken, deliver, clock, logger };
  bindRest(app, operations, runtime);
  bindGraphql(app, { ...parts.graphql, operations }, runtime);
  parts.routes?.(app, runtime);
  const { registry } = metrics;
  if (METRICS_ENABLED) app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  app.get('/openapi.json', async () => openApiPaths(operations));
  const grpc = await serveGrpc({
    ...{ listen: settings.GRPC_LISTEN, secret, tls: settings.grpcTls, logger, observe: metrics.observeCall },
    services: [...parts.grpc, ...inbox],
  });
  const httpAddress = await listenOn(app, settings.HTTP_LISTEN);
  const stop = async () => {
    await app.close();
    await grpc.stop();
  };
  return { httpAddress, grpcAddress: grpc.address, stop };
}

function startPruning({ database: db, logger }: Kernel): Job {
  return startJob({
    ...{ db, logger, name: 'kernel.prune', schedule: everySeconds(3_600) },
    run: async (tx) => {
      await pruneKernelTables(tx);
      return undefined;
    },
  });
}
