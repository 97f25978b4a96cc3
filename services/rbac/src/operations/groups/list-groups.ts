import { pageFields, scopeField, scopeOf, strict, tagFilter } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { groupTable } from '../../storage/entity-tables.ts';
import { listEntities } from '../../storage/scoped-entity.ts';
import { permissionsOfGroups, tagsOf, usersOfGroups } from '../relations.ts';
import { GroupPage } from '../schemas.ts';

export const listGroups = operation({
  name: 'listGroups',
  summary: 'Lists the groups (bundles of permissions) of a scope.',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'createdAt', 'updatedAt'], ['users', 'permissions', 'tags']), ...tagFilter }),
  output: GroupPage,
  access: { permission: 'Group:Query' },
  scopes: tenants,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'GET', path: '/api/groups' },
  graphql: { field: 'groups', type: 'GroupPage', items: 'groups' },
  relations: { users: usersOfGroups, permissions: permissionsOfGroups, tags: tagsOf('group') },
  handle: async (input, context) => {
    const { rows, ...page } = await listEntities(context.tx, groupTable, scopeOf(context), input);
    return { items: rows, ...page };
  },
});
