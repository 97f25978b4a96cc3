import { type PageRequest, pageQuery, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Organization } from '../domain/organization.ts';
import { slugCandidates } from '../domain/slug.ts';

const columns = 'o.id, o.name, o.slug, o.metadata, o.created_at AS "createdAt", o.updated_at AS "updatedAt", o.deleted_at AS "deletedAt"';

// The pivot decides what a scope sees: in an organization's scope its own rows, in an account's those of its owner (as an array, they are
// looked up by key whatever the planner thinks of the function).
const visible = {
  organization: 'EXISTS (SELECT FROM organization_users m WHERE m.organization_id = o.id)',
  account: 'o.id = ANY (ARRAY(SELECT organization_id FROM account_memberships()))',
} as const;
export type OrganizationView = keyof typeof visible;

const insert = statement(
  'organizations_insert',
  `INSERT INTO organizations AS o (id, name, slug, metadata, created_by) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT ON CONSTRAINT organizations_slug DO NOTHING RETURNING ${columns}`,
);
const enter = statement('organizations_enter', `SELECT set_config('app.current_organization_id', $1, true)`);

/**
 * Narrows an account's transaction to one organization as well: a new one, or one that `findOrganization` has shown in this
 * transaction. The account's own settings stay.
 */
export async function setOrganizationScope(tx: Transaction, id: string): Promise<void> {
  await tx.query(enter, [id]);
}

export type NewOrganization = { id: string; name: string; slug: string; metadata: Record<string, unknown>; createdBy: string };

/** Takes the first free slug; concurrent creators of one name wait for each other here and all succeed. */
export async function insertOrganization(tx: Transaction, { id, name, slug, metadata, createdBy }: NewOrganization): Promise<Organization> {
  for (const candidate of slugCandidates(slug, id)) {
    const row = await tx.one<Organization>(insert, [id, name, candidate, metadata, createdBy]);
    if (row) return row;
  }
  throw new Error(`no free slug for ${slug}`);
}

const find = {
  organization: statement(
    'organizations_find',
    `SELECT ${columns} FROM organizations o WHERE o.id = $1 AND o.deleted_at IS NULL AND ${visible.organization}`,
  ),
  account: statement(
    'organizations_find_of_account',
    `SELECT ${columns} FROM organizations o WHERE o.id = $1 AND o.deleted_at IS NULL AND ${visible.account}`,
  ),
};

/** Undefined when it does not exist, is deleted, or is not of this scope. */
export function findOrganization(tx: Transaction, view: OrganizationView, id: string): Promise<Organization | undefined> {
  return tx.one<Organization>(find[view], [id]);
}

const hold = statement(
  'organizations_hold',
  `SELECT ${columns} FROM organizations o WHERE o.id = $1 AND o.deleted_at IS NULL AND ${visible.organization} FOR SHARE OF o`,
);

/** Found and held against its deletion until the commit. Undefined when that was faster. */
export function holdOrganization(tx: Transaction, id: string): Promise<Organization | undefined> {
  return tx.one<Organization>(hold, [id]);
}

export const organizationSort = { name: 'o.name', slug: 'o.slug', createdAt: 'o.created_at', updatedAt: 'o.updated_at' } as const;

/** `organizationId`: of an organization's scope, which lists itself; undefined in an account's. */
export function pageOrganizations(tx: Transaction, organizationId: string | undefined, input: PageRequest) {
  const [where, values] = organizationId === undefined ? [[visible.account], []] : [['o.id = $1', visible.organization], [organizationId]];
  return pageQuery<Organization>(tx, {
    name: 'organizations_page',
    select: columns,
    from: 'organizations o',
    where: ['o.deleted_at IS NULL', ...where],
    values,
    search: { columns: ['o.name', 'o.slug'] },
    sort: { fields: organizationSort, default: 'name' },
    idColumn: 'o.id',
    input,
  });
}

const ofOwners = statement(
  'organizations_of_owners',
  `SELECT m.user_id AS "userId", ${columns} FROM organization_users m JOIN organizations o ON o.id = m.organization_id
   WHERE m.user_id = ANY ($1::uuid[]) AND o.deleted_at IS NULL ORDER BY o.name, o.id`,
);

/** All organizations that these users are members of: as the owner role, for relations that are authorized already. */
export function listOrganizationsOfUsers(db: Pick<Transaction, 'query'>, userIds: readonly string[]) {
  return db.query<Organization & { userId: string }>(ofOwners, [userIds]);
}

const byIds = statement(
  'organizations_by_ids',
  `SELECT ${columns} FROM organizations o WHERE o.id = ANY ($1::uuid[]) AND o.deleted_at IS NULL`,
);

/** For references of the graph whose parent is authorized, as the owner role. */
export function findOrganizations(db: Pick<Transaction, 'query'>, ids: readonly string[]): Promise<Organization[]> {
  return db.query<Organization>(byIds, [ids]);
}

const update = statement(
  'organizations_update',
  `UPDATE organizations o SET name = coalesce($2, o.name), metadata = coalesce($3, o.metadata), updated_at = now()
   WHERE o.id = $1 AND o.deleted_at IS NULL AND ${visible.organization} RETURNING ${columns}`,
);

export type OrganizationChanges = { name?: string | undefined; metadata?: Record<string, unknown> | undefined };

/** Only what is given changes, and only inside the organization's own settings. Slugs are addresses: they stay. */
export function updateOrganization(
  tx: Transaction,
  id: string,
  { name, metadata }: OrganizationChanges,
): Promise<Organization | undefined> {
  return tx.one<Organization>(update, [id, name, metadata]);
}

const softDelete = statement(
  'organizations_soft_delete',
  `UPDATE organizations o SET deleted_at = now(), updated_at = now()
   WHERE o.id = $1 AND o.deleted_at IS NULL AND ${visible.organization} RETURNING ${columns}`,
);
const softDeleteProjects = statement(
  'organizations_soft_delete_projects',
  `UPDATE projects p SET deleted_at = now(), updated_at = now() FROM organization_projects op
   WHERE op.organization_id = $1 AND p.id = op.project_id AND p.deleted_at IS NULL RETURNING p.id`,
);
const revokeInvitations = statement(
  'organizations_revoke_invitations',
  `UPDATE organization_invitations SET status = 'revoked', updated_at = now() WHERE organization_id = $1 AND status = 'pending'`,
);
const hardDeleteProjects = statement(
  'organizations_hard_delete_projects',
  'DELETE FROM projects p USING organization_projects op WHERE op.organization_id = $1 AND p.id = op.project_id',
);
const hardDelete = statement('organizations_hard_delete', 'DELETE FROM organizations WHERE id = $1');

/** Ends an organization with its projects and invitations. Undefined when another was faster. Memberships go with it: every read asks for living organizations. */
export async function deleteOrganization(
  tx: Transaction,
  id: string,
  hard: boolean,
): Promise<{ organization: Organization; projectIds: string[] } | undefined> {
  // Invitations before the organization, as accepting one takes them: the two can't wait for each other.
  await tx.execute(revokeInvitations, [id]);
  const organization = await tx.one<Organization>(softDelete, [id]);
  if (!organization) return undefined;
  const projects = await tx.query<{ id: string }>(softDeleteProjects, [id]);
  if (hard) {
    await tx.execute(hardDeleteProjects, [id]);
    await tx.execute(hardDelete, [id]);
  }
  return { organization, projectIds: projects.map((project) => project.id) };
}
