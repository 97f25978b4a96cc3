/** A year of audit rows of many tenants, inserted where each service keeps its part of them. */
import type pg from 'pg';

const services = ['identity', 'tenancy', 'rbac', 'keys'];
const rowsAtOnce = 250_000;
const tenants = 1_000;

/**
 * Twelve months, as after a year: a new database has one partition for all that was before. What is
 * there is sealed first, so that the job does not begin with the rows that follow.
 */
export async function makeMonths(admin: pg.ClientBase): Promise<void> {
  for (const service of services) {
    await admin.query(`SET search_path = ${service}`);
    await admin.query('SELECT seal_audit_log(5000)');
    for (const table of ['audit_log', 'audit_seals']) {
      await admin.query(`DROP TABLE ${table}_before`);
      for (let month = 12; month >= 1; month -= 1)
        await admin.query(
          `DO $$ BEGIN EXECUTE format('CREATE TABLE ${table}_ago_${month} PARTITION OF ${table} FOR VALUES FROM (%L) TO (%L)',
             date_trunc('month', now(), 'UTC') - ${month} * interval '1 month', date_trunc('month', now(), 'UTC') - ${month - 1} * interval '1 month'); END $$`,
        );
    }
  }
}

/**
 * So many rows more, a fourth of them in each service. Indexing at the end takes less time.
 * Vacuumed as after a year, so that autovacuum does not begin while pages are read.
 */
export async function addAuditRows(admin: pg.ClientBase, organizationId: string, count: number): Promise<void> {
  await admin.query(`SET maintenance_work_mem = '512MB'`);
  for (const service of services) {
    await admin.query(`SET search_path = ${service}`);
    const { rows: indexes } = await admin.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE schemaname = current_schema() AND tablename = 'audit_log' AND indexname NOT LIKE '%pkey'`,
    );
    for (const { name } of indexes) await admin.query(`DROP INDEX ${name}`);
    const own = Math.ceil(count / services.length);
    for (let done = 0; done < own; done += rowsAtOnce) await insert(admin, organizationId, Math.min(rowsAtOnce, own - done));
    for (const { definition } of indexes) await admin.query(definition.replace(' ON ONLY ', ' ON '));
    await admin.query('VACUUM (ANALYZE) audit_log');
  }
}

/** One row in ten is the measured tenant's, which is the largest; one in a thousand is refused. */
async function insert(admin: pg.ClientBase, organizationId: string, count: number): Promise<void> {
  await admin.query(
    `INSERT INTO audit_log (at, operation, action, outcome, actor_id, actor_type, scope_tenant, scope_id, target_type, target_id,
       ip_address, user_agent, request_id, detail, changes)
     SELECT now() - random() * interval '330 days', 'updateRole', 'thing' || n % 40 || '.updated', CASE WHEN n % 1000 = 0 THEN 'refused' ELSE 'ok' END,
       ('0190a000-0000-7000-8000-' || lpad(to_hex(t * 20 + n % 20), 12, '0'))::uuid, 'session', 'organization',
       CASE WHEN n % 10 = 0 THEN $1 ELSE '0190a000-0000-7000-8000-' || lpad(to_hex(t), 12, '0') END, 'Role',
       '0190a000-0000-7000-8000-' || lpad(to_hex(t * 500 + n % 500), 12, '0'), '203.0.113.9', 'Mozilla/5.0', md5(n::text), '{}',
       '[{"field": "name", "before": "Old", "after": "New"}]'
     FROM (SELECT n, (random() * ${tenants})::integer AS t FROM generate_series(1::bigint, $2::bigint) AS n) AS drawn`,
    [organizationId, count],
  );
}
