/** Fakes of the other services, over real gRPC, with their state in memory. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { type Handlers, type Implementation, implement, type ServiceName, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { issuerOf } from '@tessera/kernel/tokens';
import type { Event } from '@tessera/proto/types/events.v1';
import type { SignRequest } from '@tessera/proto/types/keys.v1';
import type { ListMembershipsResponse } from '@tessera/proto/types/tenancy.v1';

type Account = { id: string; type: string; ownerId: string; createdAt: string; updatedAt: string };

export type Peers = {
  /** All events that identity has delivered. */
  readonly events: { readonly subscriber: string; readonly event: Event }[];
  readonly accounts: Account[];
  /** Who belongs to which scope, by its id. */
  readonly people: Map<string, Set<string>>;
  /** `Resource:Action` that the caller holds; everything when empty. */
  readonly denied: Set<string>;
  /** Verdicts of CheckGrant by role id; 'allowed' unless said. */
  readonly verdicts: Map<string, string>;
  /** The permissions of each user, as 'Resource:action'. */
  readonly permissions: Map<string, readonly string[]>;
  /** The roles of each user, in every scope. */
  readonly heldRoles: Map<string, readonly string[]>;
  /** The tags of each entity, in every scope. */
  readonly tags: Map<string, { readonly tagIds: readonly string[]; readonly primaryTagId: string | undefined }>;
  /** The memberships of every user. */
  readonly memberships: ListMembershipsResponse;
  readonly setRoles: { userId: string; roleIds: readonly string[] }[];
  /** Runs while keys signs. */
  onSign: () => Promise<void>;
  /** Runs when tenancy closes accounts. */
  onCloseAccounts: (request: { userId: string; hard: boolean }) => Promise<void>;
  onPersonLeaves: (request: { userId: string; scope: { tenant: string; id: string } }) => Promise<void>;
  /** Services that fail every call. */
  readonly down: Set<string>;
  stop(): Promise<void>;
};

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const kid = newId();

export async function startPeers(folder: string, secret: string, appUrl: string): Promise<Peers> {
  const servers: { stop(withinMs?: number): Promise<void> }[] = [];
  const peers: Peers = {
    events: [],
    accounts: [],
    people: new Map(),
    denied: new Set(),
    verdicts: new Map(),
    permissions: new Map(),
    heldRoles: new Map(),
    tags: new Map(),
    memberships: {
      organizations: [{ organizationId: newId(), name: 'Navy', slug: 'navy', joinedAt: '2026-01-01T00:00:00.000Z' }],
      projects: [
        { scope: { tenant: 'organizationProject', id: `${newId()}:${newId()}` }, name: 'Mark I', joinedAt: '2026-01-02T00:00:00.000Z' },
      ],
    },
    setRoles: [],
    onSign: async () => undefined,
    onCloseAccounts: async () => undefined,
    onPersonLeaves: async () => undefined,
    down: new Set(),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop(200)))),
  };
  const serve = async (name: string, services: readonly Implementation[]) =>
    servers.push(await serveGrpc({ listen: `unix:${folder}/${name}.grpc`, secret, services }));
  const down = (name: string) => {
    if (peers.down.has(name)) throw new Error(`${name} is down in this test`);
  };
  const inbox = (subscriber: string) =>
    partly('events.v1.Inbox', {
      deliver: async ({ events }) => {
        down(subscriber);
        for (const event of events) {
          peers.events.push({ subscriber, event });
          if (subscriber === 'tenancy') follow(peers, event);
          if (subscriber === 'rbac') tag(peers, event);
        }
        return { accepted: events.map(({ id }) => id) };
      },
    });
  const sign = (request: SignRequest) => {
    down('keys');
    return signToken(request, appUrl);
  };
  await serve('keys', [
    inbox('keys'),
    partly('keys.v1.Keys', {
      sign: async (request) => sign(request),
      signMany: async ({ requests }) => {
        await peers.onSign();
        return { responses: requests.map(sign) };
      },
      getVerificationKey: async () => verificationKey(appUrl),
    }),
    partly('revocation.v1.Revocations', { list: async () => ({ revocations: [], cursor: '0' }) }),
  ]);
  await serve('tenancy', [
    inbox('tenancy'),
    partly('tenancy.v1.Tenancy', {
      listAccounts: async ({ userIds }) => {
        down('tenancy');
        return { accounts: peers.accounts.filter(({ ownerId }) => userIds.includes(ownerId)) };
      },
      closeAccounts: async ({ userId, hard }) => {
        await peers.onCloseAccounts({ userId, hard });
        return {};
      },
      listMemberships: async () => peers.memberships,
      listPeople: async ({ scope, ids, filterIds, page, limit }) => {
        const members = [...(peers.people.get(scope.id) ?? [])].filter((id) => !filterIds || ids.includes(id));
        return { userIds: members.slice((page - 1) * limit, page * limit), totalCount: members.length };
      },
      filterPeople: async ({ scope, userIds }) => ({ userIds: userIds.filter((id) => peers.people.get(scope.id)?.has(id)) }),
      removePerson: async ({ scope, userId }) => {
        peers.people.get(scope.id)?.delete(userId);
        await peers.onPersonLeaves({ userId, scope });
        return {};
      },
    }),
  ]);
  await serve('rbac', [
    inbox('rbac'),
    partly('rbac.v1.Authorization', {
      isAuthorizedMany: async ({ checks }) => ({
        decisions: checks.map(({ resource, action }) => {
          const authorized = !peers.denied.has(`${resource}:${action}`);
          return { authorized, reason: authorized ? 'PERMISSION_GRANTED_NO_CONDITION' : 'NO_MATCHING_PERMISSION_FOUND' };
        }),
      }),
      listPermissions: async ({ subject }) => ({
        consistencyToken: '',
        permissions: (peers.permissions.get(subject?.userId ?? '') ?? []).map((name) => {
          const [resource = '', action = ''] = name.split(':');
          return { resource, action };
        }),
      }),
    }),
    partly('rbac.v1.Catalogue', {
      checkActions: async ({ actions }) => ({
        verdicts: actions.map((action) => ({ action, verdict: peers.verdicts.get(action) ?? 'allowed' })),
      }),
    }),
    partly('rbac.v1.Roles', {
      checkGrant: async ({ roleIds }) => ({
        verdicts: roleIds.map((roleId) => ({ roleId, verdict: peers.verdicts.get(roleId) ?? 'allowed' })),
      }),
      setSubjectRoles: async ({ userId, roleIds }) => {
        peers.setRoles.push({ userId, roleIds });
        return {};
      },
      listSubjectRoles: async ({ userIds }) => ({
        subjects: userIds.map((userId) => ({ userId, roles: (peers.heldRoles.get(userId) ?? []).map(roleSummary) })),
      }),
      endMembership: async ({ scope, userId }) => {
        peers.people.get(scope.id)?.delete(userId);
        await peers.onPersonLeaves({ userId, scope });
        return {};
      },
    }),
    partly('rbac.v1.Tags', {
      checkTags: async ({ tagIds }) => ({ missing: tagIds.filter((id) => peers.verdicts.get(id) === 'not-found') }),
      listEntityTags: async ({ entityIds }) => ({
        entities: entityIds.map((entityId) => ({
          entityId,
          tags: (peers.tags.get(entityId)?.tagIds ?? []).map(tagSummary),
          primaryTagId: peers.tags.get(entityId)?.primaryTagId,
        })),
      }),
      listTaggedEntities: async ({ tagIds }) => {
        const carriers = [...peers.tags].filter(([, carried]) => tagIds.every((id) => carried.tagIds.includes(id)));
        return { entityIds: carriers.map(([id]) => id) };
      },
    }),
  ]);
  return peers;
}

