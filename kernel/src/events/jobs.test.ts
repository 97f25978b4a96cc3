import { afterAll, describe, expect, test } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { type Database, sql } from '../postgres/index.ts';
import { openSides, silent } from './fixture.ts';
import { everySeconds, type JobOptions, olderThan, prune, pruneKernelTables, startJob } from './index.ts';

const { tenancy: db, close } = await openSides();
afterAll(close);

function at(text: string) {
  return new Date(`2100-01-01T${text}Z`);
}
function job(options: Pick<JobOptions, 'name' | 'run'> & Partial<JobOptions>) {
  return startJob({ db, schedule: everySeconds(3_600), logger: silent, ...options });
}

describe('a scheduled job', () => {
  test('runs on one replica for each slot', async () => {
    let runs = 0;
    const replicas = Array.from({ length: 5 }, () =>
      job({
        name: 'one',
        run: async () => {
          runs += 1;
        },
      }),
    );
    await Promise.all(replicas.map(({ stop }) => stop()));
    expect(runs).toBe(1);
    for (const [time, total] of [
      ['10:00:00', 2],
      ['10:59:59', 2],
      ['11:00:00', 3],
    ] as const) {
      await Promise.all(replicas.map((replica) => replica.runIfDue(at(time))));
      await Promise.all(replicas.map((replica) => replica.runIfDue(at(time))));
      expect(runs).toStrictEqualFor(time, total);
    }
  });

  test('that fails takes everything back and is tried again for the same slot', async () => {
    let fails = true;
    let afterwards = 0;
    const failing = job({
      name: 'failing',
      run: async (tx) => {
        await tx.execute(sql(`INSERT INTO applied (value) VALUES ('job')`));
        if (fails) throw new Error('no');
        return () => {
          afterwards += 1;
        };
      },
    });
    await failing.stop();
    await expect(failing.runIfDue(at('12:00:00'))).rejects.toThrow();
    fails = false;
    expect(await failing.runIfDue(at('12:00:00'))).toBe(true);
    expect(await failing.runIfDue(at('12:00:00'))).toBe(false);
    expect(await db.query(sql('SELECT value FROM applied'))).toStrictEqual([{ value: 'job' }]);
    expect(afterwards).toBe(1);
  });

  test('waits for a schedule that was never due', async () => {
    const never = job({ name: 'never', schedule: () => undefined, run: () => Promise.reject(new Error('not due')) });
    expect(await never.runIfDue()).toBe(false);
    await never.stop();
  });

  test('that was stopped checks no more', async () => {
    let runs = 0;
    const busy = job({
      name: 'busy',
      schedule: everySeconds(0.01),
      checkSeconds: 0.02,
      run: async () => {
        runs += 1;
      },
    });
    await until(() => runs >= 2);
    await busy.stop();
    const stopped = runs;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(runs).toBe(stopped);
  });
});

describe('retention', () => {
  test('removes what is old enough and delivered, in portions, and nothing else', async () => {
    await db.query(
      sql(`INSERT INTO outbox (id, type, key, subscriber, payload, created_at, delivered_at)
        SELECT gen_random_uuid(), 't', 'k', 's', '{}', now() - interval '1 year', CASE WHEN n <= 12000 THEN now() - interval '8 days' WHEN n = 12001 THEN now() END
        FROM generate_series(1, 12002) AS n`),
    );
    await db.query(sql(`INSERT INTO inbox SELECT gen_random_uuid(), now() - n * interval '20 days' FROM generate_series(0, 4) AS n`));
    await pruneKernelTables(db, 400);
    const [left] = await db.query(sql('SELECT (SELECT count(*) FROM outbox) AS outbox, (SELECT count(*) FROM inbox) AS inbox'));
    expect(left).toStrictEqual({ outbox: 2, inbox: 2 });
    expect(await prune(db, 'inbox', olderThan('receivedAt', 10))).toBe(1);
  });

  test('deletes each portion in a transaction of its own', async () => {
    await db.query(sql(`INSERT INTO inbox SELECT gen_random_uuid(), now() - interval '1 year' FROM generate_series(1, 5001)`));
    const transactions: number[] = [];
    const counting: Pick<Database, 'transaction'> = {
      transaction: async (work, options) => {
        transactions.push(1);
        return db.transaction(work, options);
      },
    };
    expect(await prune(counting, 'inbox', olderThan('receivedAt', 300))).toBe(5_001);
    expect(transactions.length).toBe(2);
  });

  test('keeps a month of the audit log until its last day is older than the days configured', async () => {
    await db.query(sql(`INSERT INTO audit_log (operation, action, outcome) VALUES ('kept', 'a', 'ok')`));
    const count = sql(`SELECT count(*) AS count FROM audit_log WHERE operation = 'kept'`);
    await pruneKernelTables(db, 21);
    expect(await db.query(count)).toStrictEqual([{ count: 1 }]);
    const keepAsOf = (when: string) => db.query(sql(`SELECT keep_audit_partitions(21, date_trunc('month', now()) + interval '${when}')`));
    await keepAsOf('1 month 20 days');
    expect(await db.query(count)).toStrictEqual([{ count: 1 }]);
    await keepAsOf('1 month 22 days');
    expect(await db.query(count)).toStrictEqual([{ count: 0 }]);
  });

  test('lets the service’s own login add to the audit log, and neither change nor delete', async () => {
    for (const change of [`UPDATE audit_log SET action = 'b'`, 'DELETE FROM audit_log', 'TRUNCATE audit_log', 'DELETE FROM audit_seals'])
      await expect(db.query(sql(change))).rejects.toThrow(/permission denied/);
    const partitions = await db.query<{ name: string }>(
      sql(`SELECT inhrelid::regclass::text AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE relkind = 'r'`),
    );
    expect(partitions.length).toBeGreaterThan(4);
    for (const { name } of partitions) await expect(db.query(sql(`DELETE FROM ${name}`))).rejects.toThrow(/permission denied/);
  });
});
