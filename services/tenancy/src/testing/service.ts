/** Tenancy on a real database, with its real pipeline and transports; its peers are fakes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { listAudit, type Runtime } from '@tessera/kernel/operation';
import { createDatabase, sql } from '@tessera/kernel/postgres';
import { bindGraphql } from '@tessera/server/graphql';
import { acceptJsonOnly, answerErrors, bindRest } from '@tessera/server/rest';
import Fastify from 'fastify';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { countingQueries } from '../../../../test/support/queries.ts';
import type { TenancyDeps } from '../deps.ts';
import { createMaker } from '../directory/make-person.ts';
import { createLookUp } from '../domains/lookup.ts';
import { resumeAccountClosures } from '../operations/account-closure/resume-account-closures.ts';
import { operations } from '../operations/index.ts';
import { createCascadeCounts } from '../peers/cascade-counts.ts';
import { createVouchers } from '../peers/vouchers.ts';
import { createRequestLog } from '../request-log.ts';
import { createSearchTotals } from '../storage/search-totals.ts';
import { createEventHandlers } from '../subscriptions.ts';
import { subgraph } from '../transport/graphql.ts';
import { serveAuditExport } from '../transport/protocol/audit-export.ts';
import { serveScim } from '../transport/scim/serve.ts';
import { createWebhookSecrets } from '../webhooks/secrets.ts';
import { createVouching } from '../webhooks/vouching.ts';
import { CrashInjector } from './crash-injector.ts';
import { FakeIdentity } from './fake-identity.ts';
import { type BuiltIn, FakeRbac } from './fake-rbac.ts';
import { createIncomingEvents, createTestRelay, silentLogger } from './peer-events.ts';

export type User = { readonly id: string; readonly email: string; readonly token: string; readonly accountId: string };

export function tokenFor(userId: string, isVerified = true): string {
  return `session.${userId}.${isVerified}`;
}

function verifyToken(token: string) {
  const [type, sub = '', isVerified, fresh] = token.split('.');
  const claims = { sub, aud: 'app', iss: 'app', iat: 0, exp: 9_999_999_999, jti: sub };
  // Of a project: key.<user>.<key>.<organization>:<project>, or app.<user>.<token>.…
  if (type === 'key' || type === 'app') {
    const [, , jti = '', place = ''] = token.split('.');
    const scope = { tenant: 'organizationProjectUser', id: `${place}:${sub}` } as const;
    if (type === 'key') return { ...claims, jti, scope, type: 'apiKey' } as const;
    return { ...claims, jti, scope, type: 'projectApp', scopes: ['Webhook:Create', 'AuditEvent:Query'] } as const;
  }
  // Of an account: service.<id>.<account>; of another place: service.<id>.<place>.<tenant>.
  if (type === 'service') {
    const service = { credentialId: sub, generation: sub, elevated: [] };
    const tenant = fresh === 'organization' || fresh === 'platform' ? fresh : 'account';
    return { ...claims, type: 'apiKey', scope: { tenant, id: isVerified ?? '' }, service } as const;
  }
  if (type === 'apiKey') return { ...claims, type } as const;
  if (type !== 'session') throw failures.unauthenticated();
  const signedInNow = fresh === 'fresh' ? { auth_time: Math.floor(Date.now() / 1_000) } : {};
  return { ...claims, type, isVerified: isVerified === 'true', ...signedInNow } as const;
}

/** The HTTP side of the service: REST and GraphQL. */
async function openApp(runtime: Runtime<TenancyDeps>) {
  const app = Fastify({ logger: false });
  acceptJsonOnly(app);
  answerErrors(app, { logger: silentLogger, showStack: false });
  bindRest(app, operations, runtime);
  bindGraphql(app, subgraph, runtime);
  serveAuditExport(app, runtime);
  serveScim(app, runtime);
  await app.ready();
  return app;
}

