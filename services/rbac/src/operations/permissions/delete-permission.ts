import { operation } from '../../deps.ts';
import { permissionTable } from '../../storage/entity-tables.ts';
import { findOne, removeOne } from '../entity.ts';
import { deletion, ownScopes, Permission } from '../schemas.ts';
import { beginChange } from '../write.ts';

export const deletePermission = operation({
  name: 'deletePermission',
  summary: 'Deletes a permission; the groups that had it give it no more.',
  kind: 'mutation',
  input: deletion,
  output: Permission,
  access: { permission: 'Permission:Delete', target: async ({ id }) => ({ id }) },
  scopes: ownScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'permission.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/permissions/:id' },
  graphql: { field: 'deletePermission', type: 'Permission' },
  example: { records: ['name'] },
  handle: async ({ id, hardDelete = false }, context) => {
    const { tx, audit, now } = context;
    const { scope } = await beginChange(context);
    const permission = await findOne(tx, permissionTable, scope, id);
    audit({ targetType: 'Permission', targetId: id, detail: { name: permission.name, hardDelete } });
    return removeOne(tx, permissionTable, scope, permission, { hard: hardDelete, now });
  },
});
