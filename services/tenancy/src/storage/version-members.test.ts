/** Migration 006 runs while replicas of the previous version read and write. */

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { migrate } from '@tessera/kernel/migrations';
import { createDatabase, sql } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { until, waitingForMe } from '../../../../test/support/until.ts';

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
/** The migrations up to this number. */
function migrationsTo(last: string): string {
  const to = join(folder, last);
  cpSync(migrations, to, { recursive: true, filter: (path) => !/^\d{3}_/.test(basename(path)) || basename(path).slice(0, 3) <= last });
  return to;
}
function migrateTo(last: string) {
  return migrate({ url: testDatabase.urls.tenancy, schema: 'tenancy', folder: migrationsTo(last) });
}
const testDatabase = await createTestDatabase();
await migrateTo('005');
const db = createDatabase({ url: testDatabase.urls.tenancy, schema: 'tenancy', rlsEnabled: true });
afterAll(async () => {
  await db.close();
  await testDatabase.drop();
  rmSync(folder, { recursive: true });
});

test('migrations 006 and 007 wait for open transactions that write members and do not deadlock with them', async () => {
  const [organizationId, userId] = [newId(), newId()];
  await db.query(sql(`INSERT INTO organizations (id, name, slug, created_by) VALUES ($1, 'Acme', 'acme', $2)`), [organizationId, userId]);
  await db.query(sql(`INSERT INTO people (user_id, name, created_at, updated_at) VALUES ($1, 'Ada', now(), now())`), [userId]);
  let migrated: Promise<string[]> | undefined;
  await db.transaction(async (tx) => {
    await tx.execute(sql(`UPDATE organization_users SET name = 'Grace' WHERE user_id = $1`), [userId]);
    migrated = migrateTo('007');
    await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
    await tx.execute(
      sql(`INSERT INTO organization_users (organization_id, user_id, name, user_created_at, user_updated_at)
           VALUES ($1, $2, 'Ada', now(), now())`),
      [organizationId, userId],
    );
  });
  expect(await migrated).toStrictEqual(['006_version_members', '007_key_member_changes']);
  // The read and the folding of the previous version.
  await db.query(sql('INSERT INTO organization_user_changes (organization_id, change) VALUES ($1, 0)'), [organizationId]);
  const scope = parseScope({ tenant: 'organization', id: organizationId });
  const counted = await db.scoped(scope, (tx) => tx.one(sql('SELECT count FROM organization_user_count()')));
  expect(counted).toStrictEqual({ count: 1 });
});
