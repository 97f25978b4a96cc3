import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { type OrganizationScope, useOrganization } from '../../base/scope.ts';
import { type Elevated, elevatable, heldByBuiltIn } from './account.ts';

type Role = Item<'listRoles'>;

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
  const scope = useOrganization();
  const { data } = useQuery({
    queryKey: ['console', 'elevated', scope.id, roleIds],
    queryFn: () => elevatedIn(scope, roleIds),
  });
  return data;
}

/** The names of roles by their ids. */
export async function roleNames(scope: OrganizationScope, roleIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(roleIds)];
  if (ids.length === 0) return new Map();
  const roles = await Array.fromAsync(tessera.listRoles({ scope, ids, limit: 100 }));
  return new Map(roles.map(({ id, name }) => [id, name]));
}

/** The names of people of the organization, and of service accounts, by their ids. */
export async function makerNames(scope: OrganizationScope, makerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(makerIds)];
  if (ids.length === 0) return new Map();
  const { items } = await tessera.listOrganizationMembers({ scope, ids, limit: Math.min(ids.length, 100) });
  const known = new Map(items.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
  const others = ids.filter((id) => !known.has(id));
  if (others.length === 0) return known;
  const machines = await tessera.listServiceAccounts({ scope, ids: others, limit: Math.min(others.length, 100) });
  return new Map([...known, ...machines.items.map(({ id, name }) => [id, name] as const)]);
}
