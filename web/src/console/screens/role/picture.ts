import { tessera } from '../../../session/tessera.ts';
import type { useRoleScope } from '../../base/scope.ts';
import { type Picture, planOf, type Values } from './plan.ts';

export type RoleScope = ReturnType<typeof useRoleScope>;

const groupsPerPage = 50;

/** Undefined when there is no such role. */
export async function readPicture(scope: RoleScope, id: string): Promise<Picture | undefined> {
  const [{ items }, groups] = await Promise.all([
    tessera.listRoles({ scope, ids: [id], relations: ['groups'] }),
    Array.fromAsync(tessera.listGroups({ scope, limit: groupsPerPage, sortField: 'name', relations: ['permissions'] })),
  ]);
  const [role] = items;
  if (role === undefined) return undefined;
  return {
    updatedAt: role.updatedAt,
    role,
    groupIds: (role.groups ?? []).map((group) => group.id),
    groups: groups.map((group) => ({ ...group, permissions: group.permissions ?? [] })),
  };
}

/**
 * Saves group by group, then the role; each request carries the version that was seen. A field that
 * was left alone is not sent: conditions may read it, which would ask for more rights.
 */
export async function savePicture(scope: RoleScope, values: Values, seen: Picture): Promise<void> {
  const { name, description, isGrantable, ownGroups, groups } = planOf(values, seen);
  for (const { group, permissionIds } of groups) {
    await tessera.updateGroup({ scope, id: group.id, permissionIds: [...permissionIds] }, { ifMatch: group });
  }
  if (name === undefined && description === undefined && isGrantable === undefined && ownGroups === undefined) return;
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(isGrantable === undefined ? {} : { isGrantable }),
    ...(ownGroups === undefined ? {} : { groupIds: [...values.groupIds] }),
  };
  await tessera.updateRole({ scope, id: seen.role.id, ...change }, { ifMatch: seen.role });
}
