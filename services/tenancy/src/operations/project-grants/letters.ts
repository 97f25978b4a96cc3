/** Mails about a grant: to the address of an offer, and to the Owners of the other side. */
import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { HandleContext } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { ProjectGrant } from '../../domain/project-grant.ts';
import { ownersTold } from '../../events.ts';
import { findOrganizations } from '../../storage/organizations.ts';
import { addressesOfPeople } from '../../storage/people.ts';
import type { EndedGrant } from '../../storage/project-grants.ts';
import { nameOfProject } from '../../storage/projects.ts';

export type Letter = 'grant-offered' | 'grant-accepted' | 'grant-signed-up' | 'grant-suspended' | 'grant-ended' | 'grant-left';

type Offer = ProjectGrant & { readonly email: string; readonly expiresAt: string };
type Sending = { readonly token: string; readonly senderId: string };

/** The token is stored in this payload alone, which is cleared when identity has accepted it. */
export async function offerMail(
  { email, projectId, ownerOrganizationId, expiresAt }: Offer,
  { token, senderId }: Sending,
  { tx, request, actor }: HandleContext<TenancyDeps>,
): Promise<OutgoingEvent> {
  const makers = actor.kind === 'token' && actor.claims.type === 'session' ? [actor.userId] : [];
  const [[owner], projectName, [inviterAddress = '']] = await Promise.all([
    findOrganizations(tx, [ownerOrganizationId]),
    nameOfProject(tx, projectId),
    addressesOfPeople(tx, makers),
  ]);
  const names = { organizationName: owner?.name ?? '', projectName };
  const messageId = newId();
  const data = { token, organizationId: ownerOrganizationId, ...names, inviterAddress, senderId, expiresAt };
  return {
    type: 'mail.requested',
    key: messageId,
    payload: { messageId, to: email, template: 'grant-offer', language: request.language, data },
  };
}

type Letters = Pick<HandleContext<TenancyDeps>, 'tx'> & { readonly request: Pick<HandleContext<TenancyDeps>['request'], 'language'> };
type Names = { readonly projectName: string; readonly organizationName: string; readonly customerName: string };

/** A letter to the Owners of one side. rbac knows who they are, identity their addresses. */
export async function letterTo(
  side: 'customer' | 'owner',
  template: Letter,
  grant: ProjectGrant,
  { tx, request }: Letters,
): Promise<OutgoingEvent> {
  const { ownerOrganizationId, organizationId, projectId } = grant;
  if (organizationId === null) throw new Error('an offer that nobody has taken has no customer to write to');
  const [organizations, projectName] = await Promise.all([
    findOrganizations(tx, [ownerOrganizationId, organizationId]),
    nameOfProject(tx, projectId),
  ]);
  const nameOf = (id: string) => organizations.find((one) => one.id === id)?.name ?? '';
  const data: Names = { projectName, organizationName: nameOf(ownerOrganizationId), customerName: nameOf(organizationId) };
  return ownersTold({
    ...(template === 'grant-suspended' ? { messageId: `${template}:${grant.id}:${hourOf(grant.updatedAt)}` } : {}),
    organizationId: side === 'owner' ? ownerOrganizationId : organizationId,
    template,
    language: request.language,
    data,
  });
}

/** A suspension is told once an hour: who suspends and resumes in a loop fills no mailbox. */
function hourOf(at: string): string {
  return new Date(at).toISOString().slice(0, 13);
}

/** To the Owners of the other side of a grant that ended with its project or with one side. */
export function letterOfEnd(
  { customerName, ownerName: organizationName, projectName, ...grant }: EndedGrant,
  deleted: 'project' | 'customer' | 'owner',
  language: string,
): OutgoingEvent {
  const organizationId = deleted === 'customer' ? grant.ownerOrganizationId : (grant.organizationId ?? '');
  const data: Names = { projectName, organizationName, customerName };
  return ownersTold({ organizationId, template: `grant-ended-with-${deleted}`, language, data });
}
