import { pageFields, scopeField, scopeOf, strict, tagFilter } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { resourceTable } from '../../storage/entity-tables.ts';
import { listEntities } from '../../storage/scoped-entity.ts';
import { permissionsOfResources, tagsOf } from '../relations.ts';
import { ResourcePage } from '../schemas.ts';

export const listResources = operation({
  name: 'listResources',
  summary: 'Lists the resources of a scope: the built-in ones, and in a project its own.',
  kind: 'query',
  input: strict({
    ...scopeField,
    ...pageFields(['name', 'slug', 'createdAt', 'updatedAt'], ['permissions', 'tags']),
    ...tagFilter,
    isBuiltIn: Type.Optional(Type.Boolean({ description: 'Only the built-in ones, or only the project’s own' })),
  }),
  output: ResourcePage,
  access: { permission: 'Resource:Query' },
  scopes: tenants,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'GET', path: '/api/resources' },
  graphql: { field: 'resources', type: 'ResourcePage', items: 'resources' },
  relations: { permissions: permissionsOfResources, tags: tagsOf('resource') },
  handle: async (input, context) => {
    const { rows, ...page } = await listEntities(context.tx, resourceTable, scopeOf(context), input);
    return { items: rows, ...page };
  },
});
