import { type PageRequest, pageQuery, type Statement, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Project, ProjectParent } from '../domain/project.ts';
import { slugCandidates } from '../domain/slug.ts';

const columns = `p.id, p.name, l.slug, p.description, p.metadata,
  p.created_at AS "createdAt", p.updated_at AS "updatedAt", p.deleted_at AS "deletedAt"`;

type Link = { readonly table: string; readonly parent: string };
type Tenant = ProjectParent['tenant'];

// The pivot `l` of each parent; everything below is written once for both.
const links: Record<Tenant, Link> = {
  account: { table: 'account_projects', parent: 'account_id' },
  organization: { table: 'organization_projects', parent: 'organization_id' },
};

function forBoth(name: string, text: (link: Link) => string): Record<Tenant, Statement> {
  return {
    account: statement(`projects_${name}_account`, text(links.account)),
    organization: statement(`projects_${name}_organization`, text(links.organization)),
  };
}

const insert = statement(
  'projects_insert',
  'INSERT INTO projects (id, name, description, metadata, created_by) VALUES ($1, $2, $3, $4, $5)',
);
// The parent is held against its own deletion, so that no project appears in a tenant that is just being deleted.
const insertLink = forBoth(
  'insert_link',
  ({ table, parent }) => `INSERT INTO ${table} (${parent}, project_id, slug)
   SELECT id, $2, $3 FROM ${parent === 'account_id' ? 'accounts' : 'organizations'} WHERE id = $1 AND deleted_at IS NULL FOR SHARE
   ON CONFLICT ON CONSTRAINT ${table}_slug DO NOTHING RETURNING slug`,
);
const find = forBoth(
  'find',
  ({ table, parent }) => `SELECT ${columns} FROM ${table} l JOIN projects p ON p.id = l.project_id
   WHERE l.${parent} = $1 AND l.project_id = $2 AND p.deleted_at IS NULL`,
);

/** Undefined when it does not exist, is deleted, or lies elsewhere. */
export function findProject(tx: Transaction, { tenant, id }: ProjectParent, projectId: string): Promise<Project | undefined> {
  return tx.one<Project>(find[tenant], [id, projectId]);
}

export type NewProject = {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  metadata: Record<string, unknown>;
  createdBy: string;
};

/** Takes the first free slug of the parent, as organizations do. Undefined when the parent does not exist (any more). */
export async function insertProject(tx: Transaction, parent: ProjectParent, project: NewProject): Promise<Project | undefined> {
  const { id, name, slug, description, metadata, createdBy } = project;
  await tx.execute(insert, [id, name, description, metadata, createdBy]);
  for (const candidate of slugCandidates(slug, id)) {
    if (await tx.one(insertLink[parent.tenant], [parent.id, id, candidate])) return findProject(tx, parent, id);
  }
  return undefined;
}

export const projectSort = { name: 'p.name', slug: 'l.slug', createdAt: 'p.created_at', updatedAt: 'p.updated_at' } as const;

export function pageProjects(tx: Transaction, { tenant, id }: ProjectParent, input: PageRequest) {
  const { table, parent } = links[tenant];
  return pageQuery<Project>(tx, {
    name: `projects_page_${tenant}`,
    select: columns,
    from: `${table} l JOIN projects p ON p.id = l.project_id`,
    where: [`l.${parent} = $1`, 'p.deleted_at IS NULL'],
    values: [id],
    search: { columns: ['p.name', 'l.slug', 'p.description'] },
    sort: { fields: projectSort, default: 'name' },
    idColumn: 'p.id',
    input,
  });
}

const update = forBoth(
  'update',
  ({ table, parent }) => `UPDATE projects p SET name = coalesce($3, p.name),
     description = CASE WHEN $4 THEN $5 ELSE p.description END, metadata = coalesce($6, p.metadata), updated_at = now()
   FROM ${table} l WHERE l.${parent} = $1 AND l.project_id = $2 AND p.id = l.project_id AND p.deleted_at IS NULL RETURNING ${columns}`,
);

/** `description: null` empties it; what is not given stays, and so does the slug. */
export type ProjectChanges = {
  name?: string | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, unknown> | undefined;
};

export function updateProject(tx: Transaction, { tenant, id }: ProjectParent, projectId: string, changes: ProjectChanges) {
  const { name, description, metadata } = changes;
  return tx.one<Project>(update[tenant], [id, projectId, name, description !== undefined, description, metadata]);
}

const softDelete = forBoth(
  'soft_delete',
  ({ table, parent }) => `UPDATE projects p SET deleted_at = now(), updated_at = now()
   FROM ${table} l WHERE l.${parent} = $1 AND l.project_id = $2 AND p.id = l.project_id AND p.deleted_at IS NULL RETURNING ${columns}`,
);
const hardDelete = statement('projects_hard_delete', 'DELETE FROM projects WHERE id = $1');

/** Undefined when there is none to delete in this parent. */
export async function deleteProject(tx: Transaction, { tenant, id }: ProjectParent, projectId: string, hard: boolean) {
  const project = await tx.one<Project>(softDelete[tenant], [id, projectId]);
  if (project && hard) await tx.execute(hardDelete, [projectId]);
  return project;
}

const ofParents = forBoth(
  'of_parents',
  ({ table, parent }) => `SELECT l.${parent} AS "parentId", ${columns} FROM ${table} l JOIN projects p ON p.id = l.project_id
   WHERE l.${parent} = ANY ($1::uuid[]) AND p.deleted_at IS NULL ORDER BY p.name, p.id LIMIT $2`,
);

/** The projects of several parents of one kind. */
export function listProjectsOf(tx: Pick<Transaction, 'query'>, tenant: Tenant, parentIds: readonly string[], limit: number) {
  return tx.query<Project & { parentId: string }>(ofParents[tenant], [parentIds, limit]);
}

const byIds = statement(
  'projects_by_ids',
  `SELECT ${columns}, l.tenant, l.parent_id AS "parentId"
   FROM (SELECT 'account' AS tenant, account_id AS parent_id, project_id, slug FROM account_projects WHERE project_id = ANY ($1::uuid[])
         UNION ALL
         SELECT 'organization', organization_id, project_id, slug FROM organization_projects WHERE project_id = ANY ($1::uuid[])) l
   JOIN projects p ON p.id = l.project_id WHERE p.deleted_at IS NULL`,
);

/** For references of the graph whose parent is authorized, as the owner role. */
export function findProjects(db: Pick<Transaction, 'query'>, ids: readonly string[]) {
  return db.query<Project & { tenant: Tenant; parentId: string }>(byIds, [ids]);
}
