/** Whether an organization's own identity provider may admit a person, and the admission. */
import { AppError } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import { isId } from '@tessera/kernel/ids';
import { writeAuditMessage } from '@tessera/kernel/operation';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/tenancy.v1';
import type { TenancyDeps } from '../../deps.ts';
import { domainOf } from '../../domains/name.ts';
import { memberAdded } from '../../events.ts';
import { directoryEventsOf } from '../../operations/directory-changes.ts';
import { assertRoom } from '../../operations/quota.ts';
import { findDomainOwner, findProvenDomain, hasProvenDomain, holdProvenDomain } from '../../storage/domains.ts';
import { findMember, hasDeparted, readmitMember } from '../../storage/members.ts';
import { organizationLives } from '../../storage/organizations.ts';
import { addPerson } from '../../storage/people.ts';
import { freePlace, holdPlace } from '../../storage/quotas.ts';
import { isSuspended } from '../../storage/tenants.ts';

type Deps = Pick<TenancyDeps, 'quotas'> & { readonly database: Database };
type Change = (work: (tx: Transaction) => Promise<OutgoingEvent[]>) => Promise<boolean>;

/** An address without a domain costs the same query, so that the time tells nothing. */
export async function findOwnerOfAddress({ database }: Deps, { address }: wire.FindDomainOwnerRequest): Promise<wire.DomainOwner> {
  const organizationId = await findDomainOwner({ query: database.query }, domainOf(address));
  return organizationId === undefined ? {} : { organizationId };
}

export async function getAdmission(deps: Deps, request: wire.GetAdmissionRequest): Promise<wire.Admission> {
  const standing = await standingOf(deps, request);
  // A member keeps their place. `admitMember` checks the quota again.
  const isFull = standing.isOpen && !standing.isMember && !(await hasPlace(deps, request.organizationId));
  return { ...standing, isFull };
}

async function standingOf(
  { database }: Deps,
  { organizationId, address, userId }: wire.GetAdmissionRequest,
): Promise<Omit<wire.Admission, 'isFull'>> {
  if (!isId(organizationId)) return { isOpen: false, isDomainProven: false, isMember: false, hasProvenDomain: false, hasLeft: false };
  const reader = { query: database.query };
  const [lives, suspended, proven, member, hasDomain, hasLeft] = await Promise.all([
    organizationLives(reader, organizationId),
    isSuspended(reader, organizationId),
    findProvenDomain(reader, organizationId, domainOf(address)),
    isId(userId) ? findMember(reader, organizationId, userId) : undefined,
    hasProvenDomain(reader, organizationId),
    isId(userId) && hasDeparted(reader, organizationId, userId),
  ]);
  const isDomainProven = proven !== undefined;
  return { isOpen: lives && !suspended, isDomainProven, isMember: member !== undefined, hasProvenDomain: hasDomain, hasLeft };
}

/** Committed here, with the event that gives the role. */
export async function admitMember(
  deps: Deps,
  { organizationId, address, userId, name, roleId, auditJson }: wire.AdmitMemberRequest,
  change: Change,
): Promise<wire.Admitted> {
  const { isOpen, isDomainProven, isMember } = await standingOf(deps, { organizationId, address, userId });
  if (!isOpen) return { outcome: 'closed' };
  if (!isDomainProven) return { outcome: 'domain' };
  if (isMember) return { outcome: 'member' };
  if (!(await hasPlace(deps, organizationId, userId))) return { outcome: 'full' };
  let outcome = 'closed';
  const work = async (tx: Transaction) => {
    // Locked until the commit: a domain that is lost at this moment admits no person.
    if ((await holdProvenDomain(tx, organizationId, domainOf(address))) === undefined) {
      outcome = 'domain';
      return [];
    }
    // The event of a new person may not have arrived yet.
    const isThere = await addPerson(tx, { userId, name, email: address }, new Date().toISOString());
    await freePlace(tx, organizationId, userId);
    const addition = isThere ? await readmitMember(tx, organizationId, userId) : 'no-person';
    if (addition === 'left') throw new Departed();
    if (addition === 'already') outcome = 'member';
    if (addition !== 'added') return [];
    outcome = 'admitted';
    if (auditJson !== undefined) await writeAuditMessage(tx, auditJson);
    return [memberAdded(organizationId, userId, roleId), ...(await directoryEventsOf(tx, organizationId, userId))];
  };
  return change(work).then(
    () => ({ outcome }),
    (error: unknown) => {
      if (error instanceof Departed) return { outcome: 'left' };
      throw error;
    },
  );
}

/** The person was a member before: the transaction rolls back. */
class Departed extends Error {}

/** Whether the quota has room for one more member. With `userId` the place is held for them. */
async function hasPlace(deps: Deps, organizationId: string, userId?: string): Promise<boolean> {
  const scope = parseScope({ tenant: 'organization', id: organizationId });
  try {
    await deps.database.scoped(scope, async (tx) => {
      if ((await assertRoom('members', organizationId, { tx, deps })) && userId !== undefined) await holdPlace(tx, organizationId, userId);
    });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.key === 'errors.quota.exceeded') return false;
    throw error;
  }
}
