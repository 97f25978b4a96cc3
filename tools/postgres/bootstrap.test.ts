import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '../../test/support/database.ts';
import { databaseServices } from '../services.ts';
import { bootstrap, databaseUrl, loginUrl, withClient } from './bootstrap.ts';
import { startPostgres } from './server.ts';

/** Runs the statements one after the other on one connection; the rows of the last. */
function rowsOf(url: string, ...statements: readonly string[]) {
  return withClient(url, async (client) => {
    let rows: readonly Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  });
}
function refused(url: string, sql: string, code: string) {
  return expect(rowsOf(url, sql)).rejects.toMatchObject({ code });
}
const insufficientPrivilege = '42501';
const restrictedServices = ['tenancy', 'rbac', 'keys'] as const;

const database = await createTestDatabase();
for (const service of databaseServices) await rowsOf(database.urls[service], `CREATE TABLE secret AS SELECT 'of ${service}' AS text`);

describe('bootstrap', () => {
  afterAll(() => database.drop());

  test('repeating it changes nothing and keeps passwords', async () => {
    await bootstrap(database.adminUrl, database.name, {});
    await Promise.all([1, 2, 3].map(() => bootstrap(database.adminUrl, database.name, {})));
    expect(await rowsOf(database.urls.rbac, 'SELECT text FROM secret')).toStrictEqual([{ text: 'of rbac' }]);
  });

  test('a given password replaces the former one', async () => {
    const server = await startPostgres({ folder: mkdtempSync(join(tmpdir(), 'tessera-test-')), profile: 'fast', ephemeral: true });
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => server.stop());
    const login = (password: string) => rowsOf(loginUrl(server.adminUrl, 'tessera', 'identity', password), 'SELECT');
    await bootstrap(server.adminUrl, 'tessera', { identity: 'first' });
    await login('first');
    await bootstrap(server.adminUrl, 'tessera', { identity: "se'cond/:@" });
    await login("se'cond/:@");
    await expect(login('first')).rejects.toMatchObject({ code: '28P01' });
  });

  test('a login lands in its own schema', async () => {
    for (const service of databaseServices)
      expect(await rowsOf(database.urls[service], 'SELECT current_schema() AS schema')).toStrictEqual([{ schema: service }]);
  });

  test('no login reads, creates or looks up anything in the schema of another', async () => {
    for (const service of databaseServices)
      for (const other of databaseServices.filter((name) => name !== service)) {
        await refused(database.urls[service], `SELECT FROM ${other}.secret`, insufficientPrivilege);
        await refused(database.urls[service], `CREATE TABLE ${other}.intruder ()`, insufficientPrivilege);
        await refused(database.urls[service], `SET ROLE tessera_${other}`, insufficientPrivilege);
      }
  });

  test('no login creates schemas, temporary tables, roles or databases, or enters another database', async () => {
    for (const service of databaseServices) {
      const url = database.urls[service];
      await refused(url, 'CREATE SCHEMA mine', insufficientPrivilege);
      await refused(url, 'CREATE TEMPORARY TABLE mine ()', insufficientPrivilege);
      await refused(url, 'CREATE TABLE public.mine ()', insufficientPrivilege);
      await refused(url, 'CREATE ROLE mine', insufficientPrivilege);
      await refused(url, 'CREATE DATABASE mine', insufficientPrivilege);
      await refused(databaseUrl(url, 'postgres'), 'SELECT 1', insufficientPrivilege);
    }
  });

  test('a restricted role is switched to, never inherited, and sees only its own schema', async () => {
    for (const service of restrictedServices) {
      const url = database.urls[service];
      await rowsOf(url, 'CREATE TABLE granted ()', `GRANT SELECT ON granted TO tenant_app_restricted_${service}`);
      const asRestricted = (sql: string) => rowsOf(url, `SET ROLE tenant_app_restricted_${service}`, sql);
      await asRestricted(`SELECT FROM ${service}.granted`);
      await expect(asRestricted(`SELECT FROM ${service}.secret`)).rejects.toMatchObject({ code: insufficientPrivilege });
      for (const other of databaseServices.filter((name) => name !== service)) {
        await expect(asRestricted(`SELECT FROM ${other}.secret`)).rejects.toMatchObject({ code: insufficientPrivilege });
        await refused(url, `SET ROLE tenant_app_restricted_${other}`, other === 'identity' ? '22023' : insufficientPrivilege);
      }
    }
  });

  test('policies written for the common role hold for each restricted role, and none bypasses them', async () => {
    const url = database.urls.rbac;
    await rowsOf(
      url,
      'CREATE TABLE pivot (tenant text)',
      "INSERT INTO pivot VALUES ('a'), ('b')",
      'ALTER TABLE pivot ENABLE ROW LEVEL SECURITY',
      "CREATE POLICY own ON pivot TO tenant_app_restricted USING (tenant = current_setting('app.tenant', true))",
      'GRANT SELECT ON pivot TO tenant_app_restricted_rbac',
    );
    const seen = await rowsOf(url, "SET app.tenant = 'a'", 'SET ROLE tenant_app_restricted_rbac', 'SELECT tenant FROM pivot');
    expect(seen).toStrictEqual([{ tenant: 'a' }]);
    const bypassing = await rowsOf(
      database.adminUrl,
      "SELECT rolname FROM pg_roles WHERE rolname ~ '^(tessera_|tenant_app_)' AND (rolbypassrls OR rolsuper OR rolcreaterole OR rolcreatedb)",
    );
    expect(bypassing).toStrictEqual([]);
  });
});
