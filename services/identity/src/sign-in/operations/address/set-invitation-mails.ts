import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { auditCounted } from '../../../ground/audit-counted.ts';
import { allowInvitations, refuseInvitations } from '../../../mail/storage/refused-invitations.ts';
import { InvitationMails } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';

export const setInvitationMails = operation({
  name: 'setInvitationMails',
  summary: 'Stop invitation mails to an address, or allow them again, with the token of such a mail',
  kind: 'mutation',
  input: strict({ token: Type.String({ minLength: 1, maxLength: 1_000, secret: true }), isWanted: Type.Boolean() }),
  output: InvitationMails,
  access: { open: 'the token from the mail is the proof' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT'],
  audit: 'user.invitation-mails-set',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/auth/invitation-mails' },
  graphql: { field: 'setInvitationMails', type: 'InvitationMails' },

  async handle({ token, isWanted }, context) {
    const { tx, deps, now } = context;
    const address = deps.invitationTokens.addressOf(token);
    if (address === undefined) throw errors.invalidOneTimeToken();
    await (isWanted ? allowInvitations(tx, [address]) : refuseInvitations(tx, [address], now));
    // The token is good for as long as the address is: its reader could fill the log.
    auditCounted({ operation: 'setInvitationMails', action: 'user.invitation-mails-set', isWanted }, context);
    return { isWanted };
  },
});
