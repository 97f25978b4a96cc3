/** Blocks and demands of one member (decision 28). rbac checks the rank and stores them. */
import { auditMessage, differences, type HandleContext, Id, scopeField, strict } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Context } from '../related.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { MemberSchema } from './member.ts';
import { changedMember, requireMember, showMember } from './member-entry.ts';

export const memberInput = strict({ ...scopeField, userId: Id });

type Kind = 'block' | 'unblock' | 'end-sessions' | 'require-new-password';
type Declared = { readonly operation: string; readonly action: string };
type Asked = { readonly userId: string; readonly reason?: string | undefined };

/** rbac writes the audit row with the change, under its lock. */
export async function restrict(kind: Kind, { userId, reason }: Asked, declared: Declared, context: Context) {
  const { isBlocked } = await showMember(await requireMember(userId, context), context);
  const before = { isBlocked };
  const after = { isBlocked: kind === 'block' || (kind !== 'unblock' && isBlocked) };
  const entry = { targetType: 'OrganizationMember', targetId: userId, ...(reason === undefined ? {} : { detail: { reason } }) };
  const changes = differences(Object.keys(after), before, after);
  const auditJson = auditMessage({ ...declared, outcome: 'ok', entry, changes }, context);
  const asked = { actor: callerMessage(context), scope: scopeMessage(context), userId, kind, auditJson };
  const { isAudited } = await context.deps.roles.restrictMember(asked);
  return { ...entry, before, after, ...(isAudited ? { isWritten: true as const } : {}) };
}

type Restricted = Awaited<ReturnType<typeof restrict>>;

/** The part of the declaration that these operations share. */
export const onMember = {
  kind: 'mutation',
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Update' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  events: [],
  leaves: 'nothing',
  handle: ({ userId }: { readonly userId: string }, context: HandleContext<TenancyDeps>, restricted: Restricted) => {
    context.audit(restricted);
    return changedMember(userId, context);
  },
  complete: showMember,
} as const;
