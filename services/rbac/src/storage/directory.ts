/** The groups of an organization's directory, and what they give (docs/decisions/030). */
import { findPage, type Page, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { query } from './query.ts';

export type ToldGroup = { readonly id: string; readonly name: string; readonly memberCount: number };

const hold = statement('directory_hold', (p: Params<{ organizationId: string }>) =>
  query
    .selectFrom('tenants')
    .where('tenant', '=', 'organization')
    .where('id', '=', p.organizationId)
    .select(sql<boolean>`deleted_at IS NULL`.as('isLive'))
    .forNoKeyUpdate(),
);

/**
 * Locks the organization without a new version, so that no mapping of it or of its grants changes
 * meanwhile. False for a deleted one; throws while it is unknown.
 */
export async function holdDirectory(tx: Transaction, organizationId: string): Promise<boolean> {
  const row = await tx.one(hold, { organizationId });
  if (row === undefined) throw new Error('the organization is not known yet');
  return row.isLive;
}

/** By one millisecond at least, because clients tell versions apart by it. */
const later = sql<string>`greatest(now(), directory_groups.updated_at + interval '1 millisecond')`;

/** Runs as the owner. */
export async function putGroups(tx: Transaction, organizationId: string, groups: readonly ToldGroup[]): Promise<void> {
  if (groups.length === 0) return;
  const rows = groups.map((group) => ({ organizationId, ...group }));
  await tx.execute(
    query
      .insertInto('directory_groups')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(({ ref }) => ({
          name: ref('excluded.name'),
          memberCount: ref('excluded.memberCount'),
          // Who edits what the group gives is not disturbed by a change of its members.
          updatedAt: sql<string>`CASE WHEN directory_groups.name = excluded.name THEN directory_groups.updated_at ELSE ${later} END`,
        })),
      ),
  );
}

/** With the people in them and what they give. Runs as the owner. */
export async function deleteGroups(tx: Transaction, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx.execute(query.deleteFrom('directory_groups').where('organizationId', '=', organizationId).where('id', 'in', ids));
}

type Pairs = { readonly userIds: readonly string[]; readonly others: readonly string[] };
const forgetPeople = statement('directory_forget_people', (p: Params<{ organizationId: string; userIds: readonly string[] }>) =>
  query
    .deleteFrom('directory_people')
    .where('organizationId', '=', p.organizationId)
    .where('userId', '=', ({ fn }) => fn.any(p.userIds)),
);
// Kysely has no two lists that are read side by side.
const insertPeople = statement(
  'directory_insert_people',
  `INSERT INTO directory_people (organization_id, group_id, user_id)
   SELECT $1, g.id, t.user_id FROM unnest($2::uuid[], $3::uuid[]) AS t (user_id, group_id)
   JOIN directory_groups g ON g.id = t.group_id AND g.organization_id = $1 ON CONFLICT DO NOTHING`,
);

/** These people are in exactly these groups. Runs as the owner. */
export async function putPeople(
  tx: Transaction,
  organizationId: string,
  people: readonly { readonly userId: string; readonly groupIds: readonly string[] }[],
): Promise<void> {
  await tx.execute(forgetPeople, { organizationId, userIds: people.map(({ userId }) => userId) });
  const pairs = people.flatMap(({ userId, groupIds }) => groupIds.map((groupId) => [userId, groupId] as const));
  await tx.query(insertPeople, [organizationId, pairs.map(([userId]) => userId), pairs.map(([, groupId]) => groupId)]);
}

/** Of a deleted person, in all organizations. Runs as the owner. */
export async function forgetDirectoryPerson(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(query.deleteFrom('directory_people').where('userId', '=', userId));
}

export type Gift = { readonly userId: string; readonly roleId: string };
export type MappedGift = Gift & { readonly mappedBy: string; readonly isMappedByService: boolean };

type OfPeople = { readonly organizationId: string; readonly scopeId: string; readonly tenant: string; readonly userIds: readonly string[] };

