import type { Item } from '@tessera/client';
import { type Change, changeOf, isAny } from '../../parts/form/change.ts';
import { keyOf } from './ticks.ts';

type Role = Item<'listRoles'>;
type ListedGroup = Item<'listGroups'>;
export type Permission = NonNullable<ListedGroup['permissions']>[number];
export type Group = Omit<ListedGroup, 'permissions'> & { readonly permissions: readonly Permission[] };

/** A role, what it gives of its own, and all groups that it has or could have. */
export type Picture = {
  readonly updatedAt: string;
  readonly role: Role;
  /** The group that was made for what is ticked in the role. */
  readonly own: Group | undefined;
  readonly groupIds: readonly string[];
  /** Without those that a role has of its own. */
  readonly groups: readonly Group[];
};

type PermissionsField = `permissions ${string}`;
/**
 * What the editor shows. Each group is a field of its own: two people can change two groups.
 * Ids are sorted: what was saved here and read again is no change of another person.
 */
export type Values = {
  readonly name: string;
  readonly description: string;
  readonly isGrantable: boolean;
  /** The keys of what is ticked. */
  readonly ticked: readonly string[];
  readonly groupIds: readonly string[];
} & {
  readonly [group: PermissionsField]: readonly string[];
};

export function fieldOf(groupId: string): PermissionsField {
  return `permissions ${groupId}`;
}

export function valuesOf({ role, own, groupIds, groups }: Picture): Values {
  const held: Readonly<Record<PermissionsField, readonly string[]>> = Object.fromEntries(
    groups.map(({ id, permissions }) => [fieldOf(id), permissions.map((permission) => permission.id).toSorted()]),
  );
  const ticked = [...new Set((own?.permissions ?? []).map(keyOf))].toSorted();
  const { name, description, isGrantable } = role;
  return { name, description: description ?? '', isGrantable, ticked, groupIds: groupIds.toSorted(), ...held };
}

/** What saving would do: to the role, and to each of its groups. */
export type Plan = {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly isGrantable: boolean | undefined;
  readonly ticks: Change | undefined;
  readonly ownGroups: Change | undefined;
  readonly groups: readonly { readonly group: Group; readonly change: Change; readonly permissionIds: readonly string[] }[];
};

export function planOf(values: Values, picture: Picture): Plan {
  const before = valuesOf(picture);
  const [name, description] = [values.name.trim(), values.description.trim()];
  const ownGroups = changeOf(before.groupIds, values.groupIds);
  const ticks = changeOf(before.ticked, values.ticked);
  const groups = picture.groups
    .filter(({ id }) => values.groupIds.includes(id))
    .map((group) => {
      const held = before[fieldOf(group.id)] ?? [];
      const permissionIds = values[fieldOf(group.id)] ?? held;
      return { group, permissionIds, change: changeOf(held, permissionIds) };
    });
  return {
    name: name === before.name ? undefined : name,
    description: description === before.description ? undefined : description,
    isGrantable: values.isGrantable === before.isGrantable ? undefined : values.isGrantable,
    ticks: isAny(ticks) ? ticks : undefined,
    ownGroups: isAny(ownGroups) ? ownGroups : undefined,
    groups: groups.filter(({ change }) => isAny(change)),
  };
}

/** Whether the role itself changes: its groups may change without it. */
export function isOfRole({ groups: _, ...ofRole }: Plan): boolean {
  return Object.values(ofRole).some((change) => change !== undefined);
}

export function isEmpty(plan: Plan): boolean {
  return !isOfRole(plan) && plan.groups.length === 0;
}
