import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../../test/support/database.ts';
import { verifyChains } from './chain.ts';

const database = await createTestDatabase({ migrated: ['identity', 'tenancy', 'rbac', 'keys'] });
const admin = await database.connect();
afterAll(() => database.drop());
await admin.query('SET search_path = tenancy');

const organizations = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'];

/** As the service: rows of two tenants and of none, a second apart, from an hour ago on. */
async function write(count: number, from = '1 hour'): Promise<void> {
  await admin.query(
    `INSERT INTO audit_log (at, operation, action, outcome, scope_tenant, scope_id, detail)
     SELECT now() - $1::interval + n * interval '1 second', 'o', 'a' || n, 'ok', CASE WHEN n % 3 > 0 THEN 'organization' END,
       CASE n % 3 WHEN 1 THEN $2 WHEN 2 THEN $3 || ':0190a000-0000-7000-8000-0000000000ff' END, jsonb_build_object('n', n)
     FROM generate_series(1, $4::integer) AS n`,
    [from, ...organizations, count],
  );
}
async function seal(most = 5_000): Promise<number> {
  return (await admin.query('SELECT seal_audit_log($1) AS sealed', [most])).rows[0].sealed;
}
const faults = async () => (await verifyChains(admin)).faults;

beforeEach(() => admin.query('TRUNCATE audit_log, audit_seals, audit_chains'));

describe('sealing', () => {
  test('gives every row one link in the chain of its tenant, in portions', async () => {
    await write(30);
    expect([await seal(20), await seal(20), await seal(20)]).toStrictEqual([20, 10, 0]);
    const { rows, heads, faults } = await verifyChains(admin);
    expect([rows, heads.map(({ chain, position }) => [chain, position]), faults]).toStrictEqual([
      30,
      [
        ['', '10'],
        [organizations[0], '10'],
        [organizations[1], '10'],
      ],
      [],
    ]);
  });

  test('by several replicas at once seals each row once', async () => {
    await write(300);
    const clients = await Promise.all(Array.from({ length: 4 }, () => database.connect()));
    const counts = await Promise.all(
      clients.map(async (client) => {
        await client.query('SET search_path = tenancy');
        let sealed = 0;
        for (let round = 0; round < 5; round += 1) sealed += (await client.query('SELECT seal_audit_log(50) AS sealed')).rows[0].sealed;
        return sealed;
      }),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(300);
    expect(await faults()).toStrictEqual([]);
  });

  test('that dies before its commit has sealed nothing, and the next one seals all', async () => {
    await write(30);
    await admin.query('BEGIN');
    expect(await seal()).toBe(30);
    await admin.query('ROLLBACK');
    expect(await seal()).toBe(30);
    expect(await faults()).toStrictEqual([]);
  });

  test('finds a row whose transaction ended after a later row was sealed', async () => {
    await write(30, '5 minutes');
    const late = await database.connect();
    await late.query('SET search_path = tenancy');
    await late.query('BEGIN');
    await late.query(`INSERT INTO audit_log (at, operation, action, outcome) VALUES (now() - interval '5 minutes', 'o', 'late', 'ok')`);
    expect(await seal()).toBe(30);
    await late.query('COMMIT');
    expect(await seal()).toBe(1);
    expect(await faults()).toStrictEqual([]);
  });
});

describe('sealing by a clock that moves', () => {
  test('goes on after it was set back: what it sealed in the future stays sealed, and new rows follow', async () => {
    await write(3, '1 minute');
    expect(await seal()).toBe(3);
    // As if the three had been written and sealed by a clock that was a day fast.
    for (const table of ['audit_log', 'audit_seals']) await admin.query(`UPDATE ${table} SET at = at + interval '1 day'`);
    await write(3, '1 minute');
    expect([await seal(), await seal()]).toStrictEqual([3, 0]);
  });

  test('takes rows on both sides of a month’s end, in order, with the partitions of a clock that is ahead', async () => {
    await admin.query(`SELECT keep_audit_partitions(36500, now() + interval '40 days')`);
    await admin.query(
      `INSERT INTO audit_log (at, operation, action, outcome, scope_tenant, scope_id)
       SELECT date_trunc('month', now(), 'UTC') + n * interval '1 microsecond', 'o', 'a' || n, 'ok', 'organization', $1 FROM generate_series(-3, 3) AS n`,
      [organizations[0]],
    );
    expect([await seal(4), await seal(4), await seal(4)]).toStrictEqual([4, 3, 0]);
    const { rows } = await admin.query('SELECT action FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id ORDER BY position');
    expect(rows.map(({ action }) => action)).toStrictEqual(['a-3', 'a-2', 'a-1', 'a0', 'a1', 'a2', 'a3']);
    expect(await faults()).toStrictEqual([]);
  });

  test('loses no row to writers that commit while it runs', async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => database.connect()));
    const writing = clients.map(async (client) => {
      await client.query('SET search_path = tenancy');
      for (let n = 0; n < 40; n += 1)
        await client.query(`INSERT INTO audit_log (operation, action, outcome, scope_id) VALUES ('o', 'a', 'ok', $1)`, [
          organizations[n % 2],
        ]);
    });
    let [isOver, sealed] = [false, 0];
    const over = Promise.all(writing).finally(() => {
      isOver = true;
    });
    while (!isOver) sealed += await seal(7);
    await over;
    sealed += await seal();
    expect([sealed, await faults()]).toStrictEqual([160, []]);
  });
});

