import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import type { EventPayloads } from '@tessera/proto/events';
import type { Account } from './domain/account.ts';
import type { Security } from './domain/organization.ts';
import { type ProjectParent, projectScope } from './domain/project.ts';
import { grantScope, type ProjectGrant } from './domain/project-grant.ts';
import type { Tenant } from './domain/tenant.ts';

/**
 * The events that tenancy publishes. Events with the same key are delivered in order, so the key is
 * the id of the record whose creation and deletion must not be swapped.
 */

const emptyTags = { tagIds: [], primaryTagId: null };

export function accountCreated({ id, type, ownerId }: Account, all: readonly Account[]): OutgoingEvent {
  const accounts = all.map(({ deletedAt: _, ...account }) => account);
  return { type: 'account.created', key: id, payload: { accountId: id, type, ownerId, accounts } };
}

/** Each is its owner's only account. The key is one of theirs: none is about all of them. */
export function accountsImported(created: readonly Account[]): OutgoingEvent[] {
  const [first] = created;
  if (first === undefined) return [];
  const accounts = created.map(({ deletedAt: _, ...account }) => account);
  return [{ type: 'accounts.imported', key: first.id, payload: { accounts } }];
}

export function accountDeleted(accountId: string, projectIds: string[], hard: boolean): OutgoingEvent {
  return { type: 'account.deleted', key: accountId, payload: { accountId, projectIds, hard } };
}

export function accountsClosed(userId: string, hard: boolean): OutgoingEvent {
  return { type: 'accounts.closed', key: userId, payload: { userId, hard } };
}

/** Without an owner its first one is invited. */
export function organizationCreated(organizationId: string, ownerId: string | null): OutgoingEvent {
  return { type: 'organization.created', key: organizationId, payload: { organizationId, ownerId } };
}

export function organizationSecured(
  organizationId: string,
  { requireSecondFactor, maxSessionAgeMinutes }: Pick<Security, 'requireSecondFactor' | 'maxSessionAgeMinutes'>,
): OutgoingEvent {
  return { type: 'organization.secured', key: organizationId, payload: { organizationId, requireSecondFactor, maxSessionAgeMinutes } };
}

/** Told two weeks and two days before: each time is a mail of its own. */
export function directoryTokenEnds(token: EventPayloads['serviceAccount.tokenEnds'], organizationName: string): OutgoingEvent {
  const { accountId, accountName, organizationId, lastFour, expiresAt } = token;
  const path = `/org/${organizationId}/service-accounts/${accountId}`;
  const data = { organizationName, accountName, lastFour, day: expiresAt.slice(0, 10), path };
  return ownersTold({ organizationId, template: 'directory-token-ends', language: 'en', data });
}

/** The whole state: a later event replaces an earlier one. */
export function tenantRestricted({ id, tenant, suspendedAt, quotas }: Tenant): OutgoingEvent {
  const { apiKeys: mostApiKeys, requestsPerMinute } = quotas;
  const payload = { scope: { tenant, id }, isSuspended: suspendedAt !== null, mostApiKeys, requestsPerMinute };
  return { type: 'tenant.restricted', key: id, payload };
}

export function organizationDeleted(organizationId: string, projectIds: string[], hard: boolean): OutgoingEvent {
  return { type: 'organization.deleted', key: organizationId, payload: { organizationId, projectIds, hard } };
}

export type ProjectTags = { tagIds: string[]; primaryTagId: string | null };

/** The key is the parent: the deletion of the parent must come after this event. */
export function projectCreated(parent: ProjectParent, projectId: string, createdBy: string, tags: ProjectTags = emptyTags): OutgoingEvent {
  return { type: 'project.created', key: parent.id, payload: { scope: projectScope(parent, projectId), createdBy, ...tags } };
}

export function projectTagged({ tenant, id }: ProjectParent, projectId: string, tags: ProjectTags): OutgoingEvent {
  return { type: 'project.tagged', key: id, payload: { scope: { tenant, id }, projectId, ...tags } };
}

export function projectDeleted(parent: ProjectParent, projectId: string, hard: boolean): OutgoingEvent {
  return { type: 'project.deleted', key: parent.id, payload: { scope: projectScope(parent, projectId), hard } };
}

