import { tessera } from '../../../session/tessera.ts';
import type { useRoleScope } from '../../base/scope.ts';
import { isOfRole, type Picture, planOf, type Values } from './plan.ts';
import { permissionsOf } from './ticks.ts';

export type RoleScope = ReturnType<typeof useRoleScope>;

const groupsPerPage = 50;

/** Undefined when there is no such role. */
export async function readPicture(scope: RoleScope, id: string): Promise<Picture | undefined> {
  const [{ items }, listed] = await Promise.all([
    tessera.listRoles({ scope, ids: [id], relations: ['groups'] }),
    Array.fromAsync(tessera.listGroups({ scope, limit: groupsPerPage, sortField: 'name', relations: ['permissions'] })),
  ]);
  const [role] = items;
  if (role === undefined) return undefined;
  const held = (role.groups ?? []).map((group) => group.id);
  const groups = listed.map((group) => ({ ...group, permissions: group.permissions ?? [] }));
  const own = groups.find((group) => group.roleId === id && held.includes(group.id));
  return {
    updatedAt: role.updatedAt,
    role,
    own,
    groupIds: held.filter((groupId) => groupId !== own?.id),
    groups: groups.filter(({ id: groupId, roleId }) => roleId === null || (held.includes(groupId) && groupId !== own?.id)),
  };
}

/**
 * Saves group by group, then the role; each request carries the version that was seen. A field that
 * was left alone is not sent: conditions may read it, which would ask for more rights.
 */
export async function savePicture(scope: RoleScope, values: Values, seen: Picture): Promise<void> {
  const plan = planOf(values, seen);
  const { name, description, isGrantable, ticks, ownGroups, groups } = plan;
  for (const { group, permissionIds } of groups) {
    await tessera.updateGroup({ scope, id: group.id, permissionIds: [...permissionIds] }, { ifMatch: group });
  }
  if (!isOfRole(plan)) return;
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(isGrantable === undefined ? {} : { isGrantable }),
    ...(ticks === undefined ? {} : { permissions: permissionsOf(values.ticked) }),
    ...(ownGroups === undefined ? {} : { groupIds: [...values.groupIds, ...(seen.own ? [seen.own.id] : [])] }),
  };
  await tessera.updateRole({ scope, id: seen.role.id, ...change }, { ifMatch: seen.role });
}
