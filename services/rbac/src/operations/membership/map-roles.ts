import { writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { RbacDeps } from '../../deps.ts';
import { isForMachines, isOwnerRole } from '../../domain/catalogue.ts';
import { rightsFor } from '../../domain/decision.ts';
import type { Rights } from '../../domain/rights.ts';
import { giveFrom, listRolesOfUsers, listSources, takeRoles } from '../../storage/assignments.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import type { RoleRow } from '../../storage/records.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { givableBy, type Mapper } from '../directory/apply.ts';
import { rightsGrew, rightsShrank } from '../growth.ts';
import { recordGrantRoles, recordRequest } from './grant-members.ts';
import { changeBy, hasSeat, inheritedRoles } from './rules.ts';
import { changeWithin } from './within.ts';

type Mapping = { readonly eventIds: readonly string[]; readonly isMember: boolean };
type Mapped = {
  readonly scope: ParsedScope;
  readonly userId: string;
  /** `connection:<id>` */
  readonly source: string;
  readonly roleIds: readonly string[];
  /** Who has mapped which of them. The default role has none. */
  readonly vouchers?: readonly Voucher[];
};
type Voucher = Mapper & { readonly roleId: string };

/**
 * Gives a member what an identity provider says, and takes what a provider gave before and this one
 * does not say: another provider may be deleted by now. In the organization it also takes what was
 * given by hand, so that the provider alone decides; where the organization uses another's project,
 * hand-given roles stay. What a group of the directory gives stays in both. Owners are made and
 * unmade by Owners: they stay as they are. Who has mapped a role is asked again whether they could
 * give it now, unless the member has it: a mapping gives nothing beyond its mapper's authority.
 */
export async function mapRoles(deps: RbacDeps, { scope, userId, source, roleIds, vouchers = [] }: Mapped): Promise<Mapping> {
  const { result: isMember, eventIds } = await changeWithin(deps, { scope }, async ({ tx, emit }) => {
    const before = await listRolesOfUsers(tx, [scope], [userId]);
    const isOrganization = scope.tenant === 'organization';
    const standing = isOrganization ? before : await inheritedRoles(tx, scope, userId);
    // Who is no member gets nothing; the membership of a first sign-in may arrive a moment later.
    if (standing.length === 0) return false;
    if (standing.some(isOwnerRole)) return true;
    const find = async (ids: readonly string[]) =>
      (await findEntities(tx, roleTable, scope, ids)).filter((role) => !isForMachines(role) && !isOwnerRole(role));
    const all = await find(roleIds);
    const refused = await listRefused(tx, scope, { roles: all.filter(({ id }) => !before.some((held) => held.id === id)), vouchers });
    const said = all.filter(({ id }) => !refused.has(id));
    // A mapped role may be deleted. What the member held before would then outlive the mapping.
    const roles = isOrganization && said.length === 0 ? await find([builtInRoleId('organization', scope.id, 'Viewer')]) : said;
    if (scope.grant !== undefined && before.length === 0 && !(await hasSeat(tx, scope.grant))) return true;
    const sources = await listSources(tx, scope, userId);
    const { taken, added, removed } = changeBy(scope, { before, sources, roles });
    const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
    await takeRoles(tx, scope, userId, taken);
    if (added.length + removed.length + refused.size === 0) return true;
    await giveFrom(tx, scope, { userId, roleIds: ids(added), source });
    await recordGrantRoles(tx, scope, { userId, actorId: userId, assigned: added, unassigned: removed });
    if (isOrganization) {
      const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
      const notGiven = names(all.filter(({ id }) => refused.has(id)));
      const detail = { source, assigned: names(added), unassigned: names(removed), ...(notGiven.length === 0 ? {} : { notGiven }) };
      const entry = { actorId: userId, targetType: 'User', targetId: userId, scope: { tenant: scope.tenant, id: scope.id }, detail };
      const context = { actor: { kind: 'anonymous' }, scope: undefined, request: recordRequest, now: new Date() } as const;
      await writeAudit(tx, { operation: 'mapRoles', action: 'connection.roles-mapped', outcome: 'ok', entry }, context);
    }
    if (removed.length > 0) emit(rightsShrank(scope, userId));
    if (added.length > 0) emit(...rightsGrew(scope, [userId]));
    return true;
  });
  return { eventIds, isMember };
}

type Asked = { readonly roles: readonly RoleRow[]; readonly vouchers: readonly Voucher[] };

/** Those that none of their mappers could give now. */
async function listRefused(tx: Transaction, scope: ParsedScope, { roles, vouchers }: Asked): Promise<ReadonlySet<string>> {
  const refused = new Set(roles.flatMap(({ id }) => (vouchers.some(({ roleId }) => roleId === id) ? [id] : [])));
  for (const [, own] of Map.groupBy(vouchers, ({ mappedBy }) => mappedBy)) {
    const [mapper] = own;
    const asked = roles.filter(({ id }) => refused.has(id) && own.some(({ roleId }) => roleId === id));
    if (mapper === undefined || asked.length === 0) continue;
    for (const id of await givableBy(tx, scope, mapper, { roles: asked, isMapper: (rights) => mayMap(scope, rights) })) refused.delete(id);
  }
  return refused;
}

/** In a project that the organization uses, it is enough to have a role there. */
function mayMap(scope: ParsedScope, rights: Rights): boolean {
  return scope.grant === undefined ? rightsFor(rights, 'Connection', 'Update') !== undefined : rights.roles.length > 0;
}