const isMember = `EXISTS (SELECT FROM role_assignments m WHERE m.tenant = 'organization' AND m.scope_id = $1::uuid::text
  AND m.user_id = p.user_id AND m.subject_type = 'user')`;

// One row for each role that a group of theirs gives and that they do not hold by the directory.
const due = statement(
  'directory_due',
  `SELECT p.user_id AS "userId", r.role_id AS "roleId", r.mapped_by AS "mappedBy", r.is_mapped_by_service AS "isMappedByService"
   FROM directory_people p JOIN directory_roles r ON r.group_id = p.group_id AND r.scope_id = $2
   WHERE p.organization_id = $1 AND p.user_id = ANY ($4::uuid[]) AND ${isMember}
     AND NOT EXISTS (SELECT FROM role_assignments a WHERE a.tenant = $3 AND a.scope_id = $2 AND a.user_id = p.user_id
       AND a.role_id = r.role_id AND 'directory' = ANY (a.sources))
   ORDER BY p.user_id, r.role_id, r.mapped_by`,
);
// One row for each role that they hold by the directory and that no group of theirs gives.
const lapsed = statement(
  'directory_lapsed',
  `SELECT a.user_id AS "userId", a.role_id AS "roleId" FROM role_assignments a
   WHERE a.tenant = $3 AND a.scope_id = $2 AND a.user_id = ANY ($4::uuid[]) AND 'directory' = ANY (a.sources)
     AND NOT EXISTS (SELECT FROM directory_people p JOIN directory_roles r ON r.group_id = p.group_id AND r.scope_id = $2
       WHERE p.organization_id = $1 AND p.user_id = a.user_id AND r.role_id = a.role_id)`,
);

function valuesOf({ organizationId, scopeId, tenant, userIds }: OfPeople) {
  return [organizationId, scopeId, tenant, userIds] as const;
}
export function listDue(tx: Transaction, of: OfPeople): Promise<MappedGift[]> {
  return tx.query<MappedGift>(due, valuesOf(of));
}
export function listLapsed(tx: Transaction, of: OfPeople): Promise<Gift[]> {
  return tx.query<Gift>(lapsed, valuesOf(of));
}

function pairsOf(gifts: readonly Gift[]): Pairs {
  return { userIds: gifts.map(({ userId }) => userId), others: gifts.map(({ roleId }) => roleId) };
}
// The rows are only those that were not there: who holds the role by hand gains nothing.
const insertGifts = statement(
  'directory_give',
  `INSERT INTO role_assignments (tenant, scope_id, user_id, role_id, sources)
   SELECT $1, $2, t.user_id, t.role_id, '{directory}' FROM unnest($3::uuid[], $4::uuid[]) AS t (user_id, role_id)
   ON CONFLICT (tenant, scope_id, user_id, role_id) DO NOTHING RETURNING user_id AS "userId", role_id AS "roleId"`,
);
const addSource = statement(
  'directory_add_source',
  `UPDATE role_assignments a SET sources = a.sources || '{directory}' FROM unnest($3::uuid[], $4::uuid[]) AS t (user_id, role_id)
   WHERE a.tenant = $1 AND a.scope_id = $2 AND a.user_id = t.user_id AND a.role_id = t.role_id AND NOT 'directory' = ANY (a.sources)`,
);
const deleteGifts = statement(
  'directory_take',
  `DELETE FROM role_assignments a USING unnest($3::uuid[], $4::uuid[]) AS t (user_id, role_id)
   WHERE a.tenant = $1 AND a.scope_id = $2 AND a.user_id = t.user_id AND a.role_id = t.role_id AND a.sources = '{directory}'
   RETURNING a.user_id AS "userId", a.role_id AS "roleId"`,
);
const removeSource = statement(
  'directory_remove_source',
  `UPDATE role_assignments a SET sources = array_remove(a.sources, 'directory') FROM unnest($3::uuid[], $4::uuid[]) AS t (user_id, role_id)
   WHERE a.tenant = $1 AND a.scope_id = $2 AND a.user_id = t.user_id AND a.role_id = t.role_id AND 'directory' = ANY (a.sources)`,
);

