import { failures } from '@tessera/kernel/errors';
import { type HandleContext, scopeOf } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { TenancyDeps } from '../../deps.ts';
import type { MemberEntry } from '../../storage/member-page.ts';
import { directoryStanding, findMember, listDirectoryStandings } from '../../storage/members.ts';
import type { Context } from '../related.ts';
import { showMembers } from './member.ts';

const noInvitation = { roleId: null, status: null, invitedBy: null, expiresAt: null, acceptedAt: null, isMailed: null };

/** A member as an entry of the list of members and invitations. */
export async function findMemberEntry(tx: Transaction, organizationId: string, userId: string): Promise<MemberEntry | undefined> {
  const member = await findMember(tx, organizationId, userId);
  if (!member) return undefined;
  const { name, email, joinedAt, updatedAt } = member;
  const [standing] = await listDirectoryStandings(tx, organizationId, [userId]);
  const directory = standing === undefined ? null : directoryStanding(standing);
  return { type: 'member', id: userId, name, email, directory, createdAt: joinedAt, updatedAt, ...noInvitation };
}

/** Answers 404 before any other service changes anything. */
export async function requireMember(userId: string, context: Context): Promise<MemberEntry> {
  const scope = scopeOf(context);
  const entry = await context.deps.database.scoped(scope, (tx) => findMemberEntry(tx, scope.id, userId), { readOnly: true });
  if (!entry) throw failures.notFound('OrganizationMember');
  return entry;
}

/** The member as the change leaves it. 404 when they have left meanwhile. */
export async function changedMember(userId: string, context: HandleContext<TenancyDeps>): Promise<MemberEntry> {
  const entry = await findMemberEntry(context.tx, scopeOf(context).id, userId);
  if (!entry) throw failures.notFound('OrganizationMember');
  return entry;
}

export async function showMember(entry: MemberEntry, context: Context) {
  const [member] = await showMembers([entry], context);
  if (!member) throw new Error('showMembers dropped a member');
  return member;
}
