import { statement, type Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, rootId, type Scope } from '@tessera/kernel/scope';
import type { Json } from '@tessera/rules/condition';

/** The way back from an action to those who may hold it: roles first, then their holders. */

/** `level`: whether the role is the account's or organization's, or the project's own. */
export type GivingRole = { readonly id: string; readonly name: string; readonly isBuiltIn: boolean; readonly level: 'root' | 'project' };

// Text, because three pivots are one list here. Each is filtered by its policy and by its own
// column.
const givingRoles = statement(
  'rbac_roles_giving_action',
  `SELECT r.id, r.name, r.is_built_in AS "isBuiltIn", placed.level
   FROM (
     SELECT role_id, 'root' AS level FROM account_roles WHERE account_id = $1::uuid
     UNION ALL SELECT role_id, 'root' FROM organization_roles WHERE organization_id = $2::uuid
     UNION ALL SELECT role_id, 'project' FROM project_roles WHERE project_id = $3::uuid
   ) AS placed
   JOIN roles r ON r.id = placed.role_id AND r.deleted_at IS NULL
   WHERE (r.is_built_in AND r.name = ANY ($4::text[])) OR (NOT r.is_built_in AND EXISTS (
     SELECT FROM role_groups rg
     JOIN groups g ON g.id = rg.group_id AND g.deleted_at IS NULL
     JOIN group_permissions gp ON gp.group_id = g.id
     JOIN permissions p ON p.id = gp.permission_id AND p.deleted_at IS NULL
     JOIN resources res ON res.id = p.resource_id AND res.deleted_at IS NULL AND res.is_active AND p.action = ANY (res.actions)
     WHERE rg.role_id = r.id AND res.slug = $5 AND p.action = $6))
   ORDER BY r.name, r.id`,
);

// The positions of the roles, as text: ten thousand arrays of ids cost more to read than the rest.
const holders = statement(
  'rbac_holders_by_user',
  `SELECT held.*, CASE WHEN om.metadata IS NULL THEN pm.metadata WHEN pm.metadata IS NULL THEN om.metadata
                       ELSE om.metadata || pm.metadata END AS "memberMetadata"
   FROM (
     SELECT a.user_id AS "userId", array_agg(asked.place)::text AS places
     FROM unnest($3::text[], $4::text[], $5::uuid[]) WITH ORDINALITY AS asked (tenant, scope_id, role_id, place)
     CROSS JOIN LATERAL (
       SELECT a.user_id FROM role_assignments a
       WHERE NOT EXISTS (SELECT FROM organization_member_metadata x WHERE x.organization_id = $7::uuid AND x.user_id = a.user_id
                           AND x.blocked_at IS NOT NULL)
         AND NOT EXISTS (SELECT FROM blocked_people b WHERE b.user_id = a.user_id)
         AND a.role_id = asked.role_id AND a.user_id > $1::uuid AND a.tenant = asked.tenant AND a.scope_id = asked.scope_id AND a.subject_type = 'user'
       ORDER BY a.user_id LIMIT $2
     ) AS a
     GROUP BY a.user_id ORDER BY a.user_id LIMIT $2
   ) AS held
   LEFT JOIN organization_member_metadata om ON $6::boolean AND om.organization_id = $7::uuid AND om.user_id = held."userId"
   LEFT JOIN project_member_metadata pm ON $6::boolean AND pm.project_id = $8::uuid AND pm.user_id = held."userId"
   ORDER BY held."userId"`,
);

type Action = { readonly resource: string; readonly action: string };

/** Roles of the scope, and of what it lies in, that give the action, under a condition or none. */
export function listGivingRoles(
  tx: Transaction,
  scope: ParsedScope,
  { resource, action }: Action,
  builtIn: readonly string[],
): Promise<GivingRole[]> {
  const { accountId, organizationId, projectId } = scope;
  return tx.query<GivingRole>(givingRoles, [accountId ?? null, organizationId ?? null, projectId ?? null, builtIn, resource, action]);
}

/**
 * A user with the positions of the roles that they hold, as in `{1,3}`. `memberMetadata` is that of
 * a decision, the project's over the organization's; null without any, and unless asked for.
 */
export type Holder = { readonly userId: string; readonly places: string; readonly memberMetadata: Json };

type HolderPage = { readonly after: string; readonly limit: number; readonly readsMember: boolean };

/** The roles that a holder's `places` stand for. */
export function rolesAt<Role>(roles: readonly Role[], places: string): Role[] {
  return places
    .slice(1, -1)
    .split(',')
    .flatMap((place) => roles[Number(place) - 1] ?? []);
}

/** Users who hold one of the roles in its own scope, by id. */
export function listHoldersOfRoles(
  tx: Transaction,
  scope: ParsedScope,
  roles: readonly Pick<GivingRole, 'id' | 'level'>[],
  { after, limit, readsMember }: HolderPage,
): Promise<Holder[]> {
  const root: Scope = { tenant: scope.accountId === undefined ? 'organization' : 'account', id: rootId(scope) };
  const placed = roles.map(({ level }) => (level === 'root' ? root : scope));
  const [tenants, ids] = [placed.map(({ tenant }) => tenant), placed.map(({ id }) => id)];
  const { organizationId, grant } = scope;
  // What is recorded of the owner’s people is not the customer’s to search by.
  const projectId = grant === undefined ? scope.projectId : undefined;
  const roleIds = roles.map(({ id }) => id);
  return tx.query<Holder>(holders, [after, limit, tenants, ids, roleIds, readsMember, organizationId ?? null, projectId ?? null]);
}
