import { callerOf, strict } from '@tessera/kernel/operation';
import { refusesInvitations } from '../../../mail/storage/refused-invitations.ts';
import { heldAddressesOf } from '../../../people/domain/proven-address.ts';
import { InvitationMails } from '../../../people/operations/entities.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { operation } from '../../deps.ts';

export const getMyInvitationMails = operation({
  name: 'getMyInvitationMails',
  summary: 'Whether the addresses that the caller’s account holds get invitation mails',
  kind: 'query',
  input: strict({}),
  output: InvitationMails,
  access: { signedIn: 'reads the caller’s own setting' },
  scopes: 'none',
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads one’s own setting' },
  events: [],
  rest: { method: 'GET', path: '/api/me/invitation-mails' },
  graphql: { field: 'myInvitationMails', type: 'InvitationMails' },

  async handle(_input, context) {
    const methods = await listMethods(context.tx, [callerOf(context).userId]);
    return { isWanted: !(await refusesInvitations(context.tx, heldAddressesOf(methods))) };
  },
});
