import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { query } from './query.ts';

const living = statement('scopes_living', (p: Params<{ parentIds: readonly string[]; projectIds: readonly string[] }>) =>
  query
    .selectFrom('accounts')
    .where('id', '=', ({ fn }) => fn.any(p.parentIds))
    .where('deletedAt', 'is', null)
    .select([sql.lit('account').as('tenant'), 'id as parentId', sql<string | null>`null::uuid`.as('projectId')])
    .unionAll(
      query
        .selectFrom('organizations')
        .where('id', '=', ({ fn }) => fn.any(p.parentIds))
        .where('deletedAt', 'is', null)
        .select([sql.lit('organization').as('tenant'), 'id as parentId', sql<string | null>`null::uuid`.as('projectId')]),
    )
    .unionAll(
      query
        .selectFrom('account_projects as l')
        .innerJoin('projects as p', 'p.id', 'l.projectId')
        .innerJoin('accounts as a', 'a.id', 'l.accountId')
        .where('l.projectId', '=', ({ fn }) => fn.any(p.projectIds))
        .where('p.deletedAt', 'is', null)
        .where('a.deletedAt', 'is', null)
        .select([sql.lit('accountProject').as('tenant'), 'l.accountId as parentId', 'l.projectId']),
    )
    .unionAll(
      query
        .selectFrom('organization_projects as l')
        .innerJoin('projects as p', 'p.id', 'l.projectId')
        .innerJoin('organizations as o', 'o.id', 'l.organizationId')
        .where('l.projectId', '=', ({ fn }) => fn.any(p.projectIds))
        .where('p.deletedAt', 'is', null)
        .where('o.deletedAt', 'is', null)
        .select([sql.lit('organizationProject').as('tenant'), 'l.organizationId as parentId', 'l.projectId']),
    ),
);

function keyOf(tenant: string, parentId: string, projectId: string | null | undefined): string {
  return [tenant, parentId, projectId ?? ''].join(' ').toLowerCase();
}

/**
 * For each scope whether it exists: neither it nor its parent is deleted, and a project has this
 * parent. In the order of `scopes`.
 */
export async function scopesExist(db: Pick<Transaction, 'query'>, scopes: readonly (ParsedScope | undefined)[]): Promise<boolean[]> {
  const rows = await db.query(living, {
    parentIds: scopes.flatMap((scope) => scope?.accountId ?? scope?.organizationId ?? []),
    projectIds: scopes.flatMap((scope) => scope?.projectId ?? []),
  });
  const found = new Set(rows.map(({ tenant, parentId, projectId }) => keyOf(tenant, parentId, projectId)));
  return scopes.map((scope) =>
    scope === undefined ? false : found.has(keyOf(scope.tenant, scope.accountId ?? scope.organizationId, scope.projectId)),
  );
}

const organizationsOf = statement('scopes_organizations_of', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('organization_users as m')
    .innerJoin('organizations as o', 'o.id', 'm.organizationId')
    .where('m.userId', '=', p.userId)
    .where('o.deletedAt', 'is', null)
    .select(['m.organizationId', 'o.name', 'o.slug', 'm.joinedAt'])
    .orderBy('m.joinedAt')
    .orderBy('m.organizationId'),
);
const projectsOf = statement('scopes_projects_of', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('project_users as u')
    .innerJoin('projects as p', 'p.id', 'u.projectId')
    .where('u.userId', '=', p.userId)
    .where('p.deletedAt', 'is', null)
    .select(['u.projectId', 'u.organizationId', 'u.accountId', 'p.name', 'u.joinedAt'])
    .orderBy('u.joinedAt')
    .orderBy('u.projectId'),
);

/** All memberships of a user, oldest first. Runs as the owner, because it reads all tenants. */
export async function listMemberships(db: Pick<Transaction, 'query'>, userId: string) {
  const [organizations, projects] = await Promise.all([db.query(organizationsOf, { userId }), db.query(projectsOf, { userId })]);
  return { organizations, projects };
}

export type ProjectMembership = Awaited<ReturnType<typeof listMemberships>>['projects'][number];
