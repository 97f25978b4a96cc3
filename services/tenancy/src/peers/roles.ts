import type { Notices } from '@tessera/kernel/notices';
import type { RolesClient } from '../deps.ts';

/**
 * What rbac has changed at our word counts in our next decision, also while no notice gets through. Version 0 tells rbac's own replicas
 * nothing: they hear from each other.
 */
export function announcing(roles: RolesClient, notices: Pick<Notices, 'publish'>): RolesClient {
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
