import type { Params } from '@tessera/kernel/postgres';
import { acrossQuery } from './across.ts';
import { groupRows, groupTable, permissionRows, permissionTable, roleRows, roleTable } from './entity-tables.ts';

/** Related entities of many owners at once, by name. */
type Owners = { readonly ownerIds: readonly string[] };

export const groupsOfRolesAcross = acrossQuery('rbac_groups_of_roles', groupTable.levels, (level, asked, p: Params<Owners>) =>
  groupRows(level, asked)
    .innerJoin('role_groups as l', 'l.groupId', 'e.id')
    .where('l.roleId', '=', ({ fn }) => fn.any(p.ownerIds))
    .select('l.roleId as ownerId')
    .orderBy('e.name')
    .orderBy('e.id'),
);

export const permissionsOfGroupsAcross = acrossQuery(
  'rbac_permissions_of_groups',
  permissionTable.levels,
  (level, asked, p: Params<Owners>) =>
    permissionRows(level, asked)
      .innerJoin('group_permissions as l', 'l.permissionId', 'e.id')
      .where('l.groupId', '=', ({ fn }) => fn.any(p.ownerIds))
      .select('l.groupId as ownerId')
      .orderBy('e.name')
      .orderBy('e.id'),
);

export const permissionsOfResourcesAcross = acrossQuery(
  'rbac_permissions_of_resources',
  permissionTable.levels,
  (level, asked, p: Params<Owners>) =>
    permissionRows(level, asked)
      .where('e.resourceId', '=', ({ fn }) => fn.any(p.ownerIds))
      .select('e.resourceId as ownerId')
      .orderBy('e.name')
      .orderBy('e.id'),
);

/** The roles of users in exactly these scopes: only the scopes' own. */
export const rolesOfUsersAcross = acrossQuery('rbac_roles_of_users', roleTable.levels, (level, asked, p: Params<Owners>) =>
  roleRows(level, asked)
    .innerJoin('role_assignments as l', (join) =>
      join.onRef('l.roleId', '=', 'e.id').onRef('l.tenant', '=', 's.tenant').onRef('l.scopeId', '=', 's.id'),
    )
    .where('l.userId', '=', ({ fn }) => fn.any(p.ownerIds))
    .select('l.userId as ownerId')
    .orderBy('e.name')
    .orderBy('e.id'),
);
