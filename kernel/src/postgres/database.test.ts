import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { AppError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { type ParsedScope, parseScope } from '../scope/index.ts';
import { createFixture, type Fixture } from './fixture.ts';
import { countQueries, type Database, type Statement, sql, statement, type Transaction } from './index.ts';

const organization = newId();
const scope = parseScope({ tenant: 'organization', id: organization });
const insert = statement('test_insert', 'INSERT INTO notes (id) VALUES ($1)');
const insertLater = statement('test_insert_deferred', 'INSERT INTO later (note_id) VALUES ($1)');
const read = statement('test_read', 'SELECT id FROM notes WHERE id = $1');
const settings = sql(`SELECT current_user AS "user", current_setting('app.current_organization_id', true) AS organization,
  current_setting('app.current_project_id', true) AS project, current_setting('app.current_tenant_ids', true) AS tenants`);

let fixture: Fixture;
let db: Database;
before(async () => {
  fixture = await createFixture(`
    CREATE TABLE notes (id uuid PRIMARY KEY, writer text NOT NULL DEFAULT current_user);
    CREATE TABLE later (note_id uuid REFERENCES notes DEFERRABLE INITIALLY DEFERRED);
    SELECT grant_to_scoped('notes'), grant_to_scoped('later');`);
  db = fixture.open({ poolSize: 1 });
});
after(() => fixture.close());

async function turns(count: number) {
  for (let turn = 0; turn < count; turn += 1) await undefined;
}
async function exists(id: string) {
  return (await db.query(read, [id])).length === 1;
}

describe('a transaction', () => {
  it('is committed before it resolves', async () => {
    const id = newId();
    assert.equal(await db.transaction(async (tx) => tx.execute(insert, [id])), 1);
    assert.ok((await fixture.db.query(read, [id])).length === 1);
  });

  it('is one from its first statement to its last, whatever comes between', async () => {
    const id = newId();
    const own = sql(`SELECT pg_current_xact_id()::text AS xid, current_user AS "user"`);
    const seen = await db.scoped(scope, async (tx) => {
      const together = await Promise.all([tx.one(own), tx.one(own)]);
      await tx.execute(insert, [id]);
      return [...together, await tx.one(own)];
    });
    assert.equal(new Set(seen.map((row) => JSON.stringify(row))).size, 1);
    const wrote = sql('SELECT xmin::text AS xid, $2::text AS "user" FROM notes WHERE id = $1');
    assert.deepEqual(await db.query(wrote, [id, 'tenant_app_restricted_rbac']), [seen[0]]);
  });

  it('counts the rows that a statement wrote, and that one read', async () => {
    const ids = [newId(), newId()];
    const insertAll = sql('INSERT INTO notes (id) SELECT unnest($1::uuid[])');
    const removeAll = sql('DELETE FROM notes WHERE id = ANY ($1)');
    const counted = await db.transaction(async (tx) => [
      await tx.execute(insertAll, [ids]),
      await tx.execute(sql('SELECT FROM notes WHERE id = ANY ($1)'), [ids]),
      await tx.execute(removeAll, [ids]),
      await tx.execute(removeAll, [ids]),
    ]);
    assert.deepEqual(counted, [2, 2, 2, 0]);
  });

  it('that asks for nothing is fine, and one that only writes last begins with that', async () => {
    const id = newId();
    assert.equal(await db.scoped(scope, async () => 5), 5);
    await db.scoped(scope, async (tx) => tx.last(insert, [id]));
    assert.equal(await exists(id), true);
  });

  it('runs what was registered for after the commit, before the caller gets its result', async () => {
    const id = newId();
    const calls: string[] = [];
    await db.transaction(async (tx) => {
      tx.afterCommit(() => calls.push('first'));
      await tx.execute(insert, [id]);
      tx.afterCommit(() => calls.push('second'));
      assert.deepEqual(calls, []);
    });
    assert.deepEqual(calls, ['first', 'second']);
    assert.ok(await exists(id));
  });

  it('runs nothing after a rollback, whether the work or the COMMIT failed', async () => {
    const register = (tx: Transaction) => tx.afterCommit(() => assert.fail('it was not committed'));
    const throws = async (tx: Transaction) => {
      register(tx);
      throw new Error('no');
    };
    await assert.rejects(db.transaction(throws), /^Error: no$/);
    const failsLate = async (tx: Transaction) => {
      register(tx);
      await tx.execute(insertLater, [newId()]);
    };
    await assert.rejects(db.transaction(failsLate), { code: '23503' });
  });

  it('is rolled back when its work throws, and the error comes through', async () => {
    const id = newId();
    const failure = new Error('the work failed');
    const work = db.transaction(async (tx) => {
      await tx.execute(insert, [id]);
      throw failure;
    });
    await assert.rejects(work, failure);
    assert.equal(await exists(id), false);
  });

  it('is rolled back when its caller has gone', async () => {
    const id = newId();
    const caller = new AbortController();
    const work = db.transaction(
      async (tx) => {
        await tx.execute(insert, [id]);
        caller.abort();
      },
      { signal: caller.signal },
    );
    await assert.rejects(work, { name: 'AbortError' });
    assert.equal(await exists(id), false);
  });

  it('holds what is written last, and fails as that does', async () => {
    const [first, last, lost] = [newId(), newId(), newId()];
    await db.transaction(async (tx) => {
      tx.last(insert, [last]);
      await tx.execute(insert, [first]);
    });
    assert.deepEqual([await exists(first), await exists(last)], [true, true]);
    const failing = db.transaction(async (tx) => {
      await tx.execute(insert, [lost]);
      tx.last(insert, [last]);
    });
    await assert.rejects(failing, { code: '23505' });
    const abandoned = db.transaction(async (tx) => {
      tx.last(insert, [lost]);
      throw new Error('the work failed');
    });
    await assert.rejects(abandoned, /the work failed/);
    const reading = db.transaction(async (tx) => tx.last(insert, [lost]), { readOnly: true });
    await assert.rejects(reading, { code: '25006' });
    assert.equal(await exists(lost), false);
  });

  it('reports a COMMIT that fails', async () => {
    const work = db.transaction((tx) => tx.execute(insertLater, [newId()]));
    await assert.rejects(work, { code: '23503' });
  });

  it('does not pretend to commit after a statement failed unnoticed', async () => {
    const [id, other] = [newId(), newId()];
    await db.query(insert, [id]);
    const work = db.transaction(async (tx) => {
      await tx.execute(insert, [other]);
      await tx.execute(insert, [id]).catch(() => undefined);
    });
    await assert.rejects(work, /rolled back/);
    assert.equal(await exists(other), false);
  });

  it('takes no query after its end', async () => {
    const late = await db.transaction(async (tx) => tx);
    await assert.rejects(late.query(read, [newId()]), /after its transaction had ended/);
    assert.throws(() => late.last(insert, [newId()]), /after its transaction had ended/);
  });

  it('holds what is asked at its last moment, and nobody waits for: nothing of it leaves behind the end', async () => {
    const writer = sql('SELECT writer FROM notes WHERE id = $1');
    const succeeds = (work: Promise<unknown>) =>
      work.then(
        () => true,
        () => false,
      );
    for (const hasBegun of [false, true]) {
      for (const fails of [false, true]) {
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
          assert.deepEqual(await db.query(writer, [id]), kept, `${count} turns later`);
        }
      }
    }
  });

  it('runs nothing as the owner when its BEGIN alone fails, neither what follows nor what is written last', async () => {
    const [followed, caught, last] = [newId(), newId(), newId()];
    const attempt = async (work: (tx: Transaction) => Promise<unknown>) => {
      await db.transaction((tx) => tx.query(read, [newId()]));
      await db.query(sql('DEALLOCATE kernel_begin'));
      await assert.rejects(db.scoped(scope, work));
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
    assert.deepEqual(await db.query(sql('SELECT id FROM notes WHERE id = ANY ($1)'), [[followed, caught, last]]), []);
  });

  it('that only reads cannot write', async () => {
    const work = db.transaction((tx) => tx.execute(insert, [newId()]), { readOnly: true });
    await assert.rejects(work, { code: '25006' });
  });

  it('that only reads asks what it asks at once in one transaction, and what it asks later in another, each in its scope', async () => {
    const state = sql(`SELECT current_user AS "user", current_setting('app.current_organization_id', true) AS organization,
      pg_current_xact_id_if_assigned() IS NULL AS "isUnwritten", now() AS began, set_config('app.current_project_id', 'left over', true)`);
    type State = { user: string; organization: string; began: string };
    const seen = await db.scoped(
      scope,
      async (tx) => [...(await Promise.all([tx.query<State>(state), tx.query<State>(state)])).flat(), ...(await tx.query<State>(settings))],
      { readOnly: true },
    );
    assert.deepEqual(new Set(seen.map(({ user }) => user)), new Set(['tenant_app_restricted_rbac']));
    assert.deepEqual(new Set(seen.map(({ organization: id }) => id)), new Set([organization]));
    assert.equal(seen[0]?.began, seen[1]?.began);
    assert.deepEqual(seen[2], { user: 'tenant_app_restricted_rbac', organization, project: '', tenants: '' });
  });

  it('that only reads does not pretend to have succeeded after a statement failed unnoticed', async () => {
    const work = db.scoped(
      scope,
      async (tx) => {
        await tx.query(sql('SELECT nonsense')).catch(() => undefined);
        return tx.query(read, [newId()]);
      },
      { readOnly: true },
    );
    await assert.rejects(work, /rolled back/);
    assert.equal(await exists(newId()), false);
  });

  it('survives the death of its connection: the caller gets an error, the next one a new connection', async () => {
    const work = db.transaction(async (tx) => {
      const [backend] = await tx.query<{ pid: number }>(sql('SELECT pg_backend_pid() AS pid'));
      await fixture.db.query(sql('SELECT pg_terminate_backend($1)'), [backend?.pid]);
      await tx.query(read, [newId()]);
    });
    await assert.rejects(work);
    assert.equal(await exists(newId()), false);
  });

  it('sends parallel queries, also of one new statement, in one go', async () => {
    const fresh = statement('test_parallel', 'SELECT $1::int AS number');
    const rows = await db.transaction((tx) => Promise.all([1, 2, 3].map((number) => tx.one<{ number: number }>(fresh, [number]))));
    assert.deepEqual(rows, [{ number: 1 }, { number: 2 }, { number: 3 }]);
  });
});

describe('the pool', () => {
  it('is left clean by whatever happened: 200 failing, aborted and good transactions on one connection', async () => {
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
    assert.equal(state.organization ?? '', '');
    assert.deepEqual({ ...db.pool }, { total: 1, idle: 1, waiting: 0 });
    const [open] = await db.query<{ count: number }>(
      sql(`SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`),
    );
    assert.equal(open?.count, 0);
  });

  it('serves far more requests than it has connections', async () => {
    const small = fixture.open({ poolSize: 2 });
    const results = await Promise.all(Array.from({ length: 100 }, () => small.scoped(scope, (tx) => tx.query(read, [newId()]))));
    assert.equal(results.length, 100);
    assert.ok(small.pool.total <= 2);
  });

  it('gives a transaction no second connection, which it might have to wait for for ever', async () => {
    const nested = db.transaction(() => db.query(read, [newId()]));
    await assert.rejects(nested, /second connection/);
    const wide = fixture.open({ poolSize: 5 });
    await assert.rejects(
      wide.scoped(scope, () => wide.transaction(async () => undefined)),
      /second connection/,
    );
    const other = await wide.transaction(() => db.query(read, [newId()]));
    assert.deepEqual(other, []);
    const afterwards = await wide.transaction(async () => () => wide.query(read, [newId()]));
    assert.deepEqual(await afterwards(), []);
  });

  it('ends a statement that takes too long', async () => {
    const impatient = fixture.open({ statementTimeoutMs: 100 });
    await assert.rejects(impatient.query(sql('SELECT pg_sleep(5)')), { code: '57014' });
  });

  it('lets nobody meet a connection that another was lost on, whichever of the two sides gave it up', async () => {
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
    };
    for (const [message, lost] of Object.entries(losses)) {
      for (const [way, run] of Object.entries(ways)) {
        const losing = assert.rejects(run(lost), { message: new RegExp(message) }, way);
        assert.deepEqual(await one.query(read, [newId()]), [], `${message} in ${way}`);
        await losing;
      }
    }
  });

  it('fails as unavailable, not as our fault, when Postgres is away', async () => {
    const away = fixture.open({ url: 'postgres://nobody@127.0.0.1:1/none' });
    await assert.rejects(away.query(read, [newId()]), (error) => error instanceof AppError && error.kind === 'unavailable');
    assert.equal(await away.isHealthy(), false);
    assert.equal(await db.isHealthy(), true);
  });
});

