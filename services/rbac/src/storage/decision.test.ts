import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { Client } from 'pg';
import { createTestDatabase } from '../../../../test/support/database.ts';

test('a resource of a project that was called Decision does not become the built-in one', async () => {
  await using cleanup = new AsyncDisposableStack();
  const database = await createTestDatabase({ migrated: ['rbac'] });
  cleanup.defer(() => database.drop());
  const admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  cleanup.defer(() => admin.end());
  await admin.query('SET search_path TO rbac, public');
  const [id, projectId] = [newId(), newId()];
  await admin.query(`INSERT INTO resources (id, name, slug, actions) VALUES ($1, 'Decision', 'Decision', '{Evaluate}')`, [id]);
  await admin.query(`INSERT INTO project_resources (project_id, resource_id, slug) VALUES ($1, $2, 'Decision')`, [projectId, id]);
  await admin.query(readFileSync(new URL('../../migrations/008_decision.sql', import.meta.url), 'utf8'));
  const { rows } = await admin.query<{ id: string; slug: string; own: string | null }>(
    `SELECT r.id, r.slug, p.slug AS own FROM resources r LEFT JOIN project_resources p ON p.resource_id = r.id WHERE r.slug LIKE 'Decision%' ORDER BY r.slug`,
  );
  const renamed = `Decision-${id.slice(-12)}`;
  expect(rows).toStrictEqual([
    { id: builtInResourceId('Decision'), slug: 'Decision', own: null },
    { id, slug: renamed, own: renamed },
  ]);
});
