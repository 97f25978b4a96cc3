import type { Authorizer } from '@tessera/kernel/authorization';
import { createRelay, everySeconds, inboxHandler, startJob } from '@tessera/kernel/events';
import { bindGraphql } from '@tessera/kernel/graphql';
import { connect, createBatcher, implement, type ServiceName, serveGrpc } from '@tessera/kernel/grpc';
import { createInnerDoor, listenOn, type Running } from '@tessera/kernel/lifecycle';
import { createNotices } from '@tessera/kernel/notices';
import type { Runtime } from '@tessera/kernel/operation';
import { assertPolicies, createDatabase } from '@tessera/kernel/postgres';
import { bindRest, openApiPaths } from '@tessera/kernel/rest';
import { createMetrics, type Logger } from '@tessera/kernel/telemetry';
import { createRevocations, createTokenVerifier } from '@tessera/kernel/tokens';
import type { RbacConfig } from './config.ts';
import { eventHandlers } from './events.ts';
import { createDecider } from './operations/decisions/decider.ts';
import { createUserMetadata } from './operations/decisions/user-metadata.ts';
import type { RbacDeps } from './operations/deps.ts';
import { operations } from './operations/index.ts';
import { createPeople } from './peers/people.ts';
import { seedBuiltInResources } from './storage/built-in.ts';
import { pruneAll } from './storage/retention.ts';
import { createRightsCache } from './storage/rights-cache.ts';
import { pivots } from './storage/scoped-entity.ts';
import { announcing } from './storage/tenants.ts';
import { subgraph } from './transport/graphql.ts';
import { authorizationService } from './transport/grpc/authorization.ts';
import { catalogueService } from './transport/grpc/catalogue.ts';
import { rolesService } from './transport/grpc/roles.ts';
import { tagsService } from './transport/grpc/tags.ts';
import { localAuthorizer } from './transport/local-authorizer.ts';
import { followTenantChanges, tenantChanged } from './transport/tenant-changes.ts';

export type RbacApp = Running & { readonly httpAddress: string; readonly grpcAddress: string };

const aDay = 86_400;

/** Wires the service, seeds what is built in, and opens its doors. */
export async function startRbac(config: RbacConfig, logger: Logger, clock: () => Date = () => new Date()): Promise<RbacApp> {
  const { APP_URL: appUrl, INTERNAL_AUTH_SECRET: secret, grpcTls } = config;
  const peer = <Name extends ServiceName>(service: Name, url: string) => connect({ service, url, secret, self: 'rbac', tls: grpcTls });

  const owned = createDatabase({
    ...{ url: config.DATABASE_URL, schema: 'rbac', poolSize: config.DATABASE_POOL_SIZE, logger },
    ...{ rlsEnabled: config.SECURITY_ENABLE_RLS, restrictedRole: config.SECURITY_RLS_ROLE },
  });
  await assertPolicies(owned, pivots);
  await seedBuiltInResources(owned);

  const notices = createNotices({ natsUrl: config.NATS_URL, databaseUrl: config.DATABASE_URL, logger });
  const rights = createRightsCache({ database: owned, maxEntries: config.RBAC_CACHE_ENTRIES, logger });
  const database = announcing(owned, tenantChanged(rights, notices));
  followTenantChanges(rights, notices);

  const identity = peer('identity.v1.Identity', config.IDENTITY_GRPC_URL);
  const keys = peer('keys.v1.Keys', config.KEYS_GRPC_URL);
  const identityRevocations = peer('revocation.v1.Revocations', config.IDENTITY_GRPC_URL);
  const keysRevocations = peer('revocation.v1.Revocations', config.KEYS_GRPC_URL);
  const tenancyInbox = peer('events.v1.Inbox', config.TENANCY_GRPC_URL);

  const people = createPeople(identity);
  const userMetadata = createUserMetadata({ load: createBatcher({ maxSize: 500, maxInFlight: 4, run: people.metadataOf }) });
  const decider = createDecider({ cache: rights, userMetadata });
  const relay = createRelay({ db: database, service: 'rbac', clients: { tenancy: tenancyInbox }, notices, logger });
  const authorizer: Authorizer = localAuthorizer(decider);

  const revocations = createRevocations({
    sources: [
      { name: 'identity', list: (request) => identityRevocations.list(request) },
      { name: 'keys', list: (request) => keysRevocations.list(request) },
    ],
    ...{ notices, logger },
  });
  const verifier = createTokenVerifier({
    ...{ appUrl, revocations, keyTtlSeconds: config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS },
    findKey: (kid) => keys.getVerificationKey({ kid }),
  });

  const deps: RbacDeps = { database, rights, decider, userMetadata, findPeople: people.find };
  const deliver = (eventIds: readonly string[]) => relay.deliver(eventIds);
  const runtime: Runtime<RbacDeps> = { service: 'rbac', deps, database, authorizer, verifyToken: verifier.verify, deliver, clock, logger };

  const readiness = { database: database.isHealthy, notices: () => notices.healthy, revocations: () => revocations.fresh };
  const metrics = createMetrics({ service: 'rbac', enabled: config.METRICS_ENABLED });
  const app = createInnerDoor({ service: 'rbac', secret, logger, showStack: config.NODE_ENV === 'development', readiness, metrics });
  bindRest(app, operations, runtime);
  bindGraphql(app, subgraph, runtime);
  app.get('/openapi.json', async () => openApiPaths(operations));

  const grpc = await serveGrpc({
    ...{ listen: config.GRPC_LISTEN, secret, tls: grpcTls, logger },
    services: [
      authorizationService(decider),
      rolesService(deps, deliver),
      catalogueService(deps),
      tagsService(database),
      implement('events.v1.Inbox', { deliver: inboxHandler({ db: database, handlers: eventHandlers, relay, logger }) }),
    ],
  });
  rights.start();
  relay.start();
  void revocations.start();
  const retention = startJob({
    ...{ db: database, name: 'rbac.retention', schedule: everySeconds(aDay), logger },
    run: pruneAll,
  });
  const httpAddress = await listenOn(app, config.HTTP_LISTEN);

  return {
    httpAddress,
    grpcAddress: grpc.address,
    async stop() {
      await app.close();
      await grpc.stop();
      await retention.stop();
      await relay.stop();
      revocations.stop();
      rights.stop();
      for (const client of [identity, keys, identityRevocations, keysRevocations, tenancyInbox]) client.close();
      await notices.close();
      await database.close();
    },
  };
}
