import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { allowInvitations, refuseInvitations } from '../../../mail/storage/refused-invitations.ts';
import { heldAddressesOf } from '../../../people/domain/proven-address.ts';
import { InvitationMails } from '../../../people/operations/entities.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { operation } from '../../deps.ts';

export const setMyInvitationMails = operation({
  name: 'setMyInvitationMails',
  summary: 'Stop invitation mails to the addresses that the caller’s account holds, or allow them again',
  kind: 'mutation',
  input: strict({ isWanted: Type.Boolean() }),
  output: InvitationMails,
  access: { signedIn: 'changes the caller’s own setting' },
  scopes: 'none',
  verification: 'account-settings',
  errors: ['ADDRESS_NOT_HELD'],
  audit: 'user.invitation-mails-set',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/me/invitation-mails' },
  graphql: { field: 'setMyInvitationMails', type: 'InvitationMails' },

  async handle({ isWanted }, context) {
    const { tx, now, audit } = context;
    const { userId } = callerOf(context);
    const addresses = heldAddressesOf(await listMethods(tx, [userId]));
    // A stranger may have registered with this address: they decide nothing about its mail.
    if (addresses.length === 0) throw failures.addressNotHeld();
    await (isWanted ? allowInvitations(tx, addresses) : refuseInvitations(tx, addresses, now));
    audit({ targetType: 'User', targetId: userId, detail: { isWanted } });
    return { isWanted };
  },
});
