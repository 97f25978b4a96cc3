import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { listRolesByGroups } from '../../storage/directory.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { organizationOf } from './groups.ts';

const RoleByGroups = Type.Object({
  id: Id,
  name: Type.String({ examples: ['Engineer'] }),
  groups: Type.Array(Type.Object({ id: Id, displayName: Type.String({ description: 'As the directory calls it' }) }), {
    description: 'The groups that give it',
  }),
});

export const listDirectoryRoles = operation({
  name: 'listDirectoryRoles',
  summary: 'The roles that a member has in this scope by groups of the directory; they are not changed by hand',
  kind: 'query',
  input: strict({ ...scopeField, userId: Id }),
  output: strict({ items: Type.Array(RoleByGroups) }),
  access: { permission: 'Directory:Query' },
  scopes: ['organization', 'organizationProject'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/directory-roles' },
  graphql: { field: 'directoryRoles', type: 'DirectoryRoles' },
  handle: async ({ userId }, context) => {
    const scope = scopeOf(context);
    const of = { organizationId: organizationOf(scope), scopeId: scope.id, tenant: scope.tenant, userId };
    const byRole = Map.groupBy(await listRolesByGroups(context.tx, of), ({ roleId }) => roleId);
    // Without roles that are taken out of a grant.
    const roles = await findEntities(context.tx, roleTable, scope, [...byRole.keys()]);
    return {
      items: roles.map(({ id, name }) => ({
        id,
        name,
        groups: (byRole.get(id) ?? []).flatMap(({ groupId, groupName }) =>
          groupId === null ? [] : [{ id: groupId, displayName: groupName ?? '' }],
        ),
      })),
    };
  },
});
