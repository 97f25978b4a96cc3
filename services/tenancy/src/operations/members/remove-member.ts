import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { userLeft } from '../../events.ts';
import { removeMember } from '../../storage/members.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { MemberSchema, showMembers } from './member.ts';
import { requireMember } from './member-entry.ts';

export const removeOrganizationMember = operation({
  name: 'removeOrganizationMember',
  summary: 'Remove a member, or leave; the person loses all rights in the organization and its projects from their next request on',
  kind: 'mutation',
  input: strict({ ...scopeField, userId: Id }),
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Remove', oneself: ({ userId }) => userId },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'organizationMember.removed',
  events: ['user.left'],
  rest: { method: 'DELETE', path: '/api/organization-members/:userId' },
  graphql: { field: 'removeOrganizationMember' },
  // rbac checks rank and last Owner and commits. Its membership.ended event removes our row even if
  // this process dies.
  prepare: async ({ userId }, context) => {
    const { subject } = callerOf(context);
    const isLeaving = subject.type === 'session' && subject.userId === userId;
    const entry = await requireMember(userId, context).catch((error: unknown) => {
      // The caller has no right here, not even to know whether the organization exists.
      throw isLeaving ? failures.forbidden() : error;
    });
    const [member] = await showMembers([entry], context);
    if (!member) throw new Error('showMembers dropped a member');
    const actor = isLeaving ? {} : { actor: callerMessage(context) };
    await context.deps.roles.endMembership({ ...actor, scope: scopeMessage(context), userId });
    return member;
  },
  handle: async ({ userId }, context, member) => {
    const { tenant, id } = scopeOf(context);
    const { name, email, role } = member;
    context.audit({ targetType: 'OrganizationMember', targetId: userId, before: { name, email, roleId: role?.id ?? null } });
    // Either this transaction or the handler of membership.ended deletes the row; the one that does
    // emits the event.
    if (await removeMember(context.tx, id, userId)) context.emit(userLeft(userId, { tenant, id }));
    return member;
  },
});
