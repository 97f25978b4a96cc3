import { failures } from '@tessera/kernel/errors';
import { emit } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import { rightsFor } from '../../domain/decision.ts';
import type { Actor } from '../../domain/escalation.ts';
import { listRolesOfUsers } from '../../storage/assignments.ts';
import { clearTags } from '../../storage/entity-tags.ts';
import { membershipsEnded } from './ended.ts';
import { leaveScope } from './grant-members.ts';
import { assertMayTouch, assertOwnerRemains } from './rules.ts';
import { changeWithin, type MembershipChange } from './within.ts';

/**
 * Either permission suffices. The caller of User:Delete (DELETE /api/users) has evaluated its
 * condition: rbac does not know the user's fields that it reads.
 */
function assertMayRemove({ rights, cap }: Actor): void {
  const holds = (resource: string, action: string): boolean =>
    rightsFor(rights, resource, action) !== undefined && (cap === undefined || cap.includes(`${resource}:${action}`));
  if (!holds('OrganizationMember', 'Remove') && !holds('User', 'Delete')) throw failures.forbidden();
}

type Asked = MembershipChange & { readonly userId: string; readonly hard?: boolean | undefined };

async function remove(tx: Transaction, scope: ParsedScope, userId: string): Promise<void> {
  await leaveScope(tx, scope, userId);
  await clearTags(tx, scope, 'user', userId);
}

/**
 * Removes a member's roles in an organization; without an actor the member leaves by itself. Can be
 * repeated. Returns the ids of the events to deliver.
 */
export async function endMembership(deps: RbacDeps, asked: Asked): Promise<readonly string[]> {
  const { actor: subject, scope, userId, hard } = asked;
  const { organizationId } = scope;
  if (scope.tenant !== 'organization' || organizationId === undefined)
    throw failures.validation('scope.tenant', { en: 'must be organization', de: 'muss organization sein' });
  const { eventIds } = await changeWithin(deps, asked, async ({ tx, actor, emit: announce }) => {
    const before = await listRolesOfUsers(tx, [scope], [userId]);
    if (actor !== undefined && subject !== undefined) {
      assertMayRemove(actor);
      if (subject.userId !== userId) assertMayTouch(actor, before);
    }
    await assertOwnerRemains(tx, { organizationId, userId, before, after: [] });
    await remove(tx, scope, userId);
    announce(...membershipsEnded(scope, [userId], hard));
  });
  return eventIds;
}

/** A user leaves all these organizations, or none: a conflict when it is the last Owner of one. */
export function endMemberships(
  deps: RbacDeps,
  { userId, organizationIds }: { readonly userId: string; readonly organizationIds: readonly string[] },
): Promise<readonly string[]> {
  return deps.database.transaction(async (tx) => {
    const scopes = [...new Set(organizationIds)].sort().map((id) => parseScope({ tenant: 'organization', id }));
    const left: ParsedScope[] = [];
    for (const scope of scopes) {
      // The organization was deleted.
      if ((await deps.tenants.bump(tx, scope)) === undefined) continue;
      const before = await listRolesOfUsers(tx, [scope], [userId]);
      await assertOwnerRemains(tx, { organizationId: scope.id, userId, before, after: [] });
      await remove(tx, scope, userId);
      left.push(scope);
    }
    return emit(
      tx,
      left.flatMap((scope) => membershipsEnded(scope, [userId])),
    );
  });
}
