import { newId } from '@tessera/kernel/ids';
import { callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { expiryOf, normalizeEmail } from '../../domain/invitation.ts';
import { errors } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { insertInvitation } from '../../storage/invitations.ts';
import { isMember } from '../../storage/members.ts';
import { requireGrantable } from '../grants.ts';
import { Email, InvitationSchema } from './invitation.ts';
import { invitationMail } from './mail.ts';
import { createToken } from './token.ts';

export const inviteMember = operation({
  name: 'inviteMember',
  summary: 'Invite an address to an organization, with a role below one’s own',
  kind: 'mutation',
  input: strict({ ...scopeField, email: Email, roleId: Id }),
  output: InvitationSchema,
  access: { permission: 'OrganizationInvitation:Create' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'organizationInvitation.created',
  events: ['mail.requested'],
  rest: { method: 'POST', path: '/api/organization-invitations/invite', status: 201 },
  graphql: { field: 'inviteMember' },
  prepare: async ({ email, roleId }, context) => {
    const [, found] = await Promise.all([
      requireGrantable(roleId, context),
      context.deps.identity.findUserByEmail({ email: normalizeEmail(email) }),
    ]);
    return { userId: found.userId ?? null };
  },
  handle: async (input, context, { userId }) => {
    const { tx, deps, now } = context;
    const { id: organizationId } = scopeOf(context);
    const email = normalizeEmail(input.email);
    if (await isMember(tx, organizationId, email, userId))
      throw errors.alreadyMember({ extensions: { resource: 'OrganizationMember', field: 'email' } });
    const { token, tokenHash } = createToken();
    const invitation = await insertInvitation(tx, {
      id: newId(),
      organizationId,
      email,
      roleId: input.roleId,
      tokenHash,
      invitedBy: callerOf(context).userId,
      expiresAt: expiryOf(now, deps.invitationLifetimeDays),
    });
    if (!invitation) throw errors.alreadyInvited({ extensions: { resource: 'OrganizationInvitation', field: 'email' } });
    context.audit({ targetType: 'OrganizationInvitation', targetId: invitation.id, detail: { roleId: input.roleId } });
    context.emit(await invitationMail(invitation, token, context));
    return invitation;
  },
});
