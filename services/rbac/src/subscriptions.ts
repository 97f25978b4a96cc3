import type { EventHandlers, OutgoingEvent } from '@tessera/kernel/events';
import { statement, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope, tenants as tenantNames } from '@tessera/kernel/scope';
import { builtInRoleId, ownerRoleId } from '@tessera/proto/built-in-ids';
import type { EventPayloads } from '@tessera/proto/events';
import { isForPeople } from './domain/catalogue.ts';
import { applyDirectory } from './operations/directory/apply.ts';
import { rightsGrew, rightsShrank } from './operations/growth.ts';
import { leaveScope } from './operations/membership/grant-members.ts';
import { memberRestricted, sessionsAfter } from './operations/membership/restrict-member.ts';
import { assignRoles, assignToAll, listOwners, listRolesOfUsers, listScopesOfUser } from './storage/assignments.ts';
import { blockPerson, unblockPerson } from './storage/blocked-people.ts';
import { giveAccountRole, seedOrganizationRoles } from './storage/built-in.ts';
import { hasDeparted, listDeparted, noteArrival } from './storage/departures.ts';
import {
  deleteGroups,
  endDirectoryRoles,
  forgetDirectoryPerson,
  holdDirectory,
  keepByHand,
  listPeopleOfGroups,
  putGroups,
  putPeople,
  returnToDirectory,
} from './storage/directory.ts';
import { roleTable } from './storage/entity-tables.ts';
import { clearTags, clearTagsEverywhere, missingTags, setTags, type TaggedEntity } from './storage/entity-tags.ts';
import { forgetTenant } from './storage/forget.ts';
import { putGrant } from './storage/grants.ts';
import { deleteMetadataEverywhere } from './storage/member-metadata.ts';
import { blockedSince, changeRestriction, forgetPasswordDemand, listWaitingForPassword } from './storage/member-restrictions.ts';
import type { Places } from './storage/places.ts';
import { findEntities } from './storage/scoped-entity.ts';
import { setServiceAccountRoles } from './storage/service-accounts.ts';
import { registerGrant, restrict, setEnforcement, setSessionPolicy, type TenantChanges } from './storage/tenants.ts';

function scopeOf({ tenant, id }: { tenant: string; id: string }): ParsedScope {
  const known = tenantNames.find((name) => name === tenant);
  if (known === undefined) throw new Error(`no scope: ${tenant}`);
  return parseScope({ tenant: known, id });
}
function parentOf(scope: ParsedScope): ParsedScope | undefined {
  if (scope.tenant === 'accountProject') return parseScope({ tenant: 'account', id: scope.accountId });
  if (scope.tenant === 'organizationProject') return parseScope({ tenant: 'organization', id: scope.organizationId });
  return undefined;
}

/** Tenancy is told of the audit rows of scopes with webhooks (kernel/migrations/011). */
const watchAudit = statement('audit_watch', 'SELECT watch_audit($1, $2, $3)');

/** Gives those of the roles that are the scope's own and not deleted meanwhile. */
async function give(tx: Transaction, scope: ParsedScope, userId: string, roleIds: readonly string[]): Promise<void> {
  const found = await findEntities(tx, roleTable, scope, roleIds);
  if (found.length > 0)
    await assignRoles(
      tx,
      scope,
      userId,
      found.map(({ id }) => id),
    );
}

/** The same role for many. */
async function giveToAll(tx: Transaction, scope: ParsedScope, roleId: string, userIds: readonly string[]): Promise<void> {
  const [found] = await findEntities(tx, roleTable, scope, [roleId]);
  if (found !== undefined) await assignToAll(tx, scope, found.id, userIds);
}

/**
 * A blocked person who becomes a member again stays blocked. Only an invitation that another person
 * has sent by hand after the block lifts it.
 */
