import { column, pivot, references, table } from '@tessera/kernel/postgres';
import { bytes, dates, metadata, name, personFields } from './fields.ts';
import { organizations } from './organizations.ts';
import { accounts, people } from './people.ts';

export const projects = table('projects', {
  id: column.uuid().primary(),
  name: name(),
  description: column.text().nullable(),
  metadata: metadata(),
  createdBy: column.uuid(),
  ...dates(),
});

/**
 * A tenant sees all of its projects, the scope of a project only that one: as
 * `isolate_project_pivot` in migration 002.
 */
function ownProjects(tenant: string): string {
  return `${tenant} = nullif(current_setting('app.current_${tenant}', true), '')::uuid AND project_id = coalesce(nullif(current_setting('app.current_project_id', true), '')::uuid, project_id)`;
}

export const organizationProjects = pivot(
  'organization_projects',
  { organizationId: references(organizations), projectId: references(projects).primary(), slug: bytes() },
  {
    tenant: { rows: ownProjects('organization_id') },
    uniques: [{ name: 'organization_projects_slug', properties: ['organizationId', 'slug'] }],
  },
);

export const accountProjects = pivot(
  'account_projects',
  { accountId: references(accounts), projectId: references(projects).primary(), slug: bytes() },
  { tenant: { rows: ownProjects('account_id') }, uniques: [{ name: 'account_projects_slug', properties: ['accountId', 'slug'] }] },
);

// As in migration 005, with the alias that Postgres adds. A subquery reads each setting once for a
// statement.
export const parentOfScope = `(SELECT nullif(coalesce(nullif(current_setting('app.current_organization_id', true), ''), current_setting('app.current_account_id', true)), '')::uuid AS "nullif")`;
export const projectOfScope = `(SELECT nullif(current_setting('app.current_project_id', true), '')::uuid AS "nullif")`;

/**
 * The people of a project. It belongs to an organization or to an account: `parentId` is the one
 * that is set.
 */
export const projectUsers = pivot(
  'project_users',
  {
    projectId: references(projects).primary(),
    userId: references(people).deleteRule('no action').primary(),
    organizationId: references(organizations).nullable(),
    accountId: references(accounts).nullable(),
    parentId: column.uuid().nullable().generated('coalesce(organization_id, account_id) stored'),
    ...personFields(),
  },
  {
    tenant: { rows: `parent_id = ${parentOfScope} AND (${projectOfScope} IS NULL OR project_id = ${projectOfScope})` },
    indexes: [
      { name: 'project_users_user', properties: ['userId'] },
      { name: 'project_users_parent', properties: ['parentId', 'projectId'] },
      { name: 'project_users_ordered_name', properties: ['projectId', 'name', 'userId'], include: ['search', 'parentId'] },
      { name: 'project_users_ordered_email', properties: ['projectId', 'email', 'userId'], include: ['search', 'parentId'] },
      { name: 'project_users_ordered_created', properties: ['projectId', 'userCreatedAt', 'userId'], include: ['search', 'parentId'] },
      { name: 'project_users_ordered_updated', properties: ['projectId', 'userUpdatedAt', 'userId'], include: ['search', 'parentId'] },
    ],
    checks: [{ name: 'project_users_check', expression: 'num_nonnulls(organization_id, account_id) = 1' }],
  },
);
