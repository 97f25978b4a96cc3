import { failures } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Organization } from '../../domain/organization.ts';
import { deriveSlug } from '../../domain/slug.ts';
import { organizationCreated } from '../../events.ts';
import { addMember } from '../../storage/members.ts';
import { insertOrganization, setOrganizationScope } from '../../storage/organizations.ts';

type New = { readonly name: string; readonly metadata?: Record<string, unknown>; readonly ownerId: string };

/**
 * An organization with its first member. By the event rbac makes the built-in roles and the member
 * Owner, usually before the response is sent.
 */
export async function makeOrganization(
  tx: Transaction,
  { name, metadata = {}, ownerId }: New,
): Promise<{ readonly organization: Organization; readonly created: OutgoingEvent }> {
  const id = newId();
  const organization = await insertOrganization(tx, { id, name, slug: deriveSlug(name, 'organization'), metadata, createdBy: ownerId });
  await setOrganizationScope(tx, id);
  // The person is being deleted: without them the organization would have no Owner.
  if ((await addMember(tx, id, ownerId)) !== 'added') throw failures.forbidden();
  return { organization, created: organizationCreated(id, ownerId) };
}