/** A peer implements what these tests need of it; the rest of its contract answers emptily. */
function partly<Name extends ServiceName>(name: Name, handlers: Partial<Handlers<Name>>): Implementation {
  const whole = new Proxy(handlers, { get: (known, method) => Reflect.get(known, method) ?? (async () => ({})) });
  // The proxy answers every method, which the type can't see.
  return implement(name, whole as Handlers<Name>);
}

function roleSummary(id: string) {
  return {
    ...{ id, name: 'role', isBuiltIn: false, metadataJson: '{}' },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  };
}

function addAccount(peers: Peers, id: string, type: string, ownerId: string): Account {
  const at = new Date().toISOString();
  const account = { id, type, ownerId, createdAt: at, updatedAt: at };
  peers.accounts.push(account);
  return account;
}

/** As tenancy does: a request makes the account, joining a scope makes a person of it. */
function follow(peers: Peers, { type, payloadJson }: Event): void {
  const payload = JSON.parse(payloadJson);
  if (type === 'user.registered' || type === 'account.requested')
    addAccount(peers, payload.account.id, payload.account.type, payload.userId);
  if (type === 'user.joined') peers.people.set(payload.scope.id, new Set([...(peers.people.get(payload.scope.id) ?? []), payload.userId]));
}

/** What rbac keeps of events: who carries which tags. */
function tag(peers: Peers, { type, payloadJson }: Event): void {
  const { userId, entityId = userId, tagIds, primaryTagId } = JSON.parse(payloadJson);
  if (type === 'user.joined' || type === 'entity.tagged') peers.tags.set(entityId, { tagIds, primaryTagId: primaryTagId ?? undefined });
}

function tagSummary(id: string) {
  return {
    id,
    name: `tag ${id}`,
    color: 'teal',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
}

function signToken({ scope, type, subject, tokenId, audience, lifetimeSeconds, claimsJson }: SignRequest, appUrl: string) {
  const iat = Math.floor(Date.now() / 1_000);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iss = issuerOf(appUrl, scope);
  const aud = audience === '' ? appUrl : audience;
  const claims = { ...JSON.parse(claimsJson), sub: subject, aud, iss, iat, exp: iat + lifetimeSeconds, jti: tokenId, type };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(claims)}`;
  return { token: `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`, kid, expiresAt: claims.exp };
}

function verificationKey(issuer: string) {
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  return { kid, issuer, scope: { tenant: 'system', id: '' }, n, e, status: 'active' };
}
