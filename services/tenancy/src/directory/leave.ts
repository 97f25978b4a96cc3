/**
 * How a person whom the directory calls inactive, or deletes, is taken out: as a member is removed.
 */
import { auditMessage, differences, type HandleContext, scopeOf } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../deps.ts';
import { userLeft } from '../events.ts';
import { scopeMessage } from '../operations/role-grant.ts';
import type { DirectoryUser } from '../storage/directory-users.ts';
import { findMember, removeMember } from '../storage/members.ts';
import type { Context } from './user.ts';

const declared = { operation: 'removeOrganizationMember', action: 'organizationMember.removed' } as const;

type Of = Pick<DirectoryUser, 'organizationId' | 'userId'>;

export async function isMemberNow(tx: Parameters<typeof findMember>[0], { organizationId, userId }: Of): Promise<boolean> {
  return userId !== null && (await findMember(tx, organizationId, userId)) !== undefined;
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
