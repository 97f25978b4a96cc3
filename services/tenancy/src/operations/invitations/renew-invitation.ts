import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { canRenew, expiryOf } from '../../domain/invitation.ts';
import { InvitationSchema } from './invitation.ts';
import { requireGrantableInvitedRole, sendNewToken } from './send-new-token.ts';

export const renewInvitation = operation({
  name: 'renewInvitation',
  summary: 'Extend an open or expired invitation, with a new mail',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: InvitationSchema,
  access: { permission: 'OrganizationInvitation:Renew' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
  audit: 'organizationInvitation.renewed',
  events: ['mail.requested'],
  rest: { method: 'POST', path: '/api/organization-invitations/:id/renew' },
  graphql: { field: 'renewInvitation', type: 'OrganizationInvitation' },
  prepare: ({ id }, context) => requireGrantableInvitedRole(id, context),
  handle: ({ id }, context) => sendNewToken(id, context, canRenew, () => expiryOf(context.now, context.deps.invitationLifetimeDays)),
});
