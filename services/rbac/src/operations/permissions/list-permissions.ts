import { pageFields, scopeField, scopeOf, strict, tagFilter } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { permissionTable } from '../../storage/entity-tables.ts';
import { listEntities } from '../../storage/scoped-entity.ts';
import { resourceOfPermissions, tagsOf } from '../relations.ts';
import { PermissionPage } from '../schemas.ts';

export const listPermissions = operation({
  name: 'listScopePermissions',
  summary: 'Lists the permissions of a scope.',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'action', 'createdAt', 'updatedAt'], ['resource', 'tags']), ...tagFilter }),
  output: PermissionPage,
  access: { permission: 'Permission:Query' },
  scopes: tenants,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'GET', path: '/api/permissions' },
  graphql: { field: 'permissions', type: 'PermissionPage', items: 'permissions' },
  relations: { resource: resourceOfPermissions, tags: tagsOf('permission') },
  handle: async (input, context) => {
    const { rows, ...page } = await listEntities(context.tx, permissionTable, scopeOf(context), input);
    return { items: rows, ...page };
  },
});
