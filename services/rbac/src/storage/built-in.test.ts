import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { createDatabase, sql } from '@tessera/kernel/postgres';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { until } from '../../../../test/support/until.ts';
import { builtInResources, machineRoles } from '../domain/catalogue.ts';
import { seedBuiltInResources, seedMachineRoles, seedOrganizationRoles } from './built-in.ts';

const replicas = 10;
const given = await createTestDatabase({ migrated: ['rbac'] });
const databases = Array.from({ length: replicas }, () =>
  createDatabase({ url: given.urls.rbac, schema: 'rbac', rlsEnabled: false, poolSize: 2 }),
);
const [first] = databases;
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await given.drop();
});

/**
 * All have read that rows are missing before the first of them can write. Then that one waits for
 * the table and the others for nothing: inserts of one row at once may fail, though rarely.
 */
async function startAtOnce(table: string, seed: typeof seedMachineRoles): Promise<readonly PromiseSettledResult<void>[]> {
  const [admin, watcher] = [await given.connect(), await given.connect()];
  await admin.query(`BEGIN; LOCK TABLE rbac.${table} IN SHARE MODE`);
  const starts = Promise.allSettled(databases.map((database) => seed(database)));
  const waiting = async () => {
    const text = `SELECT locktype FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    return (await watcher.query<{ locktype: string }>(text)).rows.map(({ locktype }) => locktype);
  };
  await until(async () => (await waiting()).length > 0);
  // Time for the others to look, and to look again.
  await sleep(500);
  expect(await waiting()).toStrictEqual(['relation']);
  await admin.query('COMMIT');
  return starts;
}
const allStarted = Array.from({ length: replicas }, () => ({ status: 'fulfilled', value: undefined }));

test('ten replicas that find a new database at once all start, and each built-in resource is there once', async () => {
  expect(await startAtOnce('resources', seedBuiltInResources)).toStrictEqual(allStarted);
  const rows = await first?.query<{ slug: string }>(sql('SELECT slug FROM resources ORDER BY slug COLLATE "C"'));
  expect(rows?.map(({ slug }) => slug)).toStrictEqual(Object.keys(builtInResources).toSorted());
});

test('ten replicas that find organizations without the role of machines at once all start, and write it once', async () => {
  const organizationIds = [newId(), newId()];
  for (const id of organizationIds) await first?.transaction((tx) => seedOrganizationRoles(tx, id));
  await first?.query(sql('DELETE FROM roles WHERE name = $1'), [machineRoles.organization]);
  expect(await startAtOnce('roles', seedMachineRoles)).toStrictEqual(allStarted);
  const count = sql('SELECT count(*) AS count FROM organization_roles o JOIN roles r ON r.id = o.role_id WHERE r.name = $1');
  expect(await first?.query(count, [machineRoles.organization])).toStrictEqual([{ count: organizationIds.length }]);
});
