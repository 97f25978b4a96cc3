import { pageFields, pageOf, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageDomains } from '../../storage/domains.ts';
import { DomainSchema, DomainStatusSchema, domainScopes, organizationOf, present } from './domain.ts';

export const listDomains = operation({
  name: 'listDomains',
  summary: 'The domains that an organization has claimed, with what proves them',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['domain', 'createdAt', 'updatedAt']), status: Type.Optional(DomainStatusSchema) }),
  output: pageOf(DomainSchema),
  access: { permission: 'Domain:Query' },
  scopes: domainScopes,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/domains' },
  graphql: { field: 'domains', type: 'DomainPage', items: 'domains' },
  handle: async ({ scope: _scope, ...input }, context) => {
    const { rows, ...page } = await pageDomains(context.tx, organizationOf(context), input);
    return { items: rows.map(present), ...page };
  },
});
