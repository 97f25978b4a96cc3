import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../test/support/database.ts';
import { createDatabase, sql } from '../postgres/index.ts';
import { migrate } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
const ofKernel = readdirSync(new URL('../../migrations', import.meta.url)).length;
function write(name: string, text: string) {
  return writeFileSync(join(folder, name), text);
}
function run() {
  return migrate({ url: testDatabase.urls.keys, schema: 'keys', folder });
}
const testDatabase = await createTestDatabase();
const db = createDatabase({ url: testDatabase.urls.keys, schema: 'keys', rlsEnabled: true });
afterAll(async () => {
  await db.close();
  await testDatabase.drop();
  rmSync(folder, { recursive: true });
});

describe('migrate', () => {
  test('applies each file once when replicas start together, the kernel’s first', async () => {
    write('001_first.sql', 'CREATE TABLE first (id uuid PRIMARY KEY REFERENCES inbox);');
    const applied = await Promise.all([run(), run(), run()]);
    expect(applied.map(({ length }) => length).toSorted()).toStrictEqual([0, 0, ofKernel + 1]);
    expect(applied.flat().at(-1)).toBe('001_first');
    expect(await run()).toStrictEqual([]);
  });

  test('applies only what is new, and all of a failed run not at all', async () => {
    write('002_second.sql', 'CREATE TABLE second (id uuid);');
    write('003_third.sql', 'CREATE TABLE third (id uuid); SELECT nonsense;');
    await expect(run()).rejects.toThrow(/nonsense/);
    expect(await db.query(sql(`SELECT to_regclass('second') AS second`))).toStrictEqual([{ second: null }]);
    write('003_third.sql', 'CREATE TABLE third (id uuid);');
    expect(await run()).toStrictEqual(['002_second', '003_third']);
  });

  test('refuses a file that comes before one that has run', async () => {
    write('000_late.sql', 'SELECT 1;');
    await expect(run()).rejects.toThrow(/[Oo]rder|preceding|must run before|run before/);
    rmSync(join(folder, '000_late.sql'));
  });

  test('adopts a database that node-pg-migrate has migrated, and runs nothing twice', async () => {
    const asBefore = (table: string) => `ALTER TABLE ${table} RENAME COLUMN executed_at TO run_on;
      ALTER TABLE ${table} ALTER COLUMN run_on DROP DEFAULT, ALTER COLUMN run_on TYPE timestamp, ALTER COLUMN run_on SET NOT NULL;`;
    for (const table of ['kernel_migrations', 'migrations'])
      for (const change of asBefore(table)
        .split(';')
        .filter((text) => text.trim() !== ''))
        await db.query(sql(change));
    expect(await run()).toStrictEqual([]);
    write('004_fourth.sql', 'CREATE TABLE fourth (id uuid);');
    expect(await run()).toStrictEqual(['004_fourth']);
    expect(await db.query(sql('SELECT name FROM migrations ORDER BY id'))).toStrictEqual([
      { name: '001_first' },
      { name: '002_second' },
      { name: '003_third' },
      { name: '004_fourth' },
    ]);
  });

  test('gives rights on the tables to the owner only, and to the scoped role with the change itself', async () => {
    write('005_rights.sql', 'REVOKE INSERT ON outbox, audit_log FROM tenant_app_restricted_keys;');
    await run();
    const rights = await db.query(
      sql(
        `SELECT table_name, grantee FROM information_schema.role_table_grants WHERE table_schema = 'keys' AND grantee <> 'tessera_keys' ORDER BY 1`,
      ),
    );
    expect(rights).toStrictEqual([
      { table_name: 'audit_log', grantee: 'tenant_app_restricted_keys' },
      { table_name: 'outbox', grantee: 'tenant_app_restricted_keys' },
    ]);
  });
});
