/** What an organization does about one member (decision 28): rbac decides who may, and keeps it. */
import { failures } from '@tessera/kernel/errors';
import { auditMessage, differences, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import type { MemberEntry } from '../../storage/member-page.ts';
import type { Context } from '../related.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { showMembers } from './member.ts';
import { findMemberEntry, requireMember } from './member-entry.ts';

export const memberInput = strict({ ...scopeField, userId: Id });

type Kind = 'block' | 'unblock' | 'end-sessions' | 'require-new-password';
type Declared = { readonly operation: string; readonly action: string };
type Asked = { readonly userId: string; readonly reason?: string | undefined };

/** rbac writes the audit row with the change, under its lock. */
export async function restrict(kind: Kind, { userId, reason }: Asked, declared: Declared, context: Context) {
  const [shown] = await showMembers([await requireMember(userId, context)], context);
  const before = { isBlocked: shown?.isBlocked ?? false };
  const after = { isBlocked: kind === 'block' || (kind !== 'unblock' && before.isBlocked) };
  const entry = { targetType: 'OrganizationMember', targetId: userId, ...(reason === undefined ? {} : { detail: { reason } }) };
  const changes = differences(Object.keys(after), before, after);
  const auditJson = auditMessage({ ...declared, outcome: 'ok', entry, changes }, context);
  const asked = { actor: callerMessage(context), scope: scopeMessage(context), userId, kind, auditJson };
  const { isAudited } = await context.deps.roles.restrictMember(asked);
  return { ...entry, before, after, ...(isAudited ? { isWritten: true as const } : {}) };
}

export async function memberAfter(userId: string, context: Context & { readonly tx: Parameters<typeof findMemberEntry>[0] }) {
  const entry = await findMemberEntry(context.tx, scopeOf(context).id, userId);
  if (!entry) throw failures.notFound('OrganizationMember');
  return entry;
}

export async function showMember(entry: MemberEntry, context: Context) {
  const [member] = await showMembers([entry], context);
  if (!member) throw new Error('showMembers dropped a member');
  return member;
}
