import type { ParsedScope } from '@tessera/kernel/scope';

type MembershipEnded = { type: 'membership.ended'; key: string; payload: { userId: string; scope: { tenant: string; id: string } } };

/** A member without roles is no member any more. Users of a project may have no role. */
export function membershipsEnded(scope: ParsedScope, userIds: readonly string[]): MembershipEnded[] {
  if (scope.tenant !== 'organization') return [];
  return userIds.map((userId) => ({
    type: 'membership.ended',
    key: `${scope.organizationId}:${userId}`,
    payload: { userId, scope: { tenant: scope.tenant, id: scope.id } },
  }));
}