/** Returns what people hold now that they did not hold. */
export async function giveByDirectory(tx: Transaction, { tenant, id }: Scope, gifts: readonly Gift[]): Promise<Gift[]> {
  if (gifts.length === 0) return [];
  const { userIds, others } = pairsOf(gifts);
  const gained = await tx.query<Gift>(insertGifts, [tenant, id, userIds, others]);
  await tx.query(addSource, [tenant, id, userIds, others]);
  return gained;
}

/** Returns what people have lost. What they hold by hand stays. */
export async function takeByDirectory(tx: Transaction, { tenant, id }: Scope, gifts: readonly Gift[]): Promise<Gift[]> {
  if (gifts.length === 0) return [];
  const { userIds, others } = pairsOf(gifts);
  const lost = await tx.query<Gift>(deleteGifts, [tenant, id, userIds, others]);
  await tx.query(removeSource, [tenant, id, userIds, others]);
  return lost;
}

type ByGroups = {
  readonly roleId: string;
  /** Null for a moment, while a change is told. */
  readonly groupId: string | null;
  readonly groupName: string | null;
};
const rolesByGroups = statement(
  'directory_roles_by_groups',
  `SELECT a.role_id AS "roleId", g.id AS "groupId", g.name AS "groupName" FROM role_assignments a
   LEFT JOIN (directory_people p JOIN directory_groups g ON g.id = p.group_id JOIN directory_roles d ON d.group_id = g.id AND d.scope_id = $2)
     ON p.organization_id = $1 AND p.user_id = a.user_id AND d.role_id = a.role_id
   WHERE a.tenant = $3 AND a.scope_id = $2 AND a.user_id = $4 AND 'directory' = ANY (a.sources)
   ORDER BY a.role_id, g.name, g.id`,
);

/** The roles that the user has in the scope by the directory, with the groups that give each. */
export function listRolesByGroups(
  tx: Transaction,
  { organizationId, scopeId, tenant, userId }: Omit<OfPeople, 'userIds'> & { readonly userId: string },
): Promise<ByGroups[]> {
  return tx.query<ByGroups>(rolesByGroups, [organizationId, scopeId, tenant, userId]);
}

const ofPeople = `user_id = ANY ($2::uuid[]) AND split_part(scope_id, ':', 1) = $1::uuid::text`;
const keep = statement(
  'directory_keep',
  `UPDATE role_assignments SET sources = array_replace(sources, 'directory', 'kept') WHERE ${ofPeople} AND 'directory' = ANY (sources)`,
);
const returnKept = statement(
  'directory_return',
  `UPDATE role_assignments SET sources = array_replace(sources, 'kept', 'directory') WHERE ${ofPeople} AND 'kept' = ANY (sources)`,
);

/**
 * What the directory gave these people stays, and is changed by hand: they are detached. The
 * organization is locked; no right changes.
 */
export async function keepByHand(tx: Transaction, organizationId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length > 0) await tx.query(keep, [organizationId, userIds]);
}

/** What was kept of these people is the directory's again, and goes unless a group gives it. */
export async function returnToDirectory(tx: Transaction, organizationId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length > 0) await tx.query(returnKept, [organizationId, userIds]);
}

type InScope = { readonly tenant: string; readonly scopeId: string };
const withoutRole = statement(
  'directory_without_role',
  `SELECT DISTINCT t.user_id AS "userId" FROM unnest($3::uuid[]) AS t (user_id)
   WHERE NOT EXISTS (SELECT FROM role_assignments a WHERE a.tenant = $1 AND a.scope_id = $2 AND a.user_id = t.user_id)`,
);
/** Those of the people who hold no role in the scope. */
export async function listWithoutRole(tx: Transaction, { tenant, id }: Scope, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  return (await tx.query<{ userId: string }>(withoutRole, [tenant, id, userIds])).map(({ userId }) => userId);
}

