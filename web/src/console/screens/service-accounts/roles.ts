import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useMe } from '../../base/me.tsx';
import { isForMachines } from '../../parts/form/machine-role.ts';
import { useRolesToGive } from '../../parts/form/roles.ts';
import { type Elevated, elevatable, heldByBuiltIn } from './account.ts';
import { type Owner, useOwner } from './owner.ts';

type Role = Item<'listRoles'>;
type OrganizationScope = { readonly tenant: 'organization'; readonly id: string };

/** The operations for `elevated` that roles hold: more than these the API refuses. */
async function elevatedIn(scope: OrganizationScope, roleIds: readonly string[]): Promise<readonly Elevated[]> {
  if (roleIds.length === 0) return [];
  const { items } = await tessera.listRoles({ scope, ids: [...roleIds], limit: roleIds.length, relations: ['groups'] });
  const ranks = items.flatMap(({ isBuiltIn, rank }) => (isBuiltIn && rank !== null ? [rank] : []));
  const own = await heldByGroups(scope, items);
  return elevatable.filter((operation) => own.has(operation) || ranks.some((rank) => heldByBuiltIn(operation, rank)));
}

async function heldByGroups(scope: OrganizationScope, roles: readonly Role[]): Promise<ReadonlySet<string>> {
  const groupIds = [...new Set(roles.flatMap(({ groups = [] }) => groups.map(({ id }) => id)))];
  if (groupIds.length === 0) return new Set();
  const groups = await Array.fromAsync(tessera.listGroups({ scope, ids: groupIds, limit: 100, relations: ['permissions'] }));
  const ids = [...new Set(groups.flatMap(({ permissions = [] }) => permissions.map(({ id }) => id)))];
  if (ids.length === 0) return new Set();
  const permissions = await Array.fromAsync(tessera.listScopePermissions({ scope, limit: 100, relations: ['resource'] }));
  return new Set(permissions.flatMap(({ id, action, resource }) => (ids.includes(id) && resource ? [`${resource.slug}:${action}`] : [])));
}

export function useElevated(roleIds: readonly string[]): readonly Elevated[] | undefined {
  const { kind, id } = useOwner();
  const { data } = useQuery({
    queryKey: ['console', 'elevated', id, roleIds],
    queryFn: () => elevatedIn({ tenant: 'organization', id }, roleIds),
    enabled: kind === 'organization',
  });
  return data;
}

type RoleChoice = ReturnType<typeof useRolesToGive>;

/** Roles of the organization’s own have no rank, and come last. */
const lowest = Number.MAX_SAFE_INTEGER;

/** The roles that a machine of this owner may get from the person. */
export function useRolesForMachines(): RoleChoice {
  const { kind, id } = useOwner();
  const ofOrganization = useRolesToGive(kind === 'organization' ? { tenant: kind, id } : undefined, { isMachine: true });
  const { data = [] } = useQuery({
    queryKey: ['console', 'roles for machines', id],
    queryFn: async () => (await tessera.listRoles({ scope: { tenant: 'account', id }, limit: 100 })).items,
    enabled: kind === 'account',
  });
  if (kind === 'account')
    return data.filter(isForMachines).map((role) => ({ value: role.id, label: role.name, description: role.description, rank: role.rank }));
  return ofOrganization.filter(({ rank }) => rank !== 1).toSorted((one, other) => (one.rank ?? lowest) - (other.rank ?? lowest));
}

/** The names of roles by their ids; the platform’s only one is its own name. */
export async function roleNames({ scope }: Owner, roleIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(roleIds)];
  if (scope === undefined) return new Map(ids.map((name) => [name, name]));
  if (ids.length === 0) return new Map();
  const roles = await Array.fromAsync(tessera.listRoles({ scope, ids, limit: 100 }));
  return new Map(roles.map(({ id, name }) => [id, name]));
}

/** Of people the caller is known everywhere, others as members of an organization only. */
export function useMakerNames() {
  const { user } = useMe();
  return async (owner: Owner, makerIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const known = new Map([[user.id, user.name]]);
    const unknown = () => [...new Set(makerIds)].filter((id) => !known.has(id));
    if (owner.kind === 'organization' && unknown().length > 0) {
      const scope = { tenant: owner.kind, id: owner.id } as const;
      const { items } = await tessera.listOrganizationMembers({ scope, ids: unknown(), limit: Math.min(unknown().length, 100) });
      for (const { id, name } of items) if (name !== null) known.set(id, name);
    }
    if (owner.kind === 'platform' || unknown().length === 0) return known;
    const machines = await owner.list({ ids: unknown(), limit: Math.min(unknown().length, 100) });
    for (const { id, name } of machines.items) known.set(id, name);
    return known;
  };
}
