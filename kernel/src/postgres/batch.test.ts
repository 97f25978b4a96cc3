import { afterAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { newId } from '../ids/index.ts';
import { parseScope } from '../scope/index.ts';
import { createFixture } from './fixture.ts';
import { type Statement, sql, statement, type Transaction, type Values } from './index.ts';

const scope = parseScope({ tenant: 'organization', id: newId() });
const divide = statement('batch_divide', 'SELECT 6 / $1::int AS quotient');
const everything = statement('batch_everything', 'SELECT * FROM growing');
const pid = sql('SELECT pg_backend_pid() AS pid');

const fixture = await createFixture(`CREATE TABLE growing (id int); SELECT grant_to_scoped('growing'); INSERT INTO growing VALUES (1);`);
const db = fixture.open({ poolSize: 1 });
afterAll(() => fixture.close());

function reading<T>(work: (tx: Transaction) => Promise<T>, on = db) {
  return on.scoped(scope, work, { readOnly: true });
}
function read(asked: Statement, values?: Values, on = db) {
  return reading((tx) => tx.query(asked, values), on);
}
async function pidOf() {
  return (await db.query<{ pid: number }>(pid))[0]?.pid;
}

describe('a batch', () => {
  // Queries of one moment are one batch, and the client sends batches as a pipeline. First, for
  // pg warns once in a process.
  test('is sent while others run without the queue that pg 9 takes away', async () => {
    const warnings: string[] = [];
    const hear = ({ message }: Error) => void warnings.push(message);
    process.on('warning', hear);
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => void process.off('warning', hear));
    await db.scoped(scope, async (tx) => {
      await tx.query(divide, [1]);
      const running: Promise<unknown>[] = [];
      for (const value of [2, 3, 4, 5]) {
        running.push(tx.query(divide, [value]), tx.one(divide, [value]));
        // Sent, and not answered yet.
        await Promise.resolve();
        await Promise.resolve();
      }
      await Promise.all(running);
    });
    // A warning is told in the next turn.
    await new Promise(setImmediate);
    expect(warnings.filter((text) => text.includes('pg@9'))).toStrictEqual([]);
  });

  test('returns the rows of each statement, named and unnamed, the first time and later', async () => {
    const values = sql('SELECT $1::text[] AS texts, $2::jsonb AS json, $3::text AS nothing, 5::bigint AS count, now() AS at');
    const given = [['a "b" \\ c', 'd,{e}'], { f: [1] }, null];
    for (const round of [1, 2, 3]) {
      const [divided, mixed, none, again] = await reading((tx) =>
        Promise.all([
          tx.query(divide, [round]),
          tx.one<{ at: string }>(values, given),
          tx.query(sql('SELECT 1 AS one WHERE false')),
          tx.one(divide, [6]),
        ]),
      );
      expect(divided).toStrictEqual([{ quotient: 6 / round }]);
      expect({ ...mixed, at: undefined }).toStrictEqual({ texts: given[0], json: given[1], nothing: null, count: 5, at: undefined });
      expect(mixed?.at ?? '').toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
      expect(none).toStrictEqual([]);
      expect(again).toStrictEqual({ quotient: 1 });
    }
  });

  test('returns no rows when one of its statements fails, and its connection works afterwards', async () => {
    const before = await pidOf();
    for (const values of [
      [0, 1],
      [1, 0],
      [0, 0],
    ]) {
      const settled = await reading((tx) => Promise.allSettled(values.map((value) => tx.query(divide, [value])))).catch(
        (error: Error) => error,
      );
      expect(String(settled)).toMatch(/rolled back/);
      await expect(reading((tx) => Promise.all(values.map((value) => tx.query(divide, [value]))))).rejects.toMatchObject({ code: '22012' });
      expect(await read(divide, [2])).toStrictEqual([{ quotient: 3 }]);
    }
    const unknown = statement('batch_unknown', 'SELECT * FROM nowhere');
    await expect(read(unknown)).rejects.toMatchObject({ code: '42P01' });
    await expect(read(unknown)).rejects.toMatchObject({ code: '42P01' });
    expect(await pidOf()).toBe(before);
  });

  test('asks for the columns of a prepared statement once for each connection', async () => {
    await using cleanup = new AsyncDisposableStack();
    const once = statement('batch_described_once', 'SELECT $1::int AS number, 2 AS two');
    const describePortal = jest.spyOn(pg.Connection.prototype, 'describe');
    cleanup.defer(() => describePortal.mockRestore());
    const asked = async (number: number) => {
      const before = describePortal.mock.calls.length;
      expect(await read(once, [number])).toStrictEqual([{ number, two: 2 }]);
      return describePortal.mock.calls.length - before;
    };
    await read(divide, [1]);
    const enters = (await asked(1)) - 1;
    expect([enters, await asked(2), await asked(3)]).toStrictEqual([0, 0, 0]);
  });

  test('refuses a value that cannot be encoded, and sends the other queries', async () => {
    const circular: Record<string, unknown> = {};
    circular.itself = circular;
    const [refused, answered] = await reading((tx) => Promise.allSettled([tx.query(divide, [circular]), tx.query(divide, [1])]));
    expect(refused.status).toBe('rejected');
    expect(answered).toStrictEqual({ status: 'fulfilled', value: [{ quotient: 6 }] });
  });

  test('rejects when a row cannot be parsed, and keeps its connection', async () => {
    const before = await pidOf();
    const never = sql(`SELECT 'infinity'::timestamptz AS at`);
    for (const on of [() => read(never), () => db.query(never), () => db.transaction((tx) => tx.query(never))])
      await expect(on()).rejects.toThrow(/Invalid time value/);
    expect(await pidOf()).toBe(before);
  });

  test('shares a connection with transactions and single statements that use the same names', async () => {
    for (const on of [() => read(divide, [3]), () => db.query(divide, [3]), () => db.transaction((tx) => tx.query(divide, [3]))])
      for (const _ of [1, 2]) expect(await on()).toStrictEqual([{ quotient: 2 }]);
  });

  test('prepares a statement again after a migration changed its columns', async () => {
    expect(await read(everything)).toStrictEqual([{ id: 1 }]);
    await fixture.db.query(sql(`ALTER TABLE growing ADD COLUMN name text DEFAULT 'new'`));
    await expect(read(everything)).rejects.toThrow(/cached plan must not change result type/);
    expect(await read(everything)).toStrictEqual([{ id: 1, name: 'new' }]);
  });

  test('of a reading transaction cannot write, and cannot switch to writing', async () => {
    const insert = sql('INSERT INTO growing (id) VALUES (2)');
    await expect(read(insert)).rejects.toMatchObject({ code: '25006' });
    await expect(
      reading((tx) => Promise.all([tx.query(sql(`SELECT set_config('transaction_read_only', 'off', true)`)), tx.query(insert)])),
    ).rejects.toMatchObject({ code: '25001' });
    expect((await db.query<{ count: number }>(sql('SELECT count(*) AS count FROM growing')))[0]?.count).toBe(1);
  });

  test('cancels a statement after the timeout, and keeps its connection', async () => {
    const impatient = fixture.open({ statementTimeoutMs: 100, poolSize: 1 });
    await expect(read(sql('SELECT pg_sleep(5)'), [], impatient)).rejects.toMatchObject({ code: '57014' });
    expect(await read(divide, [6], impatient)).toStrictEqual([{ quotient: 1 }]);
  });

  test('rejects more than 32 MiB of rows without keeping them, and keeps its connection', async () => {
    const single = fixture.open({ poolSize: 1 });
    const rows = (count: number) => read(sql(`SELECT repeat('x', 1048576) AS text FROM generate_series(1, ${count})`), [], single);
    expect(await rows(30)).toHaveLength(30);
    await expect(rows(40)).rejects.toMatchObject({ kind: 'bad-input', key: 'errors.answerTooLarge' });
    expect(await read(divide, [6], single)).toStrictEqual([{ quotient: 1 }]);
  });

  test('is unavailable while Postgres has no disk, memory or connections left', async () => {
    for (const code of ['53100', '53200', '53300'])
      await expect(fixture.db.query(sql(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`))).rejects.toMatchObject({
        kind: 'unavailable',
        cause: { code },
      });
  });

  test('rejects when its connection is lost, and the next batch gets a new connection', async () => {
    const victim = await pidOf();
    const failed = expect(read(sql('SELECT pg_sleep(5)'))).rejects.toMatchObject({ kind: 'unavailable', cause: { code: '57P01' } });
    const isSleeping = sql(`SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'`);
    while ((await fixture.db.query(isSleeping, [victim])).length === 0);
    await fixture.db.query(sql('SELECT pg_terminate_backend($1)'), [victim]);
    await failed;
    expect(await read(divide, [6])).toStrictEqual([{ quotient: 1 }]);
    expect(await pidOf()).not.toBe(victim);
  });
});
