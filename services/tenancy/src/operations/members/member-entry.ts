import { failures } from '@tessera/kernel/errors';
import { scopeOf } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { MemberEntry } from '../../storage/member-page.ts';
import { findMember } from '../../storage/members.ts';
import type { Context } from '../related.ts';

const noInvitation = { roleId: null, status: null, invitedBy: null, expiresAt: null, acceptedAt: null, isMailed: null };

/** A member as an entry of the list of members and invitations. */
export async function findMemberEntry(tx: Transaction, organizationId: string, userId: string): Promise<MemberEntry | undefined> {
  const member = await findMember(tx, organizationId, userId);
  if (!member) return undefined;
  const { name, email, joinedAt, updatedAt } = member;
  return { type: 'member', id: userId, name, email, createdAt: joinedAt, updatedAt, ...noInvitation };
}

/** Answers 404 before any other service changes anything. */
export async function requireMember(userId: string, context: Context): Promise<MemberEntry> {
  const scope = scopeOf(context);
  const entry = await context.deps.database.scoped(scope, (tx) => findMemberEntry(tx, scope.id, userId), { readOnly: true });
  if (!entry) throw failures.notFound('OrganizationMember');
  return entry;
}
