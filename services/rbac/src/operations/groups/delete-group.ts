import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { groupTable, roleTable } from '../../storage/entity-tables.ts';
import { updateEntity } from '../../storage/scoped-entity.ts';
import { findOne, removeOne } from '../entity.ts';
import { deletion, Group, ownScopes } from '../schemas.ts';
import { beginChange } from '../write.ts';

export const deleteGroup = operation({
  name: 'deleteGroup',
  summary: 'Deletes a group; the roles that had it lose what it gave.',
  kind: 'mutation',
  input: deletion,
  output: Group,
  access: { permission: 'Group:Delete', target: async ({ id }) => ({ id }) },
  scopes: ownScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'group.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/groups/:id' },
  graphql: { field: 'deleteGroup', type: 'Group' },
  example: { records: ['name'] },
  handle: async ({ id, hardDelete = false }, context) => {
    const { tx, audit, now } = context;
    const { scope } = await beginChange(context);
    const group = await findOne(tx, groupTable, scope, id);
    if (group.isShared) throw errors.shared();
    if (group.roleId !== null) await updateEntity(tx, roleTable, scope, group.roleId, {});
    audit({ targetType: 'Group', targetId: id, detail: { name: group.name, hardDelete } });
    return removeOne(tx, groupTable, scope, group, { hard: hardDelete, now });
  },
});
