import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { takeRoleFromAll } from '../../storage/assignments.ts';
import { noteDepartures } from '../../storage/departures.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findOne, removeOne } from '../entity.ts';
import { membershipsEnded } from '../membership/ended.ts';
import { deletion, Role } from '../schemas.ts';
import { beginChange } from '../write.ts';

export const deleteRole = operation({
  name: 'deleteRole',
  summary: 'Deletes a role and takes it from everybody; a member without any other role leaves the organization.',
  kind: 'mutation',
  input: deletion,
  output: Role,
  access: { permission: 'Role:Delete', target: async ({ id }) => ({ id }) },
  scopes: tenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'role.deleted',
  events: ['membership.ended'],
  rest: { method: 'DELETE', path: '/api/roles/:id' },
  graphql: { field: 'deleteRole' },
  handle: async ({ id, hardDelete = false }, context) => {
    const { tx, audit, emit, now } = context;
    const { scope } = await beginChange(context);
    const role = await findOne(tx, roleTable, scope, id);
    if (role.isBuiltIn) throw errors.builtIn();
    const left = await takeRoleFromAll(tx, scope, id);
    if (scope.tenant === 'organization') await noteDepartures(tx, scope, left);
    emit(...membershipsEnded(scope, left));
    audit({ targetType: 'Role', targetId: id, detail: { name: role.name, hardDelete } });
    return removeOne(tx, roleTable, scope, role, { hard: hardDelete, now });
  },
});