describe('scoped work', () => {
  it('runs as the restricted role with exactly its own settings, and they end with it', async () => {
    const inside = await db.scoped(scope, (tx) => tx.one(settings));
    assert.deepEqual(inside, { user: 'tenant_app_restricted_rbac', organization, project: '', tenants: '' });
    const outside = await db.transaction((tx) => tx.one(settings));
    assert.deepEqual(outside, { user: 'tessera_rbac', organization: '', project: '', tenants: '' });
  });

  it('sees nothing of settings that the login or its database brings along', async () => {
    const admin = new pg.Client(fixture.test.adminUrl);
    const login = new pg.Client(fixture.test.urls.rbac);
    try {
      await admin.connect();
      await admin.query(`ALTER DATABASE ${fixture.test.name} SET app.current_tenant_ids = '${organization}'`);
      await login.connect();
      const brought = await login.query(`SELECT current_setting('app.current_tenant_ids', true) AS tenants`);
      assert.deepEqual(brought.rows, [{ tenants: organization }]);
      const inside = await fixture.open({ poolSize: 1 }).scoped(scope, (tx) => tx.one(settings));
      assert.deepEqual(inside, { user: 'tenant_app_restricted_rbac', organization, project: '', tenants: '' });
    } finally {
      await admin.query(`ALTER DATABASE ${fixture.test.name} RESET app.current_tenant_ids`);
      await Promise.all([admin.end(), login.end()]);
    }
  });

  it('that reads one scope or many has the settings of each scope’s own tenant, and of no parent', async () => {
    const user = 'tenant_app_restricted_rbac';
    const [project, sister] = [newId(), newId()];
    const inProject = parseScope({ tenant: 'organizationProject', id: `${organization}:${project}` });
    const inSister = parseScope({ tenant: 'organizationProject', id: `${organization}:${sister}` });
    const seen = (...scopes: ParsedScope[]) => db.across(scopes, (tx) => tx.one(settings));
    assert.deepEqual(await seen(scope), { user, organization, project: '', tenants: '' });
    assert.deepEqual(await seen(inProject), { user, organization: '', project, tenants: '' });
    assert.deepEqual(await seen(inProject, inSister), { user, organization: '', project: '', tenants: `${project},${sister}` });
    assert.deepEqual(await seen(scope, inProject), { user, organization: '', project: '', tenants: `${organization},${project}` });
    assert.deepEqual(await seen(), { user, organization: '', project: '', tenants: '' });
  });

  it('that reads in order is planned once and without sorting, and what comes after is not', async () => {
    const planning = sql(`SELECT current_setting('plan_cache_mode') AS mode, current_setting('enable_sort') AS sort,
      current_setting('transaction_read_only') AS reading, current_setting('app.current_organization_id') AS organization`);
    const single = fixture.open({ poolSize: 1 });
    const asked = (isOrdered: boolean) => single.scoped(scope, (tx) => tx.one(planning), { readOnly: true, isOrdered });
    assert.deepEqual(await asked(true), { mode: 'force_generic_plan', sort: 'off', reading: 'on', organization });
    assert.deepEqual(await asked(false), { mode: 'auto', sort: 'on', reading: 'on', organization });
  });

  it('keeps the transaction and its settings, and leaves the role alone, when row-level security is switched off', async () => {
    const open = fixture.open({ rlsEnabled: false });
    const inside = { user: 'tessera_rbac', organization, project: '', tenants: '' };
    assert.deepEqual(await open.scoped(scope, (tx) => tx.one(settings)), inside);
    assert.deepEqual(await open.across([scope], (tx) => tx.one(settings)), inside);
  });

  it('fails when the role cannot be entered, rather than running as the owner', async () => {
    const wrong = fixture.open({ restrictedRole: 'nobody_at_all' });
    const id = newId();
    await assert.rejects(
      wrong.scoped(scope, (tx) => tx.execute(insert, [id])),
      { code: '22023' },
    );
    await assert.rejects(wrong.scoped(scope, (tx) => tx.query(read, [id]), { readOnly: true }));
    assert.equal(await exists(id), false);
  });

  it('lets nothing but ids into the settings', async () => {
    const crafted = { tenant: 'organization', id: 'x', organizationId: "'; RESET ROLE; --" } as const;
    await assert.rejects(
      db.scoped(crafted, (tx) => tx.query(settings)),
      { kind: 'validation' },
    );
    await assert.rejects(
      db.across([scope, crafted], (tx) => tx.query(settings)),
      { kind: 'validation' },
    );
  });

  it('refuses names that are no plain SQL names', () => {
    assert.throws(() => fixture.open({ restrictedRole: 'x"; RESET ROLE; --' }), /plain lower-case/);
    assert.throws(() => fixture.open({ schema: 'rbac, public' }), /plain lower-case/);
  });
});

