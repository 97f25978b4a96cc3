import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { canRenew, expiryOf } from '../../domain/invitation.ts';
import { InvitationSchema } from './invitation.ts';
import { prepareSending, sendNewToken } from './send-new-token.ts';

export const renewInvitation = operation({
  name: 'renewInvitation',
  summary: 'Extend an open or expired invitation, with a new mail',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: InvitationSchema,
  access: { permission: 'OrganizationInvitation:Renew' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED', 'RATE_LIMIT_EXCEEDED'],
  audit: 'organizationInvitation.renewed',
  events: ['mail.requested'],
  leaves: 'vouched',
  rest: { method: 'POST', path: '/api/organization-invitations/:id/renew' },
  graphql: { field: 'renewInvitation', type: 'OrganizationInvitation' },
  prepare: ({ id }, context) => prepareSending(id, context),
  handle: ({ id }, context, { isMailed }) => {
    const expiresAt = expiryOf(context.now, context.deps.invitations.lifetimeDays);
    return sendNewToken(id, context, { isMailed, isAllowed: canRenew, expiresAt: () => expiresAt });
  },
});