/** The service below its transports. A call to the database or a peer is a step of `crashes`. */
async function openBackend({ rlsEnabled = true, invitations = {}, dnsServer }: Options) {
  const testDatabase = await createTestDatabase({ migrated: ['tenancy'] });
  const crashes = new CrashInjector();
  const connected = createDatabase({
    url: testDatabase.urls.tenancy,
    schema: 'tenancy',
    restrictedRole: 'tenant_app_restricted',
    rlsEnabled,
    poolSize: 10,
  });
  const { database: counted, countQueries } = countingQueries(connected);
  const database = crashes.wrap(counted, ['query', 'transaction', 'scoped']);
  const rbac = new FakeRbac();
  const identity = new FakeIdentity();
  const unreachablePeers = new Set<string>();
  const deliverers = new Set<{ wake(): void }>();
  const wake = () => {
    for (const deliverer of deliverers) deliverer.wake();
  };
  const handlers = createEventHandlers(wake);
  const newRelay = () => createTestRelay(database, { rbac, identity, unreachable: unreachablePeers, handlers });
  const relay = newRelay();
  const incoming = createIncomingEvents(database, relay, handlers);
  identity.onRegistered = (payload) => incoming.send('user.registered', payload);
  identity.onProvisioned = (payload) => incoming.send('users.provisioned', payload);
  identity.onDeleted = (payload) => incoming.send('user.deleted', payload);
  rbac.onMembershipEnded = (userId, organizationId) =>
    incoming.send('membership.ended', { userId, scope: { tenant: 'organization', id: organizationId } });
  // tenancy's own log is real, the others have no rows.
  const logOf = (name: string) => ({
    list: async (asked: { readonly askedJson: string }) => {
      if (unreachablePeers.has(name)) throw failures.unavailable(name);
      return name === 'tenancy' ? listAudit(connected, asked) : { rowsJson: [] };
    },
  });
  const tenantChanged = new Set<(payload: { tenantKey: string; version: number }) => void>();
  const notices = {
    subscribe: (topic: string, handler: (payload: never) => void) => {
      if (topic === 'tenant-changed') tenantChanged.add(handler as (payload: object) => void);
      return () => void tenantChanged.delete(handler as (payload: object) => void);
    },
    onReconnect: () => () => undefined,
  };
  /** API keys that could be exchanged now. */
  const liveKeys = new Set<string>();
  /** Whether the service keys cannot be reached, and how often it was called then. */
  const unreachableVouchers = { value: false, calls: 0 };
  const vouchers = createVouchers({
    authorizer: rbac.authorizer,
    identity: identity.client,
    reader: database,
    notices,
    keys: {
      findLiveApiKeys: async ({ ids }) => {
        if (!unreachableVouchers.value) return { ids: ids.filter((id) => liveKeys.has(id)) };
        unreachableVouchers.calls += 1;
        throw failures.unavailable('keys');
      },
    },
  });
  const answerOf = <Answer>(name: string, answer: Answer): Answer => {
    if (unreachablePeers.has(name)) throw failures.unavailable(name);
    return answer;
  };
  const requestLog = createRequestLog({ db: database, clock: () => new Date(), logger: silentLogger });
  const identityClient = crashes.wrap(identity.client, ['registerInvited', 'markEmailVerified', 'findUserByEmail']);
  const deps: TenancyDeps = {
    database,
    requestLog,
    authorizer: rbac.authorizer,
    roles: crashes.wrap(rbac.roles, ['endMembership', 'endMemberships', 'changeMemberRole', 'listOwnedOrganizations']),
    tags: rbac.tags,
    identity: identityClient,
    makePerson: createMaker({ database, identity: identityClient }),
    auditLogs: { identity: logOf('identity'), tenancy: logOf('tenancy'), rbac: logOf('rbac'), keys: logOf('keys') },
    countsOf: createCascadeCounts({
      roles: rbac.roles,
      keys: { countApiKeys: async ({ scopeIds }) => answerOf('keys', { count: scopeIds.length * 3 }) },
      identity: { countProjectApps: async ({ scopeIds }) => answerOf('identity', { count: scopeIds.length * 2 }) },
    }),
    logReadersOf: async (organizationId) => ({ readers: rbac.ownersOf(organizationId), exporters: rbac.ownersOf(organizationId) }),
    searchTotals: createSearchTotals(),
    invitations: { lifetimeDays: 7, mostPerDay: 0, mostPerAddress: 0, ...invitations },
    quotas: { members: 0, projects: 0 },
    vouchers,
    appUrl: 'https://tessera.example',
    lookUpDomain: dnsServer === undefined ? async () => 'missing' : createLookUp({ servers: [dnsServer] }),
    webhooks: { secrets: createWebhookSecrets('a secret of webhooks for tests only'), allowPrivate: true, wake },
  };
  /** What rbac announces after a change of rights. */
  const announceChange = (tenantKey: string) => {
    for (const handler of tenantChanged) handler({ tenantKey, version: 1 });
  };
  const vouching = createVouching({
    db: database,
    vouchers,
    relay,
    notices,
    logger: silentLogger,
    tellOwners: async (webhook, { template, until }) => {
      const messageId = newId();
      const data = { token: '', webhookUrl: webhook.url, ...(until === undefined ? {} : { until: until.toISOString() }) };
      const payload = { messageId, to: 'owners@example.com', template, language: 'en', data };
      return [{ type: 'mail.requested', key: messageId, payload }];
    },
    clock: () => new Date(),
  });
  return {
    liveKeys,
    unreachableVouchers,
    announceChange,
    vouching,
    testDatabase,
    crashes,
    connected,
    database,
    countQueries,
    rbac,
    identity,
    unreachablePeers,
    newRelay,
    relay,
    incoming,
    deps,
    deliverers,
  };
}

