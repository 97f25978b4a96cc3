import { setTimeout as sleep } from 'node:timers/promises';
/** Tenancy on a real database, with its real pipeline, transports, outbox and inbox; the services beside it are stand-ins. */
import { failures } from '@tessera/kernel/errors';
import { createRelay, inboxHandler } from '@tessera/kernel/events';
import { bindGraphql } from '@tessera/kernel/graphql';
import { newId } from '@tessera/kernel/ids';
import type { Runtime } from '@tessera/kernel/operation';
import { createDatabase, type Database, sql } from '@tessera/kernel/postgres';
import { acceptJsonOnly, answerErrors, bindRest } from '@tessera/kernel/rest';
import type { EventPayloads, EventType } from '@tessera/proto/events';
import type { DeliverRequest } from '@tessera/proto/types/events.v1';
import Fastify from 'fastify';
import { createTestDatabase, type TestDatabase } from '../../../../tools/testing/database.ts';
import type { TenancyDeps } from '../deps.ts';
import { resumeClosings } from '../operations/closing/resume-closings.ts';
import { operations } from '../operations/index.ts';
import { createSearchTotals } from '../storage/search-totals.ts';
import { eventHandlers } from '../subscriptions.ts';
import { subgraph } from '../transport/graphql.ts';
import { FakeIdentity } from './fake-identity.ts';
import { type BuiltIn, FakeRbac } from './fake-rbac.ts';
import { Fuse } from './fuse.ts';

const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined };

export type User = { readonly id: string; readonly email: string; readonly token: string; readonly accountId: string };

export function tokenFor(userId: string, isVerified = true): string {
  return `session.${userId}.${isVerified}`;
}

