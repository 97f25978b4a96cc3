import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { takeRoleFromAll } from '../../storage/assignments.ts';
import { unmapRole } from '../../storage/directory.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findOne, removeOne } from '../entity.ts';
import { deletion, Role } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { removeOwnGroup } from './own-group.ts';

export const deleteRole = operation({
  name: 'deleteRole',
  summary: 'Delete a role and take it from all who have it; an organization keeps a role that is a member’s only one',
  kind: 'mutation',
  input: deletion,
  output: Role,
  access: { permission: 'Role:Delete', target: async ({ id }) => ({ id }) },
  scopes: tenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'role.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/roles/:id' },
  graphql: { field: 'deleteRole', type: 'Role' },
  example: { records: ['name'] },
  handle: async ({ id, hardDelete = false }, context) => {
    const { tx, audit, now } = context;
    const { scope } = await beginChange(context);
    const role = await findOne(tx, roleTable, scope, id);
    if (role.isShared) throw errors.shared();
    if (role.isBuiltIn) throw errors.builtIn();
    await unmapRole(tx, id);
    const { userCount, withoutRole, serviceAccounts } = await takeRoleFromAll(tx, scope, id);
    // Members without a role would leave the organization. Users of a project may have none.
    if (scope.tenant === 'organization' && withoutRole.length > 0)
      throw errors.onlyRole({
        params: { count: String(withoutRole.length) },
        extensions: { resource: 'Role', count: withoutRole.length },
      });
    if (serviceAccounts.length > 0)
      throw errors.onlyRoleOfServiceAccounts({
        params: { count: String(serviceAccounts.length) },
        extensions: { resource: 'Role', count: serviceAccounts.length },
      });
    audit({ targetType: 'Role', targetId: id, detail: { name: role.name, hardDelete, counts: { users: userCount } } });
    await removeOwnGroup(tx, scope, id, { hard: hardDelete, now });
    return removeOne(tx, roleTable, scope, role, { hard: hardDelete, now });
  },
});