async function admit(
  tx: Transaction,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  invitedAt: string | undefined,
): Promise<'free' | 'blocked' | 'lifted'> {
  const blockedAt = await blockedSince(tx, { organizationId, userId });
  if (blockedAt === null) return 'free';
  if (invitedAt === undefined || Date.parse(invitedAt) <= Date.parse(blockedAt)) return 'blocked';
  await changeRestriction(tx, { organizationId, userId }, { blockedAt: null, demands: { sessionsAfter: sessionsAfter(new Date()) } });
  return 'lifted';
}

/**
 * rbac has ended the membership itself, and this is the echo of it. The scope is not locked again:
 * of many who leave at a time each would wait for all, and every replica would load rights again.
 */
async function isGone(tx: Transaction, scope: ParsedScope, userId: string): Promise<boolean> {
  return (await hasDeparted(tx, scope, userId)) && (await listRolesOfUsers(tx, [scope], [userId])).length === 0;
}

/** As for mails about webhooks. */
const mostOwnersTold = 50;

type AboutServiceAccount = { readonly roles: string } | Record<never, never>;

/**
 * The roles of the service account that a mail is about. Undefined when its maker, who lost a role,
 * could still make it: then there is nothing to tell.
 */
async function aboutServiceAccount(
  tx: Transaction,
  organizationId: string,
  { template, data: { accountId, makerId = '' } }: Pick<EventPayloads['owners.told'], 'template' | 'data'>,
): Promise<AboutServiceAccount | undefined> {
  if (accountId === undefined) return {};
  const scope = scopeOf({ tenant: 'organization', id: organizationId });
  const held = await listRolesOfUsers(tx, [scope], [accountId]);
  const ranksOf = (roles: readonly { readonly rank: number | null }[]) => roles.map(({ rank }) => rank ?? lowestRank);
  if (template === 'service-account-maker-demoted') {
    const ofMaker = Math.min(...ranksOf(await listRolesOfUsers(tx, [scope], [makerId])), lowestRank);
    if (ofMaker === 1 || (ofMaker <= makerRank && ofMaker < Math.min(...ranksOf(held), lowestRank))) return undefined;
  }
  return {
    roles:
      held
        .map(({ name }) => name)
        .toSorted()
        .join(', ') || '–',
  };
}
/** Of the built-in roles Owner and Admin make service accounts. */
const makerRank = 2;
const lowestRank = Number.MAX_SAFE_INTEGER;

/** Their addresses are identity's. */
async function tellOwners(tx: Transaction, { messageId, organizationId, ...mail }: EventPayloads['owners.told']): Promise<OutgoingEvent[]> {
  const owners = (await listOwners(tx, organizationId)).toSorted().slice(0, mostOwnersTold);
  const about = await aboutServiceAccount(tx, organizationId, mail);
  if (about === undefined) return [];
  const payload = { messageId, userIds: owners, ...mail, data: { ...mail.data, ...about } };
  return owners.length === 0 ? [] : [{ type: 'people.told', key: messageId, payload }];
}

type Tagging = { readonly tagIds: readonly string[]; readonly primaryTagId: string | null };

/** Leaves the entity exactly these tags, without those that were deleted meanwhile. */
async function retag(
  tx: Transaction,
  scope: ParsedScope,
  entity: TaggedEntity,
  entityId: string,
  { tagIds, primaryTagId }: Tagging,
): Promise<void> {
  const missing = new Set(await missingTags(tx, scope, tagIds));
  const left = tagIds.filter((id) => !missing.has(id));
  const primary = primaryTagId !== null && left.includes(primaryTagId) ? primaryTagId : null;
  await setTags(tx, scope, entity, entityId, { tagIds: left, primaryTagId: primary });
}

/** Ends an account or organization with its projects, or a project alone. */
async function endTenants(
  tenants: TenantChanges,
  tx: Transaction,
  scope: ParsedScope,
  projectIds: readonly string[],
  hard: boolean,
): Promise<void> {
  const tenant = scope.tenant === 'account' ? 'accountProject' : 'organizationProject';
  const projects = projectIds.map((projectId) => parseScope({ tenant, id: `${scope.id}:${projectId}` }));
  for (const gone of [scope, ...projects]) {
    await tenants.markDeleted(tx, gone);
    if (hard) await forgetTenant(tx, gone);
  }
}

