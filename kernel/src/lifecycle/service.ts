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
import { assertPolicies, createDatabase, type Database } from '../postgres/index.ts';
import { bindRest, openApiPaths } from '../rest/index.ts';
import { createLogger, createMetrics, type Logger, type Metrics, startTracing } from '../telemetry/index.ts';
import {
  type Claims,
  createRevocations,
  createTokenVerifier,
  type FindKey,
  type Revocation,
  type RevocationSource,
} from '../tokens/index.ts';
import { createInnerDoor, type Readiness } from './door.ts';
import { listenOn } from './listen.ts';
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
  readonly operations: readonly Operation<Deps>[];
  readonly graphql: Omit<Subgraph<Deps>, 'operations'>;
  readonly eventHandlers: EventHandlers;
  readonly grpc: readonly Implementation[];
  /** Protocol routes: what is no operation. */
  readonly routes?: (app: FastifyInstance, runtime: Runtime<Deps>) => void;
  readonly authorizer?: Authorizer;
  readonly findKey?: FindKey;
  readonly revocationSource?: RevocationSource;
  readonly jobs?: readonly Job[];
  readonly readiness?: Readiness;
  readonly stop?: () => Promise<void>;
};

const connectPeers = (self: Name, settings: ServiceSettings) => {
  const { INTERNAL_AUTH_SECRET: secret, grpcTls: tls, IDENTITY_GRPC_URL, TENANCY_GRPC_URL, RBAC_GRPC_URL, KEYS_GRPC_URL } = settings;
  const common = { secret, self, tls };
  return {
    identity: connect({ ...common, service: 'identity.v1.Identity', url: IDENTITY_GRPC_URL }),
    tenancy: connect({ ...common, service: 'tenancy.v1.Tenancy', url: TENANCY_GRPC_URL }),
    authorization: connect({ ...common, service: 'rbac.v1.Authorization', url: RBAC_GRPC_URL }),
    roles: connect({ ...common, service: 'rbac.v1.Roles', url: RBAC_GRPC_URL }),
    tags: connect({ ...common, service: 'rbac.v1.Tags', url: RBAC_GRPC_URL }),
    catalogue: connect({ ...common, service: 'rbac.v1.Catalogue', url: RBAC_GRPC_URL }),
    keys: connect({ ...common, service: 'keys.v1.Keys', url: KEYS_GRPC_URL }),
    identityRevocations: connect({ ...common, service: 'revocation.v1.Revocations', url: IDENTITY_GRPC_URL }),
    keysRevocations: connect({ ...common, service: 'revocation.v1.Revocations', url: KEYS_GRPC_URL }),
    inboxes: {
      identity: connect({ ...common, service: 'events.v1.Inbox', url: IDENTITY_GRPC_URL }),
      tenancy: connect({ ...common, service: 'events.v1.Inbox', url: TENANCY_GRPC_URL }),
      rbac: connect({ ...common, service: 'events.v1.Inbox', url: RBAC_GRPC_URL }),
      keys: connect({ ...common, service: 'events.v1.Inbox', url: KEYS_GRPC_URL }),
    },
  };
};

const sourcesOf = (name: Name, own: RevocationSource | undefined, peers: Kernel['peers']): readonly RevocationSource[] => [
  name === 'identity' && own ? own : { name: 'identity', list: (request) => peers.identityRevocations.list(request) },
  name === 'keys' && own ? own : { name: 'keys', list: (request) => peers.keysRevocations.list(request) },
];

type Definition<Deps> = {
  readonly name: Name;
  /** The tables under row-level security; the start fails when one lacks a policy. */
  readonly pivots: readonly string[];
  readonly compose: (kernel: Kernel) => ServiceParts<Deps> | Promise<ServiceParts<Deps>>;
};

