import { Id, Nullable } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { Grant } from '../../domain/rights.ts';

const Named = Type.Object({ id: Id, name: Type.String() });

export const MatchedPermission = Type.Object({
  id: Nullable(Id),
  name: Type.String(),
  resource: Type.String(),
  action: Type.String(),
  isBuiltIn: Type.Boolean({ description: 'Given by the matrix of a built-in role; such a one has no id and no group' }),
  role: Named,
  group: Nullable(Named),
});

export function presentPermission({ permissionId, permissionName, resource, action, role, group }: Grant) {
  return {
    id: permissionId,
    name: permissionName,
    resource,
    action,
    isBuiltIn: permissionId === null,
    role: { id: role.id, name: role.name },
    group: group && { id: group.id, name: group.name },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
export function presentCondition({ condition }: Grant): Record<string, unknown> | null {
  return isRecord(condition) ? condition : null;
}
