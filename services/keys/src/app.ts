import { readFileSync } from 'node:fs';
import { createRemoteAuthorizer } from '@tessera/kernel/authorization';
import { bindGraphql, relationField } from '@tessera/kernel/graphql';
import { connect, createBatcher, type ServiceName, serveGrpc } from '@tessera/kernel/grpc';
import { createInnerDoor, listenOn, type Running } from '@tessera/kernel/lifecycle';
import { createNotices } from '@tessera/kernel/notices';
import type { Runtime } from '@tessera/kernel/operation';
import { assertPolicies, createDatabase } from '@tessera/kernel/postgres';
import { bindRest, openApiPaths } from '@tessera/kernel/rest';
import { createMetrics, type Logger } from '@tessera/kernel/telemetry';
import { createRevocations, createTokenVerifier } from '@tessera/kernel/tokens';
import { type KeysConfig, lifetimesOf } from './config.ts';
import { systemScope } from './domain/signing-scope.ts';
import { assertAllOpenable } from './jobs/reseal.ts';
import { startJobs } from './jobs/start.ts';
import { roleOfApiKey } from './operations/api-keys/role-relation.ts';
import { operations } from './operations/index.ts';
import type { KeysDeps } from './operations/operation.ts';
import { createProjects } from './peers/projects.ts';
import { createRoles } from './peers/roles.ts';
import { createAnnouncer } from './signing/announcer.ts';
import { createEnvelope } from './signing/envelope.ts';
import { keptSecret } from './signing/kept-secret.ts';
import { createKeyring } from './signing/keyring.ts';
import { createSecretHasher } from './signing/secrets.ts';
import { createSigner } from './signing/signer.ts';
import { findCredentials } from './storage/api-keys.ts';
import { findSigningKey, listSigningKeys } from './storage/signing-keys.ts';
import { createUsage } from './storage/usage.ts';
import { findVerificationKey, keysService } from './transport/grpc.ts';
import { bindJwks } from './transport/jwks.ts';
import { createKeySets } from './transport/key-sets.ts';
import { revocationsService, revocationsSource } from './transport/revocations.ts';
import { inboxService } from './transport/subscribe.ts';

/** The tables that link API keys to tenants; the service does not start while one of them is open. */
export const pivots = ['account_project_api_keys', 'organization_project_api_keys', 'project_user_api_keys'] as const;

const sdl = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
const mostCredentialsAtOnce = 200;

export type KeysApp = Running & { readonly httpAddress: string; readonly grpcAddress: string };

/** Wires the service, seeds what must be there, and opens its doors. */
export async function startKeys(config: KeysConfig, logger: Logger, clock: () => Date = () => new Date()): Promise<KeysApp> {
  const stores = await openStores(config, logger, clock);
  const { database, notices } = stores;
  const peers = connectPeers(config);
  const signing = await startSigning(stores, peers);
  const verification = startVerification(stores, peers);
  const usage = createUsage(database, logger);
  const { announcer } = signing;
  const doors = await openDoors({ ...stores, ...peers, ...signing, ...verification, usage });
  const jobs = startJobs({
    ...{ db: database, envelope: stores.envelope, keyring: signing.keyring, announcer, clock, logger },
    jwksMaxAgeSeconds: stores.lifetimes.jwksMaxAgeSeconds,
    rotationSchedule: config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_ENABLED ? config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE : undefined,
  });
  return {
    ...doors,
    async stop() {
      await doors.stop();
      await Promise.all(jobs.map((job) => job.stop()));
      verification.revocations.stop();
      await usage.stop();
      peers.close();
      await notices.close();
      await database.close();
    },
  };
}

