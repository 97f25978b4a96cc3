import { failures } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import type { EventPayloads } from '@tessera/proto/events';
import type { RbacDeps } from '../../deps.ts';
import type { Actor } from '../../domain/escalation.ts';
import type { Subject } from '../../domain/subject.ts';
import { errors } from '../../errors.ts';
import { listRolesOfUsers } from '../../storage/assignments.ts';
import { hasDeparted } from '../../storage/departures.ts';
import { changeRestriction, type RestrictionChange } from '../../storage/member-restrictions.ts';
import type { RoleRow } from '../../storage/records.ts';
import { assertPermission } from '../actor.ts';
import { assertOwnerRemains, rankAmong } from './rules.ts';
import { changeWithin, type MembershipChange } from './within.ts';

/** The last two change nothing here: tenancy stores them, and asks for the check of the rank. */
export const restrictions = ['block', 'unblock', 'end-sessions', 'require-new-password', 'detach', 'attach'] as const;
export type RestrictionKind = (typeof restrictions)[number];
type StoredKind = Exclude<RestrictionKind, 'detach' | 'attach'>;

type Asked = MembershipChange & { readonly actor: Subject; readonly userId: string; readonly kind: RestrictionKind };

/** auth_time is in seconds: a sign-in in the same second counts as earlier. */
export function sessionsAfter(now: Date): number {
  return (Math.floor(now.getTime() / 1_000) + 1) * 1_000;
}

function changeOf(kind: StoredKind, now: Date): RestrictionChange {
  switch (kind) {
    case 'block':
      return { blockedAt: now, demands: {} };
    // Sessions from before the unblocking stay refused.
    case 'unblock':
      return { blockedAt: null, demands: { sessionsAfter: sessionsAfter(now) } };
    case 'end-sessions':
      return { demands: { sessionsAfter: sessionsAfter(now) } };
    case 'require-new-password':
      return { demands: { isPasswordDue: true, passwordDueSince: now.getTime() } };
  }
}

/** The key keeps the events of one organization in order. */
export function memberRestricted(payload: EventPayloads['member.restricted']): OutgoingEvent {
  return { type: 'member.restricted', key: payload.organizationId, payload };
}

/** A member acts only on members whose rank is below their own. */
function assertBelow(actor: Actor, roles: readonly RoleRow[]): void {
  const { rank = Number.POSITIVE_INFINITY, ownsAccount } = actor.rights;
  if (!ownsAccount && (rankAmong(roles) ?? Number.POSITIVE_INFINITY) <= rank) throw errors.aboveOwnRank();
}

/**
 * Blocks or unblocks a member, ends their sessions or requires a new password: in the organization,
 * its projects and those that it uses. It counts from the next decision on, because the version of
 * the scope changes. Returns the ids of the events.
 */
export async function restrictMember(deps: RbacDeps, asked: Asked): Promise<readonly string[]> {
  const { actor: subject, scope, userId, kind } = asked;
  const { organizationId } = scope;
  if (scope.tenant !== 'organization' || organizationId === undefined)
    throw failures.validation('scope.tenant', { en: 'must be organization', de: 'muss organization sein' });
  const { eventIds } = await changeWithin(deps, asked, async ({ tx, actor, emit }) => {
    if (actor === undefined) throw failures.unauthenticated();
    assertPermission({ deps }, actor, subject, 'OrganizationMember:Update', { id: userId });
    const roles = await listRolesOfUsers(tx, [scope], [userId]);
    if (roles.length === 0 || (await hasDeparted(tx, scope, userId))) throw errors.notMember();
    if (userId === subject.userId) throw errors.aboveOwnRank();
    assertBelow(actor, roles);
    if (kind === 'detach' || kind === 'attach') return;
    if (kind === 'block') await assertOwnerRemains(tx, { organizationId, userId, before: roles, after: [] });
    const now = new Date();
    await changeRestriction(tx, { organizationId, userId }, changeOf(kind, now));
    emit(memberRestricted({ organizationId, userId, kind }));
  });
  return eventIds;
}
