import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, exampleId, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { expiryOf } from '../../domain/invitation.ts';
import { errors } from '../../errors.ts';
import { insertInvitation, lockOpenInvitation } from '../../storage/invitations.ts';
import { isMember } from '../../storage/members.ts';
import { lockOrganization } from '../../storage/organizations.ts';
import { assertRoom } from '../quota.ts';
import { requireGrantableRole } from '../role-grant.ts';
import { countMail } from './count-mail.ts';
import { InvitationSchema } from './invitation.ts';
import { invitationMail } from './mail.ts';
import { createToken } from './token.ts';

/** Checks only the shape; `isAddress` checks the normalized address. */
const Email = Type.String({ maxLength: 320, pattern: '^[^\\s@]+@[^\\s@]+$', description: 'An email address' });

export const inviteMember = operation({
  name: 'inviteMember',
  summary: 'Invite an address to an organization, with a role below the caller’s own',
  kind: 'mutation',
  input: strict({ ...scopeField, email: Email, roleId: Id }),
  output: InvitationSchema,
  access: { permission: 'OrganizationInvitation:Create' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED', 'RATE_LIMIT_EXCEEDED'],
  audit: 'organizationInvitation.created',
  events: ['mail.requested'],
  leaves: 'vouched',
  rest: { method: 'POST', path: '/api/organization-invitations/invite', status: 201 },
  graphql: { field: 'inviteMember', type: 'OrganizationInvitation' },
  example: { input: { email: 'new.member@example.com', roleId: exampleId('Role') }, records: ['email', 'roleId'] },
  prepare: async (input, context) => {
    const email = normalizeAddress(input.email);
    if (!isAddress(email)) throw failures.validation('email', { en: 'is not an email address', de: 'ist keine E-Mail-Adresse' });
    const [, found] = await Promise.all([requireGrantableRole(input.roleId, context), context.deps.identity.findUserByEmail({ email })]);
    // An unverified address does not count: a user must not block another person's invitation by
    // entering their address.
    return { email, userId: found.isVerified ? (found.userId ?? null) : null, isMailed: !found.refusesInvitations };
  },
  handle: async ({ roleId }, context, { email, userId, isMailed }) => {
    const { tx, deps, now } = context;
    const { userId: inviterId, claims } = callerOf(context);
    const { id: organizationId } = scopeOf(context);
    const senderId = await countMail(email, context);
    await lockOpenInvitation(tx, organizationId, email);
    // The organization was deleted between authorization and this transaction.
    if (!(await lockOrganization(tx, organizationId))) throw failures.forbidden();
    await assertRoom('members', organizationId, context);
    const { token, tokenHash } = createToken();
    const invitation = await insertInvitation(tx, {
      id: newId(),
      organizationId,
      email,
      roleId,
      tokenHash,
      invitedBy: inviterId,
      credentialId: claims.service?.credentialId ?? null,
      expiresAt: expiryOf(now, deps.invitations.lifetimeDays),
      isMailed,
    });
    if (!invitation) throw errors.alreadyInvited({ extensions: { resource: 'OrganizationInvitation', field: 'email' } });
    // After the insert, which waits for a concurrent acceptance of an earlier invitation.
    if (await isMember(tx, organizationId, email, userId))
      throw errors.alreadyMember({ extensions: { resource: 'OrganizationMember', field: 'email' } });
    context.audit({ targetType: 'OrganizationInvitation', targetId: invitation.id, detail: { roleId } });
    if (isMailed) context.emit(await invitationMail(invitation, token, senderId, context));
    return invitation;
  },
});
