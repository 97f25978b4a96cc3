import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { canResend } from '../../domain/invitation.ts';
import { InvitationSchema } from './invitation.ts';
import { requireRoleOf, sendAgain } from './send-again.ts';

export const resendInvitationEmail = operation({
  name: 'resendInvitationEmail',
  summary: 'Send the mail of an open invitation again; the link in the earlier mail ends',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: InvitationSchema,
  access: { permission: 'OrganizationInvitation:ResendEmail' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'organizationInvitation.resent',
  events: ['mail.requested'],
  rest: { method: 'POST', path: '/api/organization-invitations/:id/resend-email' },
  graphql: { field: 'resendInvitationEmail' },
  prepare: ({ id }, context) => requireRoleOf(id, context),
  handle: ({ id }, context) => sendAgain(id, context, canResend, (invitation) => invitation.expiresAt),
});
