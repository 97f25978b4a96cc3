import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useMe } from '../../base/me.tsx';
import { useGrantOf, useIsGrantPending } from '../../base/project.ts';
import { type OrganizationScope, parentScopeOf, type Scope, scopeOf, usePlaceHere, useScope } from '../../base/scope.ts';
import { isForMachines } from './machine-role.ts';

/** The roles of this place's own making, to choose from. */
export function useOwnRoleChoice() {
  const scope = useScope();
  return choiceOf(useRoles([scope]).filter(({ isBuiltIn }) => !isBuiltIn));
}

/**
 * What an API key of a project may have: a role of the project or of what it is in. Where an
 * organization uses another's project, only one of that place.
 */
export function useKeyRoleChoice() {
  const place = usePlaceHere();
  const grant = useGrantOf(place);
  const isPending = useIsGrantPending(place);
  const scopes = grant ? [scopeOf(place)] : [scopeOf(place), parentScopeOf(place)];
  return choiceOf(useRoles(isPending ? [] : scopes).filter((role) => !isForMachines(role)));
}

type Receiver = { readonly isMachine?: boolean };

/** The roles that the person may give: those below their own, an Owner all. */
export function useRolesToGive(scope: OrganizationScope | undefined, { isMachine = false }: Receiver = {}) {
  const { user } = useMe();
  const { data } = useQuery({
    queryKey: ['console', 'roles to give', scope?.id],
    enabled: scope !== undefined,
    queryFn: async () => {
      if (scope === undefined) return [];
      const [{ items }, own] = await Promise.all([
        tessera.listRoles({ scope, limit: 100 }),
        tessera.listOrganizationMembers({ scope, ids: [user.id] }),
      ]);
      const rank = own.items[0]?.role?.rank ?? 0;
      // Only Owners give the role of directories.
      const isLower = (role: Item<'listRoles'>) => (role.rank ?? Number.MAX_SAFE_INTEGER) > rank && !isForMachines(role);
      return items.filter((role) => rank <= 1 || isLower(role));
    },
  });
  const givable = (data ?? []).filter((role) => isMachine || !isForMachines(role));
  return givable.map(({ id, name, description, rank }) => ({ value: id, label: name, description, rank }));
}

function useRoles(scopes: readonly Scope[]): readonly Item<'listRoles'>[] {
  const { data } = useQuery({
    queryKey: ['console', 'role choice', scopes],
    queryFn: async () => (await Promise.all(scopes.map((scope) => Array.fromAsync(tessera.listRoles({ scope, limit: 100 }))))).flat(),
  });
  return data ?? [];
}

function choiceOf(roles: readonly Item<'listRoles'>[]) {
  return [...new Map(roles.map(({ id, name }) => [id, { value: id, label: name }])).values()];
}
