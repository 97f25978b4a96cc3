import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { query } from './query.ts';

const noName = sql<string | null>`null::text`;
const living = statement('scopes_living', (p: Params<{ parentIds: readonly string[]; projectIds: readonly string[] }>) =>
  query
    .selectFrom('accounts')
    .where('id', '=', ({ fn }) => fn.any(p.parentIds))
    .where('deletedAt', 'is', null)
    .select([sql.lit('account').as('tenant'), 'id as parentId', sql<string | null>`null::uuid`.as('projectId')])
    .select([noName.as('parentName'), noName.as('projectName')])
    .unionAll(
      query
        .selectFrom('organizations')
        .where('id', '=', ({ fn }) => fn.any(p.parentIds))
        .where('deletedAt', 'is', null)
        .select([sql.lit('organization').as('tenant'), 'id as parentId', sql<string | null>`null::uuid`.as('projectId')])
        .select(['name as parentName', noName.as('projectName')]),
    )
    .unionAll(
      query
        .selectFrom('account_projects as l')
        .innerJoin('projects as p', 'p.id', 'l.projectId')
        .innerJoin('accounts as a', 'a.id', 'l.accountId')
        .where('l.projectId', '=', ({ fn }) => fn.any(p.projectIds))
        .where('p.deletedAt', 'is', null)
        .where('a.deletedAt', 'is', null)
        .select([sql.lit('accountProject').as('tenant'), 'l.accountId as parentId', 'l.projectId'])
        .select([noName.as('parentName'), 'p.name as projectName']),
    )
    .unionAll(
      query
        .selectFrom('organization_projects as l')
        .innerJoin('projects as p', 'p.id', 'l.projectId')
        .innerJoin('organizations as o', 'o.id', 'l.organizationId')
        .where('l.projectId', '=', ({ fn }) => fn.any(p.projectIds))
        .where('p.deletedAt', 'is', null)
        .where('o.deletedAt', 'is', null)
        .select([sql.lit('organizationProject').as('tenant'), 'l.organizationId as parentId', 'l.projectId'])
        .select(['o.name as parentName', 'p.name as projectName']),
    ),
);

function keyOf(tenant: string, parentId: string, projectId: string | null | undefined): string {
  return [tenant, parentId, projectId ?? ''].join(' ').toLowerCase();
}

export type ScopeNames = { readonly organization: string | null; readonly project: string | null };
type Asked = readonly (ParsedScope | undefined)[];

/**
 * For each scope the names of its organization and project; undefined where it, its parent or the
 * bond between them is none that lives. In the order of `scopes`.
 */
export async function nameScopes(db: Pick<Transaction, 'query'>, scopes: Asked): Promise<(ScopeNames | undefined)[]> {
  const rows = await db.query(living, {
    parentIds: scopes.flatMap((scope) => scope?.accountId ?? scope?.organizationId ?? []),
    projectIds: scopes.flatMap((scope) => scope?.projectId ?? []),
  });
  const found = new Map(
    rows.map(({ tenant, parentId, projectId, parentName, projectName }) => [
      keyOf(tenant, parentId, projectId),
      { organization: parentName, project: projectName },
    ]),
  );
  return scopes.map((scope) => scope && found.get(keyOf(scope.tenant, scope.accountId ?? scope.organizationId ?? '', scope.projectId)));
}

/**
 * For each scope whether it exists: neither it nor its parent is deleted, and a project has this
 * parent. In the order of `scopes`.
 */
export async function scopesExist(db: Pick<Transaction, 'query'>, scopes: Asked): Promise<boolean[]> {
  return (await nameScopes(db, scopes)).map((names) => names !== undefined);
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
