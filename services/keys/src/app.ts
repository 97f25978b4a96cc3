import { failures } from '@tessera/kernel/errors';
import { createBatcher, implement } from '@tessera/kernel/grpc';
import { createEnvelope, type Envelope } from '@tessera/kernel/guard';
import { openRequestQuota } from '@tessera/kernel/quota';
import { createRevocationSource } from '@tessera/kernel/tokens';
import { readSdl, relationField } from '@tessera/server/graphql';
import {
  type Kernel,
  type RunningService,
  type ServiceParts,
  type Surroundings,
  startService,
  tryAtStart,
} from '@tessera/server/lifecycle';
import { type KeysConfig, lifetimesOf } from './config.ts';
import type { KeysDeps } from './deps.ts';
import { assertActive, ownerScopeOf, pairOf } from './domain/project-grant.ts';
import type { Lifetimes } from './domain/signing-key.ts';
import { systemScope } from './domain/signing-scope.ts';
import { assertAllOpenable } from './jobs/reseal.ts';
import { startJobs } from './jobs/start.ts';
import { isLive, listKeySubjects, listUnentitled } from './operations/api-keys/entitlement.ts';
import { roleOfApiKey } from './operations/api-keys/role-relation.ts';
import { operations } from './operations/index.ts';
import { createProjects, type Projects } from './peers/projects.ts';
import { createRoles } from './peers/roles.ts';
import { createKeyNotices } from './signing/key-notices.ts';
import { createKeyring } from './signing/keyring.ts';
import { createSecretHasher } from './signing/secrets.ts';
import { loadServiceSecret } from './signing/service-secret.ts';
import { type AssertUses, createSigner } from './signing/signer.ts';
import { countApiKeys, findCredentials } from './storage/api-keys.ts';
import * as entities from './storage/entities.ts';
import { findGrantState } from './storage/project-grants.ts';
import { findSigningKeys, listSigningKeys } from './storage/signing-keys.ts';
import { inboxService } from './subscriptions.ts';
import { findVerificationKeys, keysService } from './transport/grpc/keys.ts';
import { bindJwks } from './transport/protocol/jwks.ts';
import { createKeySets } from './transport/protocol/key-sets.ts';

const sdl = readSdl(new URL('../', import.meta.url));
/** Exchanges whose keys one statement finds. */
const mostLookUps = 100;

/** Starts the service. */
export function startKeys(config: KeysConfig, surroundings?: Surroundings): Promise<RunningService> {
  const tokenSources = ({ database, clock }: Pick<Kernel, 'database' | 'clock'>) => ({
    findKeys: (kids: readonly string[]) => findVerificationKeys(kids, keyFinder(config, database, clock)),
    revocations: revocationSource(database, clock),
  });
  return startService(
    config,
    { name: 'keys', operations, entities, tokenSources, compose: (kernel) => compose(config, kernel) },
    surroundings,
  );
}

function keyFinder(config: KeysConfig, database: Kernel['database'], clock: Kernel['clock']) {
  return { findKeys: (kids: readonly string[]) => findSigningKeys(database, kids), clock, appUrl: config.APP_URL };
}

/** Verifiers pull refused API-key tokens and refused signing keys from here. */
function revocationSource(database: Kernel['database'], clock: Kernel['clock']) {
  return createRevocationSource({ service: 'keys', database, clock, transactionColumn: 'written_in', hasScopes: true });
}

/**
 * Wires the service by hand and creates the system's keys. Refuses to start while an encryption key
 * is missing.
 */
