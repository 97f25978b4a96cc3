import { failures } from '@tessera/kernel/errors';
import type { RbacDeps } from '../../deps.ts';
import type { Subject } from '../../domain/subject.ts';
import { errors } from '../../errors.ts';
import { listRolesOfUsers, replaceRoles } from '../../storage/assignments.ts';
import { hasDeparted } from '../../storage/departures.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import type { RoleRow } from '../../storage/records.ts';
import { assertPermission } from '../actor.ts';
import { findOne } from '../entity.ts';
import { rightsGrew, rightsShrank } from '../growth.ts';
import { assertByHand, assertMayBecomeOwner, assertMayGive, assertMayTouch, assertOwnerRemains, rankAmong } from './rules.ts';
import { recordMetadata } from './set-member-metadata.ts';
import { assertMemberVersion } from './version.ts';
import { changeWithin, type MembershipChange } from './within.ts';

type Asked = MembershipChange & {
  readonly actor: Subject;
  readonly userId: string;
  readonly roleId: string;
  readonly metadata?: object | undefined;
  readonly expectedVersion?: string | undefined;
};

type Changed = { readonly role: RoleRow; readonly eventIds: readonly string[] };

/**
 * Replaces a member's roles by this one. Tenancy knows the members; rbac refuses users who have
 * left meanwhile. Returns the role and the ids of the events to deliver.
 */
export async function changeMemberRole(deps: RbacDeps, asked: Asked): Promise<Changed> {
  const { actor: subject, scope, userId, roleId, metadata } = asked;
  const { organizationId } = scope;
  if (scope.tenant !== 'organization' || organizationId === undefined)
    throw failures.validation('scope.tenant', { en: 'must be organization', de: 'muss organization sein' });
  const { result: role, eventIds } = await changeWithin(deps, asked, async (write) => {
    const { tx, actor, emit } = write;
    if (actor === undefined) throw failures.unauthenticated();
    assertPermission({ deps }, actor, subject, 'OrganizationMember:Update', { id: userId });
    await assertMemberVersion(tx, asked);
    const role = await findOne(tx, roleTable, scope, roleId);
    const before = await listRolesOfUsers(tx, [scope], [userId]);
    if (await hasDeparted(tx, scope, userId)) throw errors.notMember();
    if (before.length > 0) assertMayTouch(actor, before);
    if (metadata !== undefined) await recordMetadata(write, { scope, userId, metadata });
    if (!before.some(({ id }) => id === roleId)) await assertMayGive(tx, actor, [role]);
    // A role of the directory that is not below the new one would stay the member's highest.
    const ofDirectory = before.filter(({ id, rank }) => id !== roleId && rank !== null && (role.rank === null || rank < role.rank));
    if (ofDirectory.length > 0) await assertByHand(tx, scope, userId, ofDirectory);
    const change = { organizationId, userId, before, after: [role] };
    await assertOwnerRemains(tx, change);
    await assertMayBecomeOwner(tx, change);
    await replaceRoles(tx, scope, userId, [roleId]);
    if (before.some(({ id }) => id !== roleId)) emit(rightsShrank(scope, userId));
    if (!isBelow(role, before)) emit(...rightsGrew(scope, [userId]));
    return role;
  });
  return { role, eventIds };
}

/**
 * Whether a built-in role gives less than one that the member had: all that it has is in that one.
 */
function isBelow({ id, rank }: RoleRow, before: readonly RoleRow[]): boolean {
  const rankBefore = rankAmong(before);
  return before.some((role) => role.id === id) || (rank !== null && rankBefore !== undefined && rank > rankBefore);
}
