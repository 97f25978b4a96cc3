import type { Notices } from '@tessera/kernel/notices';
import type { RightsCache } from '../storage/rights-cache.ts';
import type { TenantVersion } from '../storage/tenants.ts';

/** After a commit: our own cache forgets the tenant before the caller gets its answer, and the other replicas get a notice. */
export function tenantChanged(rights: Pick<RightsCache, 'drop'>, notices: Pick<Notices, 'publish'>) {
  return (changes: readonly TenantVersion[]): void => {
    for (const { id, version } of changes) {
      rights.drop({ id, version });
      notices.publish('tenant-changed', { tenantKey: id, version });
    }
  };
}

/** Changes on other replicas. A notice may be lost: the cache looks at the versions itself as well. */
export function followTenantChanges(rights: Pick<RightsCache, 'drop'>, notices: Pick<Notices, 'subscribe'>): void {
  notices.subscribe('tenant-changed', ({ tenantKey: id, version }) => rights.drop({ id, version }));
}
