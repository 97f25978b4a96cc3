import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { organizationScopes, readOrganization, requireOrganizationRight } from './access.ts';
import { OrganizationSchema, organizationRelationNames, organizationRelations } from './organization.ts';

export const getOrganization = operation({
  name: 'getOrganization',
  summary: 'One organization',
  kind: 'query',
  input: strict({
    ...scopeField,
    id: Id,
    relations: Type.Optional(Type.Array(Type.Enum([...organizationRelationNames]), { maxItems: 20 })),
  }),
  output: OrganizationSchema,
  access: { permission: 'Organization:Read' },
  scopes: organizationScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'a read' },
  events: [],
  rest: { method: 'GET', path: '/api/organizations/:id' },
  graphql: { none: 'organizations with ids' },
  relations: organizationRelations,
  prepare: ({ id }, context) => requireOrganizationRight(id, 'Read', context),
  handle: ({ id }, context) => readOrganization(id, context),
});
