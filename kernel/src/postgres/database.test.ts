import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { failures } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { type ParsedScope, parseScope } from '../scope/index.ts';
import { createFixture } from './fixture.ts';
import { type Statement, sql, statement, type Transaction } from './index.ts';

const organization = newId();
const scope = parseScope({ tenant: 'organization', id: organization });
const insert = statement('test_insert', 'INSERT INTO notes (id) VALUES ($1)');
const insertLater = statement('test_insert_deferred', 'INSERT INTO later (note_id) VALUES ($1)');
const read = statement('test_read', 'SELECT id FROM notes WHERE id = $1');
const settings = sql(`SELECT current_user AS "user", current_setting('app.current_organization_id', true) AS organization,
  current_setting('app.current_project_id', true) AS project, current_setting('app.current_tenant_ids', true) AS tenants`);

const fixture = await createFixture(`
    CREATE TABLE notes (id uuid PRIMARY KEY, writer text NOT NULL DEFAULT current_user);
    CREATE TABLE later (note_id uuid REFERENCES notes DEFERRABLE INITIALLY DEFERRED);
    SELECT grant_to_scoped('notes'), grant_to_scoped('later');`);
const db = fixture.open({ poolSize: 1 });
afterAll(() => fixture.close());

async function turns(count: number) {
  for (let turn = 0; turn < count; turn += 1) await undefined;
}
async function exists(id: string) {
  return (await db.query(read, [id])).length === 1;
}

