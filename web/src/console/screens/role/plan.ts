import type { Item } from '@tessera/client';
import { type Change, changeOf, isAny } from '../../parts/form/change.ts';

type Role = Item<'listRoles'>;
type ListedGroup = Item<'listGroups'>;
export type Permission = NonNullable<ListedGroup['permissions']>[number];
export type Group = Omit<ListedGroup, 'permissions'> & { readonly permissions: readonly Permission[] };

/** A role, and all groups of its place: those that it has, and those that it could have. */
export type Picture = {
  readonly updatedAt: string;
  readonly role: Role;
  readonly groupIds: readonly string[];
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
  readonly groupIds: readonly string[];
} & {
  readonly [group: PermissionsField]: readonly string[];
};

export function fieldOf(groupId: string): PermissionsField {
  return `permissions ${groupId}`;
}

export function valuesOf({ role, groupIds, groups }: Picture): Values {
  const held: Readonly<Record<PermissionsField, readonly string[]>> = Object.fromEntries(
    groups.map(({ id, permissions }) => [fieldOf(id), permissions.map((permission) => permission.id).toSorted()]),
  );
  return { name: role.name, description: role.description ?? '', isGrantable: role.isGrantable, groupIds: groupIds.toSorted(), ...held };
}

/** What saving would do: to the role, and to each of its groups. */
export type Plan = {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly isGrantable: boolean | undefined;
  readonly ownGroups: Change | undefined;
  readonly groups: readonly { readonly group: Group; readonly change: Change; readonly permissionIds: readonly string[] }[];
};

export function planOf(values: Values, picture: Picture): Plan {
  const before = valuesOf(picture);
  const [name, description] = [values.name.trim(), values.description.trim()];
  const ownGroups = changeOf(before.groupIds, values.groupIds);
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
    ownGroups: isAny(ownGroups) ? ownGroups : undefined,
    groups: groups.filter(({ change }) => isAny(change)),
  };
}

export function isEmpty({ name, description, isGrantable, ownGroups, groups }: Plan): boolean {
  return name === undefined && description === undefined && isGrantable === undefined && ownGroups === undefined && groups.length === 0;
}
