import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { roleRecord, usersById } from '../../peers/records.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { MemberSchema, showMember } from './member.ts';
import { findMemberEntry, requireMember } from './member-entry.ts';

export const updateOrganizationMember = operation({
  name: 'updateOrganizationMember',
  summary: 'Change the role of a member; it takes effect with their next request',
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
  // rbac owns roles: it checks rank, escalation and the last Owner and writes the change, in one
  // transaction.
  prepare: async ({ userId, roleId }, context) => {
    await requireMember(userId, context);
    return context.deps.roles.changeMemberRole({ actor: callerMessage(context), scope: scopeMessage(context), userId, roleId });
  },
  handle: async ({ userId, roleId }, context, role) => {
    context.audit({ targetType: 'OrganizationMember', targetId: userId, detail: { roleId } });
    const entry = await findMemberEntry(context.tx, scopeOf(context).id, userId);
    if (!entry) throw failures.notFound('OrganizationMember');
    return { entry, role };
  },
  complete: async ({ entry, role }, context) => {
    const users = await usersById(context.deps, [entry.id]);
    return showMember(entry, roleRecord(role), users.get(entry.id) ?? null, scopeOf(context).id);
  },
});
