/** Removes a member whom the directory deactivates or deletes. */
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
 * The member of a row on whom the directory acts: its person. For a row without a person it is the
 * member with its address, unless another row has that member. `personId`: the account that has
 * proven the address. A member who is detached is none of the directory's.
 */
export async function memberNow(
  tx: HandleContext<TenancyDeps>['tx'],
  { organizationId, userId, email }: Addressed,
  personId: string | null,
): Promise<string | undefined> {
  const memberId = userId ?? (await findMemberBy(tx, organizationId, email, personId));
  const member = memberId === undefined ? undefined : await findMember(tx, organizationId, memberId);
  if (member === undefined || member.detachedAt !== null) return undefined;
  if (userId === null && (await findDirectoryUserOf(tx, organizationId, member.userId))) return undefined;
  return member.userId;
}

export async function personOf({ userId, email }: Pick<Addressed, 'userId' | 'email'>, context: Context): Promise<string | null> {
  if (userId !== null) return userId;
  return provenPersonOf(await accountOf(email, context));
}

/**
 * rbac removes the roles, keeps the last Owner, and writes the audit row. The request has no actor,
 * so that no rank is compared: only Owners give the role Provisioning.
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
