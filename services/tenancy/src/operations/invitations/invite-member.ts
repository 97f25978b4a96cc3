import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { expiryOf } from '../../domain/invitation.ts';
import { errors } from '../../errors.ts';
import { insertInvitation, makeRoom } from '../../storage/invitations.ts';
import { isMember } from '../../storage/members.ts';
import { holdOrganization } from '../../storage/organizations.ts';
import { requireGrantable } from '../grants.ts';
import { InvitationSchema } from './invitation.ts';
import { invitationMail } from './mail.ts';
import { createToken } from './token.ts';

/** Its shape only: what exactly an address is, is the domain's, once it is in its one form. */
const Email = Type.String({ maxLength: 320, pattern: '^[^\\s@]+@[^\\s@]+$', description: 'An email address' });

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
  prepare: async (input, context) => {
    const email = normalizeAddress(input.email);
    if (!isAddress(email)) throw failures.validation('email', 'is not an email address');
    const [, found] = await Promise.all([requireGrantable(input.roleId, context), context.deps.identity.findUserByEmail({ email })]);
    // An address that its user never proved is not them: nobody keeps somebody else out by entering theirs.
    return { email, userId: found.isVerified ? (found.userId ?? null) : null };
  },
  handle: async ({ roleId }, context, { email, userId }) => {
    const { tx, deps, now } = context;
    const { id: organizationId } = scopeOf(context);
    await makeRoom(tx, organizationId, email);
    // It was deleted between the decision and this transaction.
    if (!(await holdOrganization(tx, organizationId))) throw failures.forbidden();
    const { token, tokenHash } = createToken();
    const invitation = await insertInvitation(tx, {
      id: newId(),
      organizationId,
      email,
      roleId,
      tokenHash,
      invitedBy: callerOf(context).userId,
      expiresAt: expiryOf(now, deps.invitationLifetimeDays),
    });
    if (!invitation) throw errors.alreadyInvited({ extensions: { resource: 'OrganizationInvitation', field: 'email' } });
    // After the insert, which has waited for whoever accepts an earlier one at this moment.
    if (await isMember(tx, organizationId, email, userId))
      throw errors.alreadyMember({ extensions: { resource: 'OrganizationMember', field: 'email' } });
    context.audit({ targetType: 'OrganizationInvitation', targetId: invitation.id, detail: { roleId } });
    context.emit(await invitationMail(invitation, token, context));
    return invitation;
  },
});
