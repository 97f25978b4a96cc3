/**
 * Admits a person whom the directory sends as active. Members come from an invitation: for a proven
 * domain it is accepted here, otherwise by the person. Only a member whom the directory itself had
 * deactivated returns without one. A person who left, was removed by hand or is sent with a new row
 * must accept an invitation.
 */
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, type HandleContext, writeAudit } from '@tessera/kernel/operation';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { TenancyDeps } from '../deps.ts';
import { expiryOf } from '../domain/invitation.ts';
import { domainOf } from '../domains/name.ts';
import { errors } from '../errors.ts';
import { memberAdded } from '../events.ts';
import { countMail } from '../operations/invitations/count-mail.ts';
import { invitationMail } from '../operations/invitations/mail.ts';
import { createToken } from '../operations/invitations/token.ts';
import { assertRoom } from '../operations/quota.ts';
import { holderOfDomain } from '../storage/directory-users.ts';
import { acceptInvitation, insertInvitation, lockInvitation, lockOpenInvitation, revokeInvitation } from '../storage/invitations.ts';
import { addMember, findMemberBy, hasDeparted, readmitMember } from '../storage/members.ts';
import { findOrganizations, lockOrganization } from '../storage/organizations.ts';
import { addPerson, lockLivingPerson } from '../storage/people.ts';
import type { Context } from './user.ts';

type Writing = HandleContext<TenancyDeps>;

/** The account of an address, as identity knows it. */
export type Account = {
  readonly userId: string | undefined;
  readonly name: string;
  readonly isVerified: boolean;
  readonly isHeld: boolean;
  readonly isDisputed: boolean;
  readonly isMailed: boolean;
};

export async function accountOf(email: string, { deps, now }: Pick<Context, 'deps' | 'now'>): Promise<Account> {
  const {
    userId,
    name,
    isVerified,
    isHeld = false,
    isDisputed = false,
    refusesInvitations,
  } = await deps.identity.findUserByEmail({ email });
  // The copy of a person who registered a moment ago may not be here yet. Scoped work can't add it.
  if (userId !== undefined && isVerified)
    await deps.database.transaction((tx) => addPerson(tx, { userId, name, email }, now.toISOString()));
  return { userId, name, isVerified, isHeld, isDisputed, isMailed: !refusesInvitations };
}

/** The person who has proven the address. */
export function provenPersonOf({ userId, isVerified }: Pick<Account, 'userId' | 'isVerified'>): string | null {
  return isVerified ? (userId ?? null) : null;
}

export type Entering = {
  readonly organizationId: string;
  readonly email: string;
  readonly name: string;
  /** Of a person who was a member. */
  readonly userId: string | null;
  readonly hasLeft: boolean;
};

/** What is noted of an entry. `makingSince`: identity makes the person after the commit. */
export type Entry = {
  readonly userId?: string | null;
  readonly hasLeft?: boolean;
  readonly invitationId?: string | null;
  readonly makingSince?: string | null;
  /** For the audit log. */
  readonly by: 'membership' | 'return' | 'account' | 'domain' | 'invitation';
};

function viewerOf(organizationId: string): string {
  return builtInRoleId('organization', organizationId, 'Viewer');
}

/**
 * Locks in the order that all operations on members use: person, domain, count of mails,
 * invitation. Call it before the directory's row is locked, and `enter` after it. A person who
 * returns gets no mail, so that none is counted.
 */
export async function lockEntry(account: Account, { email, isReturning }: { email: string; isReturning: boolean }, context: Writing) {
  const { tx } = context;
  if (account.userId !== undefined && account.isVerified) await lockLivingPerson(tx, account.userId);
  const found = await holderOfDomain(tx, domainOf(email));
  const holder = account.isDisputed ? 'other' : found;
  const isHere = account.userId !== undefined && account.isHeld && !(await hasDeparted(tx, callerPlace(context), account.userId));
  const isInvited = holder === null || (holder === 'own' && account.userId !== undefined && !isHere);
  const senderId = isInvited && account.isMailed && !isReturning ? await countMail(email, context) : undefined;
  return { holder, senderId, openId: (await lockOpenInvitation(tx, callerPlace(context), email))?.id };
}

function callerPlace({ scope }: Writing): string {
  if (scope === undefined) throw new Error('a directory has an organization');
  return scope.id;
}

export type Locked = Awaited<ReturnType<typeof lockEntry>>;

