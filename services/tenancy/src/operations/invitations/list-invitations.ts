import { pageFields, pageOf, scopeField, scopeOf, strict, toPage } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageInvitations } from '../../storage/invitations.ts';
import { InvitationSchema, InvitationStatusSchema } from './invitation.ts';

export const listOrganizationInvitations = operation({
  name: 'listOrganizationInvitations',
  summary: 'The invitations of an organization',
  kind: 'query',
  input: strict({
    ...scopeField,
    ...pageFields(['email', 'invitedAt', 'expiresAt', 'createdAt', 'updatedAt']),
    status: Type.Optional(InvitationStatusSchema),
  }),
  output: pageOf(InvitationSchema),
  access: { permission: 'OrganizationInvitation:Query' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/organization-invitations' },
  graphql: { field: 'organizationInvitations', type: 'OrganizationInvitationPage', items: 'organizationInvitations' },
  handle: async (input, context) => {
    const { rows, totalCount } = await pageInvitations(context.tx, scopeOf(context).id, input);
    return toPage(rows, totalCount, input);
  },
});
