import { pageFields, pageOf, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageServiceAccounts } from '../../storage/service-accounts.ts';
import { credentialsOf, ServiceAccount, serviceScopeOf, serviceTenants, withRoles } from './service-account.ts';

export const listServiceAccounts = operation({
  name: 'listServiceAccounts',
  summary: 'The service accounts of an organization or account: who made each, what it may do, and when and from where it was last used',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'createdAt', 'updatedAt']) }),
  output: pageOf(ServiceAccount),
  access: { permission: 'ServiceAccount:Query' },
  scopes: serviceTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/service-accounts' },
  graphql: { field: 'serviceAccounts', type: 'ServiceAccountPage', items: 'serviceAccounts' },

  async handle(input, { tx, ...context }) {
    const { rows, ...page } = await pageServiceAccounts(tx, serviceScopeOf(context), input);
    return { ...page, shown: await credentialsOf(tx, rows) };
  },

  complete: async ({ shown, totalCount, hasNextPage }, context) => ({ items: await withRoles(shown, context), totalCount, hasNextPage }),
});
