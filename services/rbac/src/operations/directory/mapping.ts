/** How the roles of a group would change, with the authority of who changes them. */
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { Actor } from '../../domain/escalation.ts';
import { errors } from '../../errors.ts';
import { listMappings } from '../../storage/directory.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import type { RoleRow } from '../../storage/records.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { findAll } from '../entity.ts';
import { assertMayGive, verdictsOn } from '../membership/rules.ts';
import { listGivable } from './apply.ts';
import { findGroup, organizationOf } from './groups.ts';

type Asked = { readonly id: string; readonly roleIds: readonly string[] };

/**
 * 403 unless the actor may give each role that is added or removed. `renewed`: who mapped them may
 * not give them any more, and the actor may.
 */
export async function planMapping(tx: Transaction, { scope, actor }: { scope: ParsedScope; actor: Actor }, { id, roleIds }: Asked) {
  const organizationId = organizationOf(scope);
  const group = await findGroup(tx, organizationId, id);
  const before = await listMappings(tx, { organizationId, scopeId: scope.id, groupIds: [id] });
  const roles = await findAll(tx, roleTable, scope, roleIds);
  if (roles.some(({ rank }) => rank === 1)) throw errors.ownerByDirectory();
  const known = new Set(before.map(({ roleId }) => roleId));
  const added = roles.filter((role) => !known.has(role.id));
  const goneIds = before.map(({ roleId }) => roleId).filter((roleId) => !roleIds.includes(roleId));
  const removed = await findEntities(tx, roleTable, scope, goneIds);
  await assertMayGive(tx, actor, [...added, ...removed]);
  const waiting: RoleRow[] = [];
  for (const mapping of before) {
    const role = roles.find(({ id: roleId }) => roleId === mapping.roleId);
    if (role !== undefined && !(await listGivable(tx, scope, mapping, [role])).has(role.id)) waiting.push(role);
  }
  const renewed = (await verdictsOn(tx, actor, waiting)).flatMap(({ role, verdict }) => (verdict === 'allowed' ? [role] : []));
  const stays = new Set(waiting.filter((role) => !renewed.includes(role)).map(({ id: roleId }) => roleId));
  // Also what stays mapped is given to who lacks it: taken over, or not applied to them yet.
  const given = roles.filter((role) => !stays.has(role.id));
  return { organizationId, group, before: before.map(({ roleId }) => roleId), given, goneIds, renewed };
}
