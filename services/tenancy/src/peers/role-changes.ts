import type { Notices } from '@tessera/kernel/notices';
import type { RolesClient } from './clients.ts';

/**
 * Publishes a tenant-changed notice after every role change that we request, so that our next
 * decision is fresh even if rbac's own notice is lost. rbac's replicas ignore version 0.
 */
export function withRoleChangeNotices(roles: RolesClient, notices: Pick<Notices, 'publish'>): RolesClient {
  const changed = (organizationIds: readonly string[]): void => {
    for (const tenantKey of organizationIds) notices.publish('tenant-changed', { tenantKey, version: 0 });
  };
  return {
    ...roles,
    changeMemberRole: async (request, options) => {
      const role = await roles.changeMemberRole(request, options);
      changed(request.scope ? [request.scope.id] : []);
      return role;
    },
    endMembership: async (request, options) => {
      const ended = await roles.endMembership(request, options);
      changed(request.scope ? [request.scope.id] : []);
      return ended;
    },
    endMemberships: async (request, options) => {
      const ended = await roles.endMemberships(request, options);
      changed(request.organizationIds);
      return ended;
    },
  };
}
