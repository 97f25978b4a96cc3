import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '../../../test/support/database.ts';
import { migrate } from '../migrations/index.ts';
import { createDatabase, type Database, type DatabaseOptions } from './index.ts';

/**
 * For the tests of this room: the schema rbac with the kernel's tables and whatever `migration`
 * makes.
 */
export async function createFixture(migration: string) {
  const test = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
  writeFileSync(join(folder, '001_fixture.sql'), migration);
  await migrate({ url: test.urls.rbac, schema: 'rbac', folder });
  rmSync(folder, { recursive: true });
  const opened: Database[] = [];
  const open = (options: Partial<DatabaseOptions> = {}): Database => {
    const db = createDatabase({
      url: test.urls.rbac,
      schema: 'rbac',
      restrictedRole: 'tenant_app_restricted',
      rlsEnabled: true,
      ...options,
    });
    opened.push(db);
    return db;
  };
  const close = async () => {
    await Promise.all(opened.map((db) => db.close()));
    await test.drop();
  };
  return { test, db: open(), open, close };
}
