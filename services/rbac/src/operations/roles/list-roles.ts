import { pageFields, scopeField, scopeOf, strict, tagFilter } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { listEntities } from '../../storage/scoped-entity.ts';
import { groupsOfRoles, tagsOf, usersOfRoles } from '../relations.ts';
import { RolePage } from '../schemas.ts';

export const listRoles = operation({
  name: 'listRoles',
  summary: 'Lists the roles of a scope, the built-in ones included.',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'createdAt', 'updatedAt'], ['users', 'groups', 'tags']), ...tagFilter }),
  output: RolePage,
  access: { permission: 'Role:Query' },
  scopes: tenants,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'GET', path: '/api/roles' },
  graphql: { field: 'roles', type: 'RolePage', items: 'roles' },
  relations: { users: usersOfRoles, groups: groupsOfRoles, tags: tagsOf('role') },
  handle: async (input, context) => {
    const { rows, ...page } = await listEntities(context.tx, roleTable, scopeOf(context), input);
    return { items: rows, ...page };
  },
});
