import { statement, type Transaction } from '@tessera/kernel/postgres';

const add = statement(
  'members_add',
  `WITH organization AS (
     SELECT id FROM organizations WHERE id = $1 AND deleted_at IS NULL AND closing_for IS NULL FOR SHARE
   ), person AS (
     SELECT user_id, name, email, created_at, updated_at FROM people WHERE user_id = $2 AND deleted_at IS NULL AND closing_at IS NULL FOR SHARE
   ), added AS (
     INSERT INTO organization_users (organization_id, user_id, name, email, user_created_at, user_updated_at)
     SELECT o.id, p.user_id, p.name, p.email, p.created_at, p.updated_at FROM organization o, person p
     ON CONFLICT DO NOTHING RETURNING user_id
   )
   SELECT EXISTS (SELECT FROM organization) AS "hasOrganization", EXISTS (SELECT FROM person) AS "hasPerson",
          EXISTS (SELECT FROM added) AS "isAdded"`,
);

export type Addition = 'added' | 'already' | 'no-organization' | 'no-person';

/**
 * Adds a living person to a living organization, with their name and address as they are now. Both rows stay locked until the commit:
 * a deletion or a new name at the same moment comes wholly before or wholly after.
 */
export async function addMember(tx: Transaction, organizationId: string, userId: string): Promise<Addition> {
  const outcome = await tx.one<{ hasOrganization: boolean; hasPerson: boolean; isAdded: boolean }>(add, [organizationId, userId]);
  if (!outcome?.hasOrganization) return 'no-organization';
  if (!outcome.hasPerson) return 'no-person';
  return outcome.isAdded ? 'added' : 'already';
}

const remove = statement(
  'members_remove',
  `DELETE FROM organization_users WHERE organization_id = $1 AND user_id = $2 AND date_trunc('milliseconds', joined_at) <= coalesce($3, 'infinity'::timestamptz) RETURNING user_id`,
);

/** Ends a membership, or, by what is told of the past, one that began before `endedAt`: a later one is another. True when there was one. */
export async function removeMember(
  tx: Transaction,
  organizationId: string,
  userId: string,
  endedAt: string | null = null,
): Promise<boolean> {
  return (await tx.one(remove, [organizationId, userId, endedAt])) !== undefined;
}

export type MemberRow = { userId: string; name: string; email: string | null; joinedAt: string; updatedAt: string };

const find = statement(
  'members_find',
  `SELECT user_id AS "userId", name, email, joined_at AS "joinedAt", user_updated_at AS "updatedAt"
   FROM organization_users WHERE organization_id = $1 AND user_id = $2`,
);

export function findMember(tx: Pick<Transaction, 'query'>, organizationId: string, userId: string): Promise<MemberRow | undefined> {
  return tx.query<MemberRow>(find, [organizationId, userId]).then(([row]) => row);
}

const findByAddress = statement(
  'members_find_by_address',
  'SELECT user_id FROM organization_users WHERE organization_id = $1 AND (email = $2 OR user_id = $3)',
);

/** Whether an address, or the user it belongs to, is in the organization already. */
export async function isMember(tx: Transaction, organizationId: string, email: string, userId: string | null): Promise<boolean> {
  return (await tx.one(findByAddress, [organizationId, email, userId])) !== undefined;
}

const ofOrganizations = statement(
  'members_of_organizations',
  `SELECT organization_id AS "parentId", user_id AS "userId" FROM organization_users
   WHERE organization_id = ANY ($1::uuid[]) ORDER BY organization_id, name, user_id LIMIT $2`,
);
const ofProjects = statement(
  'members_of_projects',
  `SELECT project_id AS "parentId", user_id AS "userId" FROM project_users
   WHERE project_id = ANY ($1::uuid[]) ORDER BY project_id, name, user_id LIMIT $2`,
);

export type ParentAndUser = { parentId: string; userId: string };

/** The people of several organizations, or of several projects, at most `limit` in all. */
export function listPeopleOf(tx: Pick<Transaction, 'query'>, kind: 'organizations' | 'projects', ids: readonly string[], limit: number) {
  return tx.query<ParentAndUser>(kind === 'organizations' ? ofOrganizations : ofProjects, [ids, limit]);
}
