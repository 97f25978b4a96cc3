import { setTimeout as sleep } from 'node:timers/promises';
import { type Authorizer, createRemoteAuthorizer } from '@tessera/kernel/authorization';
import { AppError } from '@tessera/kernel/errors';
import { createRelay, type Relay } from '@tessera/kernel/events';
import { createNotices, type Notices } from '@tessera/kernel/notices';
import { type AnyTable, assertPolicies, createDatabase, type Database, pivotsOf } from '@tessera/kernel/postgres';
import { createMetrics, type Logger, type Metrics } from '@tessera/kernel/telemetry';
import {
  type Claims,
  createKeyFinder,
  createRevocations,
  createTokenVerifier,
  type FindKeys,
  type Revocation,
  type RevocationSource,
  type Revocations,
} from '@tessera/kernel/tokens';
import { connectPeers, type Peers, type ServiceName, type ServiceSettings } from './peers.ts';

export type Kernel = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly notices: Notices;
  readonly relay: Relay;
  readonly peers: Peers;
  readonly authorizer: Authorizer;
  verifyToken(token: string): Promise<Claims>;
  /** Refuses these tokens here at once and notifies other instances. Call it after the commit. */
  revoke(revocation: Revocation): void;
  readonly clock: () => Date;
};

/** Where a service finds keys and revocations itself; left out, it asks keys and identity. */
export type TokenSources = { readonly findKeys?: FindKeys; readonly revocations?: RevocationSource };

export type KernelDefinition = {
  readonly name: ServiceName;
  /** Every table. The start fails when the database lacks a policy that an entity has. */
  readonly entities?: Readonly<Record<string, AnyTable>>;
  readonly tokenSources?: (parts: Pick<Kernel, 'database' | 'clock'>) => TokenSources;
};

type Options = { readonly logger: Logger; readonly clock: () => Date };

const gauge = (name: string, label: string, help: string) => ({ type: 'gauge' as const, name, label, help });
const poolMetric = gauge('postgres_pool_connections', 'state', 'Connections of this process, and requests that wait for one');
const lossMetric = {
  ...gauge(
    'postgres_losses_total',
    'reason',
    'No server that takes writes was reached, a connection broke at work, a write met a former primary',
  ),
  type: 'counter' as const,
};
const replicaAgeMetric = gauge('postgres_replica_age_seconds', 'of', 'How old an answer of the replica is now; 1e9: not known');
const replicaReadsMetric = {
  ...gauge('postgres_replica_reads_total', 'result', 'Reads that a replica has answered, and that failed there and went to the primary'),
  type: 'counter' as const,
};
const outboxMetric = gauge('events_outbox', 'what', 'Undelivered events, and the age of the oldest');
const revocationMetric = gauge('revocations_age_seconds', 'source', 'Time since revocations were last pulled from each source');
const tokenMetric = { ...gauge('tokens_verified_total', 'result', 'Tokens found in memory, or verified'), type: 'counter' as const };
const startAttempts = 20;
const startRetryMs = 1_000;

/** A database that starts at the same time needs some seconds more. */
export async function awaitDatabase(
  database: Pick<Database, 'isHealthy'>,
  logger: { warn(details: object, message: string): void },
  retryMs = startRetryMs,
): Promise<void> {
  for (let attempt = 1; !(await database.isHealthy()); attempt += 1) {
    if (attempt === startAttempts) throw new Error(`The database did not respond to ${startAttempts} attempts.`);
    logger.warn({ attempt, of: startAttempts }, 'the database does not respond yet and is tried again');
    await sleep(retryMs);
  }
}

/**
 * A step of the start that needs the database. Many processes that start at once keep each other
 * from connecting in time; one that ends for that would only begin anew, beside the others.
 */
