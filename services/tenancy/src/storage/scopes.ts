import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';

const exist = statement(
  'scopes_exist',
  `SELECT CASE s.tenant
     WHEN 'account' THEN EXISTS (SELECT FROM accounts a WHERE a.id = s.parent_id AND a.deleted_at IS NULL)
     WHEN 'organization' THEN EXISTS (SELECT FROM organizations o WHERE o.id = s.parent_id AND o.deleted_at IS NULL)
     WHEN 'accountProject' THEN EXISTS (
       SELECT FROM account_projects l JOIN projects p ON p.id = l.project_id AND p.deleted_at IS NULL
       JOIN accounts a ON a.id = l.account_id AND a.deleted_at IS NULL WHERE l.account_id = s.parent_id AND l.project_id = s.project_id)
     WHEN 'organizationProject' THEN EXISTS (
       SELECT FROM organization_projects l JOIN projects p ON p.id = l.project_id AND p.deleted_at IS NULL
       JOIN organizations o ON o.id = l.organization_id AND o.deleted_at IS NULL WHERE l.organization_id = s.parent_id AND l.project_id = s.project_id)
     ELSE false END AS "exists"
   FROM unnest($1::text[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS s (tenant, parent_id, project_id, place) ORDER BY s.place`,
);

/** Which of these exist and are not deleted, in the order asked; a project only under its own parent. */
export async function scopesExist(db: Pick<Transaction, 'query'>, scopes: readonly (ParsedScope | undefined)[]): Promise<boolean[]> {
  const rows = await db.query<{ exists: boolean }>(exist, [
    scopes.map((scope) => scope?.tenant ?? ''),
    scopes.map((scope) => scope?.accountId ?? scope?.organizationId ?? null),
    scopes.map((scope) => scope?.projectId ?? null),
  ]);
  return rows.map((row) => row.exists);
}

const organizationsOf = statement(
  'scopes_organizations_of',
  `SELECT m.organization_id AS "organizationId", o.name, o.slug, m.joined_at AS "joinedAt"
   FROM organization_users m JOIN organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
   WHERE m.user_id = $1 ORDER BY m.joined_at, m.organization_id`,
);
const projectsOf = statement(
  'scopes_projects_of',
  `SELECT u.project_id AS "projectId", u.organization_id AS "organizationId", u.account_id AS "accountId", p.name, u.joined_at AS "joinedAt"
   FROM project_users u JOIN projects p ON p.id = u.project_id AND p.deleted_at IS NULL
   WHERE u.user_id = $1 ORDER BY u.joined_at, u.project_id`,
);

export type OrganizationMembership = { organizationId: string; name: string; slug: string; joinedAt: string };
export type ProjectMembership = {
  projectId: string;
  organizationId: string | null;
  accountId: string | null;
  name: string;
  joinedAt: string;
};

/** All that a user is a member of, oldest first. As the owner role: it crosses tenants by nature. */
export async function listMemberships(db: Pick<Transaction, 'query'>, userId: string) {
  const [organizations, projects] = await Promise.all([
    db.query<OrganizationMembership>(organizationsOf, [userId]),
    db.query<ProjectMembership>(projectsOf, [userId]),
  ]);
  return { organizations, projects };
}
