/**
 * Gives the members of a directory's groups the roles of their groups, and takes what no group of
 * theirs gives any more. The only writer of assignments by the directory (docs/decisions/030).
 */
import type { OutgoingEvent } from '@tessera/kernel/events';
import { writeAudits } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope } from '@tessera/kernel/scope';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { RbacDeps } from '../../deps.ts';
import { rightsFor } from '../../domain/decision.ts';
import { giverOf } from '../../domain/escalation.ts';
import type { Rights } from '../../domain/rights.ts';
import type { Subject } from '../../domain/subject.ts';
import { assignToAll } from '../../storage/assignments.ts';
import {
  type Gift,
  giveByDirectory,
  listDue,
  listLapsed,
  listMappedScopes,
  listWithoutRole,
  type MappedGift,
  type Mapping,
  takeByDirectory,
} from '../../storage/directory.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findSeats } from '../../storage/grants.ts';
import type { RoleRow } from '../../storage/records.ts';
import { loadRightsWithin } from '../../storage/rights.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { rightsGrew, rightsShrankOf } from '../growth.ts';
import { recordGrantRoles, recordRequest } from '../membership/grant-members.ts';
import { verdictsOn } from '../membership/rules.ts';

export type Mapper = Pick<Mapping, 'mappedBy' | 'isMappedByService'>;

function subjectOf({ mappedBy, isMappedByService }: Mapper, organizationId: string): Subject {
  if (!isMappedByService) return { type: 'session', userId: mappedBy };
  return { type: 'serviceAccount', userId: mappedBy, tokenScope: { tenant: 'organization', id: organizationId } };
}

/** Those of the roles that the mapper could give now. */
export async function listGivable(
  tx: Transaction,
  scope: ParsedScope,
  mapper: Mapper,
  roles: readonly RoleRow[],
): Promise<ReadonlySet<string>> {
  return givableBy(tx, scope, mapper, { roles, isMapper: (rights) => rightsFor(rights, 'Directory', 'Update') !== undefined });
}

type Given = { readonly roles: readonly RoleRow[]; readonly isMapper: (rights: Rights) => boolean };

/** The same for mappings of another kind. */
export async function givableBy(
  tx: Transaction,
  scope: ParsedScope,
  mapper: Mapper,
  { roles, isMapper }: Given,
): Promise<ReadonlySet<string>> {
  const subject = subjectOf(mapper, scope.organizationId ?? '');
  const loaded = await loadRightsWithin(tx, scope, subject);
  if (loaded === undefined || !isMapper(loaded.rights)) return new Set();
  const verdicts = await verdictsOn(tx, giverOf(loaded.rights, subject), roles);
  return new Set(verdicts.flatMap(({ role, verdict }) => (verdict === 'allowed' && role.rank !== 1 ? [role.id] : [])));
}

/** Without those whose mapper may not give the role any more: the mapper is asked at each gift. */
async function assertedOf(tx: Transaction, scope: ParsedScope, gifts: readonly MappedGift[], roles: readonly RoleRow[]): Promise<Gift[]> {
  const allowed: Gift[] = [];
  for (const [, own] of Map.groupBy(gifts, ({ mappedBy }) => mappedBy)) {
    const [mapper] = own;
    if (mapper === undefined) continue;
    const ids = new Set(own.map(({ roleId }) => roleId));
    const givable = await listGivable(
      tx,
      scope,
      mapper,
      roles.filter(({ id }) => ids.has(id)),
    );
    allowed.push(...own.filter(({ roleId }) => givable.has(roleId)).map(({ userId, roleId }) => ({ userId, roleId })));
  }
  return [...new Map(allowed.map((gift) => [`${gift.userId} ${gift.roleId}`, gift])).values()];
}

/** In a grant only for so many people as there are seats. */
async function seatedOf(tx: Transaction, scope: ParsedScope, gifts: readonly Gift[]): Promise<readonly Gift[]> {
  if (scope.grant === undefined || gifts.length === 0) return gifts;
  const { most, used } = await findSeats(tx, scope.grant.placeId);
  if (most === null) return gifts;
  const without = await listWithoutRole(
    tx,
    scope,
    gifts.map(({ userId }) => userId),
  );
  const standing = new Set(without.toSorted().slice(Math.max(most - used, 0)));
  return gifts.filter(({ userId }) => !standing.has(userId));
}

type Applied = { readonly events: readonly OutgoingEvent[]; readonly gained: number; readonly lost: number };
export type Asked = { readonly organizationId: string; readonly userIds: readonly string[]; readonly actorId: string | null };