export async function enter(entering: Entering, account: Account, locked: Locked, context: Writing): Promise<Entry> {
  const { tx, emit } = context;
  const { organizationId, email, userId, hasLeft } = entering;
  const viewer = viewerOf(organizationId);
  const [member] = await Promise.all([
    findMemberBy(tx, organizationId, email, provenPersonOf(account), userId),
    lockOrganization(tx, organizationId),
  ]);
  if (member !== undefined) return { userId: member, hasLeft: false, makingSince: null, by: 'membership' };
  if (userId !== null && !hasLeft) {
    await assertRoom('members', organizationId, context);
    const addition = await addMember(tx, organizationId, userId);
    if (addition === 'added') {
      emit(memberAdded(organizationId, userId, viewer));
      return { hasLeft: false, makingSince: null, by: 'return' };
    }
  }
  if (locked.holder === 'other') throw errors.directoryAddressRefused();
  if (locked.openId !== undefined) await withdraw(locked.openId, organizationId, context);
  await assertRoom('members', organizationId, context);
  const isGone = hasLeft && (userId === null || userId === account.userId);
  const hasGone = account.userId !== undefined && (await hasDeparted(tx, organizationId, account.userId));
  const isOwn = locked.holder === 'own' && !isGone && !hasGone;
  if (isOwn && account.userId === undefined) {
    const invitation = await invite(entering, { isMailed: false }, context);
    return { userId: null, hasLeft: false, invitationId: invitation.id, makingSince: context.now.toISOString(), by: 'domain' };
  }
  if (isOwn && account.userId !== undefined && account.isHeld) {
    const invitation = await invite(entering, { isMailed: false }, context);
    return join(invitation.id, { ...entering, userId: account.userId }, context);
  }
  const senderId = locked.senderId ?? (account.isMailed ? await countMail(email, context) : '');
  const { token, ...invitation } = await invite(entering, account, context);
  if (account.isMailed) emit(await invitationMail(invitation, token, senderId, context));
  return { userId: null, hasLeft: false, invitationId: invitation.id, makingSince: null, by: 'invitation' };
}

async function invite({ organizationId, email, name }: Entering, { isMailed }: Pick<Account, 'isMailed'>, context: Writing) {
  const { userId: invitedBy, claims } = callerOf(context);
  const { token, tokenHash } = createToken();
  const invitation = await insertInvitation(context.tx, {
    id: newId(),
    organizationId,
    email,
    name: name === '' ? null : name,
    roleId: viewerOf(organizationId),
    tokenHash,
    invitedBy,
    credentialId: claims.service?.credentialId ?? null,
    expiresAt: expiryOf(context.now, context.deps.invitations.lifetimeDays),
    isMailed,
  });
  // Another request has invited the address after `lockEntry` looked for an open invitation.
  if (invitation === undefined) throw errors.alreadyInvited({ extensions: { resource: 'OrganizationInvitation', field: 'email' } });
  return { ...invitation, token };
}

/** The account holds an address of the domain: it becomes a member, and gets a mail about it. */
async function join(
  invitationId: string,
  { organizationId, email, userId }: Entering & { userId: string },
  context: Writing,
): Promise<Entry> {
  const { tx, emit, request } = context;
  await acceptInvitation(tx, organizationId, invitationId, userId);
  const addition = await readmitMember(tx, organizationId, userId);
  // The person leaves at this moment. The retry invites them.
  if (addition === 'left') throw failures.changedMeanwhile();
  if (addition !== 'added') throw errors.directoryAddressRefused();
  emit(memberAdded(organizationId, userId, viewerOf(organizationId)));
  const entry = { targetType: 'OrganizationInvitation', targetId: invitationId, detail: { by: 'directory' } };
  await writeAudit(tx, { operation: 'provisionUser', action: 'organizationInvitation.accepted', outcome: 'ok', entry }, context);
  const [organization] = await findOrganizations(tx, [organizationId]);
  const messageId = newId();
  const data = { token: '', organizationName: organization?.name ?? '' };
  emit({
    type: 'mail.requested',
    key: messageId,
    payload: { messageId, to: email, template: 'directory-joined', language: request.language, data },
  });
  return { userId, hasLeft: false, invitationId, makingSince: null, by: 'account' };
}

/** Revokes an open invitation, which the directory replaces. */
export async function withdraw(id: string, organizationId: string, context: Writing): Promise<void> {
  const invitation = await lockInvitation(context.tx, organizationId, id);
  if (invitation?.status !== 'pending' && invitation?.status !== 'expired') return;
  await revokeInvitation(context.tx, invitation, false);
  const entry = { targetType: 'OrganizationInvitation', targetId: id, detail: { by: 'directory' } };
  await writeAudit(context.tx, { operation: 'provisionUser', action: 'organizationInvitation.revoked', outcome: 'ok', entry }, context);
}
