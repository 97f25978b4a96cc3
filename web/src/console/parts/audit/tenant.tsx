import { Badge } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOfPlatform } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';

const perRequest = 50;

/** An account or organization as the operator sees it. */
export type Tenant = Item<'listTenants'>;

export function pathOfTenant(id: string): string {
  return pathOfPlatform(`tenants/${id}`);
}

export function TenantStatus({ tenant: { suspendedAt } }: { readonly tenant: Tenant }) {
  const { t } = useTexts();
  const isSuspended = suspendedAt !== null;
  return (
    <Badge variant={isSuspended ? 'filled' : 'light'} color={isSuspended ? 'red.9' : 'indigo'}>
      {t(isSuspended ? 'suspended' : 'isActive')}
    </Badge>
  );
}

/** The scope of an event begins with the id of its account or organization. */
export function tenantIdOf({ id }: { readonly id: string }): string {
  return id.slice(0, 36);
}

type InTenant = { readonly scope: { readonly tenant: string; readonly id: string } | null };
type Names = ReadonlyMap<string, string>;

/** The log has the ids of tenants only. */
export function useTenantNames(events: readonly InTenant[]): Names {
  const ids = [...new Set(events.flatMap(({ scope }) => (scope === null ? [] : [tenantIdOf(scope)])))].sort();
  const { data } = useQuery({
    queryKey: ['console', 'tenant names', ids],
    queryFn: async () => {
      const names = new Map<string, string>();
      for (let from = 0; from < ids.length; from += perRequest) {
        const { items } = await tessera.listTenants({ ids: ids.slice(from, from + perRequest), limit: perRequest });
        for (const { id, name } of items) names.set(id, name);
      }
      return names;
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  return data ?? new Map();
}

export function TenantOf({ scope, names }: InTenant & { readonly names: Names }) {
  const { t } = useTexts();
  if (scope === null) return '–';
  const id = tenantIdOf(scope);
  const name = names.get(id);
  if (name !== undefined) return <NavigationLink to={pathOfTenant(id)}>{name}</NavigationLink>;
  const kind = t(scope.tenant.startsWith('organization') ? 'organization' : 'account');
  return (
    <NavigationLink to={pathOfTenant(id)}>
      {kind} {id.slice(0, 8)}
    </NavigationLink>
  );
}