/** The database, refused while tenant isolation or an encryption key is missing, and the notices. */
async function openStores(config: KeysConfig, logger: Logger, clock: () => Date) {
  const envelope = createEnvelope(config.KEYS_ENCRYPTION_KEY);
  const database = createDatabase({
    ...{ url: config.DATABASE_URL, schema: 'keys', poolSize: config.DATABASE_POOL_SIZE, logger },
    ...{ rlsEnabled: config.SECURITY_ENABLE_RLS, restrictedRole: config.SECURITY_RLS_ROLE },
  });
  await assertPolicies(database, pivots);
  await assertAllOpenable(database, envelope);
  const notices = createNotices({ natsUrl: config.NATS_URL, databaseUrl: config.DATABASE_URL, logger });
  return { config, logger, clock, appUrl: config.APP_URL, lifetimes: lifetimesOf(config), envelope, database, notices };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** Whom keys asks. Connections are made when the first question comes. */
function connectPeers(config: KeysConfig) {
  const { INTERNAL_AUTH_SECRET: secret, grpcTls: tls } = config;
  const peer = <Name extends ServiceName>(service: Name, url: string) => connect({ service, url, secret, self: 'keys', tls });
  const tenancy = peer('tenancy.v1.Tenancy', config.TENANCY_GRPC_URL);
  const rbacRoles = peer('rbac.v1.Roles', config.RBAC_GRPC_URL);
  const decisions = peer('rbac.v1.Authorization', config.RBAC_GRPC_URL);
  const identity = peer('revocation.v1.Revocations', config.IDENTITY_GRPC_URL);
  const close = () => {
    for (const client of [tenancy, rbacRoles, decisions, identity]) client.close();
  };
  return { projects: createProjects(tenancy, config.APP_URL), roles: createRoles(rbacRoles), decisions, identity, close };
}

type Peers = ReturnType<typeof connectPeers>;

/** What signs and what publishes keys; both look again when a replica says that keys have changed. Seeds the system's keys. */
async function startSigning({ appUrl, lifetimes, envelope, database, notices, clock }: Stores, { projects }: Peers) {
  const announcer = createAnnouncer(notices, appUrl);
  const scopeExists = projects.exists;
  const keyring = createKeyring({ db: database, envelope, lifetimes, clock, appUrl, scopeExists, onChange: announcer.keysChanged });
  const keySets = createKeySets({ appUrl, clock, scopeExists, listKeys: (scope) => listSigningKeys(database, scope) });
  notices.subscribe('keys-rotated', ({ issuer }) => {
    for (const cache of [keyring, keySets, projects]) cache.forget(issuer);
  });
  const hasher = createSecretHasher(await keptSecret(database, envelope, 'api-key-hash', clock()));
  await keyring.signer(systemScope);
  return { announcer, keyring, keySets, hasher, sign: createSigner(keyring, clock) };
}

/** How tokens are verified here: with our own keys, and with what identity and we ourselves have revoked. */
function startVerification({ config, appUrl, clock, database, notices, logger }: Stores, { identity }: Peers) {
  const ownRevocations = revocationsSource(database, clock);
  const sources = [ownRevocations, { name: 'identity', list: identity.list }];
  const staleAfterSeconds = config.REVOCATION_STALE_AFTER_SECONDS;
  const revocations = createRevocations({ sources, notices, staleAfterSeconds, logger });
  void revocations.start();
  const keyFinder = { findKey: (kid: string) => findSigningKey(database, kid), clock, appUrl };
  const verifier = createTokenVerifier({
    ...{ appUrl, revocations, keyTtlSeconds: config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS, clock: () => clock().getTime() },
    findKey: (kid) => findVerificationKey(kid, keyFinder),
  });
  return { ownRevocations, revocations, keyFinder, verifier };
}

type Parts = Stores &
  Peers &
  Awaited<ReturnType<typeof startSigning>> &
  ReturnType<typeof startVerification> & { readonly usage: ReturnType<typeof createUsage> };

/** The gRPC door for other services, and the HTTP door behind the gateway. */
async function openDoors(parts: Parts) {
  const { config, database, notices, logger, clock, revocations, lifetimes } = parts;
  const secret = config.INTERNAL_AUTH_SECRET;
  const runtime = runtimeOf(parts);
  const app = createInnerDoor({
    ...{ service: 'keys', secret, logger, showStack: config.NODE_ENV === 'development' },
    readiness: { database: database.isHealthy, notices: () => notices.healthy, revocations: () => revocations.fresh },
    metrics: createMetrics({ service: 'keys', enabled: config.METRICS_ENABLED }),
  });
  bindRest(app, operations, runtime);
  bindGraphql(app, { sdl, operations, types: { ApiKey: { role: relationField('ApiKey.role', roleOfApiKey) } } }, runtime);
  bindJwks(app, parts.keySets, lifetimes.jwksMaxAgeSeconds);
  app.get('/openapi.json', async () => openApiPaths(operations));

  const grpc = await serveGrpc({
    ...{ listen: config.GRPC_LISTEN, secret, tls: config.grpcTls, logger },
    services: [
      keysService({ ...parts.keyFinder, longestLifetimeSeconds: lifetimes.accessTokenSeconds, sign: parts.sign }),
      revocationsService(parts.ownRevocations),
      inboxService({ db: database, lifetimes, announcer: parts.announcer, clock, logger }),
    ],
  });
  const httpAddress = await listenOn(app, config.HTTP_LISTEN);
  const stop = async () => {
    await app.close();
    await grpc.stop();
  };
  return { httpAddress, grpcAddress: grpc.address, stop };
}

function runtimeOf(parts: Parts): Runtime<KeysDeps> {
  const { appUrl, lifetimes, database, clock, logger, keyring, sign, hasher, usage, projects, roles, announcer } = parts;
  const findCredentialsTogether = createBatcher({
    maxSize: mostCredentialsAtOnce,
    maxInFlight: 4,
    run: async (clientIds: readonly string[]) => {
      const found = new Map((await findCredentials(database, clientIds)).map((key) => [key.clientId, key]));
      return clientIds.map((clientId) => found.get(clientId));
    },
  });
  const deps = { database, appUrl, lifetimes, keyring, sign, hasher, usage, projects, roles, announcer };
  return {
    ...{ service: 'keys', database, clock, logger, deps: { ...deps, findCredentials: findCredentialsTogether } },
    authorizer: createRemoteAuthorizer({ client: parts.decisions, notices: parts.notices }),
    verifyToken: parts.verifier.verify,
    // Nothing that happens here is told to others as an event.
    deliver: async () => undefined,
  };
}
