import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { HandleContext } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Invitation } from '../../domain/invitation.ts';
import { findOrganizations } from '../../storage/organizations.ts';
import { addressesOfPeople } from '../../storage/people.ts';

/**
 * The invitation's mail as an event of the same transaction, so it is sent exactly once and only if
 * the invitation commits. The token is stored only in this payload, which is cleared when identity
 * has accepted the event.
 */
export async function invitationMail(
  { email, organizationId, invitedBy, expiresAt }: Invitation,
  token: string,
  senderId: string,
  { tx, request }: HandleContext<TenancyDeps>,
): Promise<OutgoingEvent> {
  const [organization] = await findOrganizations(tx, [organizationId]);
  const messageId = newId();
  // Only a person with a proven address may invite: the declarations demand it.
  const [inviterAddress = ''] = await addressesOfPeople(tx, [invitedBy]);
  const data = { token, organizationId, organizationName: organization?.name ?? '', inviterAddress, senderId, expiresAt };
  const payload = { messageId, to: email, template: 'invitation', language: request.language, data };
  return { type: 'mail.requested', key: messageId, payload };
}
