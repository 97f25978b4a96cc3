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
  const { APP_URL: appUrl, INTERNAL_AUTH_SECRET: secret, grpcTls } = config;
  const lifetimes = lifetimesOf(config);
  const envelope = createEnvelope(config.KEYS_ENCRYPTION_KEY);
  const peer = <Name extends ServiceName>(service: Name, url: string) => connect({ service, url, secret, self: 'keys', tls: grpcTls });

  const database = createDatabase({
    ...{ url: config.DATABASE_URL, schema: 'keys', poolSize: config.DATABASE_POOL_SIZE, logger },
    ...{ rlsEnabled: config.SECURITY_ENABLE_RLS, restrictedRole: config.SECURITY_RLS_ROLE },
  });
  await assertPolicies(database, pivots);
  await assertAllOpenable(database, envelope);
  const notices = createNotices({ natsUrl: config.NATS_URL, databaseUrl: config.DATABASE_URL, logger });
  const announcer = createAnnouncer(notices, appUrl);

  const tenancy = peer('tenancy.v1.Tenancy', config.TENANCY_GRPC_URL);
  const rbacRoles = peer('rbac.v1.Roles', config.RBAC_GRPC_URL);
  const rbacDecisions = peer('rbac.v1.Authorization', config.RBAC_GRPC_URL);
  const identityRevocations = peer('revocation.v1.Revocations', config.IDENTITY_GRPC_URL);
  const projects = createProjects(tenancy, appUrl);
  const roles = createRoles(rbacRoles);

  const keyring = createKeyring({
    ...{ db: database, envelope, lifetimes, clock, appUrl, scopeExists: projects.exists },
    onChange: announcer.keysChanged,
  });
  const keySets = createKeySets({
    ...{ appUrl, clock, scopeExists: projects.exists },
    listKeys: (scope) => listSigningKeys(database, scope),
  });
  const forget = ({ issuer }: { readonly issuer: string }) => {
    keyring.forget(issuer);
    keySets.forget(issuer);
    projects.forget(issuer);
  };
  notices.subscribe('keys-rotated', forget);
  const sign = createSigner(keyring, clock);
  const hasher = createSecretHasher(await keptSecret(database, envelope, 'api-key-hash', clock()));
  await keyring.signer(systemScope);

  const ownRevocations = revocationsSource(database, clock);
  const identitySource = { name: 'identity', list: (request: { cursor: string }) => identityRevocations.list(request) };
  const revocations = createRevocations({ sources: [ownRevocations, identitySource], notices, logger });
  const findKey = (kid: string) => findSigningKey(database, kid);
  const keyFinder = { findKey, clock, appUrl };
  const verifier = createTokenVerifier({
    ...{ appUrl, revocations, keyTtlSeconds: config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS },
    findKey: (kid) => findVerificationKey(kid, keyFinder),
    clock: () => clock().getTime(),
  });

  const usage = createUsage(database, logger);
  const lookUp = createBatcher({
    maxSize: mostCredentialsAtOnce,
    maxInFlight: 4,
    run: async (clientIds: readonly string[]) => {
      const found = new Map((await findCredentials(database, clientIds)).map((key) => [key.clientId, key]));
      return clientIds.map((clientId) => found.get(clientId));
    },
  });
  const deps: KeysDeps = {
    ...{ database, appUrl, lifetimes, keyring, sign, hasher, usage, projects, roles, announcer },
    findCredentials: lookUp,
  };
  const runtime: Runtime<KeysDeps> = {
    ...{ service: 'keys', deps, database, clock, logger },
    authorizer: createRemoteAuthorizer({ client: rbacDecisions, notices }),
    verifyToken: verifier.verify,
    deliver: async () => undefined,
  };

  const readiness = { database: database.isHealthy, notices: () => notices.healthy, revocations: () => revocations.fresh };
  const metrics = createMetrics({ service: 'keys', enabled: config.METRICS_ENABLED });
  const showStack = config.NODE_ENV === 'development';
  const app = createInnerDoor({ service: 'keys', secret, logger, showStack, readiness, metrics });
  bindRest(app, operations, runtime);
  bindGraphql(app, { sdl, operations, types: { ApiKey: { role: relationField('ApiKey.role', roleOfApiKey) } } }, runtime);
  bindJwks(app, keySets, lifetimes.jwksMaxAgeSeconds);
  app.get('/openapi.json', async () => openApiPaths(operations));

  const grpc = await serveGrpc({
    ...{ listen: config.GRPC_LISTEN, secret, tls: grpcTls, logger },
    services: [
      keysService({ ...keyFinder, longestLifetimeSeconds: lifetimes.accessTokenSeconds, sign }),
      revocationsService(ownRevocations),
      inboxService({ db: database, lifetimes, announcer, clock, logger }),
    ],
  });
  void revocations.start();
  const jobs = startJobs({
    ...{ db: database, envelope, keyring, announcer, clock, logger, jwksMaxAgeSeconds: lifetimes.jwksMaxAgeSeconds },
    rotationSchedule: config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_ENABLED ? config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE : undefined,
  });
  const httpAddress = await listenOn(app, config.HTTP_LISTEN);

  return {
    httpAddress,
    grpcAddress: grpc.address,
    async stop() {
      await app.close();
      await grpc.stop();
      await Promise.all(jobs.map((job) => job.stop()));
      revocations.stop();
      await usage.stop();
      for (const client of [tenancy, rbacRoles, rbacDecisions, identityRevocations]) client.close();
      await notices.close();
      await database.close();
    },
  };
}
