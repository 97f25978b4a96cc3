import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { findDomain } from '../../storage/domains.ts';
import { DomainSchema, domainScopes, organizationOf, present } from './domain.ts';

export const getDomain = operation({
  name: 'getDomain',
  summary: 'One domain of an organization',
  kind: 'query',
  input: strict({ ...scopeField, id: Id }),
  output: DomainSchema,
  access: { permission: 'Domain:Query' },
  scopes: domainScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'a read' },
  events: [],
  rest: { method: 'GET', path: '/api/domains/:id' },
  graphql: { field: 'domain', type: 'Domain' },
  handle: async ({ id }, context) => {
    const domain = await findDomain(context.tx, organizationOf(context), id);
    if (domain === undefined) throw failures.notFound('Domain');
    return present(domain);
  },
});
