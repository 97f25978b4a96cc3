import type { EventHandlers, OutgoingEvent } from '@tessera/kernel/events';
import { statement, type Transaction } from '@tessera/kernel/postgres';
import { parseScope, tenants } from '@tessera/kernel/scope';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import type { EventPayloads, RegisteredPerson } from '@tessera/proto/events';
import {
  accountCreated,
  accountDeleted,
  accountsImported,
  directoryTokenEnds,
  memberAdded,
  membersProvisioned,
  serviceAccountStays,
  userLeft,
} from './events.ts';
import { directoryEventsOf } from './operations/directory-changes.ts';
import { deleteAccounts, insertAccount, listAccounts } from './storage/accounts.ts';
import { acceptInvitation, lockInvitation, revokeInvitation, revokeInvitationsOf } from './storage/invitations.ts';
import { addMember, removeMember } from './storage/members.ts';
import { findOrganizations } from './storage/organizations.ts';
import { addPerson, deletePerson, personExists, renamePerson } from './storage/people.ts';
import { addProjectUser } from './storage/project-users.ts';
import { mayBecomeOwner } from './storage/provisioned-organizations.ts';
import { freePlace } from './storage/quotas.ts';
import { forgetVoucher } from './storage/webhook-vouchers.ts';
import { recordedHandler } from './webhooks/record.ts';

/** The audit rows of scopes with webhooks become events (kernel/migrations/011). */
const watchAudit = statement('audit_watch', 'SELECT watch_audit($1, $2, $3)');

/**
 * The events that tenancy subscribes to. Each handler runs once, in one transaction with the events
 * that it returns.
 */
const handlers: EventHandlers = {
  'webhooks.watched': async (tx, { scopeId, isWatched }, { occurredAt }) => {
    await tx.query(watchAudit, [scopeId, isWatched, occurredAt]);
    return [];
  },
  'user.registered': async (tx, { userId, name, email, account, invitation }, { occurredAt }) => {
    const [[isThere, created], accounts] = await Promise.all([
      addWithAccount(tx, { userId, name, email, account }, occurredAt),
      listAccounts(tx, [userId]),
    ]);
    if (!isThere) return [];
    const events = created ? [accountCreated(created, accounts)] : [];
    return invitation ? [...events, ...(await joinByInvitation(tx, invitation, userId))] : events;
  },
  'users.imported': async (tx, { people }, { occurredAt }) => {
    const added = await Promise.all(people.map((person) => addWithAccount(tx, person, occurredAt)));
    return accountsImported(added.flatMap(([, account]) => account ?? []));
  },
  'users.provisioned': async (tx, { people }, { occurredAt }) => {
    const added = await Promise.all(people.map((person) => addWithAccount(tx, person, occurredAt)));
    const living = people.filter((_, index) => added[index]?.[0]);
    return [...accountsImported(added.flatMap(([, account]) => account ?? [])), ...(await joinTogether(tx, living))];
  },
  'account.requested': async (tx, { userId, account }) => {
    const created = await insertAccount(tx, { id: account.id, type: account.type, ownerId: userId });
    const accounts = await listAccounts(tx, [userId]);
    if (created) return [accountCreated(created, accounts)];
    const isMissing = accounts.every(({ type }) => type !== account.type);
    // No account is made while the person's accounts are being closed. The next delivery finds them
    // closed, or the closing cancelled.
    if (isMissing && (await personExists(tx, userId))) throw new Error('the accounts of this person are being closed');
    return [];
  },
  'user.joined': async (tx, { userId, name, email, scope }, { occurredAt }) => {
    if (!(await addPerson(tx, { userId, name, email }, occurredAt))) return [];
    const { tenant, id, accountId, organizationId, projectId } = parsed(scope);
    if (tenant === 'organization') await joinAsMember(tx, id, userId);
    else if (projectId !== undefined) await addProjectUser(tx, accountId ?? organizationId, projectId, userId);
    return [];
  },
  'user.updated': async (tx, { userId, name, email }, { occurredAt }) => {
    await renamePerson(tx, { userId, name, email }, occurredAt);
    return [];
  },
  'user.deleted': async (tx, { userId, hard }, { occurredAt }) => {
    const accounts = await deleteAccounts(tx, userId, hard);
    await deletePerson(tx, userId, occurredAt);
    return accounts.map(({ id, projectIds }) => accountDeleted(id, projectIds, hard));
  },
  // A stranger may have made them: the webhook would go on reading the log.
  'user.reclaimed': async (tx, { userId }) => {
    await revokeInvitationsOf(tx, userId);
    await forgetVoucher(tx, userId);
    return [];
  },
  'serviceAccount.stays': async (tx, account) => {
    const [organization] = await findOrganizations(tx, [account.organizationId]);
    return organization === undefined ? [] : [serviceAccountStays(account, organization.name)];
  },
  'serviceAccount.tokenEnds': async (tx, token) => {
    const [organization] = await findOrganizations(tx, [token.organizationId]);
    return organization === undefined ? [] : [directoryTokenEnds(token, organization.name)];
  },
  'membership.ended': async (tx, { userId, scope, hard }, { occurredAt }) => {
    const { tenant, id } = parsed(scope);
    if (tenant !== 'organization') return [];
    return (await removeMember(tx, id, userId, occurredAt)) ? [userLeft(userId, { tenant, id }, hard)] : [];
  },
};