/** In one scope, which is locked. `isLoss`: takes what no group gives any more, gives nothing. */
export async function applyInScope(
  tx: Transaction,
  scope: ParsedScope,
  { organizationId, userIds, actorId }: Asked,
  { isLoss = false } = {},
): Promise<Applied> {
  const of = { organizationId, scopeId: scope.id, tenant: scope.tenant, userIds };
  const [due, lapsed] = [isLoss ? [] : await listDue(tx, of), await listLapsed(tx, of)];
  if (due.length + lapsed.length === 0) return { events: [], gained: 0, lost: 0 };
  const ids = [...new Set([...due, ...lapsed].map(({ roleId }) => roleId))];
  const roles = await findEntities(tx, roleTable, scope, ids);
  const lost = await takeByDirectory(tx, scope, lapsed);
  const gained = await giveByDirectory(tx, scope, await seatedOf(tx, scope, await assertedOf(tx, scope, due, roles)));
  if (scope.tenant === 'organization') await keepMembers(tx, scope, lost);
  await record(tx, scope, { gained, lost, roles, actorId });
  const grown = [...new Set(gained.map(({ userId }) => userId))];
  const shrunk = [...new Set(lost.map(({ userId }) => userId))];
  return {
    events: [...rightsGrew(scope, grown), ...rightsShrankOf(scope, shrunk)],
    gained: grown.length,
    lost: shrunk.length,
  };
}

/** A member without a role would be no member any more: they are Viewer, as at their beginning. */
async function keepMembers(tx: Transaction, scope: ParsedScope, lost: readonly Gift[]): Promise<void> {
  const left = await listWithoutRole(
    tx,
    scope,
    lost.map(({ userId }) => userId),
  );
  await assignToAll(tx, scope, builtInRoleId('organization', scope.id, 'Viewer'), left);
}

type Recorded = {
  readonly gained: readonly Gift[];
  readonly lost: readonly Gift[];
  readonly roles: readonly RoleRow[];
  readonly actorId: string | null;
};

/** A row of the audit log for each member; in a grant its owner's log has one, too. */
async function record(tx: Transaction, scope: ParsedScope, { gained, lost, roles, actorId }: Recorded): Promise<void> {
  const byId = new Map(roles.map((role) => [role.id, role]));
  const rolesOf = (gifts: readonly Gift[]) => gifts.flatMap(({ roleId }) => byId.get(roleId) ?? []);
  const [gainedBy, lostBy] = [Map.groupBy(gained, ({ userId }) => userId), Map.groupBy(lost, ({ userId }) => userId)];
  const context = { actor: { kind: 'anonymous' }, scope: undefined, request: recordRequest, now: new Date() } as const;
  const changed = [...new Set([...gainedBy.keys(), ...lostBy.keys()])].map((userId) => ({
    userId,
    assigned: rolesOf(gainedBy.get(userId) ?? []),
    unassigned: rolesOf(lostBy.get(userId) ?? []),
  }));
  if (scope.grant !== undefined) {
    for (const one of changed) await recordGrantRoles(tx, scope, { ...one, actorId: actorId ?? undefined });
    return;
  }
  const names = (some: readonly RoleRow[]) => some.map(({ id, name }) => ({ id, name }));
  const records = changed.map(({ userId, assigned, unassigned }) => {
    const detail = { by: 'directory', given: names(assigned), taken: names(unassigned) };
    const entry = { targetType: 'OrganizationMember', targetId: userId, scope, detail, ...(actorId === null ? {} : { actorId }) };
    return { operation: 'updateDirectoryGroup', action: 'organizationMember.updated', outcome: 'ok', entry } as const;
  });
  await writeAudits(tx, records, context);
}

/** How the scopes of an event are locked. */
type Locking = { readonly tx: Transaction } & Pick<RbacDeps, 'tenants' | 'places'>;

/** In all scopes in which a group of the organization gives a role. The organization is locked. */
export async function applyDirectory({ tx, tenants, places }: Locking, asked: Asked): Promise<OutgoingEvent[]> {
  if (asked.userIds.length === 0) return [];
  const events: OutgoingEvent[] = [];
  for (const mapped of await listMappedScopes(tx, asked.organizationId, asked.userIds)) {
    const scope = await places.resolve(parseScope(mapped));
    // Also in a suspended grant, so that nothing of a former group is there when it is resumed.
    if ((await tenants.bump(tx, scope)) === undefined) continue;
    events.push(...(await applyInScope(tx, scope, asked)).events);
  }
  return events;
}
