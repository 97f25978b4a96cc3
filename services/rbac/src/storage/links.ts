import { type Statement, statement, type Transaction } from '@tessera/kernel/postgres';
import type { GivenAction } from '../domain/escalation.ts';

/** Which groups a role has, which permissions a group has. The callers have checked that both sides are the scope's. */
type Link = { readonly clear: Statement; readonly add: Statement; readonly list: Statement };

function link(name: string, table: string, owner: string, member: string): Link {
  return {
    clear: statement(`rbac_clear_${name}`, `DELETE FROM ${table} WHERE ${owner} = $1 AND ${member} <> ALL ($2::uuid[])`),
    add: statement(`rbac_add_${name}`, `INSERT INTO ${table} (${owner}, ${member}) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING`),
    list: statement(`rbac_list_${name}`, `SELECT ${member} AS id FROM ${table} WHERE ${owner} = $1`),
  };
}

export const roleGroups = link('role_groups', 'role_groups', 'role_id', 'group_id');
export const groupPermissions = link('group_permissions', 'group_permissions', 'group_id', 'permission_id');

export async function replaceLinks(tx: Transaction, { clear, add }: Link, ownerId: string, memberIds: readonly string[]): Promise<void> {
  await tx.execute(clear, [ownerId, memberIds]);
  if (memberIds.length > 0) await tx.execute(add, [ownerId, memberIds]);
}

export async function listLinks(tx: Transaction, { list }: Link, ownerId: string): Promise<string[]> {
  return (await tx.query<{ id: string }>(list, [ownerId])).map(({ id }) => id);
}

const live = `JOIN permissions p ON p.id = gp.permission_id AND p.deleted_at IS NULL JOIN resources res ON res.id = p.resource_id AND res.deleted_at IS NULL`;
const given = `res.slug AS resource, p.action, p.condition`;

const actionsOfGroups = statement(
  'rbac_actions_of_groups',
  `SELECT DISTINCT ON (p.id) ${given} FROM group_permissions gp ${live} WHERE gp.group_id = ANY ($1::uuid[])`,
);
const actionsOfRoles = statement(
  'rbac_actions_of_roles',
  `SELECT rg.role_id AS "roleId", ${given} FROM role_groups rg JOIN groups g ON g.id = rg.group_id AND g.deleted_at IS NULL
   JOIN group_permissions gp ON gp.group_id = g.id ${live} WHERE rg.role_id = ANY ($1::uuid[])`,
);
const actionsOfPermissions = statement(
  'rbac_actions_of_permissions',
  `SELECT ${given} FROM permissions p JOIN resources res ON res.id = p.resource_id WHERE p.id = ANY ($1::uuid[])`,
);
const isInAGroup = statement('rbac_permission_in_a_group', 'SELECT 1 AS found FROM group_permissions WHERE permission_id = $1 LIMIT 1');

/** What these groups, roles or permissions give, for the rule that nobody gives what they do not hold. */
export function listActionsOfGroups(tx: Transaction, groupIds: readonly string[]): Promise<GivenAction[]> {
  return groupIds.length === 0 ? Promise.resolve([]) : tx.query<GivenAction>(actionsOfGroups, [groupIds]);
}
export function listActionsOfRoles(tx: Transaction, roleIds: readonly string[]): Promise<(GivenAction & { roleId: string })[]> {
  return roleIds.length === 0 ? Promise.resolve([]) : tx.query<GivenAction & { roleId: string }>(actionsOfRoles, [roleIds]);
}
export function listActionsOfPermissions(tx: Transaction, permissionIds: readonly string[]): Promise<GivenAction[]> {
  return permissionIds.length === 0 ? Promise.resolve([]) : tx.query<GivenAction>(actionsOfPermissions, [permissionIds]);
}
export async function isPermissionInUse(tx: Transaction, permissionId: string): Promise<boolean> {
  return (await tx.one(isInAGroup, [permissionId])) !== undefined;
}

const buryPermissions = statement(
  'rbac_bury_permissions_of_resource',
  'UPDATE permissions SET deleted_at = now(), updated_at = now() WHERE resource_id = $1 AND deleted_at IS NULL',
);
/** A resource that goes softly takes its permissions along. */
export function buryPermissionsOf(tx: Transaction, resourceId: string): Promise<number> {
  return tx.execute(buryPermissions, [resourceId]);
}

const freeSlugOf = statement('rbac_free_slug', 'UPDATE project_resources SET slug = NULL WHERE project_id = $1 AND resource_id = $2');
const renameSlugOf = statement('rbac_rename_slug', 'UPDATE project_resources SET slug = $3 WHERE project_id = $1 AND resource_id = $2');
const takenSlugs = statement(
  'rbac_taken_slugs',
  `SELECT slug FROM project_resources WHERE project_id = $1 AND (slug = $2 OR starts_with(slug, $2 || '-'))
   UNION ALL SELECT slug FROM resources WHERE is_built_in AND slug = $2`,
);
export function freeSlug(tx: Transaction, projectId: string, resourceId: string): Promise<number> {
  return tx.execute(freeSlugOf, [projectId, resourceId]);
}
/** Throws a unique violation when the project has the slug already. */
export function renameSlug(tx: Transaction, projectId: string, resourceId: string, slug: string): Promise<number> {
  return tx.execute(renameSlugOf, [projectId, resourceId, slug]);
}
export async function listTakenSlugs(tx: Transaction, projectId: string, slug: string): Promise<string[]> {
  return (await tx.query<{ slug: string }>(takenSlugs, [projectId, slug])).map((row) => row.slug);
}
