import type { OutgoingEvent } from '@tessera/kernel/events';
import type { ParsedScope } from '@tessera/kernel/scope';

/** A member without roles is no member any more. Users of a project may have no role. */
export function membershipsEnded(scope: ParsedScope, userIds: readonly string[], hard = false): OutgoingEvent[] {
  if (scope.tenant !== 'organization') return [];
  return userIds.map((userId) => ({
    type: 'membership.ended',
    key: `${scope.organizationId}:${userId}`,
    payload: { userId, scope: { tenant: scope.tenant, id: scope.id }, ...(hard ? { hard } : {}) },
  }));
}