function verifyToken(token: string) {
  const [type, sub = '', isVerified] = token.split('.');
  const claims = { sub, aud: 'app', iss: 'app', iat: 0, exp: 9_999_999_999, jti: sub };
  if (type === 'apiKey') return { ...claims, type } as const;
  if (type !== 'session') throw failures.unauthenticated();
  return { ...claims, type, isVerified: isVerified === 'true' } as const;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage({ rlsEnabled = true } = {}) {
  const testDatabase: TestDatabase = await createTestDatabase({ migrated: ['tenancy'] });
  const fuse = new Fuse();
  const engine: Database = createDatabase({
    url: testDatabase.urls.tenancy,
    schema: 'tenancy',
    restrictedRole: 'tenant_app_restricted',
    rlsEnabled,
    poolSize: 10,
  });
  const database = fuse.guard(engine, ['query', 'transaction', 'scoped']);
  const rbac = new FakeRbac();
  const identity = new FakeIdentity();
  /** Peers that are down take nothing; their events wait in the outbox. */
  const down = new Set<string>();

  const inboxOf = (name: string, receive: (event: { type: string; payload: Record<string, unknown> }) => unknown) => ({
    deliver: async ({ events }: DeliverRequest) => {
      if (down.has(name)) throw failures.unavailable(name);
      const accepted: string[] = [];
      for (const { id, type, payloadJson } of events) {
        await receive({ type, payload: JSON.parse(payloadJson) });
        accepted.push(id);
      }
      return { accepted };
    },
  });
  const newRelay = () =>
    createRelay({
      db: database,
      service: 'tenancy',
      logger: quiet,
      pollMs: 20,
      clients: {
        rbac: inboxOf('rbac', (event) => rbac.receive(event)),
        identity: inboxOf('identity', (event) => identity.receive(event)),
        keys: inboxOf('keys', () => undefined),
      },
    });
  const relay = newRelay();
  const inbox = inboxHandler({ db: database, handlers: eventHandlers, relay, logger: quiet });

  /** An event from another service, delivered once; answers whether it was applied. */
  async function tell<Type extends EventType>(
    type: Type,
    payload: EventPayloads[Type],
    options: { id?: string; at?: string } = {},
  ): Promise<boolean> {
    const { id = newId(), at = new Date().toISOString() } = options;
    const event = { id, type, key: id, payloadJson: JSON.stringify(payload), occurredAt: at };
    return (await inbox({ producer: 'peer', events: [event] })).accepted.includes(id);
  }
  /** What peers owe tenancy: told again until it is taken, as their relays do. */
  let owed: (() => Promise<boolean>)[] = [];
  async function owe(deliver: () => Promise<boolean>): Promise<void> {
    if (!(await deliver().catch(() => false))) owed.push(deliver);
  }
  function oweEvent<Type extends EventType>(type: Type, payload: EventPayloads[Type]): Promise<void> {
    const options = { id: newId(), at: new Date().toISOString() };
    return owe(() => tell(type, payload, options));
  }
  identity.onRegistered = (payload) => oweEvent('user.registered', payload);
  identity.onDeleted = (payload) => oweEvent('user.deleted', payload);
  rbac.onMembershipEnded = (userId, organizationId) =>
    oweEvent('membership.ended', { userId, scope: { tenant: 'organization', id: organizationId } });

  const deps: TenancyDeps = {
    database,
    authorizer: rbac.authorizer,
    roles: fuse.guard(rbac.roles, ['endMembership', 'endMemberships', 'changeMemberRole', 'listOwnedOrganizations']),
    tags: rbac.tags,
    identity: fuse.guard(identity.client, ['registerInvited', 'markEmailVerified', 'findUserByEmail']),
    searchTotals: createSearchTotals(),
    invitationLifetimeDays: 7,
  };
  const runtime: Runtime<TenancyDeps> = {
    service: 'tenancy',
    deps,
    database,
    authorizer: rbac.authorizer,
    verifyToken: async (token) => verifyToken(token),
    deliver: relay.deliver,
    clock: () => new Date(),
    logger: quiet,
  };
  const app = Fastify({ logger: false });
  acceptJsonOnly(app);
  answerErrors(app, { logger: quiet, showStack: false });
  bindRest(app, operations, runtime);
  bindGraphql(app, subgraph, runtime);
  await app.ready();

  async function register(name: string, type: 'personal' | 'organization' = 'organization'): Promise<User> {
    const id = newId();
    const accountId = newId();
    const email = `${name.toLowerCase().replace(/\W+/g, '.')}.${id.slice(-6)}@example.com`;
    identity.people.set(id, { id, name, email, isVerified: true });
    await oweEvent('user.registered', { userId: id, name, email, isVerified: true, account: { id: accountId, type } });
    return { id, email, accountId, token: tokenFor(id) };
  }

  const inner = { database, relay, roles: deps.roles, searchTotals: deps.searchTotals };

  /** The process is started again after a kill, and some time passes: leases end, relays and jobs do what is left to do. */
  async function restart(): Promise<void> {
    fuse.renew();
    const second = newRelay();
    second.start();
    for (let round = 0; round < 200; round += 1) {
      await engine.query(sql('UPDATE outbox SET due_at = now() WHERE delivered_at IS NULL'));
      const waiting = owed;
      owed = [];
      for (const deliver of waiting) await owe(deliver);
      await resumeClosings(inner, quiet, 0);
      if (owed.length === 0 && (await second.backlog()).pending === 0) break;
      await sleep(20);
    }
    await second.stop();
  }

  const stage = {
    app,
    database,
    deps,
    relay,
    rbac,
    identity,
    down,
    tell,
    register,
    fuse,
    inner,
    restart,
    rows: <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => engine.query<Row>(sql(text), values),
    /** A user who is the Owner of an organization. */
    async found(name = 'Acme'): Promise<{ owner: User; organizationId: string }> {
      const owner = await register('Olga Owner');
      const answer = await app.inject({
        method: 'POST',
        url: '/api/organizations',
        headers: { authorization: `Bearer ${owner.token}` },
        payload: { scope: { tenant: 'account', id: owner.accountId }, name },
      });
      return { owner, organizationId: answer.json().data.id };
    },
    /** Another member, as an accepted invitation leaves one. */
    async join(organizationId: string, role: BuiltIn, name = `${role} Person`): Promise<User> {
      const user = await register(name, 'personal');
      await tell('user.joined', {
        userId: user.id,
        name,
        email: user.email,
        scope: { tenant: 'organization', id: organizationId },
        roleIds: [],
        tagIds: [],
        primaryTagId: null,
        createdBy: null,
      });
      rbac.receive({ type: 'member.added', payload: { organizationId, userId: user.id, roleId: rbac.roleId(organizationId, role) } });
      return user;
    },
    async close(): Promise<void> {
      await app.close();
      await relay.stop();
      await engine.close();
      await testDatabase.drop();
    },
  };
  return stage;
}
