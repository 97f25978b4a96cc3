import { failures } from '@tessera/kernel/errors';
import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { findInvitationByToken } from '../../storage/invitations.ts';
import { InvitationSchema, InvitationToken } from './invitation.ts';
import { hashToken } from './token.ts';

export const getInvitation = operation({
  name: 'getInvitation',
  summary: 'Read an invitation by its token',
  kind: 'query',
  input: strict({ token: InvitationToken }),
  output: Type.Object({ ...InvitationSchema.properties, organizationName: Type.String() }),
  access: { open: 'the token in the mail is the credential' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  isolation: { unscoped: 'the token’s hash is the condition' },
  limit: { global: 'the token has 256 random bits' },
  errors: ['NOT_FOUND'],
  audit: { none: 'a read by the addressee' },
  events: [],
  rest: { method: 'GET', path: '/api/organization-invitations/:token' },
  graphql: { field: 'invitation', type: 'OrganizationInvitation' },
  handle: async ({ token }, { tx }) => {
    const invitation = await findInvitationByToken(tx, hashToken(token));
    if (!invitation) throw failures.notFound('OrganizationInvitation');
    return invitation;
  },
});