export type TestService = Awaited<ReturnType<typeof openTestService>>;

type Options = {
  readonly rlsEnabled?: boolean;
  readonly invitations?: Partial<TenancyDeps['invitations']>;
  /** Left out, no domain has a record. */
  readonly dnsServer?: string;
};

export async function openTestService(options: Options = {}) {
  const backend = await openBackend(options);
  const { testDatabase, crashes, connected, database, rbac, identity, unreachablePeers, newRelay, relay, incoming, deps } = backend;
  const app = await openApp({
    service: 'tenancy',
    deps,
    database,
    authorizer: rbac.authorizer,
    logger: silentLogger,
    verifyToken: async (token) => verifyToken(token),
    secrets: ['a secret of the deployment for tests'],
    deliver: relay.deliver,
    clock: () => new Date(),
  });
  const { roles, searchTotals, quotas, invitations, lookUpDomain } = deps;
  const grpcDeps = { database, relay, roles, searchTotals, quotas, invitations, lookUpDomain };

  async function register(name: string, type: 'personal' | 'organization' = 'organization'): Promise<User> {
    const id = newId();
    const accountId = newId();
    const email = `${name.toLowerCase().replace(/\W+/g, '.')}.${id.slice(-6)}@example.com`;
    identity.people.set(id, { id, name, email, isVerified: true });
    await incoming.send('user.registered', { userId: id, name, email, isVerified: true, account: { id: accountId, type } });
    return { id, email, accountId, token: tokenFor(id) };
  }

  /** Starts the process again after a crash: relays and jobs finish what is pending. */
  async function restart(): Promise<void> {
    crashes.restart();
    const second = newRelay();
    second.start();
    try {
      for (let round = 0; round < 200; round += 1) {
        // Rows that the relay has locked just now are due already; to wait for them could deadlock.
        await connected.query(
          sql(`UPDATE outbox SET due_at = now() WHERE seq IN (SELECT seq FROM outbox WHERE delivered_at IS NULL FOR UPDATE SKIP LOCKED)`),
        );
        const unaccepted = await incoming.redeliver();
        await resumeAccountClosures(grpcDeps, silentLogger, 0);
        if (unaccepted === 0 && (await second.backlog()).pending === 0) break;
        await sleep(20);
      }
    } finally {
      await second.stop();
    }
  }

  /** A user, and an organization of which they are the Owner. */
  async function createOrganization(name = 'Acme') {
    const owner = await register('Olga Owner');
    const response = await app.inject({
      method: 'POST',
      url: '/api/organizations',
      headers: { authorization: `Bearer ${owner.token}` },
      payload: { scope: { tenant: 'account', id: owner.accountId }, name },
    });
    const organizationId: string = response.json().data.id;
    return { owner, organizationId, scope: { tenant: 'organization' as const, id: organizationId } };
  }

  /** Tells that a user has joined a scope, without roles and tags. */
  const join = (
    { id: userId, email }: Pick<User, 'id'> & { readonly email: string | null },
    scope: { tenant: string; id: string },
    name: string,
  ) => incoming.deliver('user.joined', { userId, name, email, scope, roleIds: [], tagIds: [], primaryTagId: null, createdBy: null });

  /** Another member, in the state that an accepted invitation leaves. */
  async function addMember(organizationId: string, role: BuiltIn, name = `${role} Person`): Promise<User> {
    const user = await register(name, 'personal');
    await join(user, { tenant: 'organization', id: organizationId }, name);
    rbac.receive({ type: 'member.added', payload: { organizationId, userId: user.id, roleId: rbac.roleId(organizationId, role) } });
    return user;
  }

  return {
    countQueries: backend.countQueries,
    app,
    database,
    deps,
    relay,
    rbac,
    identity,
    unreachablePeers,
    crashes,
    grpcDeps,
    testDatabase,
    deliverers: backend.deliverers,

    liveKeys: backend.liveKeys,
    unreachableVouchers: backend.unreachableVouchers,
    announceChange: backend.announceChange,
    vouching: backend.vouching,
    register,
    restart,
    createOrganization,
    addMember,
    join,
    deliverEvent: incoming.deliver,
    query: <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => connected.query<Row>(sql(text), values),
    async close(): Promise<void> {
      backend.vouching.stop();
      await app.close();
      await deps.requestLog.stop();
      await relay.stop();
      await connected.close();
      await testDatabase.drop();
    },
  };
}
