import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { findServiceAccount } from '../../storage/service-accounts.ts';
import { credentialsOf, ServiceAccount, serviceScopeOf, serviceTenants, targetOf, withRoles } from './service-account.ts';

export const getServiceAccount = operation({
  name: 'getServiceAccount',
  summary: 'One service account, with its credentials but without their secrets',
  kind: 'query',
  input: strict({ ...scopeField, id: Id }),
  output: ServiceAccount,
  access: { permission: 'ServiceAccount:Query', target: targetOf },
  scopes: serviceTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/service-accounts/:id' },
  graphql: { field: 'serviceAccount', type: 'ServiceAccount' },

  async handle({ id }, { tx, ...context }) {
    const account = await findServiceAccount(tx, serviceScopeOf(context), id);
    if (account === undefined) throw failures.notFound('ServiceAccount');
    return credentialsOf(tx, [account]);
  },

  async complete(shown, context) {
    const [account] = await withRoles(shown, context);
    if (account === undefined) throw failures.notFound('ServiceAccount');
    return account;
  },
});
