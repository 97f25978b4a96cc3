/** Subjects with few and with many rights in the bench's project, inserted at once. */
import { randomUUID } from 'node:crypto';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import type { Bench } from './bench.ts';

export type Holder = { readonly userId: string; readonly resource: string; readonly actions: readonly string[] };
export type HolderSize = { readonly roles: number; readonly groups: number; readonly permissions: number; readonly condition?: object };

const actionsPerResource = 50;

/** Creates resources, permissions, groups and roles, linked evenly up to the subject. */
export async function createHolder({ stack, tenant }: Bench, { roles, groups, permissions, condition }: HolderSize): Promise<Holder> {
  const userId = randomUUID();
  const slug = `thing-${userId.slice(0, 8)}`;
  const { organizationId, projectId } = tenant;
  const actions = Array.from({ length: Math.min(permissions, actionsPerResource) }, (_, index) => `do${index}`);
  const resources = Math.ceil(permissions / actionsPerResource);
  await withClient(stack.adminDatabaseUrl ?? '', async (client) => {
    await client.query('SET search_path = rbac');
    await client.query('BEGIN');
    await client.query(
      `CREATE TEMP TABLE r ON COMMIT DROP AS SELECT i, gen_random_uuid() AS id FROM generate_series(0, ${roles - 1}) i;
       CREATE TEMP TABLE g ON COMMIT DROP AS SELECT i, gen_random_uuid() AS id FROM generate_series(0, ${groups - 1}) i;
       CREATE TEMP TABLE p ON COMMIT DROP AS SELECT i, gen_random_uuid() AS id FROM generate_series(0, ${permissions - 1}) i;
       CREATE TEMP TABLE s ON COMMIT DROP AS SELECT i, gen_random_uuid() AS id FROM generate_series(0, ${resources - 1}) i;`,
    );
    await client.query(`INSERT INTO resources (id, name, slug, actions) SELECT id, $1 || i, $1 || '-' || i, $2 FROM s`, [slug, actions]);
    await client.query(`INSERT INTO project_resources SELECT $1, id, $2 || '-' || i FROM s`, [projectId, slug]);
    await client.query(
      `INSERT INTO permissions (id, name, resource_id, action, condition)
       SELECT p.id, 'p' || p.i, s.id, 'do' || (p.i % ${actionsPerResource}), $1::jsonb FROM p JOIN s ON s.i = p.i / ${actionsPerResource}`,
      [condition === undefined ? null : JSON.stringify(condition)],
    );
    await client.query(`INSERT INTO project_permissions SELECT $1, id FROM p`, [projectId]);
    await client.query(`INSERT INTO groups (id, name) SELECT id, 'g' || i FROM g`);
    await client.query(`INSERT INTO project_groups SELECT $1, id FROM g`, [projectId]);
    await client.query(`INSERT INTO roles (id, name) SELECT id, 'r' || i FROM r`);
    await client.query(`INSERT INTO project_roles SELECT $1, id FROM r`, [projectId]);
    await client.query(`INSERT INTO group_permissions SELECT g.id, p.id FROM p JOIN g ON g.i = p.i % ${groups}`);
    await client.query(`INSERT INTO role_groups SELECT r.id, g.id FROM g JOIN r ON r.i = g.i % ${roles}`);
    await client.query(
      `INSERT INTO role_assignments (tenant, scope_id, user_id, role_id) SELECT 'organizationProject', $1, $2, id FROM r`,
      [`${organizationId}:${projectId}`, userId],
    );
    await client.query('COMMIT');
  });
  return { userId, resource: `${slug}-0`, actions };
}
