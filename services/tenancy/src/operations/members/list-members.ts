import { pageFields, pageOf, pastOf, scopeField, scopeOf, strict, toPage } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageMembers } from '../../storage/member-page.ts';
import { InvitationStatusSchema } from '../invitations/invitation.ts';
import { MemberSchema, showMembers } from './member.ts';

export const listOrganizationMembers = operation({
  name: 'listOrganizationMembers',
  summary: 'Members and open invitations of an organization; with a status, invitations of that status only',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'email', 'createdAt']), status: Type.Optional(InvitationStatusSchema) }),
  output: pageOf(MemberSchema),
  access: { permission: 'OrganizationMember:Query' },
  scopes: ['organization'],
  isolation: { none: 'the handler opens its own scoped transaction, with `isOrdered`' },
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/organization-members' },
  graphql: { field: 'organizationMembers', type: 'OrganizationMemberPage', items: 'organizationMembers' },
  handle: ({ page = 1, limit = 50, search, sortField = 'name', sortOrder = 'asc', ids, status }, context) => {
    const scope = scopeOf(context);
    const query = { page, limit, search, sortField, sortOrder, ids, status };
    return context.deps.database.scoped(scope, (tx) => pageMembers(tx, context.deps.searchTotals, scope.id, query), {
      readOnly: true,
      isOrdered: true,
      past: pastOf(context),
    });
  },
  complete: async ({ rows, totalCount }, context, input) => toPage(await showMembers(rows, context), totalCount, input),
});