const heldByDirectory = statement('directory_held', (p: Params<InScope & { userId: string }>) =>
  query
    .selectFrom('role_assignments')
    .where('tenant', '=', sql<ParsedScope['tenant']>`${p.tenant}`)
    .where('scopeId', '=', p.scopeId)
    .where('userId', '=', p.userId)
    .where(sql<boolean>`'directory' = ANY (sources)`)
    .select('roleId'),
);
/** The roles of the user in the scope that come from the directory. */
export async function listHeldByDirectory(tx: Transaction, { tenant, id: scopeId }: Scope, userId: string): Promise<string[]> {
  return (await tx.query(heldByDirectory, { tenant, scopeId, userId })).map(({ roleId }) => roleId);
}

// Two tables whose rows are scopes.
const mappedScopes = statement(
  'directory_mapped_scopes',
  `SELECT tenant, scope_id AS id FROM directory_roles WHERE organization_id = $1
   UNION SELECT tenant, scope_id FROM role_assignments WHERE user_id = ANY ($2::uuid[]) AND 'directory' = ANY (sources)
     AND split_part(scope_id, ':', 1) = $1::uuid::text
   ORDER BY tenant, id`,
);
/**
 * The scopes in which a group of the organization gives a role, or one of the people has a role by
 * the directory. The organization comes first.
 */
export function listMappedScopes(tx: Transaction, organizationId: string, userIds: readonly string[]): Promise<Scope[]> {
  return tx.query<Scope>(mappedScopes, [organizationId, userIds]);
}

const peopleOfGroups = statement('directory_people_of_groups', (p: Params<{ organizationId: string; groupIds: readonly string[] }>) =>
  query
    .selectFrom('directory_people')
    .where('organizationId', '=', p.organizationId)
    .where('groupId', '=', ({ fn }) => fn.any(p.groupIds))
    .select('userId')
    .distinct(),
);
export async function listPeopleOfGroups(tx: Transaction, organizationId: string, groupIds: readonly string[]): Promise<string[]> {
  return (await tx.query(peopleOfGroups, { organizationId, groupIds })).map(({ userId }) => userId);
}

type OfGroups = { readonly organizationId: string; readonly scopeId: string; readonly groupIds: readonly string[] };
const mappings = statement('directory_mappings', (p: Params<OfGroups>) =>
  query
    .selectFrom('directory_roles')
    .where('organizationId', '=', p.organizationId)
    .where('scopeId', '=', p.scopeId)
    .where('groupId', '=', ({ fn }) => fn.any(p.groupIds))
    .orderBy('groupId')
    .orderBy('roleId')
    .select(['groupId', 'roleId', 'mappedBy', 'isMappedByService', 'createdAt']),
);
export type Mapping = Awaited<ReturnType<typeof listMappings>>[number];
export function listMappings(tx: Transaction, of: OfGroups) {
  return tx.query(mappings, of);
}

function groupById(p: Params<{ organizationId: string; id: string }>) {
  return query
    .selectFrom('directory_groups')
    .where('organizationId', '=', p.organizationId)
    .where('id', '=', p.id)
    .select(['id', 'name', 'memberCount', 'createdAt', 'updatedAt']);
}
const findOne = statement('directory_find_group', groupById);
export type GroupCopy = Awaited<ReturnType<typeof findGroupCopy>> & {};
export function findGroupCopy(tx: Transaction, organizationId: string, id: string) {
  return tx.one(findOne, { organizationId, id });
}

export type NewMapping = Omit<Mapping, 'createdAt' | 'roleId'> & { readonly organizationId: string; readonly roleIds: readonly string[] };

const touch = statement('directory_touch_group', (p: Params<{ organizationId: string; id: string }>) =>
  query.updateTable('directory_groups').set({ updatedAt: later }).where('organizationId', '=', p.organizationId).where('id', '=', p.id),
);
/** A new version of what the group gives. */
export async function touchGroup(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await tx.execute(touch, { organizationId, id });
}

