/**
 * How a person whom the directory calls inactive, or deletes, is taken out: as a member is removed.
 */
import { auditMessage, differences, type HandleContext, scopeOf } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../deps.ts';
import { userLeft } from '../events.ts';
import { scopeMessage } from '../operations/role-grant.ts';
import { type DirectoryUser, findDirectoryUserOf } from '../storage/directory-users.ts';
import { findMember, findMemberBy, removeMember } from '../storage/members.ts';
import { accountOf, provenPersonOf } from './enter.ts';
import type { Context } from './user.ts';

const declared = { operation: 'removeOrganizationMember', action: 'organizationMember.removed' } as const;

type Of = Pick<DirectoryUser, 'organizationId' | 'userId'>;

type Addressed = Of & Pick<DirectoryUser, 'email'>;

/**
 * The member whom a row is about: its person. A row without one is about who is a member by its
 * address, however they came in, unless they are the person of another row. `personId` is who has
 * proven the address.
 */
export async function memberNow(
  tx: HandleContext<TenancyDeps>['tx'],
  { organizationId, userId, email }: Addressed,
  personId: string | null,
): Promise<string | undefined> {
  if (userId !== null) return (await findMember(tx, organizationId, userId))?.userId;
  const memberId = await findMemberBy(tx, organizationId, email, personId);
  return memberId === undefined || (await findDirectoryUserOf(tx, organizationId, memberId)) ? undefined : memberId;
}

export async function personOf({ userId, email }: Pick<Addressed, 'userId' | 'email'>, context: Context): Promise<string | null> {
  if (userId !== null) return userId;
  return provenPersonOf(await accountOf(email, context));
}

/**
 * rbac takes the roles, keeps the last Owner, and writes the row of the log. Without an actor,
 * because rank is no question here: the role Provisioning is given by Owners alone.
 */
export async function endMembership({ userId }: Of, context: Context): Promise<void> {
  if (userId === null) return;
  const entry = { targetType: 'OrganizationMember', targetId: userId, detail: { by: 'directory' } };
  const { id: organizationId } = scopeOf(context);
  const member = await context.deps.database.scoped(scopeOf(context), (tx) => findMember(tx, organizationId, userId), { readOnly: true });
  const changes = differences(['name', 'email'], { name: member?.name ?? null, email: member?.email ?? null }, {});
  const auditJson = auditMessage({ ...declared, outcome: 'ok', entry, changes }, context);
  await context.deps.roles.endMembership({ scope: scopeMessage(context), userId, auditJson });
}

/**
 * Either this transaction or the handler of membership.ended deletes the row, and emits the event.
 */
export async function dropMember({ organizationId, userId }: Of, { tx, emit }: HandleContext<TenancyDeps>): Promise<void> {
  if (userId !== null && (await removeMember(tx, organizationId, userId)))
    emit(userLeft(userId, { tenant: 'organization', id: organizationId }));
}
