import { failures } from '@tessera/kernel/errors';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import type { Subject } from '../../domain/subject.ts';
import { errors } from '../../errors.ts';
import { listRolesOfUsers, replaceRoles } from '../../storage/assignments.ts';
import { hasDeparted, noteDepartures } from '../../storage/departures.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findAll } from '../entity.ts';
import { membershipsEnded } from './ended.ts';
import { assertMayGive, assertMayTouch, assertOwnerRemains } from './rules.ts';
import { changeWithin } from './within.ts';

type Asked = { readonly actor: Subject; readonly scope: ParsedScope; readonly userId: string; readonly roleIds: readonly string[] };

/**
 * Leaves a user exactly these roles in a scope. The caller has authorized User:Update; ranks are
 * asserted here, for added and removed roles. A member without roles is no member any more. Returns
 * the ids of the events to deliver.
 */
export async function setSubjectRoles(deps: RbacDeps, { actor: subject, scope, userId, roleIds }: Asked): Promise<readonly string[]> {
  const wanted = [...new Set(roleIds)];
  const { eventIds } = await changeWithin(deps, scope, subject, async ({ tx, actor, emit }) => {
    if (actor === undefined) throw failures.unauthenticated();
    const roles = await findAll(tx, roleTable, scope, wanted);
    const before = await listRolesOfUsers(tx, [scope], [userId]);
    const held = new Set(before.map(({ id }) => id));
    const added = roles.filter(({ id }) => !held.has(id));
    if (added.length === 0 && held.size === wanted.length) return;
    // The user has just left and must not come back by this.
    if (await hasDeparted(tx, scope, userId)) throw errors.notMember();
    if (scope.tenant === 'organization' && before.length > 0) assertMayTouch(actor, before);
    await assertMayGive(tx, actor, added);
    if (scope.tenant === 'organization') await assertOwnerRemains(tx, scope.organizationId, userId, before, roles);
    await replaceRoles(tx, scope, userId, wanted);
    if (scope.tenant !== 'organization' || wanted.length > 0 || before.length === 0) return;
    await noteDepartures(tx, scope, [userId]);
    emit(...membershipsEnded(scope, [userId]));
  });
  return eventIds;
}
