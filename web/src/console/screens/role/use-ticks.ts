import { useQuery } from '@tanstack/react-query';
import { tessera } from '../../../session/tessera.ts';
import { useGrantOf } from '../../base/project.ts';
import { useRights } from '../../base/rights.ts';
import { type ProjectScope, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { keyOf, type Resource } from './ticks.ts';

const noResources: readonly Resource[] = [];

type Ticks = {
  /** Whether the caller may set what a role gives. */
  readonly mayTick: boolean;
  readonly resources: readonly Resource[];
  readonly onOffer: ReadonlySet<string> | undefined;
  /** Where the caller may make a resource. */
  readonly newResourceIn: ProjectScope | undefined;
};

/** What can be ticked in this place, and whether the caller may do it. */
export function useTicks(): Ticks {
  const scope = useRoleScope();
  const isGrant = useGrantOf(usePlaceHere()) !== undefined;
  const { may } = useRights();
  const isReadable = may('Resource:Query');
  const resources = useQuery({
    queryKey: ['console', 'resources to tick', scope],
    queryFn: () => Array.fromAsync(tessera.listResources({ scope, limit: 100, sortField: 'name' })),
    enabled: isReadable,
  });
  // A customer gives what the roles of the product give, and makes no permissions.
  const offers = useQuery({
    queryKey: ['console', 'permission choice', scope],
    queryFn: () => Array.fromAsync(tessera.listScopePermissions({ scope, limit: 100, sortField: 'name' })),
    enabled: isGrant,
  });
  const needed = ['Group:Create', 'Group:Update', ...(isGrant ? [] : ['Permission:Create'])];
  const { tenant, id } = scope;
  return {
    mayTick: isReadable && needed.every((permission) => may(permission)),
    resources: resources.data ?? noResources,
    onOffer: isGrant ? new Set((offers.data ?? []).filter(({ condition }) => condition === null).map(keyOf)) : undefined,
    newResourceIn: tenant !== 'organization' && !isGrant && may('Resource:Create') ? { tenant, id } : undefined,
  };
}
