import { type Authorizer, createRemoteAuthorizer } from '../authorization/index.ts';
import { createRelay, type Relay } from '../events/index.ts';
import { createNotices, type Notices } from '../notices/index.ts';
import { type AnyTable, assertPolicies, createDatabase, type Database, pivotsOf } from '../postgres/index.ts';
import { createMetrics, type Logger, type Metrics } from '../telemetry/index.ts';
import {
  type Claims,
  createRevocations,
  createTokenVerifier,
  type FindKey,
  type Revocation,
  type RevocationSource,
  type Revocations,
} from '../tokens/index.ts';
import { connectPeers, type Peers, type ServiceName } from './peers.ts';
import type { ServiceSettings } from './settings.ts';

/** The parts that every service builds on. */
export type Kernel = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly notices: Notices;
  readonly relay: Relay;
  readonly peers: Peers;
  /** Asks the rbac service for decisions; rbac itself uses its own authorizer. */
  readonly authorizer: Authorizer;
  verifyToken(token: string): Promise<Claims>;
  /** Refuses these tokens here at once and notifies other instances. Call it after the commit. */
  revoke(revocation: Revocation): void;
  readonly clock: () => Date;
};

/** Where a service finds keys and revocations itself; left out, it asks keys and identity. */
export type TokenSources = { readonly findKey?: FindKey; readonly revocations?: RevocationSource };

export type KernelDefinition = {
  readonly name: ServiceName;
  /** For a service without entities: its tables under row-level security. */
  readonly pivots?: readonly string[];
  /** Every table. The start fails when the database lacks a policy that an entity has. */
  readonly entities?: Readonly<Record<string, AnyTable>>;
  readonly tokenSources?: (parts: Pick<Kernel, 'database' | 'clock'>) => TokenSources;
};

type Options = { readonly logger: Logger; readonly clock: () => Date };

export async function openKernel(
  settings: ServiceSettings,
  { name, pivots: named = [], entities = {}, tokenSources }: KernelDefinition,
  { logger, clock }: Options,
): Promise<{ readonly kernel: Kernel; readonly revocations: Revocations }> {
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
  const notices = createNotices({ nats: settings, databaseUrl: settings.DATABASE_URL, logger });
  const peers = connectPeers(name, settings);
  const own = tokenSources?.({ database, clock }) ?? {};
  const revocations = createRevocations({
    sources: revocationSources(name, own.revocations, peers),
    staleAfterSeconds: settings.REVOCATION_STALE_AFTER_SECONDS,
    ...{ notices, logger },
  });
  const verifier = createTokenVerifier({
    appUrl: settings.APP_URL,
    findKey: own.findKey ?? ((kid) => peers.keys.getVerificationKey({ kid })),
    revocations,
    keyTtlSeconds: settings.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS,
    clock: () => clock().getTime(),
  });
  const kernel: Kernel = {
    ...{ logger, database, notices, peers, clock },
    metrics: createMetrics({ service: name, enabled: settings.METRICS_ENABLED }),
    relay: createRelay({ db: database, service: name, clients: peers.inboxes, notices, logger }),
    authorizer: createRemoteAuthorizer({ client: peers.authorization, notices }),
    verifyToken: (token) => verifier.verify(token),
    revoke: (revocation) => {
      revocations.add(revocation);
      notices.publish('revocation', revocation);
    },
  };
  return { kernel, revocations };
}

/** identity and keys revoke tokens; each of them reads its own revocations from its database. */
function revocationSources(name: ServiceName, own: RevocationSource | undefined, peers: Peers): readonly RevocationSource[] {
  return [
    name === 'identity' && own ? own : { name: 'identity', list: (request) => peers.identityRevocations.list(request) },
    name === 'keys' && own ? own : { name: 'keys', list: (request) => peers.keysRevocations.list(request) },
  ];
}
