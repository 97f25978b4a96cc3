import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { HandleContext } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Invitation } from '../../domain/invitation.ts';
import { mailRequested } from '../../events.ts';
import { findOrganization } from '../../storage/organizations.ts';

/**
 * The invitation's mail as an event of the same transaction, so it is sent exactly once and only if
 * the invitation commits. The token is stored only in this payload, which is cleared when identity
 * has accepted the event.
 */
export async function invitationMail(
  { email, organizationId }: Invitation,
  token: string,
  { tx, request }: HandleContext<TenancyDeps>,
): Promise<OutgoingEvent> {
  const organization = await findOrganization(tx, 'organization', organizationId);
  return mailRequested({
    messageId: newId(),
    to: email,
    template: 'invitation',
    language: request.language,
    data: { token, organizationName: organization?.name ?? '' },
  });
}
