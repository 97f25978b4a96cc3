import type { Transaction } from '@tessera/kernel/postgres';
import { type GrantPlace, type ParsedScope, parentScope, parseScope } from '@tessera/kernel/scope';
import { type Actor, isForDirectories, mayTouchMember, verdictOnGiving } from '../../domain/escalation.ts';
import { errors } from '../../errors.ts';
import { listOwners, listRolesOfUsers, type Source } from '../../storage/assignments.ts';
import { hasDeparted } from '../../storage/departures.ts';
import { listHeldByDirectory } from '../../storage/directory.ts';
import { listActionsOfRoles } from '../../storage/given-actions.ts';
import { findSeats } from '../../storage/grants.ts';
import { blockedSince } from '../../storage/member-restrictions.ts';
import type { RoleRow } from '../../storage/records.ts';

const ownerRank = 1;

/** The highest rank among roles; undefined without a ranked one. */
export function rankAmong(roles: readonly Pick<RoleRow, 'rank'>[]): number | undefined {
  const ranks = roles.flatMap(({ rank }) => (rank === null ? [] : [rank]));
  return ranks.length > 0 ? Math.min(...ranks) : undefined;
}

/** Whether the actor may give each of these roles to people. */
export async function verdictsOn(tx: Transaction, actor: Actor, roles: readonly RoleRow[]) {
  const actions = Map.groupBy(
    await listActionsOfRoles(
      tx,
      roles.map(({ id }) => id),
    ),
    ({ roleId }) => roleId,
  );
  return roles.map((role) => ({ role, verdict: verdictOnGiving(actor, { ...role, actions: actions.get(role.id) ?? [] }, 'member') }));
}

/** 403 unless the actor may give every one of these roles to people. */
export async function assertMayGive(tx: Transaction, actor: Actor, roles: readonly RoleRow[]): Promise<void> {
  for (const { role, verdict } of await verdictsOn(tx, actor, roles)) {
    if (isForDirectories(role)) throw errors.roleForDirectories();
    if (verdict === 'above-own-rank') throw errors.aboveOwnRank();
    if (verdict === 'escalation') throw errors.escalation({ params: { action: role.name }, extensions: { role: role.id } });
  }
}

/** 403 unless the actor stands above the member. */
export function assertMayTouch(actor: Actor, memberRoles: readonly RoleRow[]): void {
  if (!mayTouchMember(actor.rights, rankAmong(memberRoles))) throw errors.aboveOwnRank();
}

/**
 * The roles that a user of a project has in its organization or account. 404 for a user who has
 * just left the scope or its parent, and must not come back by this write.
 */
export async function inheritedRoles(tx: Transaction, scope: ParsedScope, userId: string): Promise<readonly RoleRow[]> {
  const parent = parentScope(scope);
  const above = parent && parseScope(parent);
  const inherited = above ? await listRolesOfUsers(tx, [above], [userId]) : [];
  if (inherited.length === 0) {
    const left = await Promise.all([scope, ...(above ? [above] : [])].map((place) => hasDeparted(tx, place, userId)));
    if (left.includes(true)) throw errors.notMember();
  }
  return inherited;
}

type Seat = { readonly inherited: readonly RoleRow[]; readonly isNew: boolean };

/**
 * Only members of the customer hold roles in a grant: 404 for others. 409 when its owner allows no
 * more of them. The grant is locked, so two at once cannot take the last place.
 */
export async function assertSeat(tx: Transaction, { placeId }: GrantPlace, { inherited, isNew }: Seat): Promise<void> {
  if (inherited.length === 0) throw errors.notMember();
  const { most, used } = await findSeats(tx, placeId);
  if (isNew && most !== null && used >= most)
    throw errors.grantFull({ params: { limit: most, used }, extensions: { quota: 'grantMembers', limit: most, used } });
}

/** Whether one more person may hold a role in the grant. */
export async function hasSeat(tx: Transaction, { placeId }: GrantPlace): Promise<boolean> {
  const { most, used } = await findSeats(tx, placeId);
  return most === null || used < most;
}

/** 403 when the member stands above the actor in the organization. */
export function assertNotAbove(actor: Actor, memberRoles: readonly RoleRow[]): void {
  const rank = rankAmong(memberRoles);
  if (rank !== undefined && (actor.rights.rank === undefined || rank < actor.rights.rank)) throw errors.aboveOwnRank();
}

/** What a change makes of a member's roles; with none after it the person stops being one. */
type RoleChange = {
  readonly organizationId: string;
  readonly userId: string;
  readonly before: readonly RoleRow[];
  readonly after: readonly RoleRow[];
};

function isOwner(roles: readonly RoleRow[]): boolean {
  return rankAmong(roles) === ownerRank;
}

/** 409 when a person who is blocked would become Owner, because a blocked Owner can do nothing. */
export async function assertMayBecomeOwner(tx: Transaction, { organizationId, userId, before, after }: RoleChange): Promise<void> {
  if (isOwner(before) || !isOwner(after)) return;
  if ((await blockedSince(tx, { organizationId, userId })) !== null)
    throw errors.blockedOwner({ extensions: { resource: 'OrganizationMember', field: 'roleId' } });
}

/**
 * 409 when the organization would have no Owner left who is not blocked. The scope is locked, so
 * two Owners cannot leave at once.
 */
export async function assertOwnerRemains(tx: Transaction, { organizationId, userId, before, after }: RoleChange): Promise<void> {
  if (!isOwner(before) || isOwner(after)) return;
  const owners = await listOwners(tx, organizationId);
  if (owners.every((owner) => owner === userId)) throw errors.lastOwner({ extensions: { resource: 'OrganizationMember' } });
}

/**
 * 409 for a role that comes from the organization's directory: the next change of the directory
 * would give it again.
 */
export async function assertByHand(tx: Transaction, scope: ParsedScope, userId: string, taken: readonly RoleRow[]): Promise<void> {
  const held = await listHeldByDirectory(tx, scope, userId);
  const role = taken.find(({ id }) => held.includes(id));
  if (role !== undefined) throw errors.roleOfDirectory({ params: { role: role.name }, extensions: { resource: 'Role', role: role.id } });
}

type ProviderChange = {
  readonly before: readonly RoleRow[];
  readonly sources: ReadonlyMap<string, Source>;
  readonly roles: readonly RoleRow[];
};

/**
 * What changes for a member to whom an identity provider gives these roles (decision 31). What a
 * group of the directory gives stays; where another's project is used, what hands gave stays, too.
 */
export function changeBy({ tenant }: Pick<ParsedScope, 'tenant'>, { before, sources, roles }: ProviderChange) {
  const taken = [...sources].flatMap(([id, given]) =>
    (given.source !== null || tenant === 'organization') && !roles.some((role) => role.id === id) ? [id] : [],
  );
  const added = roles.filter(({ id }) => !before.some((held) => held.id === id));
  const removed = before.filter(({ id }) => taken.includes(id) && sources.get(id)?.isByDirectory === false);
  return { taken, added, removed };
}