/** Starts a service: the kernel's parts, then what `compose` makes of them, then its doors. Ready means that all of it works. */
export const startService = async <Deps>(settings: ServiceSettings, { name, pivots, compose }: Definition<Deps>): Promise<Running> => {
  const logger = createLogger({ service: name, level: settings.LOG_LEVEL });
  const metrics = createMetrics({ service: name, enabled: settings.METRICS_ENABLED });
  const tracing = await startTracing({ service: name, endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT });
  const database = createDatabase({
    url: settings.DATABASE_URL,
    schema: name,
    poolSize: settings.DATABASE_POOL_SIZE,
    rlsEnabled: settings.SECURITY_ENABLE_RLS,
    ...(pivots.length > 0 ? { restrictedRole: settings.SECURITY_RLS_ROLE } : {}),
    logger,
  });
  await assertPolicies(database, pivots);
  const notices = createNotices({ natsUrl: settings.NATS_URL, databaseUrl: settings.DATABASE_URL, logger });
  const peers = connectPeers(name, settings);
  const relay = createRelay({ db: database, service: name, clients: peers.inboxes, notices, logger });
  const late: { verify?: Kernel['verifyToken']; add?: Kernel['revoke'] } = {};
  const kernel: Kernel = {
    logger,
    metrics,
    database,
    notices,
    relay,
    peers,
    authorizer: createRemoteAuthorizer({ client: peers.authorization, notices }),
    verifyToken: (token) => late.verify?.(token) ?? Promise.reject(new Error('tokens are verified once the service is composed')),
    revoke: (revocation) => {
      late.add?.(revocation);
      notices.publish('revocation', revocation);
    },
    clock: () => new Date(),
  };
  const parts = await compose(kernel);
  const revocations = createRevocations({
    sources: sourcesOf(name, parts.revocationSource, peers),
    notices,
    staleAfterSeconds: settings.REVOCATION_STALE_AFTER_SECONDS,
    logger,
  });
  const findKey = parts.findKey ?? ((kid) => peers.keys.getVerificationKey({ kid }).then(toVerificationKey));
  const verifier = createTokenVerifier({
    appUrl: settings.APP_URL,
    findKey,
    revocations,
    keyTtlSeconds: settings.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS,
  });
  late.verify = (token) => verifier.verify(token);
  late.add = (revocation) => revocations.add(revocation);
  const runtime: Runtime<Deps> = {
    service: name,
    deps: parts.deps,
    database,
    authorizer: parts.authorizer ?? kernel.authorizer,
    verifyToken: kernel.verifyToken,
    deliver: (ids) => relay.deliver(ids),
    clock: kernel.clock,
    logger,
  };

  const grpc = await serveGrpc({
    listen: settings.GRPC_LISTEN,
    secret: settings.INTERNAL_AUTH_SECRET,
    tls: settings.grpcTls,
    logger,
    services: [
      ...parts.grpc,
      implement('events.v1.Inbox', { deliver: inboxHandler({ db: database, handlers: parts.eventHandlers, relay, logger }) }),
    ],
  });
  const app = createInnerDoor({
    service: name,
    secret: settings.INTERNAL_AUTH_SECRET,
    logger,
    metrics,
    showStack: settings.NODE_ENV === 'development',
    readiness: { database: () => database.isHealthy(), revocations: () => revocations.fresh, ...parts.readiness },
  });
  bindRest(app, parts.operations, runtime);
  bindGraphql(app, { ...parts.graphql, operations: parts.operations }, runtime);
  parts.routes?.(app, runtime);
  if (settings.METRICS_ENABLED)
    app.get('/metrics', async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()));
  app.get('/openapi.json', async () => ({ paths: openApiPaths(parts.operations) }));
  await listenOn(app, settings.HTTP_LISTEN);
  void revocations.start();
  relay.start();
  const pruning = startJob({
    db: database,
    name: 'kernel.prune',
    schedule: everySeconds(3_600),
    run: async (tx) => {
      await pruneKernelTables(tx);
      return undefined;
    },
    logger,
  });
  notices.publish('schema-changed', { service: name });

  return {
    stop: async () => {
      await app.close();
      await grpc.stop();
      await Promise.all([relay.stop(), pruning.stop(), ...(parts.jobs ?? []).map((job) => job.stop())]);
      revocations.stop();
      await parts.stop?.();
      await notices.close();
      await database.close();
      await tracing.stop();
    },
  };
};

type FoundKey = Awaited<ReturnType<Kernel['peers']['keys']['getVerificationKey']>>;

const toVerificationKey = ({ kid, scope, n, e, notAfter }: FoundKey) => ({ kid, scope: scope ?? { tenant: '', id: '' }, n, e, notAfter });
