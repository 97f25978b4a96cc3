import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { canRevoke } from '../../domain/invitation.ts';
import { errors } from '../../errors.ts';
import { lockInvitation, revokeInvitation as revoke } from '../../storage/invitations.ts';
import { InvitationSchema } from './invitation.ts';

export const revokeInvitation = operation({
  name: 'revokeInvitation',
  summary: 'Revoke an invitation; its link stops working',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, hardDelete: Type.Optional(Type.Boolean()) }),
  output: InvitationSchema,
  access: { permission: 'OrganizationInvitation:Revoke' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'organizationInvitation.revoked',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/organization-invitations/:id' },
  graphql: { field: 'revokeInvitation', type: 'OrganizationInvitation' },
  handle: async ({ id, hardDelete = false }, context) => {
    const invitation = await lockInvitation(context.tx, scopeOf(context).id, id);
    if (!invitation) throw failures.notFound('OrganizationInvitation');
    if (!canRevoke(invitation)) throw errors.invitationNotPending({ extensions: { resource: 'OrganizationInvitation', field: 'status' } });
    const revoked = await revoke(context.tx, invitation, hardDelete);
    if (!revoked) throw failures.notFound('OrganizationInvitation');
    context.audit({ targetType: 'OrganizationInvitation', targetId: id, before: invitation, detail: { hardDelete } });
    return revoked;
  },
});