type Invited = { readonly invitedBy: string; readonly invitedAt: string; readonly credentialId: string | null };

/** `invitedAt` is set when a person has invited another one, not a directory or a machine. */
export function memberAdded(organizationId: string, userId: string, roleId: string, invitation?: Invited): OutgoingEvent {
  const isByHand = invitation?.credentialId === null && invitation.invitedBy !== userId;
  const payload = { organizationId, userId, roleId, ...(isByHand ? { invitedAt: invitation.invitedAt } : {}) };
  return { type: 'member.added', key: `${organizationId}:${userId}`, payload };
}

/** Of one organization. The key is one of theirs: none is about all of them. */
export function membersProvisioned(organizationId: string, members: EventPayloads['members.provisioned']['members']): OutgoingEvent {
  return { type: 'members.provisioned', key: `${organizationId}:${members[0]?.userId ?? ''}`, payload: { organizationId, members } };
}

type DirectoryChange = {
  readonly organizationId: string;
  readonly groups: EventPayloads['directory.changed']['groups'];
  readonly people: readonly { readonly userId: string; readonly groupIds: readonly string[]; readonly isDetached?: boolean }[];
  readonly by: string | null;
};

/** After `organization.created`, and in the order in which the directory has spoken. */
export function directoryChanged({ organizationId, groups, people, by }: DirectoryChange): OutgoingEvent {
  const told = people.map(({ userId, groupIds, isDetached = false }) => ({
    userId,
    groupIds: [...groupIds],
    ...(isDetached ? { isDetached } : {}),
  }));
  return { type: 'directory.changed', key: organizationId, payload: { organizationId, groups, people: told, by } };
}

/** `hard`: a person who exists for this scope only is deleted for good. */
export function userLeft(userId: string, { tenant, id }: Scope, hard = false): OutgoingEvent {
  return { type: 'user.left', key: `${id}:${userId}`, payload: { userId, scope: { tenant, id }, ...(hard ? { hard } : {}) } };
}

/** Whether a scope has webhooks that are switched on: only then its audit rows are told. */
export function webhooksWatched({ id }: Pick<Scope, 'id'>, isWatched: boolean): OutgoingEvent {
  return { type: 'webhooks.watched', key: `webhooks:${id}`, payload: { scopeId: id, isWatched } };
}

type OwnersMail = EventPayloads['owners.told'];

/**
 * The key is a new one: no mail waits for another. A message id that was used before sends nothing.
 */
export function ownersTold({ messageId = newId(), ...mail }: Omit<OwnersMail, 'messageId'> & { messageId?: string }): OutgoingEvent {
  return { type: 'owners.told', key: messageId, payload: { messageId, ...mail } };
}

/** One mail of an account, person and reason, however often they leave. rbac adds its roles. */
export function serviceAccountStays(account: EventPayloads['serviceAccount.stays'], organizationName: string): OutgoingEvent {
  const { id: accountId, name: accountName, organizationId, makerId, maker, why, credentials = '', more = 0 } = account;
  const template = why === 'left' ? 'service-account-stays' : `service-account-maker-${why}`;
  const path = `/org/${organizationId}/service-accounts/${accountId}`;
  const data = { organizationName, accountId, accountName, makerId, maker, path, credentials, more: more === 0 ? '' : String(more) };
  return ownersTold({ messageId: `${template}:${accountId}:${makerId}`, organizationId, template, language: 'en', data });
}

/** The whole state: a later event of the pair replaces an earlier one. */
export function grantChanged(grant: ProjectGrant): OutgoingEvent {
  const { id, projectId, ownerOrganizationId, status, roleIds, allowCustomRoles, maxMembers, metadata } = grant;
  const scope = grantScope(grant);
  const terms = { roleIds, allowCustomRoles, maxMembers, metadata };
  const payload = {
    scope,
    grantId: id,
    projectId,
    ownerOrganizationId,
    isActive: status === 'active',
    isEnded: status === 'ended',
    ...terms,
  };
  return { type: 'grant.changed', key: scope.id, payload };
}