describe('statements and rows', () => {
  it('a name belongs to one text', () => {
    statement('test_once', 'SELECT 1');
    assert.doesNotThrow(() => statement('test_once', 'SELECT 1'));
    assert.throws(() => statement('test_once', 'SELECT 2'), /Two SQL texts/);
  });

  it('carry ISO times with milliseconds in UTC whatever the server, and numbers', async () => {
    const text = `SELECT '2026-01-02 03:04:05+02'::timestamptz AS a, '2026-01-02T03:04:05.6Z'::timestamptz AS b, '2026-01-02T03:04:05.123999Z'::timestamptz AS c, count(*) AS n`;
    const [row] = await db.query(sql(text));
    assert.deepEqual(row, { a: '2026-01-02T01:04:05.000Z', b: '2026-01-02T03:04:05.600Z', c: '2026-01-02T03:04:05.123Z', n: 1 });
  });

  it('are counted without BEGIN and COMMIT, per asynchronous context', async () => {
    const twice = () => db.transaction(async (tx) => [await tx.query(read, [organization]), await tx.query(read, [organization])]);
    const [first, second] = await Promise.all([countQueries(twice), countQueries(() => db.query(read, [organization]))]);
    assert.deepEqual([first.queries, second.queries], [2, 1]);
  });
});

describe('without the kernel', () => {
  it('a login sees no other service', async () => {
    const client = new pg.Client({ connectionString: fixture.test.urls.keys });
    await client.connect();
    await assert.rejects(client.query('SELECT * FROM rbac.notes'), { code: '42501' });
    await assert.rejects(client.query('SET ROLE tenant_app_restricted_rbac'), { code: '42501' });
    await client.end();
  });
});
