import { writeAudit } from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { RbacDeps } from '../../deps.ts';
import { isForMachines, isOwnerRole } from '../../domain/catalogue.ts';
import { giveFrom, listRolesOfUsers, listSources, takeRoles } from '../../storage/assignments.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { rightsGrew, rightsShrank } from '../growth.ts';
import { recordGrantRoles, recordRequest } from './grant-members.ts';
import { hasSeat, inheritedRoles } from './rules.ts';
import { changeWithin } from './within.ts';

type Mapped = {
  readonly scope: ParsedScope;
  readonly userId: string;
  /** `connection:<id>` */
  readonly source: string;
  readonly roleIds: readonly string[];
};

/**
 * Gives a member what an identity provider says, and takes what a provider gave before and this one
 * does not say: another provider may be deleted by now. In the organization it also takes what was
 * given by hand, so that the provider alone decides; where the organization uses another's project,
 * hand-given roles stay. What a group of the directory gives stays in both. Owners are made and
 * unmade by Owners: they stay as they are. Who mapped the roles was asked for the right to give
 * them. Returns the ids of the events to deliver.
 */
export async function mapRoles(deps: RbacDeps, { scope, userId, source, roleIds }: Mapped): Promise<readonly string[]> {
  const { eventIds } = await changeWithin(deps, { scope }, async ({ tx, emit }) => {
    const before = await listRolesOfUsers(tx, [scope], [userId]);
    const isOrganization = scope.tenant === 'organization';
    const standing = isOrganization ? before : await inheritedRoles(tx, scope, userId);
    // Who is no member gets nothing; the membership of a first sign-in may arrive a moment later.
    if (standing.length === 0 || standing.some(isOwnerRole)) return;
    const find = async (ids: readonly string[]) =>
      (await findEntities(tx, roleTable, scope, ids)).filter((role) => !isForMachines(role) && !isOwnerRole(role));
    const said = await find(roleIds);
    // A mapped role may be deleted. What the member held before would then outlive the mapping.
    const roles = isOrganization && said.length === 0 ? await find([builtInRoleId('organization', scope.id, 'Viewer')]) : said;
    if (scope.grant !== undefined && before.length === 0 && !(await hasSeat(tx, scope.grant))) return;
    const sources = await listSources(tx, scope, userId);
    const taken = [...sources].flatMap(([id, given]) =>
      (given.source !== null || isOrganization) && !roles.some((role) => role.id === id) ? [id] : [],
    );
    const added = roles.filter(({ id }) => !before.some((held) => held.id === id));
    const removed = before.filter(({ id }) => taken.includes(id) && sources.get(id)?.isByDirectory === false);
    const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
    await takeRoles(tx, scope, userId, taken);
    if (added.length === 0 && removed.length === 0) return;
    await giveFrom(tx, scope, { userId, roleIds: ids(added), source });
    await recordGrantRoles(tx, scope, { userId, actorId: userId, assigned: added, unassigned: removed });
    if (isOrganization) {
      const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
      const detail = { source, assigned: names(added), unassigned: names(removed) };
      const entry = { actorId: userId, targetType: 'User', targetId: userId, scope: { tenant: scope.tenant, id: scope.id }, detail };
      const context = { actor: { kind: 'anonymous' }, scope: undefined, request: recordRequest, now: new Date() } as const;
      await writeAudit(tx, { operation: 'mapRoles', action: 'connection.roles-mapped', outcome: 'ok', entry }, context);
    }
    if (removed.length > 0) emit(rightsShrank(scope, userId));
    if (added.length > 0) emit(...rightsGrew(scope, [userId]));
  });
  return eventIds;
}
