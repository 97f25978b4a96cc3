import type { Notices } from '@tessera/kernel/notices';
import type { RightsCache } from '../storage/rights-cache.ts';
import type { TenantVersion } from '../storage/tenants.ts';

/**
 * For after a commit: this replica's cache drops the tenant, and the other replicas get a notice.
 */
export function tenantChanged(rights: Pick<RightsCache, 'drop'>, notices: Pick<Notices, 'publish'>) {
  return ({ id, version }: TenantVersion): void => {
    rights.drop({ id, version });
    notices.publish('tenant-changed', { tenantKey: id, version });
  };
}

/**
 * Applies the changes of other replicas. A notice may be lost, so the cache also looks at the
 * versions itself.
 */
export function followTenantChanges(rights: Pick<RightsCache, 'drop'>, notices: Pick<Notices, 'subscribe'>): void {
  notices.subscribe('tenant-changed', ({ tenantKey: id, version }) => rights.drop({ id, version }));
}
