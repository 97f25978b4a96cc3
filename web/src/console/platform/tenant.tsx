import { Badge } from '@mantine/core';
import type { Item } from '@tessera/client';
import { pathOfPlatform } from '../shell/areas.ts';
import { NavigationLink } from '../shell/link.tsx';
import { useTexts } from '../shell/words.ts';

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

/** The log names tenants by their ids only. */
export function TenantOf({ scope }: { readonly scope: { readonly tenant: string; readonly id: string } | null }) {
  const { t } = useTexts();
  if (scope === null) return '–';
  const id = tenantIdOf(scope);
  const kind = t(scope.tenant.startsWith('organization') ? 'organization' : 'account');
  return (
    <NavigationLink to={pathOfTenant(id)}>
      {kind} {id.slice(0, 8)}
    </NavigationLink>
  );
}