describe('a log that was tampered with', () => {
  beforeEach(async () => {
    await write(30);
    await seal();
  });
  const idOf = async (action: string): Promise<string> =>
    (await admin.query('SELECT id FROM audit_log WHERE action = $1', [action])).rows[0].id;

  test.each([
    ['action', `action = 'b'`],
    ['actor_id', 'actor_id = gen_random_uuid()'],
    ['outcome', `outcome = 'refused'`],
    ['detail', `detail = '{}'`],
    ['changes', `changes = '[]'`],
    ['ip_address', `ip_address = '192.0.2.1'`],
  ])('names the row whose %s was changed', async (_column, change) => {
    const id = await idOf('a14');
    await admin.query(`UPDATE audit_log SET ${change} WHERE id = $1`, [id]);
    expect(await faults()).toMatchObject([{ kind: 'changed', id, chain: organizations[1] }]);
  });

  test('names a row that was moved to another tenant', async () => {
    const id = await idOf('a13');
    await admin.query('UPDATE audit_log SET scope_id = $1 WHERE id = $2', [organizations[1], id]);
    expect(await faults()).toMatchObject([{ kind: 'removed', id, chain: organizations[0] }]);
  });

  test('names a row that was removed, with or without its link, and an end that was cut', async () => {
    const id = await idOf('a13');
    await admin.query('DELETE FROM audit_log WHERE id = $1', [id]);
    expect(await faults()).toMatchObject([{ kind: 'removed', id }]);
    await admin.query('DELETE FROM audit_seals WHERE audit_id = $1', [id]);
    expect(await faults()).toMatchObject([{ kind: 'link removed', chain: organizations[0] }]);
    await admin.query('DELETE FROM audit_seals WHERE chain = $1 AND position > 2', [organizations[1]]);
    expect(await faults()).toContainEqual(expect.objectContaining({ kind: 'end removed', chain: organizations[1] }));
  });

  test('names a row that was inserted past the service', async () => {
    const inserted = `INSERT INTO audit_log (at, operation, action, outcome) VALUES (now() - interval '75 minutes', 'o', 'forged', 'ok') RETURNING id`;
    const { id } = (await admin.query(inserted)).rows[0];
    await write(3, '1 minute');
    await seal();
    expect(await faults()).toMatchObject([{ kind: 'inserted', id }]);
  });
});

test('the command says which row, exits with 1, and knows a chain that was written anew', async () => {
  await write(9);
  await seal();
  const environment = Object.fromEntries(Object.entries(database.urls).map(([name, url]) => [`${name.toUpperCase()}_DATABASE_URL`, url]));
  const file = join(await mkdtemp(join(tmpdir(), 'tessera-heads-')), 'heads.json');
  const command = (...options: string[]) =>
    promisify(execFile)(process.execPath, ['tools/audit/main.ts', ...options], { env: { ...process.env, ...environment } }).catch(
      (error: { code: number; stdout: string }) => error,
    );
  expect((await command('--heads', file)).stdout).toMatch(/^tenancy: 9 rows in 3 chains, 0 faults$/m);
  expect(JSON.parse(await readFile(file, 'utf8')).tenancy).toHaveLength(3);
  await admin.query(`UPDATE audit_log SET action = 'b' WHERE action = 'a4'`);
  const found = await command();
  expect(found).toMatchObject({ code: 1 });
  expect(found.stdout).toMatch(/changed: row [0-9a-f-]{36} of .*, tenant 0190a000-0000-7000-8000-000000000001, link 2/);
  // With every right the whole chain is sealed anew: only the noted heads tell.
  await admin.query('TRUNCATE audit_seals, audit_chains');
  await seal();
  expect(await faults()).toStrictEqual([]);
  expect((await command('--against', file)).stdout).toMatch(/written anew: tenant 0190a000-0000-7000-8000-000000000001, link 3/);
  // The owner of the log itself may read it for the command.
  const owner = new pg.Client({ connectionString: database.urls.tenancy, options: '-c search_path=tenancy' });
  await owner.connect();
  await expect(owner.query(`UPDATE audit_log SET action = 'c'`)).rejects.toThrow(/permission denied/);
  await owner.end();
});
