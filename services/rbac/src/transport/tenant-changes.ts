import type { Notices } from '@tessera/kernel/notices';
import type { Tenant } from '@tessera/kernel/scope';
import type { RightsCache } from '../storage/rights-cache.ts';
import type { Change } from '../storage/tenants.ts';

const uuidLength = 36;
const levels: Readonly<Record<'root' | 'project', readonly Tenant[]>> = {
  root: ['account', 'organization'],
  project: ['accountProject', 'organizationProject'],
};

/** After a commit: our own cache forgets the tenant before anybody is answered, and the others hear of it. */
export function tenantChanged(rights: Pick<RightsCache, 'drop'>, notices: Pick<Notices, 'publish'>) {
  return (changes: readonly Change[]): void => {
    for (const change of changes) {
      rights.drop(change);
      notices.publish('tenant-changed', { tenantKey: change.scope.id, version: change.version });
    }
  };
}

/** What other replicas changed. A notice may be lost: the cache looks at the versions itself all the time. */
export function followTenantChanges(rights: Pick<RightsCache, 'drop'>, notices: Pick<Notices, 'subscribe'>): void {
  notices.subscribe('tenant-changed', ({ tenantKey, version }) => {
    for (const tenant of levels[tenantKey.length > uuidLength ? 'project' : 'root']) {
      rights.drop({ scope: { tenant, id: tenantKey }, rootId: tenantKey.slice(0, uuidLength), version });
    }
  });
}
