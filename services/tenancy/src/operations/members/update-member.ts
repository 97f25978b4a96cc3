import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { actorOf, wireScope } from '../grants.ts';
import { roleRow, usersById } from '../remote-rows.ts';
import { memberEntry, requireMember } from './entry.ts';
import { MemberSchema, showMember } from './member.ts';

export const updateOrganizationMember = operation({
  name: 'updateOrganizationMember',
  summary: 'Give a member another role; it counts from their next request on',
  kind: 'mutation',
  input: strict({ ...scopeField, userId: Id, roleId: Id }),
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Update' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'organizationMember.updated',
  events: [],
  rest: { method: 'PATCH', path: '/api/organization-members/:userId' },
  graphql: { field: 'updateOrganizationMember' },
  // rbac owns roles: rank, escalation and the last Owner are decided and written there, in one transaction.
  prepare: async ({ userId, roleId }, context) => {
    await requireMember(userId, context);
    return context.deps.roles.changeMemberRole({ actor: actorOf(context), scope: wireScope(context), userId, roleId });
  },
  handle: async ({ userId, roleId }, context, role) => {
    context.audit({ targetType: 'OrganizationMember', targetId: userId, detail: { roleId } });
    const entry = await memberEntry(context.tx, scopeOf(context).id, userId);
    if (!entry) throw failures.notFound('OrganizationMember');
    return { entry, role };
  },
  complete: async ({ entry, role }, context) => {
    const users = await usersById(context.deps, [entry.id]);
    return showMember(entry, roleRow(role), users.get(entry.id) ?? null, scopeOf(context).id);
  },
});
