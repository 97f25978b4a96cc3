import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { canResend } from '../../domain/invitation.ts';
import { InvitationSchema } from './invitation.ts';
import { prepareSending, sendNewToken } from './send-new-token.ts';

export const resendInvitationEmail = operation({
  name: 'resendInvitationEmail',
  summary: 'Send the mail of an open invitation again; the link in the earlier mail stops working',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: InvitationSchema,
  access: { permission: 'OrganizationInvitation:ResendEmail' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  audit: 'organizationInvitation.resent',
  events: ['mail.requested'],
  leaves: 'vouched',
  rest: { method: 'POST', path: '/api/organization-invitations/:id/resend-email' },
  graphql: { field: 'resendInvitationEmail', type: 'OrganizationInvitation' },
  prepare: ({ id }, context) => prepareSending(id, context),
  handle: ({ id }, context, { isMailed }) =>
    sendNewToken(id, context, { isMailed, isAllowed: canResend, expiresAt: (invitation) => invitation.expiresAt }),
});
