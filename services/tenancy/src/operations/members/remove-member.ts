import { failures } from '@tessera/kernel/errors';
import { auditMessage, callerOf, differences, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { userLeft } from '../../events.ts';
import { removeMember } from '../../storage/members.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { MemberSchema } from './member.ts';
import { requireMember, showMember } from './member-entry.ts';

const declared = { operation: 'removeOrganizationMember', action: 'organizationMember.removed' } as const;

export const removeOrganizationMember = operation({
  name: declared.operation,
  summary: 'Remove a member, or leave; the person loses all rights in the organization and its projects from their next request on',
  kind: 'mutation',
  input: strict({ ...scopeField, userId: Id }),
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Remove', oneself: ({ userId }) => userId },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: declared.action,
  events: ['user.left'],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/organization-members/:userId' },
  graphql: { field: 'removeOrganizationMember', type: 'OrganizationMember' },
  // rbac checks rank and last Owner and commits, with the audit row. Its membership.ended event
  // removes our row even if this process dies.
  prepare: async ({ userId }, context) => {
    const { subject } = callerOf(context);
    const isLeaving = subject.type === 'session' && subject.userId === userId;
    const found = await requireMember(userId, context).catch((error: unknown) => {
      // The caller has no right here, not even to know whether the organization exists.
      throw isLeaving ? failures.forbidden() : error;
    });
    const member = await showMember(found, context);
    const actor = isLeaving ? {} : { actor: callerMessage(context) };
    const before = { name: member.name, email: member.email, roleId: member.role?.id ?? null };
    const entry = { targetType: 'OrganizationMember', targetId: userId };
    const changes = differences(Object.keys(before), before, {});
    const auditJson = auditMessage({ ...declared, outcome: 'ok', entry, changes }, context);
    const { isAudited } = await context.deps.roles.endMembership({ ...actor, scope: scopeMessage(context), userId, auditJson });
    return { member, audited: { ...entry, before, ...(isAudited ? { isWritten: true as const } : {}) } };
  },
  handle: async ({ userId }, context, { member, audited }) => {
    const { tenant, id } = scopeOf(context);
    context.audit(audited);
    // Either this transaction or the handler of membership.ended deletes the row; the one that does
    // emits the event.
    if (await removeMember(context.tx, id, userId)) context.emit(userLeft(userId, { tenant, id }));
    return member;
  },
});
