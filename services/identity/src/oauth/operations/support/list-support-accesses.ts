import { pageOf, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { pageSupportAccesses } from '../../../apps/storage/support-accesses.ts';
import { operation } from '../../deps.ts';
import { pageInput } from '../consents/list-consents.ts';
import { SupportAccess, toSupportAccesses } from './support-access.ts';

export const listSupportAccesses = operation({
  name: 'listSupportAccesses',
  summary: 'Who asks to act, acts or acted as a person of the organization, or by support of the project; the newest request first',
  kind: 'query',
  input: strict({ ...scopeField, isOpen: Type.Optional(Type.Boolean({ description: 'Only those that have not ended' })), ...pageInput }),
  output: pageOf(SupportAccess),
  access: { permission: 'SupportAccess:Query' },
  scopes: ['organization', 'organizationProject'],
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: [],
  audit: { none: 'a list of accesses' },
  events: [],
  rest: { method: 'GET', path: '/api/support-access' },
  graphql: { field: 'supportAccesses', type: 'SupportAccessPage', items: 'supportAccesses' },

  handle({ isOpen, page, limit }, context) {
    const { tenant, id } = scopeOf(context);
    return pageSupportAccesses(context.tx, tenant === 'organization' ? { organizationId: id } : { projectScopeId: id }, {
      page,
      limit,
      isOpen,
    });
  },

  complete: async ({ rows, totalCount, hasNextPage }, context) => ({
    items: await toSupportAccesses(rows, context),
    totalCount,
    hasNextPage,
  }),
});
