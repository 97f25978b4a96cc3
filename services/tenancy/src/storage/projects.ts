import { type PageRequest, type Params, pageList, statement, type Transaction } from '@tessera/kernel/postgres';
import { type AliasedSelectQueryBuilder, sql } from 'kysely';
import type { Project, ProjectParent } from '../domain/project.ts';
import { slugCandidates } from '../domain/slug.ts';
import { changedNow, now, query } from './query.ts';

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

function living(tenant: Tenant) {
  return query.selectFrom(links(tenant)).innerJoin('projects as p', 'p.id', 'l.projectId').where('p.deletedAt', 'is', null);
}

const find = forBoth((tenant) =>
  statement(`projects_find_${tenant}`, (p: Params<{ parentId: string; projectId: string }>) =>
    living(tenant).where('l.parentId', '=', p.parentId).where('l.projectId', '=', p.projectId).select(columns),
  ),
);

/** Undefined if it does not exist, is deleted or has another parent. */
export function findProject(tx: Transaction, { tenant, id }: ProjectParent, projectId: string): Promise<Project | undefined> {
  return tx.one(find[tenant], { parentId: id, projectId });
}

/** The same, locked until the commit. */
export function lockProject(tx: Transaction, { tenant, id }: ProjectParent, projectId: string): Promise<Project | undefined> {
  return tx.one(living(tenant).where('l.parentId', '=', id).where('p.id', '=', projectId).select(columns).forUpdate('p'));
}

/** All of an organization, in one order, until the commit. */
export async function lockProjectsOf(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query(living('organization').where('l.parentId', '=', organizationId).orderBy('p.id').select('p.id').forUpdate('p'));
}

/**
 * Undefined if the slug is taken or the parent does not exist. Locks the parent, so that no project
 * appears in a deleted tenant.
 */
function insertLink(tx: Transaction, { tenant, id }: ProjectParent, projectId: string, slug: string) {
  const values = [sql`${projectId}::uuid`.as('projectId'), sql`${slug}`.as('slug')];
  return tenant === 'account'
    ? tx.one(
        query
          .insertInto('account_projects')
          .columns(['accountId', 'projectId', 'slug'])
          .expression(({ selectFrom }) =>
            selectFrom('accounts').where('id', '=', id).where('deletedAt', 'is', null).select('id').select(values).forShare(),
          )
          .onConflict((conflict) => conflict.constraint('account_projects_slug').doNothing())
          .returning('slug'),
      )
    : tx.one(
        query
          .insertInto('organization_projects')
          .columns(['organizationId', 'projectId', 'slug'])
          .expression(({ selectFrom }) =>
            selectFrom('organizations').where('id', '=', id).where('deletedAt', 'is', null).select('id').select(values).forShare(),
          )
          .onConflict((conflict) => conflict.constraint('organization_projects_slug').doNothing())
          .returning('slug'),
      );
}

type NewProject = {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  metadata: Record<string, unknown>;
  createdBy: string;
};

/**
 * Takes the first free slug of the parent. Undefined if the parent does not exist or is deleted.
 */
export async function insertProject(tx: Transaction, parent: ProjectParent, project: NewProject): Promise<Project | undefined> {
  const { slug: firstSlug, ...row } = project;
  await tx.execute(query.insertInto('projects').values(row));
  for (const slug of slugCandidates(firstSlug, row.id)) {
    if (await insertLink(tx, parent, row.id, slug)) return findProject(tx, parent, row.id);
  }
  return undefined;
}

function listOf(tenant: Tenant) {
  return pageList((p: Params<{ parentId: string }>) => {
    const from = living(tenant).where('l.parentId', '=', p.parentId);
    return {
      name: `projects_page_${tenant}`,
      from,
      select: (rows: typeof from) => rows.select(columns),
      search: ['p.name', 'l.slug', 'p.description'],
      sort: { fields: { name: 'p.name', slug: 'l.slug', createdAt: 'p.createdAt', updatedAt: 'p.updatedAt' }, default: 'name' },
      id: 'p.id',
    };
  });
}
const lists = { account: listOf('account'), organization: listOf('organization') };

export function pageProjects(tx: Transaction, { tenant, id }: ProjectParent, input: PageRequest) {
  return lists[tenant](tx, { parentId: id }, input);
}

type Changes = {
  name?: string | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, unknown> | undefined;
  deletedAt?: typeof now;
};

/**
 * `description: null` removes it. A field that is left out keeps its value, and so does the slug.
 */
export function updateProject(
  tx: Transaction,
  { tenant, id }: ProjectParent,
  projectId: string,
  changes: Changes,
): Promise<Project | undefined> {
  return tx.one(
    query
      .updateTable('projects as p')
      .from(links(tenant))
      .set({ ...changes, updatedAt: changedNow })
      .where('l.parentId', '=', id)
      .where('l.projectId', '=', projectId)
      .whereRef('p.id', '=', 'l.projectId')
      .where('p.deletedAt', 'is', null)
      .returning(columns),
  );
}

/** Undefined if the parent has no such project. */
export async function deleteProject(
  tx: Transaction,
  parent: ProjectParent,
  projectId: string,
  hard: boolean,
): Promise<Project | undefined> {
  const project = await updateProject(tx, parent, projectId, { deletedAt: now });
  if (project && hard) await tx.execute(query.deleteFrom('projects').where('id', '=', projectId));
  return project;
}

/** Deletes all projects of these parents. Returns those that were not deleted before. */
export async function deleteProjectsOf(tx: Transaction, tenant: Tenant, parentIds: readonly string[], hard: boolean) {
  const deleted = await tx.query(
    query
      .updateTable('projects as p')
      .from(links(tenant))
      .set({ deletedAt: now, updatedAt: now })
      .where('l.parentId', 'in', parentIds)
      .whereRef('p.id', '=', 'l.projectId')
      .where('p.deletedAt', 'is', null)
      .returning(['p.id', 'l.parentId']),
  );
  if (hard)
    await tx.execute(
      query.deleteFrom('projects as p').using(links(tenant)).where('l.parentId', 'in', parentIds).whereRef('p.id', '=', 'l.projectId'),
    );
  return deleted;
}

const ofParents = forBoth((tenant) =>
  statement(`projects_of_parents_${tenant}`, (p: Params<{ parentIds: readonly string[]; limit: number }>) =>
    living(tenant)
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

const idsOfOrganization = statement('projects_ids_of_organization', (p: Params<{ id: string }>) =>
  living('organization').where('l.parentId', '=', p.id).select('p.id'),
);

/** The ids of all projects of an organization. */
export async function listProjectIds(tx: Pick<Transaction, 'query'>, organizationId: string): Promise<string[]> {
  return (await tx.query(idsOfOrganization, { id: organizationId })).map(({ id }) => id);
}

function byIdsIn(tenant: Tenant, p: Params<{ ids: readonly string[] }>) {
  return living(tenant)
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

const nameById = statement('projects_name', (p: Params<{ id: string }>) =>
  query.selectFrom('projects').where('id', '=', p.id).select('name'),
);

/** The name of a project that a grant names: its customer sees it too. */
export async function nameOfProject(tx: Transaction, id: string): Promise<string> {
  return (await tx.one(nameById, { id }))?.name ?? '';
}
