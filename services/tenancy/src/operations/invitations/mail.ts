import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { HandleContext } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Invitation } from '../../domain/invitation.ts';
import { mailRequested } from '../../events.ts';
import { findOrganization } from '../../storage/organizations.ts';

/**
 * The invitation's mail, as an event of the same transaction: it goes out exactly if the invitation stands, and once. Its payload is
 * the one place where the token is kept, until identity has taken it (a delivered outbox row loses its payload).
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
