import { pageFields, pageOf, scopeField, scopeOf, strict, tagFilter, toPage } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageOrganizations } from '../../storage/organizations.ts';
import { filterByTags } from '../tag-filter.ts';
import { organizationScopes } from './access.ts';
import { OrganizationSchema, organizationRelationNames, organizationRelations } from './organization.ts';

export const listOrganizations = operation({
  name: 'listOrganizations',
  summary: 'The organizations that the account’s owner is a member of; in an organization’s scope itself',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'slug', 'createdAt', 'updatedAt'], organizationRelationNames), ...tagFilter }),
  output: pageOf(OrganizationSchema),
  access: { permission: 'Organization:Query' },
  scopes: organizationScopes,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/organizations' },
  graphql: { field: 'organizations', type: 'OrganizationPage', items: 'organizations' },
  relations: organizationRelations,
  prepare: (input, context) => filterByTags('organization', input, context),
  handle: async (input, context, ids) => {
    const { rows, totalCount } = await pageOrganizations(context.tx, scopeOf(context).organizationId, { ...input, ids });
    return toPage(rows, totalCount, input);
  },
});
