import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { parentScopeOf, type Scope, scopeOf, usePlaceHere, useScope } from '../../base/scope.ts';

/** The roles of this place's own making, to choose from. */
export function useOwnRoleChoice() {
  const scope = useScope();
  return choiceOf(useRoles([scope]).filter(({ isBuiltIn }) => !isBuiltIn));
}

/** What an API key of a project may have: a role of the project or of what it is in. */
export function useKeyRoleChoice() {
  const place = usePlaceHere();
  return choiceOf(useRoles([scopeOf(place), parentScopeOf(place)]));
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
