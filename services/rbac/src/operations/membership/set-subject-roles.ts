import { failures } from '@tessera/kernel/errors';
import type { UserRest } from '@tessera/proto/events';
import type { RbacDeps } from '../../deps.ts';
import type { Subject } from '../../domain/subject.ts';
import { listRolesOfUsers, replaceRoles } from '../../storage/assignments.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findAll } from '../entity.ts';
import { rightsGrew, rightsShrank } from '../growth.ts';
import { membershipsEnded } from './ended.ts';
import { leaveScope, recordGrantRoles } from './grant-members.ts';
import {
  assertByHand,
  assertMayBecomeOwner,
  assertMayGive,
  assertMayTouch,
  assertNotAbove,
  assertOwnerRemains,
  assertSeat,
  inheritedRoles,
} from './rules.ts';
import { recordMetadata } from './set-member-metadata.ts';
import { changeWithin, type MembershipChange } from './within.ts';

type Asked = MembershipChange & {
  readonly actor: Subject;
  readonly userId: string;
  /** What identity has still to do once this has committed. */
  readonly rest?: UserRest | undefined;
  readonly roleIds: readonly string[];
  readonly metadata?: object | undefined;
};

/**
 * Leaves a user exactly these roles in a scope. The caller has authorized User:Update; ranks are
 * asserted here, for added and removed roles. In an organization a member without roles is no
 * member any more; in a project the membership stays. Returns the ids of the events to deliver.
 */
export async function setSubjectRoles(deps: RbacDeps, asked: Asked): Promise<readonly string[]> {
  const { scope, userId, roleIds, metadata, rest } = asked;
  const wanted = [...new Set(roleIds)];
  const { eventIds } = await changeWithin(deps, asked, async (write) => {
    const { tx, actor, emit } = write;
    if (actor === undefined) throw failures.unauthenticated();
    if (rest !== undefined) emit({ type: 'userChange.begun', key: userId, payload: rest });
    if (metadata !== undefined) await recordMetadata(write, { scope, userId, metadata });
    const roles = await findAll(tx, roleTable, scope, wanted);
    const before = await listRolesOfUsers(tx, [scope], [userId]);
    const held = new Set(before.map(({ id }) => id));
    const added = roles.filter(({ id }) => !held.has(id));
    if (added.length === 0 && held.size === wanted.length) return;
    const removed = before.filter(({ id }) => !wanted.includes(id));
    if (removed.length > 0) await assertByHand(tx, scope, userId, removed);
    const inherited = await inheritedRoles(tx, scope, userId);
    if (scope.grant !== undefined && wanted.length > 0) await assertSeat(tx, scope.grant, { inherited, isNew: before.length === 0 });
    if (scope.tenant !== 'organization') assertNotAbove(actor, inherited);
    else if (before.length > 0) assertMayTouch(actor, before);
    await assertMayGive(tx, actor, added);
    if (scope.tenant === 'organization') {
      const change = { organizationId: scope.organizationId, userId, before, after: roles };
      await assertOwnerRemains(tx, change);
      await assertMayBecomeOwner(tx, change);
    }
    await recordGrantRoles(tx, scope, { userId, actorId: asked.actor.userId, assigned: added, unassigned: removed });
    if (removed.length > 0) emit(rightsShrank(scope, userId));
    if (added.length > 0) emit(...rightsGrew(scope, [userId]));
    if (scope.tenant !== 'organization' || wanted.length > 0) return replaceRoles(tx, scope, userId, wanted);
    await leaveScope(tx, scope, userId);
    emit(...membershipsEnded(scope, [userId]));
  });
  return eventIds;
}