/** The place that was held for a person who is made here ends as their membership begins. */
async function joinAsMember(tx: Transaction, organizationId: string, userId: string): Promise<void> {
  await freePlace(tx, organizationId, userId);
  await addMember(tx, organizationId, userId);
}

type Registered = Pick<RegisteredPerson, 'userId' | 'name' | 'email' | 'account'>;

/**
 * Whether the person is there, and the new account. Sent together, in this order: who was deleted
 * gets no account.
 */
function addWithAccount(tx: Transaction, { userId, name, email, account }: Registered, at: string) {
  return Promise.all([
    addPerson(tx, { userId, name, email }, at),
    insertAccount(tx, { id: account.id, type: account.type, ownerId: userId }),
  ]);
}

/** `wakeDeliverer` is called when there is something new to send. */
export function createEventHandlers(wakeDeliverer: () => void): EventHandlers {
  return { ...handlers, 'audit.recorded': recordedHandler(wakeDeliverer) };
}

function parsed({ tenant, id }: { readonly tenant: string; readonly id: string }) {
  const known = tenants.find((one) => one === tenant);
  if (!known) throw new Error(`'${tenant}' is no tenant of an event's scope.`);
  return parseScope({ tenant: known, id });
}

type Invited = { readonly id: string; readonly organizationId: string };

/**
 * Completes an invitation that was accepted by registering: identity has committed the user, this
 * commits the membership, once.
 */
async function joinByInvitation(tx: Transaction, invitation: Invited, userId: string): Promise<OutgoingEvent[]> {
  const { organizationId } = invitation;
  const roleId = await joinAsInvited(tx, invitation, userId);
  if (roleId === undefined) return [];
  return [memberAdded(organizationId, userId, roleId), ...(await directoryEventsOf(tx, organizationId, userId))];
}

/**
 * The same for people of a directory. Sorted, so that two of these do not wait for each other; sent
 * together, so that all invitations are locked before the first membership begins.
 */
async function joinTogether(tx: Transaction, people: EventPayloads['users.provisioned']['people']): Promise<OutgoingEvent[]> {
  const sorted = people.toSorted((one, other) => (one.invitation.id < other.invitation.id ? -1 : 1));
  const joined = await Promise.all(
    sorted.map(async ({ userId, invitation }) => ({ userId, invitation, roleId: await joinAsInvited(tx, invitation, userId) })),
  );
  const events: OutgoingEvent[] = [];
  for (const [organizationId, own] of Map.groupBy(joined, ({ invitation }) => invitation.organizationId)) {
    const members = own.flatMap(({ userId, roleId }) => (roleId === undefined ? [] : [{ userId, roleId }]));
    if (members.length === 0) continue;
    events.push(membersProvisioned(organizationId, members));
    events.push(...(await directoryEventsOf(tx, organizationId, ...members.map(({ userId }) => userId))));
  }
  return events;
}

/** The role that the invitation gives, if it was open and the person is a member by it now. */
async function joinAsInvited(tx: Transaction, { id, organizationId }: Invited, userId: string): Promise<string | undefined> {
  const open = await lockInvitation(tx, organizationId, id);
  if (open === undefined || open.status === 'accepted' || open.status === 'revoked') return undefined;
  // Another person may have become the first Owner while this person registered.
  if (open.roleId === ownerRoleId(organizationId) && !(await mayBecomeOwner(tx, open))) {
    await revokeInvitation(tx, open, false);
    return undefined;
  }
  const invitation = await acceptInvitation(tx, organizationId, id, userId);
  if (!invitation) return undefined;
  return (await addMember(tx, organizationId, userId)) === 'added' ? invitation.roleId : undefined;
}
