import { callerOf, type HandleContext, scopeOf } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { countInvitation } from '../../storage/invitations.ts';

/** `senderId`: whose day it is, when it is not that person’s. */
type Counted = { readonly organizationId: string; readonly senderId?: string };

/**
 * Counts the mail of an invitation or an offer for the person who sends it, or for who made the
 * organization when a key or an app sends it: people without a sign-in cost nothing, so keys for
 * them have no day of their own. 429 over a limit; what others send to the address changes nothing
 * in that answer.
 *
 * The result is that person, by whom identity lets mails to one address take turns.
 *
 * Call it before anything else is locked: of one sender's requests each waits for the one before.
 */
export async function countMail(
  address: string,
  context: HandleContext<TenancyDeps>,
  { organizationId, senderId }: Counted = { organizationId: scopeOf(context).id },
): Promise<string> {
  const { mostPerDay, mostPerAddress } = context.deps.invitations;
  const { claims, userId } = callerOf(context);
  const sender = { senderId: senderId ?? (claims.type === 'session' ? userId : null), organizationId };
  const day = await countInvitation(context.tx, { ...sender, address: '' });
  if (mostPerDay > 0 && day.count > mostPerDay) throw errors.tooManyInvitations({ params: { limit: mostPerDay, seconds: day.seconds } });
  const same = await countInvitation(context.tx, { ...sender, address });
  if (mostPerAddress > 0 && same.count > mostPerAddress)
    throw errors.tooManyInvitationsToAddress({
      params: { limit: mostPerAddress, seconds: same.seconds },
      extensions: { resource: 'OrganizationInvitation', field: 'email' },
    });
  return day.senderId;
}