async function compose(config: KeysConfig, kernel: Kernel): Promise<ServiceParts<KeysDeps>> {
  const { database, peers, clock, logger } = kernel;
  const appUrl = config.APP_URL;
  const lifetimes = lifetimesOf(config);
  const envelope = createEnvelope(config.KEYS_ENCRYPTION_KEY);
  await tryAtStart(logger, () => assertAllOpenable(database, envelope));
  const projects = createProjects(peers.tenancy, appUrl, (pair) => findGrantState(database, pair));
  const assertUses = assertUsesIn(database);
  const { keyNotices, keyring, keySets, hasher, sign } = await startSigning(kernel, { appUrl, lifetimes, envelope, projects, assertUses });
  const roles = createRoles(peers.roles, kernel.notices);
  const requests = openRequestQuota(config, kernel);
  return {
    deps: {
      database,
      appUrl,
      lifetimes,
      keyring,
      sign,
      hasher,
      findCredentials: createBatcher({ maxSize: mostLookUps, run: (clientIds) => findCredentials(database, clientIds) }),
      projects,
      roles,
      keyNotices,
      mostApiKeys: config.QUOTA_API_KEYS,
    },
    authorizer: requests.limit(kernel.authorizer),
    graphql: { sdl, types: { ApiKey: { role: relationField('ApiKey.role', roleOfApiKey) } } },
    grpc: [
      keysService({
        ...keyFinder(config, database, clock),
        longestLifetimeSeconds: lifetimes.accessTokenSeconds,
        sign,
        assertUses,
        listKeys: (scope) => listSigningKeys(database, scope),
        keyring,
        isLive: (id) => isLive(id, { database, projects, roles }, clock()),
        listSubjects: (page) => listKeySubjects(database, page, clock()),
        countApiKeys: (projects) => countApiKeys(database, projects),
      }),
      implement('revocation.v1.Revocations', { list: revocationSource(database, clock).list }),
      inboxService({
        db: database,
        lifetimes,
        keyNotices,
        clock,
        logger,
        listUnentitled: (keys) => {
          roles.forget();
          return listUnentitled(keys, { database, projects, roles }, clock());
        },
      }),
    ],
    routes: (app) => bindJwks(app, keySets, lifetimes.jwksMaxAgeSeconds),
    jobs: startJobs({
      db: database,
      envelope,
      keyring,
      keyNotices,
      clock,
      logger,
      countOperation: kernel.metrics.countOperation,
      jwksMaxAgeSeconds: lifetimes.jwksMaxAgeSeconds,
      rotationSchedule: config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_ENABLED ? config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE : undefined,
    }),
    stop: async () => requests.close(),
  };
}

type Signing = {
  readonly appUrl: string;
  readonly lifetimes: Lifetimes;
  readonly envelope: Envelope;
  readonly projects: Projects;
  readonly assertUses: AssertUses;
};

/** Read from the database each time: no token is signed for who was suspended before. */
function assertUsesIn(database: Kernel['database']): AssertUses {
  return async (usedScope, owner) => {
    const pair = pairOf(usedScope);
    const grant = pair && (await findGrantState(database, pair));
    if (grant === undefined || ownerScopeOf(grant).id !== owner.id) throw failures.forbidden();
    assertActive(grant);
  };
}

/**
 * The keyring and the JWKS. Both drop their caches when a replica announces changed keys. Creates
 * the system's keys.
 */
async function startSigning({ database, notices, logger, clock }: Kernel, { appUrl, lifetimes, envelope, projects, assertUses }: Signing) {
  const keyNotices = createKeyNotices(notices, appUrl);
  const scopeExists = projects.exists;
  const keyring = createKeyring({ db: database, envelope, lifetimes, clock, appUrl, scopeExists, onChange: keyNotices.publishKeysChanged });
  const keySets = createKeySets({ appUrl, clock, scopeExists, listKeys: (scope) => listSigningKeys(database, scope) });
  notices.subscribe('keys-rotated', ({ issuer }) => {
    for (const cache of [keyring, keySets, projects]) cache.forget(issuer);
  });
  const hasher = createSecretHasher(await tryAtStart(logger, () => loadServiceSecret(database, envelope, 'api-key-hash', clock())));
  await tryAtStart(logger, () => keyring.activeKey(systemScope));
  return { keyNotices, keyring, keySets, hasher, sign: createSigner(keyring, clock, assertUses) };
}
