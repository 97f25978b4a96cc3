import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../session/tessera.ts';
import { useRightsIn } from './rights.ts';
import { type Place, parentScopeOf, usePlaceHere } from './scope.ts';

type Grant = Item<'listProjectGrants'>;

/** The project of a place, when its account or organization owns it; else null. */
export function useProjectOf(place: Place | undefined) {
  return useQuery({
    queryKey: ['console', 'project', place?.parentId, place?.projectId],
    queryFn: async () => {
      if (place?.projectId === undefined) return null;
      const { items } = await tessera.listProjects({ scope: parentScopeOf(place), ids: [place.projectId] });
      return items[0] ?? null;
    },
    enabled: place?.projectId !== undefined,
  });
}

function useGrantQuery(place: Place | undefined) {
  const { data: own, isPending } = useProjectOf(place);
  const isOthers = place?.kind === 'org' && place.projectId !== undefined && own === null;
  const rights = useRightsIn(isOthers ? parentScopeOf(place) : undefined);
  const found = useQuery({
    queryKey: ['console', 'grant of', place?.parentId, place?.projectId],
    queryFn: async () => {
      const scope = { tenant: 'organization', id: place?.parentId ?? '' } as const;
      for await (const grant of tessera.listProjectGrants({ scope, limit: 100, sortField: 'createdAt', sortOrder: 'desc' }))
        if (grant.projectId === place?.projectId) return grant;
      return null;
    },
    enabled: isOthers && rights.may('ProjectGrant:Query'),
  });
  return { grant: found.data ?? undefined, isPending: isPending || rights.isPending || found.isLoading };
}

/** By whose grant an organization uses this project; undefined for a project of its own. */
export function useGrantOf(place: Place | undefined): Grant | undefined {
  return useGrantQuery(place).grant;
}

/** Whether it is still to be found out whose the project of a place is. */
export function useIsGrantPending(place: Place): boolean {
  return useGrantQuery(place).isPending;
}

/** Whether this is a project that its organization can offer to others: no place of a customer. */
export function useIsProduct(): boolean {
  const place = usePlaceHere();
  const { data: own } = useProjectOf(place);
  return place.kind === 'org' && own !== undefined && own !== null;
}
