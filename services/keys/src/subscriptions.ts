import { type EventHandlers, type EventLogger, inboxHandler } from '@tessera/kernel/events';
import { type Call, type Implementation, implement } from '@tessera/kernel/grpc';
import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import type { EventPayloads } from '@tessera/proto/events';
import type { DeliverRequest } from '@tessera/proto/types/events.v1';
import type { ApiKey } from './domain/api-key.ts';
import { ownerScopeOf, usedScopeOf } from './domain/project-grant.ts';
import { type Lifetimes, type Revocation, refusalOfKey, refusalOfToken, refusalUntilNow } from './domain/signing-key.ts';
import { type Parent, type ProjectScope, parentOf } from './domain/signing-scope.ts';
import type { KeyNotices } from './signing/key-notices.ts';
import { type Ending, endApiKeys, listKeysMadeBy } from './storage/api-keys.ts';
import { listCustomers, listUsed, putGrant, removeGrants } from './storage/project-grants.ts';
import { isSuspended as findSuspended, restrictTenant } from './storage/restricted-tenants.ts';
import { isRetired, lockScope, retireScope } from './storage/retired-scopes.ts';
import { insertRevocations } from './storage/revocations.ts';
import { auditKey } from './storage/signing-key-audit-logs.ts';
import { listScopesOf, listSigningKeys, removeSigningKeys } from './storage/signing-keys.ts';

/** Tenancy is told of the audit rows of scopes with webhooks (kernel/migrations/011). */
const watchAudit = statement('audit_watch', 'SELECT watch_audit($1, $2, $3)');

type Options = {
  readonly db: Database;
  readonly lifetimes: Lifetimes;
  readonly keyNotices: KeyNotices;
  readonly clock: () => Date;
  readonly logger: EventLogger;
  /** Which of these keys may not act any more, by what rbac and tenancy say now. */
  readonly listUnentitled: (keys: readonly ApiKey[]) => Promise<readonly ApiKey[]>;
};

/** What is published after the event's transaction has committed. */
type Changes = { readonly revocations: readonly Revocation[]; readonly scopes: readonly ProjectScope[] };

/**
 * Deleted projects, tenants and users end their keys here. Tokens are refused from the commit on,
 * on other instances from the notice on.
 */
export function inboxService(options: Options): Implementation {
  const { db, keyNotices, logger } = options;
  const changesByEvent = new Map<string, Changes>();
  const losses: Losses = new Map();
  const deliver = inboxHandler({ db, logger, handlers: handlersOf(options, changesByEvent, losses) });
  return implement('events.v1.Inbox', {
    deliver: async (request: DeliverRequest, call: Call) => {
      await noteLosses(request, options, losses);
      const response = await deliver(request, call);
      for (const { id } of request.events) losses.delete(id);
      for (const { id } of request.events) {
        const changes = changesByEvent.get(id);
        changesByEvent.delete(id);
        if (changes === undefined || !response.accepted.includes(id)) continue;
        keyNotices.publishRevocations(changes.revocations);
        for (const scope of changes.scopes) keyNotices.publishKeysChanged(scope);
      }
      return response;
    },
  });
}

/** By event: the keys whose makers have lost what the keys need, or why that is not known. */
type Losses = Map<string, PromiseSettledResult<readonly ApiKey[]>>;

/** Asked before the transaction of the event, which must not wait for other services. */
async function noteLosses({ events }: DeliverRequest, { db, clock, listUnentitled }: Options, losses: Losses): Promise<void> {
  for (const { id, type, payloadJson } of events) {
    if (type !== 'rights.shrank') continue;
    const read = async () => {
      const { userIds, scope }: EventPayloads['rights.shrank'] = JSON.parse(payloadJson);
      return listUnentitled(await listKeysMadeBy(db, { userIds, ...placeIn(scope) }, clock()));
    };
    const [found] = await Promise.allSettled([read()]);
    losses.set(id, found);
  }
}

