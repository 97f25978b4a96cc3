/** Whether the directory acts on a member (decision 30). */
import type { Context } from '../related.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { MemberSchema } from './member.ts';
import { requireMember, showMember } from './member-entry.ts';
import { memberInput } from './restriction.ts';

/** The part of the declaration that both operations share. */
export const onDirectory = {
  kind: 'mutation',
  input: memberInput,
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Update' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  events: ['directory.changed'],
} as const;

/**
 * 403 for oneself, and for a member whose rank is not below one's own: else an Admin would outlive
 * their own dismissal. rbac knows the ranks.
 */
export async function assertMayDetach(kind: 'detach' | 'attach', userId: string, context: Context) {
  const member = await showMember(await requireMember(userId, context), context);
  await context.deps.roles.restrictMember({ actor: callerMessage(context), scope: scopeMessage(context), userId, kind });
  return member;
}
