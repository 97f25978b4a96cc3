import { findPage, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type AliasedSelectQueryBuilder, sql } from 'kysely';
import type { Project, ProjectParent } from '../domain/project.ts';
import { slugCandidates } from '../domain/slug.ts';
import { now, query } from './query.ts';

const columns = [
  ...(['p.id', 'p.name', 'l.slug', 'p.description', 'p.metadata'] as const),
  ...(['p.createdAt', 'p.updatedAt', 'p.deletedAt'] as const),
] as const;

type Tenant = ProjectParent['tenant'];
type Link = { parentId: string; projectId: string; slug: string };

/** The pivot between parents and projects, in one form for both kinds of parents. */
function links(tenant: Tenant): AliasedSelectQueryBuilder<Link, 'l'> {
  return tenant === 'account'
    ? query.selectFrom('account_projects').select(['accountId as parentId', 'projectId', 'slug']).as('l')
    : query.selectFrom('organization_projects').select(['organizationId as parentId', 'projectId', 'slug']).as('l');
}

/** A statement for each kind of parent. */
function forBoth<Result>(make: (tenant: Tenant) => Result): Record<Tenant, Result> {
  return { account: make('account'), organization: make('organization') };
}

function livingProjects(tenant: Tenant) {
  return query.selectFrom(links(tenant)).innerJoin('projects as p', 'p.id', 'l.projectId').where('p.deletedAt', 'is', null);
}

type Key = { parentId: string; projectId: string };
const find = forBoth((tenant) =>
  statement(`projects_find_${tenant}`, (p: Params<Key>) =>
    livingProjects(tenant).where('l.parentId', '=', p.parentId).where('l.projectId', '=', p.projectId).select(columns),
  ),
);

/** Undefined if it does not exist, is deleted or has another parent. */
export function findProject(tx: Transaction, { tenant, id }: ProjectParent, projectId: string): Promise<Project | undefined> {
  return tx.one(find[tenant], { parentId: id, projectId });
}

type NewProject = {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  metadata: Record<string, unknown>;
  createdBy: string;
};
const insert = statement('projects_insert', (p: Params<NewProject>) =>
  query.insertInto('projects').values({ id: p.id, name: p.name, description: p.description, metadata: p.metadata, createdBy: p.createdBy }),
);

// The parent is locked against deletion, so that no project appears in a tenant that is being deleted.
const insertLink = {
  account: statement('projects_insert_link_account', (p: Params<Link>) =>
    query
      .insertInto('account_projects')
      .columns(['accountId', 'projectId', 'slug'])
      .expression((eb) =>
        eb
          .selectFrom('accounts')
          .where('id', '=', p.parentId)
          .where('deletedAt', 'is', null)
          .select(['id', sql`${p.projectId}`.as('projectId'), sql`${p.slug}`.as('slug')])
          .forShare(),
      )
      .onConflict((conflict) => conflict.constraint('account_projects_slug').doNothing())
      .returning('slug'),
  ),
  organization: statement('projects_insert_link_organization', (p: Params<Link>) =>
    query
      .insertInto('organization_projects')
      .columns(['organizationId', 'projectId', 'slug'])
      .expression((eb) =>
        eb
          .selectFrom('organizations')
          .where('id', '=', p.parentId)
          .where('deletedAt', 'is', null)
          .select(['id', sql`${p.projectId}`.as('projectId'), sql`${p.slug}`.as('slug')])
          .forShare(),
      )
      .onConflict((conflict) => conflict.constraint('organization_projects_slug').doNothing())
      .returning('slug'),
  ),
};

/** Takes the first free slug of the parent. Undefined if the parent does not exist or is deleted. */
export async function insertProject(tx: Transaction, parent: ProjectParent, project: NewProject): Promise<Project | undefined> {
  const { id } = project;
  await tx.execute(insert, project);
  for (const slug of slugCandidates(project.slug, id)) {
    if (await tx.one(insertLink[parent.tenant], { parentId: parent.id, projectId: id, slug })) return findProject(tx, parent, id);
  }
  return undefined;
}

