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

type Settings = { readonly config: RbacConfig; readonly logger: Logger; readonly clock: () => Date };

/** Wires the service, seeds what is built in, and opens its doors. */
export async function startRbac(config: RbacConfig, logger: Logger, clock: () => Date = () => new Date()): Promise<RbacApp> {
  const settings = { config, logger, clock };
  const stores = await openStores(settings);
  const peers = connectPeers(config);
  const engine = createEngine(settings, stores, peers);
  const tokens = createTokens(settings, stores, peers);
  const doors = await openDoors(settings, stores, engine, tokens);
  stores.rights.start();
  engine.relay.start();
  void tokens.revocations.start();
  const retention = startJob({ db: stores.database, name: 'rbac.retention', schedule: everySeconds(aDay), run: pruneAll, logger });
  stores.notices.publish('schema-changed', { service: 'rbac' });
  return {
    ...doors,
    async stop() {
      await doors.stop();
      await retention.stop();
      await engine.relay.stop();
      tokens.revocations.stop();
      stores.rights.stop();
      for (const peer of Object.values(peers)) peer.close();
      await stores.notices.close();
      await stores.database.close();
    },
  };
}

/** The database with its change announcements, the notices, and the rights that both keep fresh. */
async function openStores({ config, logger }: Settings) {
  const owned = createDatabase({
    ...{ url: config.DATABASE_URL, schema: 'rbac', poolSize: config.DATABASE_POOL_SIZE, logger },
    ...{ rlsEnabled: config.SECURITY_ENABLE_RLS, restrictedRole: config.SECURITY_RLS_ROLE },
  });
  await assertPolicies(owned, pivots);
  await seedBuiltInResources(owned);
  const notices = createNotices({ natsUrl: config.NATS_URL, databaseUrl: config.DATABASE_URL, logger });
  const rights = createRightsCache({ database: owned, maxEntries: config.RBAC_CACHE_ENTRIES, logger });
  followTenantChanges(rights, notices);
  return { database: announcing(owned, tenantChanged(rights, notices)), notices, rights };
}
type Stores = Awaited<ReturnType<typeof openStores>>;

function connectPeers({ INTERNAL_AUTH_SECRET: secret, grpcTls: tls, IDENTITY_GRPC_URL, KEYS_GRPC_URL, TENANCY_GRPC_URL }: RbacConfig) {
  const peer = <Name extends ServiceName>(service: Name, url: string) => connect({ service, url, secret, self: 'rbac', tls });
  return {
    identity: peer('identity.v1.Identity', IDENTITY_GRPC_URL),
    keys: peer('keys.v1.Keys', KEYS_GRPC_URL),
    identityRevocations: peer('revocation.v1.Revocations', IDENTITY_GRPC_URL),
    keysRevocations: peer('revocation.v1.Revocations', KEYS_GRPC_URL),
    tenancyInbox: peer('events.v1.Inbox', TENANCY_GRPC_URL),
  };
}
type Peers = ReturnType<typeof connectPeers>;

/** What decides, and what operations work with. */
function createEngine({ logger }: Settings, { database, notices, rights }: Stores, { identity, tenancyInbox }: Peers) {
  const people = createPeople(identity);
  const userMetadata = createUserMetadata({ load: createBatcher({ maxSize: 500, maxInFlight: 4, run: people.metadataOf }) });
  const decider = createDecider({ cache: rights, userMetadata });
  const relay = createRelay({ db: database, service: 'rbac', clients: { tenancy: tenancyInbox }, notices, logger });
  const deps: RbacDeps = { database, rights, decider, userMetadata, findPeople: people.find };
  return { decider, relay, deps, deliver: (eventIds: readonly string[]) => relay.deliver(eventIds) };
}
type Engine = ReturnType<typeof createEngine>;

/** How tokens are verified here: with the keys that keys tells of, and with what identity and keys have revoked. */
function createTokens({ config, logger }: Settings, { notices }: Stores, { keys, identityRevocations, keysRevocations }: Peers) {
  const sources = [
    { name: 'identity', list: identityRevocations.list },
    { name: 'keys', list: keysRevocations.list },
  ];
  const staleAfterSeconds = config.REVOCATION_STALE_AFTER_SECONDS;
  const revocations = createRevocations({ sources, notices, staleAfterSeconds, logger });
  const verifier = createTokenVerifier({
    ...{ appUrl: config.APP_URL, revocations, keyTtlSeconds: config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS },
    findKey: (kid) => keys.getVerificationKey({ kid }),
  });
  return { revocations, verifyToken: verifier.verify };
}
type Tokens = ReturnType<typeof createTokens>;

/** The gRPC door for other services, and the HTTP door behind the gateway. */
async function openDoors({ config, logger, clock }: Settings, stores: Stores, engine: Engine, { revocations, verifyToken }: Tokens) {
  const { database, notices } = stores;
  const { decider, relay, deps, deliver } = engine;
  const { INTERNAL_AUTH_SECRET: secret, NODE_ENV, METRICS_ENABLED, grpcTls } = config;
  const authorizer = localAuthorizer(decider);
  const runtime: Runtime<RbacDeps> = { service: 'rbac', deps, database, authorizer, verifyToken, deliver, clock, logger };
  const app = createInnerDoor({
    ...{ service: 'rbac', secret, logger, showStack: NODE_ENV === 'development' },
    readiness: { database: database.isHealthy, notices: () => notices.healthy, revocations: () => revocations.fresh },
    metrics: createMetrics({ service: 'rbac', enabled: METRICS_ENABLED }),
  });
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
  const httpAddress = await listenOn(app, config.HTTP_LISTEN);
  const stop = async () => {
    await app.close();
    await grpc.stop();
  };
  return { httpAddress, grpcAddress: grpc.address, stop };
}