export async function tryAtStart<Result>(
  logger: { warn(details: object, message: string): void },
  step: () => Promise<Result>,
  retryMs = startRetryMs,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      const isAway = error instanceof AppError && (error.kind === 'unavailable' || error.kind === 'timeout');
      if (!isAway || attempt === startAttempts) throw error;
      logger.warn({ err: error, attempt, of: startAttempts }, 'the database did not respond in time and is tried again');
      await sleep(retryMs);
    }
  }
}

export async function openKernel(
  settings: ServiceSettings,
  { name, entities = {}, tokenSources }: KernelDefinition,
  { logger, clock }: Options,
): Promise<{ readonly kernel: Kernel; readonly revocations: Revocations }> {
  const pivots = pivotsOf(entities);
  const database = createDatabase({
    url: settings.DATABASE_URL,
    replicaUrl: settings.DATABASE_REPLICA_URL,
    schema: name,
    entities,
    poolSize: settings.DATABASE_POOL_SIZE,
    pooler: settings.DATABASE_POOLER,
    rlsEnabled: settings.SECURITY_ENABLE_RLS,
    ...(pivots.length > 0 ? { restrictedRole: settings.SECURITY_RLS_ROLE } : {}),
    logger,
  });
  await awaitDatabase(database, logger);
  await tryAtStart(logger, () => assertPolicies(database, pivots));
  const notices = createNotices({ nats: settings, databaseUrl: settings.DATABASE_URL, secret: settings.INTERNAL_AUTH_SECRET, logger });
  const peers = connectPeers(name, settings);
  const own = tokenSources?.({ database, clock }) ?? {};
  const revocations = createRevocations({
    // identity and keys revoke tokens; each of them reads its own revocations from its database.
    sources: [
      name === 'identity' && own.revocations ? own.revocations : { name: 'identity', list: peers.identityRevocations.list },
      name === 'keys' && own.revocations ? own.revocations : { name: 'keys', list: peers.keysRevocations.list },
    ],
    staleAfterSeconds: settings.REVOCATION_STALE_AFTER_SECONDS,
    notices,
    logger,
  });
  const verifier = createTokenVerifier({
    appUrl: settings.APP_URL,
    findKey: createKeyFinder(own.findKeys ?? (async (kids) => (await peers.keys.getVerificationKeys({ kids: [...kids] })).keys)),
    revocations,
    keyTtlSeconds: settings.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS,
    clock: () => clock().getTime(),
  });
  const metrics = createMetrics({ service: name, enabled: settings.METRICS_ENABLED });
  const relay = createRelay({ db: database, service: name, clients: peers.inboxes, notices, logger });
  metrics.watch(poolMetric, () => database.connections());
  metrics.watch(lossMetric, () => {
    const { unreachable, broken, readOnly: read_only } = database.losses();
    return { unreachable, broken, read_only };
  });
  if (settings.DATABASE_REPLICA_URL !== undefined) {
    const unknownSeconds = 1e9;
    metrics.watch(replicaAgeMetric, () => ({ replica: Math.min(database.replica()?.ageSeconds ?? unknownSeconds, unknownSeconds) }));
    metrics.watch(replicaReadsMetric, () => {
      const { read = 0, failed = 0 } = database.replica() ?? {};
      return { read, failed };
    });
  }
  const backlogOf = ({ pending, oldestSeconds }: Awaited<ReturnType<Relay['backlog']>>) => ({ pending, oldest_seconds: oldestSeconds });
  metrics.watch(outboxMetric, () => relay.backlog().then(backlogOf));
  metrics.watch(revocationMetric, revocations.ages);
  metrics.watch(tokenMetric, () => verifier.lookups);
  const kernel: Kernel = {
    logger,
    database,
    notices,
    peers,
    clock,
    metrics,
    relay,
    authorizer: createRemoteAuthorizer({ client: peers.authorization, notices }),
    verifyToken: (token) => verifier.verify(token),
    revoke: (revocation) => {
      revocations.add(revocation);
      notices.publish('revocation', revocation);
    },
  };
  return { kernel, revocations };
}