export function pageProjects(tx: Transaction, { tenant, id }: ProjectParent, input: PageRequest) {
  return findPage(tx, {
    name: `projects_page_${tenant}`,
    from: livingProjects(tenant).where('l.parentId', '=', id),
    select: (rows) => rows.select(columns),
    search: ['p.name', 'l.slug', 'p.description'],
    sort: { fields: { name: 'p.name', slug: 'l.slug', createdAt: 'p.createdAt', updatedAt: 'p.updatedAt' }, default: 'name' },
    id: 'p.id',
    input,
  });
}

/** `description: null` removes it. A field that is left out keeps its value, and so does the slug. */
export type ProjectChanges = {
  name?: string | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, unknown> | undefined;
};
type Changes = Key & ProjectChanges & { hasDescription: boolean };
const update = forBoth((tenant) =>
  statement(`projects_update_${tenant}`, (p: Params<Required<Changes>>) =>
    query
      .updateTable('projects as p')
      .from(links(tenant))
      .set(({ fn, ref }) => ({
        name: fn.coalesce(p.name, ref('p.name')),
        description: sql<string | null>`case when ${p.hasDescription} then ${p.description} else ${ref('p.description')} end`,
        metadata: fn.coalesce(p.metadata, ref('p.metadata')),
        updatedAt: now,
      }))
      .where('l.parentId', '=', p.parentId)
      .where('l.projectId', '=', p.projectId)
      .whereRef('p.id', '=', 'l.projectId')
      .where('p.deletedAt', 'is', null)
      .returning(columns),
  ),
);

export function updateProject(tx: Transaction, { tenant, id }: ProjectParent, projectId: string, changes: ProjectChanges) {
  const { name, description, metadata } = changes;
  return tx.one(update[tenant], { parentId: id, projectId, name, description, metadata, hasDescription: description !== undefined });
}

const softDelete = forBoth((tenant) =>
  statement(`projects_soft_delete_${tenant}`, (p: Params<Key>) =>
    query
      .updateTable('projects as p')
      .from(links(tenant))
      .set({ deletedAt: now, updatedAt: now })
      .where('l.parentId', '=', p.parentId)
      .where('l.projectId', '=', p.projectId)
      .whereRef('p.id', '=', 'l.projectId')
      .where('p.deletedAt', 'is', null)
      .returning(columns),
  ),
);
const hardDelete = statement('projects_hard_delete', (p: Params<{ projectId: string }>) =>
  query.deleteFrom('projects').where('id', '=', p.projectId),
);

/** Undefined if the parent has no such project. */
export async function deleteProject(
  tx: Transaction,
  { tenant, id }: ProjectParent,
  projectId: string,
  hard: boolean,
): Promise<Project | undefined> {
  const project = await tx.one(softDelete[tenant], { parentId: id, projectId });
  if (project && hard) await tx.execute(hardDelete, { projectId });
  return project;
}

const ofParents = forBoth((tenant) =>
  statement(`projects_of_parents_${tenant}`, (p: Params<{ parentIds: readonly string[]; limit: number }>) =>
    livingProjects(tenant)
      .where('l.parentId', '=', ({ fn }) => fn.any(p.parentIds))
      .select(['l.parentId', ...columns])
      .orderBy('p.name')
      .orderBy('p.id')
      .limit(p.limit),
  ),
);

/** The projects of several parents of one kind. */
export function listProjectsOf(tx: Pick<Transaction, 'query'>, tenant: Tenant, parentIds: readonly string[], limit: number) {
  return tx.query(ofParents[tenant], { parentIds, limit });
}

function byIdsIn(tenant: Tenant, p: Params<{ ids: readonly string[] }>) {
  return livingProjects(tenant)
    .where('l.projectId', '=', ({ fn }) => fn.any(p.ids))
    .select([sql.lit(tenant).as('tenant'), 'l.parentId', ...columns]);
}
const byIds = statement('projects_by_ids', (p: Params<{ ids: readonly string[] }>) =>
  byIdsIn('account', p).unionAll(byIdsIn('organization', p)),
);

/** Runs as the owner, for GraphQL references whose parent is authorized. */
export function findProjects(db: Pick<Transaction, 'query'>, ids: readonly string[]) {
  return db.query(byIds, { ids });
}