describe('a transaction', () => {
  test('is committed before it resolves', async () => {
    const id = newId();
    expect(await db.transaction(async (tx) => tx.execute(insert, [id]))).toBe(1);
    expect((await fixture.db.query(read, [id])).length).toBe(1);
  });

  test('is one from its first statement to its last, whatever comes between', async () => {
    const id = newId();
    const own = sql(`SELECT pg_current_xact_id()::text AS xid, current_user AS "user"`);
    const seen = await db.scoped(scope, async (tx) => {
      const together = await Promise.all([tx.one(own), tx.one(own)]);
      await tx.execute(insert, [id]);
      return [...together, await tx.one(own)];
    });
    expect(new Set(seen.map((row) => JSON.stringify(row))).size).toBe(1);
    const wrote = sql('SELECT xmin::text AS xid, $2::text AS "user" FROM notes WHERE id = $1');
    expect(await db.query(wrote, [id, 'tenant_app_restricted_rbac'])).toStrictEqual([seen[0]]);
  });

  test('counts the rows that a statement wrote, and that one read', async () => {
    const ids = [newId(), newId()];
    const insertAll = sql('INSERT INTO notes (id) SELECT unnest($1::uuid[])');
    const removeAll = sql('DELETE FROM notes WHERE id = ANY ($1)');
    const counted = await db.transaction(async (tx) => [
      await tx.execute(insertAll, [ids]),
      await tx.execute(sql('SELECT FROM notes WHERE id = ANY ($1)'), [ids]),
      await tx.execute(removeAll, [ids]),
      await tx.execute(removeAll, [ids]),
    ]);
    expect(counted).toStrictEqual([2, 2, 2, 0]);
  });

  test('that asks for nothing is fine, and one that only writes last begins with that', async () => {
    const id = newId();
    expect(await db.scoped(scope, async () => 5)).toBe(5);
    await db.scoped(scope, async (tx) => tx.last(insert, [id]));
    expect(await exists(id)).toBe(true);
  });

  test('runs what was registered for after the commit, before the caller gets its result', async () => {
    const id = newId();
    const calls: string[] = [];
    await db.transaction(async (tx) => {
      tx.afterCommit(() => calls.push('first'));
      await tx.execute(insert, [id]);
      tx.afterCommit(() => calls.push('second'));
      expect(calls).toStrictEqual([]);
    });
    expect(calls).toStrictEqual(['first', 'second']);
    expect(await exists(id)).toBe(true);
  });

  test('runs nothing after a rollback, whether the work or the COMMIT failed', async () => {
    const register = (tx: Transaction) =>
      tx.afterCommit(() => {
        throw new Error('it was not committed');
      });
    const throws = async (tx: Transaction) => {
      register(tx);
      throw new Error('no');
    };
    await expect(db.transaction(throws)).rejects.toThrow(/^no$/);
    const failsLate = async (tx: Transaction) => {
      register(tx);
      await tx.execute(insertLater, [newId()]);
    };
    await expect(db.transaction(failsLate)).rejects.toMatchObject({ code: '23503' });
  });

  test('is rolled back when its work throws, and the error comes through', async () => {
    const id = newId();
    const failure = new Error('the work failed');
    const work = db.transaction(async (tx) => {
      await tx.execute(insert, [id]);
      throw failure;
    });
    expect(await work.catch((error: unknown) => error)).toBe(failure);
    expect(await exists(id)).toBe(false);
  });

  test('is rolled back when its caller has gone', async () => {
    const id = newId();
    const caller = new AbortController();
    const work = db.transaction(
      async (tx) => {
        await tx.execute(insert, [id]);
        caller.abort();
      },
      { signal: caller.signal },
    );
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    expect(await exists(id)).toBe(false);
  });

  test('holds what is written last, and fails as that does', async () => {
    const [first, last, lost] = [newId(), newId(), newId()];
    await db.transaction(async (tx) => {
      tx.last(insert, [last]);
      await tx.execute(insert, [first]);
    });
    expect([await exists(first), await exists(last)]).toStrictEqual([true, true]);
    const failing = db.transaction(async (tx) => {
      await tx.execute(insert, [lost]);
      tx.last(insert, [last]);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    const abandoned = db.transaction(async (tx) => {
      tx.last(insert, [lost]);
      throw new Error('the work failed');
    });
    await expect(abandoned).rejects.toThrow(/the work failed/);
    const reading = db.transaction(async (tx) => tx.last(insert, [lost]), { readOnly: true });
    await expect(reading).rejects.toMatchObject({ code: '25006' });
    expect(await exists(lost)).toBe(false);
  });

  test('that loses its connection in a statement is unavailable, and not an internal fault', async () => {
    const end = sql('SELECT pg_terminate_backend(pg_backend_pid())');
    const works = [db.query(end), db.transaction((tx) => tx.query(end)), db.transaction((tx) => tx.query(end), { readOnly: true })];
    for (const work of works) await expect(work).rejects.toMatchObject({ kind: 'unavailable', params: { service: 'database' } });
    const refusal = db.transaction(async (tx) => {
      await tx.query(end).catch(() => undefined);
      throw failures.forbidden();
    });
    await expect(refusal).rejects.toMatchObject({ kind: 'forbidden' });
    expect(await exists(newId())).toBe(false);
  });

  test('reports a COMMIT that fails', async () => {
    const work = db.transaction((tx) => tx.execute(insertLater, [newId()]));
    await expect(work).rejects.toMatchObject({ code: '23503' });
  });

  test('does not pretend to commit after a statement failed unnoticed', async () => {
    const [id, other] = [newId(), newId()];
    await db.query(insert, [id]);
    const work = db.transaction(async (tx) => {
      await tx.execute(insert, [other]);
      await tx.execute(insert, [id]).catch(() => undefined);
    });
    await expect(work).rejects.toThrow(/rolled back/);
    expect(await exists(other)).toBe(false);
  });

  test('takes no query after its end', async () => {
    const late = await db.transaction(async (tx) => tx);
    await expect(late.query(read, [newId()])).rejects.toThrow(/after its transaction had ended/);
    expect(() => late.last(insert, [newId()])).toThrow(/after its transaction had ended/);
  });

  test('sends queries that were not awaited before the COMMIT, and none after it', async () => {
    const writer = sql('SELECT writer FROM notes WHERE id = $1');
    const succeeds = (work: Promise<unknown>) =>
      work.then(
        () => true,
        () => false,
      );
    for (const hasBegun of [false, true])
      for (const fails of [false, true])
        for (let count = 0; count < 8; count += 1) {
          const id = newId();
          let isWritten: Promise<boolean> | undefined;
          const isCommitted = await succeeds(
            db.scoped(scope, async (tx) => {
              if (hasBegun) await tx.query(read, [id]);
              isWritten = succeeds(turns(count).then(() => tx.execute(insert, [id])));
              if (fails) throw new Error('the work failed');
            }),
          );
          const kept = isCommitted && (await isWritten) ? [{ writer: 'tenant_app_restricted_rbac' }] : [];
          expect(await db.query(writer, [id])).toStrictEqualFor(`${count} turns later`, kept);
        }
  });

  test('runs nothing as the owner when its BEGIN alone fails, neither what follows nor what is written last', async () => {
    const [followed, caught, last] = [newId(), newId(), newId()];
    const attempt = async (work: (tx: Transaction) => Promise<unknown>) => {
      await db.transaction((tx) => tx.query(read, [newId()]));
      await db.query(sql('DEALLOCATE kernel_begin'));
      await expect(db.scoped(scope, work)).rejects.toThrow();
    };
    await attempt((tx) => Promise.allSettled([tx.query(read, [followed]), turns(5).then(() => tx.execute(insert, [followed]))]));
    await attempt(async (tx) => {
      await tx.query(read, [caught]).catch(() => undefined);
      await tx.execute(insert, [caught]).catch(() => undefined);
    });
    await attempt(async (tx) => {
      tx.last(insert, [last]);
      await tx.query(read, [last]).catch(() => undefined);
    });
    expect(await db.query(sql('SELECT id FROM notes WHERE id = ANY ($1)'), [[followed, caught, last]])).toStrictEqual([]);
  });

  test('ends after its longest time, and nothing of it is committed', async () => {
    const limited = fixture.open({ poolSize: 1, transactionTimeoutMs: 200 });
    const slowly = (id: string, prepare?: (tx: Transaction) => Promise<unknown>) =>
      limited.transaction(async (tx) => {
        await prepare?.(tx);
        await tx.execute(insert, [id]);
        await sleep(400);
      });
    const [ended, refused, quick] = [newId(), newId(), newId()];
    await expect(slowly(ended)).rejects.toThrow();
    // As on a server without the setting.
    await expect(slowly(refused, (tx) => tx.query(sql('SET LOCAL transaction_timeout = 0')))).rejects.toThrow(/lasted longer than 200 ms/);
    await limited.transaction((tx) => tx.execute(insert, [quick]));
    expect([await exists(ended), await exists(refused), await exists(quick)]).toStrictEqual([false, false, true]);
    expect(await db.query(sql(`SELECT current_setting('transaction_timeout') AS timeout`))).toStrictEqual([{ timeout: '15s' }]);
  });

  test('that only reads cannot write', async () => {
    const work = db.transaction((tx) => tx.execute(insert, [newId()]), { readOnly: true });
    await expect(work).rejects.toMatchObject({ code: '25006' });
  });

  test('that only reads asks what it asks at once in one transaction, and what it asks later in another, each in its scope', async () => {
    const state = sql(`SELECT current_user AS "user", current_setting('app.current_organization_id', true) AS organization,
      pg_current_xact_id_if_assigned() IS NULL AS "isUnwritten", now() AS began, set_config('app.current_project_id', 'left over', true)`);
    type State = { user: string; organization: string; began: string };
    const seen = await db.scoped(
      scope,
      async (tx) => [...(await Promise.all([tx.query<State>(state), tx.query<State>(state)])).flat(), ...(await tx.query<State>(settings))],
      { readOnly: true },
    );
    expect(new Set(seen.map(({ user }) => user))).toStrictEqual(new Set(['tenant_app_restricted_rbac']));
    expect(new Set(seen.map(({ organization: id }) => id))).toStrictEqual(new Set([organization]));
    expect(seen[0]?.began).toBe(seen[1]?.began);
    expect(seen[2]).toStrictEqual({ user: 'tenant_app_restricted_rbac', organization, project: '', tenants: '' });
  });

  test('that only reads does not pretend to have succeeded after a statement failed unnoticed', async () => {
    const work = db.scoped(
      scope,
      async (tx) => {
        await tx.query(sql('SELECT nonsense')).catch(() => undefined);
        return tx.query(read, [newId()]);
      },
      { readOnly: true },
    );
    await expect(work).rejects.toThrow(/rolled back/);
    expect(await exists(newId())).toBe(false);
  });

  test('survives the death of its connection: the caller gets an error, the next one a new connection', async () => {
    const work = db.transaction(async (tx) => {
      const [backend] = await tx.query<{ pid: number }>(sql('SELECT pg_backend_pid() AS pid'));
      await fixture.db.query(sql('SELECT pg_terminate_backend($1)'), [backend?.pid]);
      await tx.query(read, [newId()]);
    });
    await expect(work).rejects.toThrow();
    expect(await exists(newId())).toBe(false);
  });

  test('sends parallel queries, also of one new statement, in one go', async () => {
    const fresh = statement('test_parallel', 'SELECT $1::int AS number');
    const rows = await db.transaction((tx) => Promise.all([1, 2, 3].map((number) => tx.one<{ number: number }>(fresh, [number]))));
    expect(rows).toStrictEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
  });
});

describe('the pool', () => {
  test('is left clean by whatever happened: 200 failing, aborted and good transactions on one connection', async () => {
    const taken = newId();
    await db.query(insert, [taken]);
    const kinds = [
      () => db.transaction((tx) => tx.execute(insert, [taken])),
      () =>
        db.scoped(scope, (tx) =>
          Promise.all([tx.execute(insert, [taken]), tx.execute(insert, [newId()]), tx.query(sql('SELECT nonsense'))]),
        ),
      () => db.transaction(async () => Promise.reject(new Error('no'))),
      () => db.query(sql('SELECT nonsense')),
      () => db.scoped(scope, (tx) => tx.query(read, [taken]), { readOnly: true }),
    ];
    await Promise.allSettled(Array.from({ length: 200 }, (_, index) => kinds[index % kinds.length]?.()));
    const [state] = await db.query<{ user: string; organization: string | null }>(settings);
    assert.equal(state?.user, 'tessera_rbac');
    expect(state.organization ?? '').toBe('');
    expect(db.connections()).toStrictEqual({ idle: 1, used: 0, waiting: 0 });
    const [open] = await db.query<{ count: number }>(
      sql(`SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`),
    );
    expect(open?.count).toBe(0);
  });

  test('serves far more requests than it has connections', async () => {
    const small = fixture.open({ poolSize: 2 });
    const results = await Promise.all(Array.from({ length: 100 }, () => small.scoped(scope, (tx) => tx.query(read, [newId()]))));
    expect(results).toHaveLength(100);
    expect(small.connections().idle + small.connections().used).toBeLessThanOrEqual(2);
  });

  test('gives a transaction no second connection, which it might have to wait for for ever', async () => {
    const nested = db.transaction(() => db.query(read, [newId()]));
    await expect(nested).rejects.toThrow(/second connection/);
    const wide = fixture.open({ poolSize: 5 });
    await expect(wide.scoped(scope, () => wide.transaction(async () => undefined))).rejects.toThrow(/second connection/);
    const other = await wide.transaction(() => db.query(read, [newId()]));
    expect(other).toStrictEqual([]);
    const afterwards = await wide.transaction(async () => () => wide.query(read, [newId()]));
    expect(await afterwards()).toStrictEqual([]);
  });

  test('ends a statement that takes too long', async () => {
    const impatient = fixture.open({ statementTimeoutMs: 100 });
    await expect(impatient.query(sql('SELECT pg_sleep(5)'))).rejects.toMatchObject({ code: '57014' });
  });

  test('never reuses a lost connection, whichever side closed it', async () => {
    const url = new URL(fixture.test.urls.rbac);
    url.searchParams.set('query_timeout', '2000');
    const one = fixture.open({ poolSize: 1, url: url.href });
    const losses = {
      'Query read timeout': sql('SELECT pg_sleep(60)'),
      'terminating connection': sql('SELECT pg_terminate_backend(pg_backend_pid())'),
    };
    const ways = {
      query: (asked: Statement) => one.query(asked),
      transaction: (asked: Statement) => one.transaction((tx) => tx.query(asked)),
      reading: (asked: Statement) => one.transaction((tx) => tx.query(asked), { readOnly: true }),
      last: (asked: Statement) => one.transaction(async (tx) => tx.last(asked)),
    };
    for (const [message, lost] of Object.entries(losses))
      for (const [way, run] of Object.entries(ways)) {
        const losing = run(lost).catch((error: unknown) => error);
        expect(await one.query(read, [newId()])).toStrictEqualFor(`${message} in ${way}`, []);
        const cause = expect.objectContaining({ message: expect.stringMatching(new RegExp(message)) });
        expect(await losing).toStrictEqualFor(way, expect.objectContaining({ kind: 'unavailable', cause }));
      }
  });

  test('fails as unavailable, not as our fault, when Postgres is away', async () => {
    const away = fixture.open({ url: 'postgres://nobody@127.0.0.1:1/none' });
    await expect(away.query(read, [newId()])).rejects.toMatchObject({ name: 'AppError', kind: 'unavailable' });
    expect(await away.isHealthy()).toBe(false);
    expect(await db.isHealthy()).toBe(true);
  });
});

describe('scoped work', () => {
  test('runs as the restricted role with exactly its own settings, and they end with it', async () => {
    const inside = await db.scoped(scope, (tx) => tx.one(settings));
    expect(inside).toStrictEqual({ user: 'tenant_app_restricted_rbac', organization, project: '', tenants: '' });
    const outside = await db.transaction((tx) => tx.one(settings));
    expect(outside).toStrictEqual({ user: 'tessera_rbac', organization: '', project: '', tenants: '' });
  });

  test('sees nothing of settings that the login or its database brings along', async () => {
    const admin = await fixture.test.connect();
    try {
      await admin.query(`ALTER DATABASE ${fixture.test.name} SET app.current_tenant_ids = '${organization}'`);
      const login = await fixture.test.connect(fixture.test.urls.rbac);
      const brought = await login.query(`SELECT current_setting('app.current_tenant_ids', true) AS tenants`);
      expect(brought.rows).toStrictEqual([{ tenants: organization }]);
      const inside = await fixture.open({ poolSize: 1 }).scoped(scope, (tx) => tx.one(settings));
      expect(inside).toStrictEqual({ user: 'tenant_app_restricted_rbac', organization, project: '', tenants: '' });
    } finally {
      await admin.query(`ALTER DATABASE ${fixture.test.name} RESET app.current_tenant_ids`);
    }
  });

  test('that reads one scope or many has the settings of each scope’s own tenant, and of no parent', async () => {
    const user = 'tenant_app_restricted_rbac';
    const [project, sister] = [newId(), newId()];
    const inProject = parseScope({ tenant: 'organizationProject', id: `${organization}:${project}` });
    const inSister = parseScope({ tenant: 'organizationProject', id: `${organization}:${sister}` });
    const seen = (...scopes: ParsedScope[]) => db.across(scopes, (tx) => tx.one(settings));
    expect(await seen(scope)).toStrictEqual({ user, organization, project: '', tenants: '' });
    expect(await seen(inProject)).toStrictEqual({ user, organization: '', project, tenants: '' });
    expect(await seen(inProject, inSister)).toStrictEqual({ user, organization: '', project: '', tenants: `${project},${sister}` });
    expect(await seen(scope, inProject)).toStrictEqual({ user, organization: '', project: '', tenants: `${organization},${project}` });
    expect(await seen()).toStrictEqual({ user, organization: '', project: '', tenants: '' });
  });

  test('that reads in order is planned once and without sorting, and what comes after is not', async () => {
    const planning = sql(`SELECT current_setting('plan_cache_mode') AS mode, current_setting('enable_sort') AS sort,
      current_setting('transaction_read_only') AS reading, current_setting('app.current_organization_id') AS organization`);
    const single = fixture.open({ poolSize: 1 });
    const asked = (isOrdered: boolean) => single.scoped(scope, (tx) => tx.one(planning), { readOnly: true, isOrdered });
    expect(await asked(true)).toStrictEqual({ mode: 'force_generic_plan', sort: 'off', reading: 'on', organization });
    expect(await asked(false)).toStrictEqual({ mode: 'auto', sort: 'on', reading: 'on', organization });
  });

  test('keeps the transaction and its settings, and leaves the role alone, when row-level security is switched off', async () => {
    const open = fixture.open({ rlsEnabled: false });
    const inside = { user: 'tessera_rbac', organization, project: '', tenants: '' };
    expect(await open.scoped(scope, (tx) => tx.one(settings))).toStrictEqual(inside);
    expect(await open.across([scope], (tx) => tx.one(settings))).toStrictEqual(inside);
  });

  test('fails when the role cannot be entered, rather than running as the owner', async () => {
    const wrong = fixture.open({ restrictedRole: 'nobody_at_all' });
    const id = newId();
    await expect(wrong.scoped(scope, (tx) => tx.execute(insert, [id]))).rejects.toMatchObject({ code: '22023' });
    await expect(wrong.scoped(scope, (tx) => tx.query(read, [id]), { readOnly: true })).rejects.toThrow();
    expect(await exists(id)).toBe(false);
  });

  test('lets nothing but ids into the settings', async () => {
    const crafted = { tenant: 'organization', id: 'x', organizationId: "'; RESET ROLE; --" } as const;
    await expect(db.scoped(crafted, (tx) => tx.query(settings))).rejects.toMatchObject({ kind: 'validation' });
    await expect(db.across([scope, crafted], (tx) => tx.query(settings))).rejects.toMatchObject({ kind: 'validation' });
  });

  test('refuses names that are no plain SQL names', () => {
    expect(() => fixture.open({ restrictedRole: 'x"; RESET ROLE; --' })).toThrow(/plain lower-case/);
    expect(() => fixture.open({ schema: 'rbac, public' })).toThrow(/plain lower-case/);
  });
});

describe('statements and rows', () => {
  test('a name belongs to one text', () => {
    statement('test_once', 'SELECT 1');
    expect(() => statement('test_once', 'SELECT 1')).not.toThrow();
    expect(() => statement('test_once', 'SELECT 2')).toThrow(/Two SQL texts/);
  });

  test('carry ISO times with milliseconds in UTC whatever the server, and numbers', async () => {
    const text = `SELECT '2026-01-02 03:04:05+02'::timestamptz AS a, '2026-01-02T03:04:05.6Z'::timestamptz AS b, '2026-01-02T03:04:05.123999Z'::timestamptz AS c, count(*) AS n`;
    const [row] = await db.query(sql(text));
    expect(row).toStrictEqual({ a: '2026-01-02T01:04:05.000Z', b: '2026-01-02T03:04:05.600Z', c: '2026-01-02T03:04:05.123Z', n: 1 });
  });
});

describe('without the kernel', () => {
  test('a login sees no other service', async () => {
    const client = await fixture.test.connect(fixture.test.urls.keys);
    await expect(client.query('SELECT * FROM rbac.notes')).rejects.toMatchObject({ code: '42501' });
    await expect(client.query('SET ROLE tenant_app_restricted_rbac')).rejects.toMatchObject({ code: '42501' });
  });
});
