import { createRemoteAuthorizer } from '@tessera/kernel/authorization';
import { createRelay, everySeconds, inboxHandler, pruneKernelTables, startJob } from '@tessera/kernel/events';
import { bindGraphql } from '@tessera/kernel/graphql';
import { connect, implement, type ServiceName, serveGrpc } from '@tessera/kernel/grpc';
import { createInnerDoor, listenOn, type Running } from '@tessera/kernel/lifecycle';
import { createNotices } from '@tessera/kernel/notices';
import type { Runtime } from '@tessera/kernel/operation';
import { assertPolicies, createDatabase } from '@tessera/kernel/postgres';
import { bindRest, openApiPaths } from '@tessera/kernel/rest';
import { createMetrics, type Logger, startTracing } from '@tessera/kernel/telemetry';
import { createRevocations, createTokenVerifier } from '@tessera/kernel/tokens';
import type { TenancyConfig } from './config.ts';
import type { TenancyDeps } from './deps.ts';
import { resumeClosings } from './operations/closing/resume-closings.ts';
import { operations } from './operations/index.ts';
import { pivots } from './pivots.ts';
import { pruneDeleted } from './storage/retention.ts';
import { subgraph } from './transport/graphql.ts';
import { tenancyService } from './transport/grpc.ts';
import { eventHandlers } from './transport/subscribe.ts';

const service = 'tenancy';
const RESUME_EVERY_MS = 4_000;

/** Wires every room of the service by hand and opens its doors. */
export async function start(config: TenancyConfig, logger: Logger): Promise<Running> {
  const tracing = await startTracing({ service, endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  const tls = config.grpcTls;
  const peer = <Name extends ServiceName>(name: Name, url: string) =>
    connect({ service: name, url, secret: config.INTERNAL_AUTH_SECRET, self: service, tls });
  const database = createDatabase({
    url: config.DATABASE_URL,
    schema: service,
    restrictedRole: config.SECURITY_RLS_ROLE,
    rlsEnabled: config.SECURITY_ENABLE_RLS,
    poolSize: config.DATABASE_POOL_SIZE,
    logger,
  });
  await assertPolicies(database, pivots);

  const notices = createNotices({ natsUrl: config.NATS_URL, databaseUrl: config.DATABASE_URL, logger });
  const relay = createRelay({
    db: database,
    service,
    notices,
    logger,
    clients: {
      identity: peer('events.v1.Inbox', config.IDENTITY_GRPC_URL),
      rbac: peer('events.v1.Inbox', config.RBAC_GRPC_URL),
      keys: peer('events.v1.Inbox', config.KEYS_GRPC_URL),
    },
  });
  const revocations = createRevocations({
    sources: [
      { name: 'identity', list: peer('revocation.v1.Revocations', config.IDENTITY_GRPC_URL).list },
      { name: 'keys', list: peer('revocation.v1.Revocations', config.KEYS_GRPC_URL).list },
    ],
    notices,
    staleAfterSeconds: config.REVOCATION_STALE_AFTER_SECONDS,
    logger,
  });
  const verificationKeys = peer('keys.v1.Keys', config.KEYS_GRPC_URL);
  const verifier = createTokenVerifier({
    appUrl: config.APP_URL,
    findKey: (kid) => verificationKeys.getVerificationKey({ kid }),
    revocations,
    keyTtlSeconds: config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS,
  });
  const authorizer = createRemoteAuthorizer({ client: peer('rbac.v1.Authorization', config.RBAC_GRPC_URL), notices });
  const deps: TenancyDeps = {
    database,
    authorizer,
    roles: peer('rbac.v1.Roles', config.RBAC_GRPC_URL),
    tags: peer('rbac.v1.Tags', config.RBAC_GRPC_URL),
    identity: peer('identity.v1.Identity', config.IDENTITY_GRPC_URL),
    invitationLifetimeDays: config.INVITATION_EXPIRATION_DAYS,
  };
  const runtime: Runtime<TenancyDeps> = {
    service,
    deps,
    database,
    authorizer,
    verifyToken: verifier.verify,
    deliver: relay.deliver,
    clock: () => new Date(),
    logger,
  };

  const metrics = createMetrics({ service, enabled: config.METRICS_ENABLED });
  const door = createInnerDoor({
    service,
    secret: config.INTERNAL_AUTH_SECRET,
    logger,
    metrics,
    showStack: config.NODE_ENV === 'development',
    readiness: { database: database.isHealthy, notices: () => notices.healthy, revocations: () => revocations.fresh },
  });
  bindRest(door, operations, runtime);
  bindGraphql(door, subgraph, runtime);
  door.get('/openapi.json', () => openApiPaths(operations));

  const inner = { database, relay, roles: deps.roles };
  const grpc = await serveGrpc({
    listen: config.GRPC_LISTEN,
    secret: config.INTERNAL_AUTH_SECRET,
    tls,
    logger,
    services: [
      tenancyService(inner),
      implement('events.v1.Inbox', { deliver: inboxHandler({ db: database, handlers: eventHandlers, relay, logger }) }),
    ],
  });
  const retention = startJob({
    db: database,
    name: 'retention',
    schedule: everySeconds(3_600),
    logger,
    run: async (tx) => {
      await pruneKernelTables(tx);
      await pruneDeleted(tx);
      return undefined;
    },
  });
  // Resuming locks the person it finishes, so that replicas may all try.
  const resume = () =>
    resumeClosings(inner, logger).catch((error: unknown) => logger.error({ err: error }, 'stale closings could not be read'));
  const resuming = setInterval(resume, RESUME_EVERY_MS).unref();
  relay.start();
  void revocations.start();
  await listenOn(door, config.HTTP_LISTEN);
  void resume();

  return {
    stop: async () => {
      clearInterval(resuming);
      await door.close();
      await grpc.stop();
      await Promise.all([relay.stop(), retention.stop()]);
      revocations.stop();
      await notices.close();
      await database.close();
      await tracing.stop();
    },
  };
}
