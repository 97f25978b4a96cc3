/** Every connection of the server is lent for one transaction, by PgBouncer. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { poolerUnless, startPooler } from '../../../test/support/pooler.ts';
import { describeUnless } from '../../../test/support/unless.ts';
import { newId } from '../ids/index.ts';
import { parseScope } from '../scope/index.ts';
import { createFixture } from './fixture.ts';
import { type Database, sql, statement } from './index.ts';

const insert = statement('pooler_insert', 'INSERT INTO notes (id) VALUES ($1)');
const read = statement('pooler_read', 'SELECT id, writer FROM notes WHERE id = $1');
const state =
  sql(`SELECT pg_backend_pid() AS backend, current_user AS "user", current_setting('app.current_organization_id', true) AS organization,
  current_setting('search_path') AS path, current_setting('statement_timeout') AS timeout, current_setting('timezone') AS zone`);

describeUnless(poolerUnless())('a pooler in transaction mode', () => {
  const cleanup = new AsyncDisposableStack();
  afterAll(() => cleanup.disposeAsync());
  let db: Database;

  beforeAll(async () => {
    const fixture = await createFixture(`
      CREATE TABLE notes (id uuid PRIMARY KEY, writer text NOT NULL DEFAULT current_user);
      SELECT grant_to_scoped('notes');`);
    cleanup.defer(() => fixture.close());
    const pooler = cleanup.use(await startPooler([fixture.test.urls.rbac], 2));
    db = fixture.open({ url: pooler.through(fixture.test.urls.rbac), pooler: 'transaction', poolSize: 20, statementTimeoutMs: 7_000 });
  });

  test('lends two connections to twenty, which keep to their own scope, role and schema', async () => {
    const organizations = Array.from({ length: 60 }, newId);
    const seen = await Promise.all(
      organizations.map(async (id) => {
        const [own] = await db.query<Record<string, unknown>>(state);
        const scoped = await db.scoped(parseScope({ tenant: 'organization', id }), async (tx) => {
          const first = await tx.one<Record<string, unknown>>(state);
          await tx.execute(insert, [id]);
          return [first, await tx.one<Record<string, unknown>>(state)];
        });
        return { own, scoped, written: await db.query(read, [id]) };
      }),
    );
    const set = { path: 'rbac', timeout: '7s', zone: 'UTC' };
    const backends = new Set<unknown>();
    for (const [at, { own, scoped, written }] of seen.entries()) {
      const [first, second] = scoped;
      for (const each of [own, first, second]) backends.add(each?.backend);
      expect({ ...own, organization: own?.organization ?? '' }).toMatchObject({ ...set, user: 'tessera_rbac', organization: '' });
      expect(first).toMatchObject({ ...set, user: 'tenant_app_restricted_rbac', organization: organizations[at] });
      expect(second).toStrictEqual(first);
      expect(written).toStrictEqual([{ id: organizations[at], writer: 'tenant_app_restricted_rbac' }]);
    }
    expect(backends.size).toBe(2);
  });

  test('rolls back what failed, and lends the connection on clean', async () => {
    const id = newId();
    const failing = Array.from({ length: 10 }, () =>
      db.transaction(async (tx) => {
        await tx.execute(insert, [id]);
        await tx.query(sql('SELECT 1 / 0'));
      }),
    );
    for (const each of await Promise.allSettled(failing)) expect(each).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    expect(await db.query(read, [id])).toStrictEqual([]);
    expect(await db.isHealthy()).toBe(true);
  });
});
