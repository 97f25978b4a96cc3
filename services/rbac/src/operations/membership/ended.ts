import type { ParsedScope } from '@tessera/kernel/scope';

type MembershipEnded = { type: 'membership.ended'; key: string; payload: { userId: string; scope: { tenant: string; id: string } } };

/** A member whose last role is gone is no member any more; users of a project may be there without a role. */
export function membershipsEnded(scope: ParsedScope, userIds: readonly string[]): MembershipEnded[] {
  if (scope.tenant !== 'organization') return [];
  return userIds.map((userId) => ({
    type: 'membership.ended',
    key: `${scope.organizationId}:${userId}`,
    payload: { userId, scope: { tenant: scope.tenant, id: scope.id } },
  }));
}
