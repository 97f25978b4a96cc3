/** Many people at once, inserted where each service keeps its part of them. */
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import type { Stack } from '../../../tools/stack/stack.ts';
import type { Tenant } from '../../support/load/tenant.ts';

/** `count` verified members with the Viewer's role. */
export function addMembers(
  { adminDatabaseUrl = '' }: Pick<Stack, 'adminDatabaseUrl'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  count: number,
): Promise<void> {
  return withClient(adminDatabaseUrl, async (client) => {
    await client.query(`CREATE TEMP TABLE crowd AS
      SELECT gen_random_uuid() AS id, (ARRAY['Ada','Grace','Alan','Barbara','Edsger','Niklaus','Tony','Frances'])[1 + i % 8] || ' ' ||
        (ARRAY['Lovelace','Hopper','Turing','Liskov','Dijkstra','Wirth','Hoare','Allen','Knuth','Hamilton','Kay'])[1 + i % 11] || ' ' || md5(i::text) AS name,
        md5(i || '${organizationId}') || '@example.com' AS email, now() - i * interval '1 second' AS at
      FROM generate_series(1, ${count}) i`);
    await client.query('BEGIN');
    await client.query('INSERT INTO identity.users (id, name, created_at, updated_at) SELECT id, name, at, at FROM crowd');
    await client.query(`INSERT INTO identity.authentication_methods (id, user_id, provider, provider_id, email, is_verified, is_primary, created_at, updated_at)
      SELECT gen_random_uuid(), id, 'email', email, email, true, true, at, at FROM crowd`);
    await client.query(
      'INSERT INTO tenancy.people (user_id, name, email, created_at, updated_at) SELECT id, name, email, at, at FROM crowd',
    );
    await client.query(
      `INSERT INTO tenancy.organization_users (organization_id, user_id, name, email, user_created_at, user_updated_at, joined_at)
       SELECT $1, id, name, email, at, at, at FROM crowd`,
      [organizationId],
    );
    await client.query(
      `INSERT INTO rbac.role_assignments (tenant, scope_id, user_id, role_id)
       SELECT 'organization', $1::text, crowd.id, r.id FROM crowd, rbac.organization_roles o JOIN rbac.roles r ON r.id = o.role_id
       WHERE o.organization_id = $1::uuid AND r.is_built_in AND r.name LIKE '%Viewer'`,
      [organizationId],
    );
    await client.query('COMMIT');
    await client.query('DROP TABLE crowd');
    // As autovacuum would do later: index-only scans need an up-to-date visibility map.
    await client.query(
      'VACUUM (ANALYZE) identity.users, identity.authentication_methods, tenancy.people, tenancy.organization_users, rbac.role_assignments',
    );
  });
}

/** Changes one of the organization's people, which invalidates the remembered counts. */
export function changeMember({ adminDatabaseUrl = '' }: Stack, { organizationId, owner }: Tenant): Promise<void> {
  return withClient(adminDatabaseUrl, async (client) => {
    await client.query(
      'UPDATE tenancy.organization_users SET user_updated_at = user_updated_at WHERE organization_id = $1 AND user_id = $2',
      [organizationId, owner.userId],
    );
  });
}

/** Adds `count` organizations to rbac, each with one Owner. Returns some of them. */
export function addOrganizations({ adminDatabaseUrl = '' }: Stack, count: number, wanted: number) {
  return withClient(adminDatabaseUrl, async (client): Promise<readonly { organizationId: string; userId: string }[]> => {
    await client.query(`CREATE TEMP TABLE more AS
      SELECT gen_random_uuid() AS id, gen_random_uuid() AS user_id, gen_random_uuid() AS role_id FROM generate_series(1, ${count})`);
    await client.query('BEGIN');
    await client.query(`INSERT INTO rbac.tenants (tenant, id, root_id) SELECT 'organization', id::text, id FROM more`);
    await client.query(`INSERT INTO rbac.roles (id, name, is_built_in, rank) SELECT role_id, 'Owner', true, 1 FROM more`);
    await client.query('INSERT INTO rbac.organization_roles SELECT id, role_id FROM more');
    await client.query(
      `INSERT INTO rbac.role_assignments (tenant, scope_id, user_id, role_id) SELECT 'organization', id::text, user_id, role_id FROM more`,
    );
    await client.query('COMMIT');
    await client.query('VACUUM (ANALYZE) rbac.tenants, rbac.roles, rbac.organization_roles, rbac.role_assignments');
    const { rows } = await client.query('SELECT id AS "organizationId", user_id AS "userId" FROM more ORDER BY random() LIMIT $1', [
      wanted,
    ]);
    await client.query('DROP TABLE more');
    return rows;
  });
}
