import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import { callerOf, type HandleContext, scopeOf } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Invitation } from '../../domain/invitation.ts';
import { errors } from '../../errors.ts';
import { findInvitation, lockInvitation, replaceInvitationToken } from '../../storage/invitations.ts';
import { isMember } from '../../storage/members.ts';
import { assertRoom } from '../quota.ts';
import type { Context } from '../related.ts';
import { requireGrantableRole } from '../role-grant.ts';
import { countMail } from './count-mail.ts';
import { invitationMail } from './mail.ts';
import { createToken } from './token.ts';

type Sending = {
  /** Whether the address wants invitation mails. */
  readonly isMailed: boolean;
  readonly isAllowed: (invitation: Invitation) => boolean;
  readonly expiresAt: (invitation: Invitation) => string;
};

/**
 * Sending an invitation again grants its role again, so the caller must be allowed to grant it now.
 */
export async function prepareSending(id: string, context: Context): Promise<Pick<Sending, 'isMailed'>> {
  const scope = scopeOf(context);
  const invitation = await context.deps.database.scoped(scope, (tx) => findInvitation(tx, scope.id, id), { readOnly: true });
  if (!invitation) throw failures.notFound('OrganizationInvitation');
  const { email } = invitation;
  const [, found] = await Promise.all([requireGrantableRole(invitation.roleId, context), context.deps.identity.findUserByEmail({ email })]);
  return { isMailed: !found.refusesInvitations };
}

/**
 * Sends a new token in a new mail. 409 if the status does not allow it or the addressee is a member
 * already.
 */
export async function sendNewToken(
  id: string,
  context: HandleContext<TenancyDeps>,
  { isMailed, isAllowed, expiresAt }: Sending,
): Promise<Invitation> {
  const { tx } = context;
  const organizationId = scopeOf(context).id;
  const known = await findInvitation(tx, organizationId, id);
  if (!known) throw failures.notFound('OrganizationInvitation');
  // Before the invitation is locked, as when it is made.
  const senderId = await countMail(known.email, context);
  const invitation = await lockInvitation(tx, organizationId, id);
  if (!invitation) throw failures.notFound('OrganizationInvitation');
  if (!isAllowed(invitation)) throw errors.invitationNotPending({ extensions: { resource: 'OrganizationInvitation', field: 'status' } });
  if (await isMember(tx, organizationId, invitation.email, null))
    throw errors.alreadyMember({ extensions: { resource: 'OrganizationMember', field: 'email' } });
  // An open one holds its place already.
  if (invitation.status === 'expired') await assertRoom('members', organizationId, context);
  const { token, tokenHash } = createToken();
  const { userId: invitedBy, claims } = callerOf(context);
  const credentialId = claims.service?.credentialId ?? null;
  const change = { tokenHash, expiresAt: expiresAt(invitation), invitedBy, credentialId, isMailed };
  const renewed = await replaceInvitationToken(tx, invitation, change).catch((error: unknown) => {
    // An expired invitation would be open again beside a newer one for the same address.
    if (isUniqueViolation(error, 'organization_invitations_open'))
      throw errors.alreadyInvited({ extensions: { resource: 'OrganizationInvitation', field: 'email' } });
    throw error;
  });
  if (!renewed) throw failures.notFound('OrganizationInvitation');
  const { expiresAt: after, status } = renewed;
  const entry = { before: invitation, after: { expiresAt: after, status } };
  context.audit({ targetType: 'OrganizationInvitation', targetId: id, ...entry });
  if (isMailed) context.emit(await invitationMail(renewed, token, senderId, context));
  return renewed;
}
