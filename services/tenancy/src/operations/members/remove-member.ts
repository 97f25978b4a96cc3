import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { userLeft } from '../../events.ts';
import { removeMember } from '../../storage/members.ts';
import { actorOf, wireScope } from '../grants.ts';
import { requireMember } from './entry.ts';
import { MemberSchema, showMembers } from './member.ts';

export const removeOrganizationMember = operation({
  name: 'removeOrganizationMember',
  summary: 'End a membership; the person has no rights here from their next request on',
  kind: 'mutation',
  input: strict({ ...scopeField, userId: Id }),
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Remove' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'organizationMember.removed',
  events: ['user.left'],
  rest: { method: 'DELETE', path: '/api/organization-members/:userId' },
  graphql: { field: 'removeOrganizationMember' },
  // rbac decides (rank, last Owner) and commits; its membership.ended removes our row even if this process dies right after.
  prepare: async ({ userId }, context) => {
    const [member] = await showMembers([await requireMember(userId, context)], context);
    if (!member) throw new Error('a member was found and not shown');
    await context.deps.roles.endMembership({ actor: actorOf(context), scope: wireScope(context), userId });
    return member;
  },
  handle: async ({ userId }, context, member) => {
    const { tenant, id } = scopeOf(context);
    context.audit({ targetType: 'OrganizationMember', targetId: userId });
    // Whoever deletes the row tells the others: here, or the handler of membership.ended.
    if (await removeMember(context.tx, id, userId)) context.emit(userLeft(userId, { tenant, id }));
    return member;
  },
});
