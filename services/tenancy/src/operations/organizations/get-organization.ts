import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { OrganizationSchema, organizationRelationNames, organizationRelations } from './organization.ts';
import { organizationReach, requireInOrganization, showOrganization } from './reach.ts';

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
  scopes: organizationReach,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'a read' },
  events: [],
  rest: { method: 'GET', path: '/api/organizations/:id' },
  graphql: { none: 'organizations with ids' },
  relations: organizationRelations,
  prepare: ({ id }, context) => requireInOrganization(id, 'Read', context),
  handle: ({ id }, context) => showOrganization(id, context),
});
