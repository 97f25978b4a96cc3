import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { jsonRecord } from '@tessera/rules/condition';
import type { GivenAction } from '../domain/escalation.ts';
import { query } from './query.ts';

/**
 * What permissions, groups and roles give: compared with what the caller holds before it is given.
 */
type Ids = { readonly ids: readonly string[] };

function permissionActions() {
  return query
    .selectFrom('permissions as p')
    .innerJoin('resources as res', 'res.id', 'p.resourceId')
    .select(['res.slug as resource', 'p.action', 'p.condition']);
}

function livePermissionActions() {
  return permissionActions().where('p.deletedAt', 'is', null).where('res.deletedAt', 'is', null);
}

const actionsOfPermissions = statement('rbac_actions_of_permissions', (p: Params<Ids>) =>
  permissionActions().where('p.id', '=', ({ fn }) => fn.any(p.ids)),
);
const actionsOfGroups = statement('rbac_actions_of_groups', (p: Params<Ids>) =>
  livePermissionActions()
    .innerJoin('group_permissions as gp', 'gp.permissionId', 'p.id')
    .where('gp.groupId', '=', ({ fn }) => fn.any(p.ids))
    .distinctOn('p.id'),
);
const actionsOfRoles = statement('rbac_actions_of_roles', (p: Params<Ids>) =>
  livePermissionActions()
    .innerJoin('group_permissions as gp', 'gp.permissionId', 'p.id')
    .innerJoin('groups as g', 'g.id', 'gp.groupId')
    .innerJoin('role_groups as rg', 'rg.groupId', 'g.id')
    .where('g.deletedAt', 'is', null)
    .where('rg.roleId', '=', ({ fn }) => fn.any(p.ids))
    .select('rg.roleId'),
);
const findGroupOf = statement('rbac_permission_in_a_group', (p: Params<{ permissionId: string }>) =>
  query.selectFrom('group_permissions').select('groupId').where('permissionId', '=', p.permissionId).limit(1),
);

function toGivenActions<Row extends { readonly condition: object | null }>(rows: readonly Row[]) {
  return rows.map((row) => ({ ...row, condition: row.condition && jsonRecord(row.condition) }));
}

export async function listActionsOfPermissions(tx: Transaction, ids: readonly string[]): Promise<GivenAction[]> {
  return ids.length === 0 ? [] : toGivenActions(await tx.query(actionsOfPermissions, { ids }));
}

export async function listActionsOfGroups(tx: Transaction, ids: readonly string[]): Promise<GivenAction[]> {
  return ids.length === 0 ? [] : toGivenActions(await tx.query(actionsOfGroups, { ids }));
}

export async function listActionsOfRoles(tx: Transaction, ids: readonly string[]): Promise<(GivenAction & { roleId: string })[]> {
  return ids.length === 0 ? [] : toGivenActions(await tx.query(actionsOfRoles, { ids }));
}

/** Whether some group has the permission. */
export async function isPermissionInUse(tx: Transaction, permissionId: string): Promise<boolean> {
  return (await tx.one(findGroupOf, { permissionId })) !== undefined;
}