function handlersOf({ lifetimes, clock }: Options, changesByEvent: Map<string, Changes>, losses: Losses): EventHandlers {
  const endKeys = async (tx: Transaction, ending: Ending, isGone: boolean) => {
    const now = clock();
    const ids = await endApiKeys(tx, ending, { isGone, now });
    const revocations = ids.sort().map((id) => refusalOfToken(id, now, lifetimes));
    await insertRevocations(tx, revocations);
    return revocations;
  };
  /** Refuses the tokens that these keys have got. The keys stay, and may get new tokens. */
  const refuseTokens = async (tx: Transaction, keys: readonly ApiKey[], eventId: string): Promise<undefined> => {
    const now = clock();
    const refused = keys.map((key) => refusalUntilNow('jti', key.id, now, lifetimes)).toSorted(byValue);
    await insertRevocations(tx, refused);
    changesByEvent.set(eventId, { revocations: refused, scopes: [] });
    return undefined;
  };
  /** The keys that customers of the project have made there. Its signing keys have ended. */
  const endCustomers = async (tx: Transaction, scope: ProjectScope): Promise<readonly Revocation[]> => {
    const projectId = scope.id.slice(parentOf(scope).id.length + 1);
    const parentIds = (await listCustomers(tx, projectId)).map(({ organizationId }) => organizationId);
    if (parentIds.length === 0) return [];
    await removeGrants(tx, { projectId });
    return endKeys(tx, { of: 'project', parentIds, projectId }, true);
  };
  /** What the customer did with others' projects: tokens that their keys have signed. */
  const endUse = async (tx: Transaction, organizationId: string, now: Date): Promise<readonly Revocation[]> => {
    const refused = (await listUsed(tx, organizationId)).map((grant) => refusalUntilNow('scope', usedScopeOf(grant).id, now, lifetimes));
    await removeGrants(tx, { organizationId });
    await insertRevocations(tx, refused.toSorted(byValue));
    return refused;
  };
  const endParent = async (tx: Transaction, parent: Parent, projectIds: readonly string[], eventId: string): Promise<undefined> => {
    const now = clock();
    await lockScope(tx, parent);
    const named = projectIds.map((projectId) => projectIn(parent, projectId));
    await retireScope(tx, parent, now);
    const found = await listScopesOf(tx, projectIn(parent, '').tenant, parent.id);
    const ids = new Set([...named, ...found].map(({ id }) => id));
    const scopes = [...ids].sort().map((id) => ({ ...projectIn(parent, ''), id }));
    const ofKeys: Revocation[] = [];
    for (const scope of scopes) {
      ofKeys.push(...(await endSigning(tx, scope, now)));
      ofKeys.push(...(await endCustomers(tx, scope)));
    }
    const ofTokens = await endKeys(tx, { of: 'parent', parentId: parent.id }, true);
    const ofUse = parent.tenant === 'organization' ? await endUse(tx, parent.id, now) : [];
    changesByEvent.set(eventId, { revocations: [...ofKeys, ...ofTokens, ...ofUse], scopes });
    return undefined;
  };

  return {
    'project.deleted': async (tx, payload, { id }) => {
      const scope = projectScope(payload.scope);
      const { id: parentId } = parentOf(scope);
      const ofKeys = await endSigning(tx, scope, clock());
      const ofTokens = await endKeys(tx, { of: 'project', parentIds: [parentId], projectId: scope.id.slice(parentId.length + 1) }, true);
      const ofCustomers = await endCustomers(tx, scope);
      changesByEvent.set(id, { revocations: [...ofKeys, ...ofTokens, ...ofCustomers], scopes: [scope] });
      return undefined;
    },
    'grant.changed': async (tx, { scope, ...grant }, { id }) => {
      const used = projectScope(scope);
      const { id: organizationId } = parentOf(used);
      const state = { organizationId, projectId: grant.projectId, ownerOrganizationId: grant.ownerOrganizationId };
      const owner = ownerScopeOf(state);
      // The same locks as the deletion of the customer and of the project, and as a new key.
      for (const locked of [parentOf(used), owner, used]) await lockScope(tx, locked);
      const isGone = (await isRetired(tx, owner, parentOf(owner))) || (await isRetired(tx, used, parentOf(used)));
      const isActive = grant.isActive && !isGone;
      const isEnded = grant.isEnded || isGone;
      if (!isGone) await putGrant(tx, { ...state, isActive, isEnded });
      if (isActive) return undefined;
      const now = clock();
      const refused = refusalUntilNow('scope', used.id, now, lifetimes);
      await insertRevocations(tx, [refused]);
      const ended = isEnded ? await endKeys(tx, { of: 'project', parentIds: [organizationId], projectId: grant.projectId }, true) : [];
      changesByEvent.set(id, { revocations: [refused, ...ended], scopes: [] });
      return undefined;
    },
    'organization.deleted': (tx, { organizationId, projectIds }, { id }) =>
      endParent(tx, { tenant: 'organization', id: organizationId }, projectIds, id),
    'account.deleted': (tx, { accountId, projectIds }, { id }) => endParent(tx, { tenant: 'account', id: accountId }, projectIds, id),
    'tenant.restricted': async (tx, { scope, isSuspended, mostApiKeys }, { id }) => {
      changesByEvent.set(id, await restrict(tx, parentIn(scope), { isSuspended, mostApiKeys }, clock(), lifetimes));
      return undefined;
    },
    'webhooks.watched': async (tx, { scopeId, isWatched }, { occurredAt }) => {
      await tx.query(watchAudit, [scopeId, isWatched, occurredAt]);
      return undefined;
    },
    'user.left': async (tx, { userId, scope }, { id }) => {
      const ending = { of: 'user', userId, ...placeIn(scope) } as const;
      changesByEvent.set(id, { revocations: await endKeys(tx, ending, false), scopes: [] });
      return undefined;
    },
    'rights.grew': async (tx, { userIds, scope }, { id }) => {
      changesByEvent.set(id, { revocations: await endKeys(tx, { of: 'held', userIds, ...placeIn(scope) }, false), scopes: [] });
      return undefined;
    },
    // The keys stay: their tokens are issued again if the maker could make them again.
    'rights.shrank': async (tx, _payload, { id }) => {
      const lost = losses.get(id);
      if (lost?.status !== 'fulfilled') throw lost?.reason ?? new Error('nobody has asked for the keys of this event');
      return refuseTokens(tx, lost.value, id);
    },
    // While the maker is blocked, the keys get no new tokens.
    'member.restricted': async (tx, { organizationId, userId, kind }, { id }) => {
      if (kind !== 'block') return undefined;
      return refuseTokens(tx, await listKeysMadeBy(tx, { userIds: [userId], parentId: organizationId }, clock()), id);
    },
    // The same in all scopes; a key whose maker holds nothing gets no token.
    'user.restricted': async (tx, { userId, blockedAt }, { id }) => {
      return blockedAt === null ? undefined : refuseTokens(tx, await listKeysMadeBy(tx, { userIds: [userId] }, clock()), id);
    },
    'user.reclaimed': async (tx, { userId }, { id }) => {
      changesByEvent.set(id, { revocations: await endKeys(tx, { of: 'user', userId }, false), scopes: [] });
      return undefined;
    },
    'user.deleted': async (tx, { userId }, { id }) => {
      changesByEvent.set(id, { revocations: await endKeys(tx, { of: 'user', userId }, false), scopes: [] });
      return undefined;
    },
  };
}