type NewAccount = Pick<EventPayloads['accounts.imported']['accounts'][number], 'id' | 'type' | 'ownerId'>;

/** An account with its owner's role. Nothing for one that was deleted before. */
async function openAccount(tenants: TenantChanges, tx: Transaction, { id, type, ownerId }: NewAccount): Promise<void> {
  const scope = scopeOf({ tenant: 'account', id });
  if (await tenants.register(tx, scope)) await Promise.all([giveAccountRole(tx, scope, ownerId, type), tenants.bump(tx, scope)]);
}

/**
 * Handlers for the events of other services. An event may come twice, and out of order: handlers
 * can be repeated, and 'created' after 'deleted' does nothing.
 */
export function eventHandlers(tenants: TenantChanges, places: Places): EventHandlers {
  return {
    'account.created': async (tx, { accountId, type, ownerId }) => {
      await openAccount(tenants, tx, { id: accountId, type, ownerId });
      return [];
    },
    'accounts.imported': async (tx, { accounts }) => {
      await Promise.all(accounts.map((account) => openAccount(tenants, tx, account)));
      return [];
    },
    'organization.created': async (tx, { organizationId, ownerId }) => {
      const scope = scopeOf({ tenant: 'organization', id: organizationId });
      if (!(await tenants.register(tx, scope))) return [];
      const ownerRoleId = await seedOrganizationRoles(tx, organizationId);
      if (ownerId !== null) await assignRoles(tx, scope, ownerId, [ownerRoleId]);
      await tenants.bump(tx, scope);
      return [];
    },
    'organization.secured': async (tx, { organizationId, requireSecondFactor, maxSessionAgeMinutes }) => {
      const scope = scopeOf({ tenant: 'organization', id: organizationId });
      if (await tenants.bumpForEvent(tx, scope)) await setSessionPolicy(tx, organizationId, { requireSecondFactor, maxSessionAgeMinutes });
      return [];
    },
    'organization.connectionsEnforced': async (tx, { organizationId, connectionIds, breakGlassUserIds, since }) => {
      const scope = scopeOf({ tenant: 'organization', id: organizationId });
      if (!(await tenants.bumpForEvent(tx, scope))) return [];
      const enforced = connectionIds.length === 0 ? null : { connectionIds, breakGlassUserIds, since: Date.parse(since) };
      await setEnforcement(tx, organizationId, enforced);
      return [];
    },
    'tenant.restricted': async (tx, { scope: named, ...restriction }) => {
      const scope = scopeOf(named);
      if (await tenants.bumpForEvent(tx, scope)) await restrict(tx, scope, restriction);
      return [];
    },
    'webhooks.watched': async (tx, { scopeId, isWatched }, { occurredAt }) => {
      await tx.query(watchAudit, [scopeId, isWatched, occurredAt]);
      return [];
    },
    'project.created': async (tx, payload) => {
      const scope = scopeOf(payload.scope);
      const parent = parentOf(scope);
      if (parent === undefined || !(await tenants.register(tx, scope))) return [];
      if (payload.tagIds.length > 0) await retag(tx, parent, 'project', scope.projectId ?? '', payload);
      return [];
    },
    'grant.changed': async (tx, { scope: named, projectId, ownerOrganizationId, ...state }, { occurredAt }) => {
      const scope = scopeOf(named);
      if (scope.tenant !== 'organizationProject') throw new Error('the scope of a grant is an organization and a project');
      const { id: scopeId, organizationId } = scope;
      const placeId = await registerGrant(tx, { id: scopeId, organizationId, productId: `${ownerOrganizationId}:${projectId}` });
      if (!(await tenants.bumpForEvent(tx, scope))) return [];
      const endedAt = state.isEnded ? occurredAt : null;
      await putGrant(tx, { placeId, scopeId, organizationId, ownerOrganizationId, projectId, endedAt, ...state });
      // A new grant of the pair begins without what groups gave in this one.
      if (state.isEnded) await endDirectoryRoles(tx, scope);
      return [];
    },
    'serviceAccount.changed': async (tx, { id, scope: named, roleIds }) => {
      const scope = scopeOf(named);
      if (!(await tenants.bumpForEvent(tx, scope))) return [];
      const roles = await findEntities(tx, roleTable, scope, roleIds);
      const isLess = await setServiceAccountRoles(
        tx,
        scope,
        id,
        // Roles may be deleted meanwhile.
        roles.flatMap((role) => (isForPeople(role) ? [] : [role.id])),
      );
      // As for people: machine apps that it vouches for ask for tokens anew.
      return isLess ? [rightsShrank(scope, id)] : [];
    },
    'owners.told': tellOwners,
    'connection.ownersTold': tellOwners,
    'member.added': async (tx, { organizationId, userId, roleId: invitedAs, invitedAt }) => {
      const scope = scopeOf({ tenant: 'organization', id: organizationId });
      if (!(await tenants.bumpForEvent(tx, scope))) return [];
      await noteArrival(tx, scope, userId);
      const standing = await admit(tx, { organizationId, userId }, invitedAt);
      const lifted = standing === 'lifted' ? [memberRestricted({ organizationId, userId, kind: 'unblock' })] : [];
      // The invitation is older than the block. Other members could not unblock an Owner.
      const roleId =
        standing === 'blocked' && invitedAs === ownerRoleId(organizationId)
          ? builtInRoleId('organization', organizationId, 'Viewer')
          : invitedAs;
      // Roles that the member got before this event arrived are newer than the role of the
      // invitation.
      if ((await listRolesOfUsers(tx, [scope], [userId])).length > 0) return lifted;
      await give(tx, scope, userId, [roleId]);
      const byGroups = await applyDirectory({ tx, tenants, places }, { organizationId, userIds: [userId], actorId: null });
      return [...lifted, ...rightsGrew(scope, [userId]), ...byGroups];
    },
    'members.provisioned': async (tx, { organizationId, members }) => {
      const scope = scopeOf({ tenant: 'organization', id: organizationId });
      if (!(await tenants.bumpForEvent(tx, scope))) return [];
      const all = members.map(({ userId }) => userId);
      const held = await listRolesOfUsers(tx, [scope], all);
      // None was a member before: who has left since is not brought back by this.
      const others = new Set([...held.map(({ ownerId }) => ownerId), ...(await listDeparted(tx, scope, all))]);
      const fresh = members.filter(({ userId }) => !others.has(userId));
      for (const [roleId, own] of Map.groupBy(fresh, (member) => member.roleId))
        await giveToAll(
          tx,
          scope,
          roleId,
          own.map(({ userId }) => userId),
        );
      const userIds = fresh.map(({ userId }) => userId);
      const byGroups = await applyDirectory({ tx, tenants, places }, { organizationId, userIds, actorId: null });
      return [...rightsGrew(scope, userIds), ...byGroups];
    },
    'directory.changed': async (tx, { organizationId, groups, people, by }) => {
      if (!(await holdDirectory(tx, organizationId))) return [];
      const gone = groups.filter(({ isDeleted }) => isDeleted).map(({ id }) => id);
      const inGone = await listPeopleOfGroups(tx, organizationId, gone);
      await deleteGroups(tx, organizationId, gone);
      await putGroups(
        tx,
        organizationId,
        groups.flatMap(({ isDeleted, ...group }) => (isDeleted ? [] : [group])),
      );
      await putPeople(tx, organizationId, people);
      const [detached, others] = [people.filter(({ isDetached }) => isDetached), people.filter(({ isDetached }) => !isDetached)];
      await keepByHand(
        tx,
        organizationId,
        detached.map(({ userId }) => userId),
      );
      await returnToDirectory(
        tx,
        organizationId,
        others.map(({ userId }) => userId),
      );
      const userIds = [...new Set([...inGone, ...people.map(({ userId }) => userId)])];
      return applyDirectory({ tx, tenants, places }, { organizationId, userIds, actorId: by });
    },
    'user.joined': async (tx, payload) => {
      const scope = scopeOf(payload.scope);
      if (!(await tenants.bumpForEvent(tx, scope))) return [];
      await noteArrival(tx, scope, payload.userId);
      await give(tx, scope, payload.userId, payload.roleIds);
      if (payload.tagIds.length > 0) await retag(tx, scope, 'user', payload.userId, payload);
      // Who signs up to an app (createdBy is null) was no user of the project: nothing is held for
      // them.
      return payload.createdBy === null ? [] : rightsGrew(scope, [payload.userId]);
    },
    'user.left': async (tx, payload) => {
      const scope = scopeOf(payload.scope);
      if (!(await isGone(tx, scope, payload.userId))) {
        if (!(await tenants.bumpForEvent(tx, scope))) return [];
        await leaveScope(tx, scope, payload.userId);
      }
      await clearTags(tx, scope, 'user', payload.userId);
      return [];
    },
    // The event has the organization's key, so that identity gets it after a demand that was made
    // before it.
    'user.passwordChanged': async (tx, { userId }, { occurredAt }) => {
      const met: OutgoingEvent[] = [];
      for (const organizationId of await listWaitingForPassword(tx, userId, occurredAt))
        if (
          (await tenants.bumpForEvent(tx, scopeOf({ tenant: 'organization', id: organizationId }))) &&
          (await forgetPasswordDemand(tx, { organizationId, userId }, occurredAt))
        )
          met.push(memberRestricted({ organizationId, userId, kind: 'password-changed' }));
      return met;
    },
    // Each place where the person has roles reads its rights again.
    'user.restricted': async (tx, { userId, blockedAt }) => {
      for (const held of await listScopesOfUser(tx, userId)) await tenants.bump(tx, scopeOf(held));
      if (blockedAt === null) await unblockPerson(tx, userId);
      else await blockPerson(tx, userId, blockedAt);
      return [];
    },
    'user.deleted': async (tx, { userId }) => {
      for (const held of await listScopesOfUser(tx, userId)) {
        const scope = scopeOf(held);
        await tenants.bump(tx, scope);
        await leaveScope(tx, scope, userId);
      }
      await deleteMetadataEverywhere(tx, userId);
      await unblockPerson(tx, userId);
      await forgetDirectoryPerson(tx, userId);
      await clearTagsEverywhere(tx, 'user', userId);
      return [];
    },
    'projectApp.deleted': async (tx, { projectAppId }) => {
      await clearTagsEverywhere(tx, 'projectApp', projectAppId);
      return [];
    },
    'entity.tagged': async (tx, payload) => {
      const scope = scopeOf(payload.scope);
      if (await tenants.bumpForEvent(tx, scope)) await retag(tx, scope, payload.entity, payload.entityId, payload);
      return [];
    },
    'project.tagged': async (tx, payload) => {
      const parent = scopeOf(payload.scope);
      if (await tenants.bumpForEvent(tx, parent)) await retag(tx, parent, 'project', payload.projectId, payload);
      return [];
    },
    'account.deleted': async (tx, { accountId, projectIds, hard }) => {
      await endTenants(tenants, tx, scopeOf({ tenant: 'account', id: accountId }), projectIds, hard);
      return [];
    },
    'organization.deleted': async (tx, { organizationId, projectIds, hard }) => {
      await endTenants(tenants, tx, scopeOf({ tenant: 'organization', id: organizationId }), projectIds, hard);
      return [];
    },
    'project.deleted': async (tx, { scope, hard }) => {
      await endTenants(tenants, tx, scopeOf(scope), [], hard);
      return [];
    },
  };
}
