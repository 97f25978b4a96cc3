/** A server that follows the primary: what it answers, and when it is asked nothing. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../test/support/database.ts';
import { type Pair, startPair } from '../../../test/support/standby.ts';
import { until } from '../../../test/support/until.ts';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { failures } from '../errors/index.ts';
import { createDatabase, type Database, sql, type Transaction } from './index.ts';

const cleanup = new AsyncDisposableStack();
let pair: Pair;
let db: Database;
const where = sql('SELECT pg_is_in_recovery() AS follows');
const conflict = sql(`DO $$ BEGIN RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001'; END $$`);
const note = sql('INSERT INTO notes DEFAULT VALUES');

function open(replicaUrl: string, statementTimeoutMs = 10_000): Database {
  const opened = createDatabase({ url: pair.primary.adminUrl, replicaUrl, schema: 'public', rlsEnabled: false, statementTimeoutMs });
  cleanup.defer(() => opened.close());
  return opened;
}

/** Whether the standby has answered who accepts so old an answer, and whether that was noted. */
async function asked(database: Database, maxAgeMs = 5_000): Promise<'standby' | 'primary'> {
  let isNoted = false;
  const past = { maxAgeMs, note: () => (isNoted = true) };
  const rows = await database.transaction((tx) => tx.query<{ follows: boolean }>(where), { readOnly: true, past });
  expect(rows[0]?.follows).toBe(isNoted);
  return isNoted ? 'standby' : 'primary';
}
const isFollowed = (database: Database) => until(async () => (await asked(database)) === 'standby');

beforeAll(async () => {
  pair = cleanup.use(await startPair());
  await withClient(pair.primary.adminUrl, (client) => client.query('CREATE TABLE notes (at timestamptz DEFAULT now())'));
  db = open(pair.standby.adminUrl);
  await isFollowed(db);
});
afterAll(() => cleanup.disposeAsync());

test('only reading that may see the past goes to the replica', async () => {
  expect(await db.query(where)).toStrictEqual([{ follows: false }]);
  const places = await Promise.all([
    db.transaction((tx) => tx.query(where)),
    db.transaction((tx) => tx.query(where), { readOnly: true }),
    db.transaction((tx) => tx.query(where), { past: { maxAgeMs: 5_000 } }),
  ]);
  expect(places).toStrictEqual(Array(3).fill([{ follows: false }]));
  expect(await asked(db, 0)).toBe('primary');
  expect(await asked(db)).toBe('standby');
});

test('a replica that lags is asked nothing once its answers are older than the caller accepts, and again when it has caught up', async () => {
  await pair.pause();
  await db.query(note);
  await until(async () => (await asked(db, 1_500)) === 'primary');
  // Another caller accepts more: until that is over, too.
  const { ageSeconds = Number.NaN } = db.replica() ?? {};
  expect(ageSeconds).toBeGreaterThan(1.5);
  expect(await asked(db)).toBe(ageSeconds < 5 ? 'standby' : 'primary');
  await until(async () => (await asked(db, 60_000)) === 'primary');
  expect(db.replica()?.ageSeconds).toBeGreaterThan(5);
  await pair.goOn();
  await isFollowed(db);
  const read = (tx: Transaction) => tx.query<{ count: number }>(sql('SELECT count(*)::int AS count FROM notes'));
  expect(await db.transaction(read, { readOnly: true, past: { maxAgeMs: 5_000 } })).toStrictEqual([{ count: 1 }]);
});

test('work that the replica fails is done again on the primary; what fails on any server, or is refused, is not', async () => {
  const options = { readOnly: true, past: { maxAgeMs: 5_000 } };
  await isFollowed(db);
  let runs = 0;
  const refused = db.transaction(async (tx) => {
    runs += 1;
    await tx.query(where);
    throw failures.notFound('Note');
  }, options);
  await expect(refused).rejects.toMatchObject({ kind: 'not-found' });
  expect(runs).toBe(1);
  const found = await db.transaction(async (tx) => {
    runs += 1;
    const [row] = await tx.query<{ follows: boolean }>(where);
    if (row?.follows) await tx.query(conflict);
    return row;
  }, options);
  expect([found, runs, db.replica()?.failed]).toStrictEqual([{ follows: false }, 3, 1]);
  // Conflicts come and go: others are answered by it at once.
  expect(await asked(db)).toBe('standby');
  // A caller can bring about a statement that fails, and must not send others to the primary by it.
  const failing = db.transaction(async (tx) => {
    runs += 1;
    return tx.query(sql('SELECT 1 / 0'));
  }, options);
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect([runs, await asked(db)]).toStrictEqual([4, 'standby']);
  const slow = open(pair.standby.adminUrl, 200);
  await isFollowed(slow);
  await expect(slow.transaction((tx) => tx.query(sql('SELECT pg_sleep(5)')), options)).rejects.toMatchObject({ code: '57014' });
  expect([slow.replica()?.failed, await asked(slow)]).toStrictEqual([0, 'standby']);
});

test('a server of another cluster is never asked', async () => {
  await using foreign = await createTestDatabase();
  const other = open(foreign.adminUrl);
  const itself = open(pair.primary.adminUrl);
  await new Promise((done) => setTimeout(done, 2_500));
  expect(await asked(other)).toBe('primary');
  expect(await asked(itself)).toBe('primary');
  expect(other.replica()?.ageSeconds).toBe(Number.POSITIVE_INFINITY);
});

test('without the replica the primary answers, and a replica that was promoted is asked nothing', async () => {
  await isFollowed(db);
  await withClient(pair.standby.adminUrl, (client) => client.query('SELECT pg_promote()'));
  // Seen at the next look, within a second or two.
  await until(() => db.replica()?.ageSeconds === Number.POSITIVE_INFINITY);
  expect(await asked(db)).toBe('primary');
  await pair.standby.stop();
  expect(await asked(db)).toBe('primary');
  expect(await db.isHealthy()).toBe(true);
});
