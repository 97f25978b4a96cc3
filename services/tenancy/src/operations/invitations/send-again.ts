import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import { type HandleContext, scopeOf } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Invitation } from '../../domain/invitation.ts';
import { errors } from '../../errors.ts';
import { findInvitation, lockInvitation, replaceInvitationToken } from '../../storage/invitations.ts';
import { isMember } from '../../storage/members.ts';
import { requireGrantable } from '../grants.ts';
import type { Context } from '../related.ts';
import { invitationMail } from './mail.ts';
import { createToken } from './token.ts';

/** Whoever sends an invitation again gives its role again: it must be theirs to give now. */
export async function requireRoleOf(id: string, context: Context): Promise<undefined> {
  const scope = scopeOf(context);
  const invitation = await context.deps.database.scoped(scope, (tx) => findInvitation(tx, scope.id, id), { readOnly: true });
  if (!invitation) throw failures.notFound('OrganizationInvitation');
  await requireGrantable(invitation.roleId, context);
}

/** A new token in a new mail. Refused (409) in a status that does not allow it, and for somebody who has joined meanwhile. */
export async function sendAgain(
  id: string,
  context: HandleContext<TenancyDeps>,
  isAllowed: (invitation: Invitation) => boolean,
  expiresAt: (invitation: Invitation) => Date | string,
): Promise<Invitation> {
  const { tx } = context;
  const organizationId = scopeOf(context).id;
  const invitation = await lockInvitation(tx, organizationId, id);
  if (!invitation) throw failures.notFound('OrganizationInvitation');
  if (!isAllowed(invitation)) throw errors.invitationNotPending({ extensions: { resource: 'OrganizationInvitation', field: 'status' } });
  if (await isMember(tx, organizationId, invitation.email, null))
    throw errors.alreadyMember({ extensions: { resource: 'OrganizationMember', field: 'email' } });
  const { token, tokenHash } = createToken();
  const renewed = await replaceInvitationToken(tx, invitation, tokenHash, expiresAt(invitation)).catch((error: unknown) => {
    // An expired one comes back to life beside a newer one for the same address.
    if (isUniqueViolation(error, 'organization_invitations_open'))
      throw errors.alreadyInvited({ extensions: { resource: 'OrganizationInvitation', field: 'email' } });
    throw error;
  });
  if (!renewed) throw failures.notFound('OrganizationInvitation');
  context.audit({ targetType: 'OrganizationInvitation', targetId: id });
  context.emit(await invitationMail(renewed, token, context));
  return renewed;
}
