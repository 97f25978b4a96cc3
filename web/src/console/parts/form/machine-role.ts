import type { Item } from '@tessera/client';

/** The built-in roles that only service accounts hold (docs/permissions.md). */
const machineRoles: readonly string[] = ['Organization Creator', 'Provisioning'];

export function isForMachines({ name, isBuiltIn }: Pick<Item<'listRoles'>, 'name' | 'isBuiltIn'>): boolean {
  return isBuiltIn && machineRoles.includes(name);
}