/** Leaves the group exactly these roles in the scope. Those that stay keep who has mapped them. */
export async function replaceMappings(tx: Transaction, { tenant, id: scopeId }: Scope, mapping: NewMapping): Promise<void> {
  const { roleIds, ...row } = mapping;
  const others = query.deleteFrom('directory_roles').where('groupId', '=', row.groupId).where('scopeId', '=', scopeId);
  await tx.execute(roleIds.length === 0 ? others : others.where('roleId', 'not in', roleIds));
  if (roleIds.length === 0) return;
  await tx.execute(
    query
      .insertInto('directory_roles')
      .values(roleIds.map((roleId) => ({ ...row, roleId, tenant, scopeId })))
      .onConflict((conflict) => conflict.columns(['groupId', 'scopeId', 'roleId']).doNothing()),
  );
}

/** A deleted role is given by no group any more. */
export async function unmapRole(tx: Transaction, roleId: string): Promise<void> {
  await tx.execute(query.deleteFrom('directory_roles').where('roleId', '=', roleId));
}

/** What groups give in a scope that ends, and what they gave. Runs as the owner. */
export async function endDirectoryRoles(tx: Transaction, scope: Scope): Promise<void> {
  const held = await tx.query(
    query
      .selectFrom('role_assignments')
      .where('tenant', '=', scope.tenant)
      .where('scopeId', '=', scope.id)
      .where(sql<boolean>`'directory' = ANY (sources)`)
      .select(['userId', 'roleId']),
  );
  await takeByDirectory(tx, scope, held);
  await tx.execute(query.deleteFrom('directory_roles').where('scopeId', '=', scope.id));
  await tx.execute(query.deleteFrom('directory_changes').where('scopeId', '=', scope.id));
}

/** Of an organization that is deleted for good. Runs as the owner. */
export async function forgetDirectory(tx: Transaction, organizationId: string): Promise<void> {
  await tx.execute(query.deleteFrom('directory_groups').where('organizationId', '=', organizationId));
}

type Previewed = InScope & {
  readonly organizationId: string;
  readonly groupId: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
};
export type PreviewedGift = Gift & { readonly isGain: boolean };

const preview = statement(
  'directory_preview',
  `SELECT p.user_id AS "userId", r.role_id AS "roleId", true AS "isGain" FROM directory_people p CROSS JOIN unnest($5::uuid[]) AS r (role_id)
   WHERE p.organization_id = $1 AND p.group_id = $4 AND ${isMember}
     AND NOT EXISTS (SELECT FROM role_assignments a WHERE a.tenant = $3 AND a.scope_id = $2 AND a.user_id = p.user_id AND a.role_id = r.role_id)
   UNION ALL
   SELECT p.user_id, a.role_id, false FROM directory_people p
   JOIN role_assignments a ON a.tenant = $3 AND a.scope_id = $2 AND a.user_id = p.user_id AND a.role_id = ANY ($6::uuid[])
   WHERE p.organization_id = $1 AND p.group_id = $4 AND a.sources = '{directory}'
     AND NOT EXISTS (SELECT FROM directory_people o JOIN directory_roles d ON d.group_id = o.group_id AND d.scope_id = $2
       WHERE o.user_id = p.user_id AND o.group_id <> $4 AND d.role_id = a.role_id)
   ORDER BY 1, 3, 2`,
);
/** Who would gain and lose what, if the group gave other roles. */
export function previewMapping(tx: Transaction, asked: Previewed): Promise<PreviewedGift[]> {
  const { organizationId, scopeId, tenant, groupId, added, removed } = asked;
  return tx.query<PreviewedGift>(preview, [organizationId, scopeId, tenant, groupId, added, removed]);
}

const columns = ['id', 'name', 'memberCount', 'createdAt', 'updatedAt'] as const;

export function pageGroups(tx: Transaction, organizationId: string, input: PageRequest): Promise<Page<GroupCopy>> {
  return findPage(tx, {
    name: 'directory_groups',
    from: query.selectFrom('directory_groups').where('organizationId', '=', organizationId),
    select: (rows) => rows.select(columns),
    search: ['name'],
    sort: { fields: { displayName: 'name', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'displayName' },
    id: 'id',
    input,
  });
}
