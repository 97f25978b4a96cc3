/** Mails about support access: to the person, to who lets it happen, and to the supporter. */
import type { OperationContext } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { SupportAccess as Row } from '../../../apps/storage/support-accesses.ts';
import { addressOf } from '../../../ground/domain/people.ts';
import { namesOfScopes } from '../../../ground/peers/names.ts';
import { provenAddressesOf } from '../../../people/domain/proven-address.ts';
import { wireScope } from '../../../people/operations/scoped-people.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { findPeople } from '../../../people/storage/people.ts';
import type { OauthDeps } from '../../deps.ts';
import { projectOf } from './support-access.ts';

type Deps = Pick<OauthDeps, 'database' | 'tenancy' | 'catalogue' | 'logger' | 'mailer' | 'settings' | 'subjects'>;
type Template = 'support-requested' | 'support-allowed' | 'support-started' | 'support-ended';
type Receiver = { readonly userId: string; readonly addresses: readonly string[] };
export type ToTell = { readonly receivers: readonly Receiver[]; readonly data: Readonly<Record<string, string>> };

const mostApprovers = 50;

/** Who may say yes in the organization. */
export async function approversOf(organizationId: string, { subjects }: Pick<Deps, 'subjects'>): Promise<readonly string[]> {
  const scope = wireScope({ tenant: 'organization', id: organizationId });
  const asked = { type: 'user', scope, resource: 'SupportAccess', action: 'Grant', targetJson: '', cursor: '', limit: mostApprovers };
  return (await subjects.findSubjects(asked)).ids;
}

/** Read before the transaction that queues the mails. */
export async function readToTell(
  row: Pick<Row, 'supporterId' | 'userId' | 'organizationId' | 'projectScopeId' | 'reason' | 'minutes'>,
  receivers: readonly string[],
  deps: Deps,
): Promise<ToTell> {
  const { supporterId, userId, organizationId, reason, minutes } = row;
  const [people, methods, [organization, product]] = await Promise.all([
    findPeople(deps.database, [supporterId, userId]),
    listMethods(deps.database, [...new Set([...receivers, supporterId])]),
    namesOfScopes([{ tenant: 'organization', id: organizationId }, projectOf(row)], deps),
  ]);
  const nameOf = (id: string) => people.find((person) => person.id === id)?.name ?? id;
  const ofUser = (id: string) => methods.filter((method) => method.userId === id);
  return {
    receivers: [...new Set(receivers)].map((id) => ({ userId: id, addresses: provenAddressesOf(ofUser(id)) })),
    data: {
      supporterName: nameOf(supporterId),
      supporterAddress: addressOf(ofUser(supporterId)) ?? '',
      personName: nameOf(userId),
      organizationName: organization?.organization ?? organizationId,
      projectName: product?.project ?? '',
      reason,
      minutes: String(minutes),
    },
  };
}

/** The person reads it in the profile, the supporter in the project, others in the organization. */
function pathFor(receiver: string, { supporterId, userId, organizationId, projectScopeId }: Row): string {
  const [owner = '', project = ''] = projectScopeId.split(':');
  if (receiver === userId) return '/console/me/apps';
  return receiver === supporterId ? `/console/org/${owner}/prj/${project}/support` : `/console/org/${organizationId}/support`;
}

/** Queued with the change; call `mailer.poke` after the commit. A mail has no right in it. */
export async function queueMails(
  tx: Transaction,
  template: Template,
  row: Row,
  { receivers, data }: ToTell,
  { deps, now, language }: Pick<OperationContext<Deps>, 'now'> & { readonly deps: Deps; readonly language: string },
): Promise<void> {
  for (const { userId, addresses } of receivers) {
    const url = `${deps.settings.appUrl}${pathFor(userId, row)}`;
    for (const to of addresses) await deps.mailer.queue(tx, { template, to, language, data: { ...data, token: '', url } }, now);
  }
}
