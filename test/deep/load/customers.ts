/** Organizations that use the bench's project, inserted where each service keeps its part. */
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import type { Bench } from './bench.ts';

export type Customer = { readonly scopeId: string; readonly userId: string };

/** Adds `count` customers with an active grant, each with one person who has the role in it. */
export function addCustomers({ stack, tenant }: Bench, roleId: string, count: number): Promise<readonly Customer[]> {
  const { organizationId, projectId, owner } = tenant;
  return withClient(stack.adminDatabaseUrl ?? '', async (client) => {
    await client.query(`CREATE TEMP TABLE more AS SELECT i, gen_random_uuid() AS id, gen_random_uuid() AS user_id, gen_random_uuid() AS grant_id,
      gen_random_uuid() AS place_id FROM generate_series(1, ${count}) i`);
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO tenancy.organizations (id, name, slug, created_by) SELECT id, 'Customer ' || i, 'customer-' || id, user_id FROM more`,
    );
    await client.query(
      `INSERT INTO tenancy.project_grants (id, project_id, owner_organization_id, organization_id, status, created_by, created_at, accepted_at)
       SELECT grant_id, $1, $2, id, 'active', $3, now() - i * interval '1 second', now() FROM more`,
      [projectId, organizationId, owner.userId],
    );
    await client.query(`INSERT INTO rbac.tenants (tenant, id, root_id) SELECT 'organization', id::text, id FROM more`);
    await client.query(
      `INSERT INTO rbac.tenants (tenant, id, root_id, product_id, place_id)
       SELECT 'organizationProject', id || ':' || $1::text, id, $2::text || ':' || $1::text, place_id FROM more`,
      [projectId, organizationId],
    );
    await client.query(
      `INSERT INTO rbac.project_grants (place_id, scope_id, grant_id, organization_id, owner_organization_id, project_id, is_active, is_ended,
         allow_custom_roles, metadata)
       SELECT place_id, id || ':' || $1::text, grant_id, id, $2::uuid, $1::uuid, true, false, true, '{}' FROM more`,
      [projectId, organizationId],
    );
    await client.query(
      `INSERT INTO rbac.role_assignments (tenant, scope_id, user_id, role_id)
       SELECT 'organizationProject', id || ':' || $1::text, user_id, $2::uuid FROM more`,
      [projectId, roleId],
    );
    await client.query('COMMIT');
    await client.query(
      'VACUUM (ANALYZE) tenancy.organizations, tenancy.project_grants, rbac.tenants, rbac.project_grants, rbac.role_assignments',
    );
    const { rows } = await client.query<Customer>(`SELECT id || ':' || $1::text AS "scopeId", user_id AS "userId" FROM more`, [projectId]);
    await client.query('DROP TABLE more');
    return rows;
  });
}