function placeIn({ id }: { readonly id: string }) {
  const [parentId = '', projectId] = id.split(':');
  return { parentId, ...(projectId === undefined ? {} : { projectId }) };
}

function projectIn(parent: Parent, projectId: string): ProjectScope {
  return {
    tenant: parent.tenant === 'organization' ? 'organizationProject' : 'accountProject',
    id: `${parent.id}:${projectId}`,
  };
}

function parentIn({ tenant, id }: { readonly tenant: string; readonly id: string }): Parent {
  if (tenant !== 'account' && tenant !== 'organization') throw new Error(`'${tenant}' is no account or organization`);
  return { tenant, id };
}

/**
 * A suspension refuses all tokens that the keys of the projects have signed so far. The keys stay:
 * they sign again when the tenant is resumed.
 */
async function restrict(
  tx: Transaction,
  parent: Parent,
  restriction: { readonly isSuspended: boolean; readonly mostApiKeys: number | null },
  now: Date,
  lifetimes: Lifetimes,
): Promise<Changes> {
  const wasSuspended = await findSuspended(tx, parent);
  await restrictTenant(tx, parent, restriction);
  if (wasSuspended === restriction.isSuspended) return { revocations: [], scopes: [] };
  const scopes = await listScopesOf(tx, projectIn(parent, '').tenant, parent.id);
  const revocations: Revocation[] = [];
  const used = parent.tenant === 'organization' && restriction.isSuspended ? await listUsed(tx, parent.id) : [];
  for (const grant of used) revocations.push(refusalUntilNow('scope', usedScopeOf(grant).id, now, lifetimes));
  for (const scope of restriction.isSuspended ? scopes : []) {
    for (const { kid } of await listSigningKeys(tx, scope)) revocations.push(refusalUntilNow('kid', kid, now, lifetimes));
  }
  await insertRevocations(tx, revocations.toSorted(byValue));
  return { revocations, scopes };
}

function byValue(one: Revocation, other: Revocation): number {
  return one.value < other.value ? -1 : 1;
}

/**
 * Removes the project's signing keys, refuses the tokens that they signed, and prevents new keys.
 */
async function endSigning(tx: Transaction, scope: ProjectScope, now: Date): Promise<readonly Revocation[]> {
  await lockScope(tx, scope);
  await retireScope(tx, scope, now);
  const keys = await removeSigningKeys(tx, scope);
  for (const key of keys) await auditKey(tx, key, 'retired', { cause: 'deletion' }, now);
  const revocations = keys.map(({ kid }) => refusalOfKey(kid, now));
  await insertRevocations(tx, revocations);
  return revocations;
}

function projectScope({ tenant, id }: { readonly tenant: string; readonly id: string }): ProjectScope {
  if (tenant !== 'accountProject' && tenant !== 'organizationProject') throw new Error(`'${tenant}' is no project`);
  return { tenant, id };
}
