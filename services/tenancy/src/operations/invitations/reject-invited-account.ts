import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { findInvitationByToken } from '../../storage/invitations.ts';
import { InvitationToken } from './invitation.ts';
import { hashToken } from './token.ts';

export const rejectInvitedAccount = operation({
  name: 'rejectInvitedAccount',
  summary:
    'Say, with the token of an invitation, that the account of its address is not one’s own: deletes an account that never held the address',
  kind: 'mutation',
  input: strict({ token: InvitationToken }),
  output: strict({ success: Type.Boolean() }),
  access: { open: 'the token in the mail is the credential' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  isolation: { unscoped: 'the token’s hash is the condition' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: 'organizationInvitation.account-rejected',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/organization-invitations/reject-account' },
  graphql: { field: 'rejectInvitedAccount', type: 'RejectInvitedAccountResult' },
  prepare: async ({ token }, { deps }) => {
    const invitation = await findInvitationByToken({ query: deps.database.query }, hashToken(token));
    if (invitation === undefined) throw errors.invitationTokenUnknown();
    if (invitation.status !== 'pending')
      throw errors.invitationNotPending({ extensions: { resource: 'OrganizationInvitation', field: 'status' } });
    // identity decides whether the account holds its address, and closes it here.
    await deps.identity.rejectRegistration({ email: invitation.email }, { timeoutMs: 12_000 });
    return invitation;
  },
  handle: async (_input, { audit }, { id, organizationId }) => {
    audit({ targetType: 'OrganizationInvitation', targetId: id, scope: { tenant: 'organization', id: organizationId } });
    return { success: true };
  },
});
