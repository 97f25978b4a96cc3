import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../ids/index.ts';
import { parseScope } from '../scope/index.ts';
import { createFixture, type Fixture } from './fixture.ts';
import { column, composed, type Database, type Params, pivot, queryBuilder, sql, statement, table, timestamp } from './index.ts';

const things = table('things', {
  id: column.uuid().primary(),
  displayName: column.text(),
  detail: column.json<{ size: number }>().nullable(),
  isReady: column.boolean().default(false),
  createdAt: timestamp().defaultRaw('now()'),
});
const organizationThings = pivot(
  'organization_things',
  { organizationId: column.uuid().primary(), thingId: column.uuid().primary() },
  { tenant: ['organizationId'] },
);
const entities = { things, organizationThings };
const query = queryBuilder<typeof entities>();

const addThing = statement('test_add_thing', (p: Params<{ id: string; displayName: string; detail: { size: number } | null }>) =>
  query.insertInto('things').values({ id: p.id, displayName: p.displayName, detail: p.detail }),
);
const findThings = statement('test_find_things', (p: Params<{ ids: string[] }>) =>
  query
    .selectFrom('things as t')
    .where('t.id', '=', ({ fn }) => fn.any(p.ids))
    .select(['t.id', 't.displayName', 't.detail', 't.isReady', 't.createdAt'])
    .orderBy('t.displayName'),
);
const countThings = statement('test_count_things', () =>
  query.selectFrom('things').select(({ fn }) => fn.countAll<number>().as('thingCount')),
);

let fixture: Fixture;
let db: Database;
before(async () => {
  fixture = await createFixture(`
    CREATE TABLE things (
      id uuid PRIMARY KEY, display_name text NOT NULL, detail jsonb, is_ready boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE organization_things (organization_id uuid NOT NULL, thing_id uuid NOT NULL, PRIMARY KEY (organization_id, thing_id));
    SELECT grant_to_scoped('things'), isolate_pivot('organization_things');`);
  db = fixture.open({ poolSize: 1, entities });
});
after(() => fixture.close());

async function prepared(): Promise<readonly { name: string; statement: string }[]> {
  return db.query(sql(`SELECT name, statement FROM pg_prepared_statements WHERE name LIKE 'test\\_%' OR name LIKE 'c\\_%' ORDER BY name`));
}

describe('statement', () => {
  it('compiles a typed query once, prepares it under its name and binds the values of each call', async () => {
    const [first, second] = [newId(), newId()];
    await db.transaction(async (tx) => {
      assert.equal(await tx.execute(addThing, { id: first, displayName: 'first', detail: { size: 1 } }), 1);
      assert.equal(await tx.execute(addThing, { id: second, displayName: 'second', detail: null }), 1);
    });
    const rows = await db.query(findThings, { ids: [first, second] });
    assert.deepEqual(
      rows.map(({ displayName, detail, isReady }) => [displayName, detail, isReady]),
      [
        ['first', { size: 1 }, false],
        ['second', null, false],
      ],
    );
    assert.match(rows[0]?.createdAt ?? '', /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    assert.deepEqual(await db.query(findThings, { ids: [second] }), [rows[1]]);
    assert.equal((await prepared()).filter(({ name }) => name === 'test_find_things').length, 1);
  });

  it('takes no input where the query has no parameters', async () => {
    const [row] = await db.query(countThings);
    assert.equal(typeof row?.thingCount, 'number');
  });

  it('uses one placeholder for a parameter that stands in several places', async () => {
    const twice = statement('test_twice', (p: Params<{ name: string }>) =>
      query
        .selectFrom('things')
        .where(({ eb, or }) => or([eb('displayName', '=', p.name), eb('id', 'is', null), eb('displayName', '=', p.name)]))
        .select('id'),
    );
    await db.query(twice, { name: 'first' });
    const text = (await prepared()).find(({ name }) => name === 'test_twice')?.statement ?? '';
    assert.equal(text.match(/\$1/g)?.length, 2);
    assert.doesNotMatch(text, /\$2/);
  });

  it('refuses two queries under one name', () => {
    assert.throws(() => statement('test_count_things', () => query.selectFrom('things').select('id')), /Two SQL texts/);
  });

  it('never puts a value into the text', async () => {
    const hostile = `x'; DROP TABLE things; --`;
    assert.deepEqual(await db.query(query.selectFrom('things').where('displayName', '=', hostile).select('id')), []);
    assert.equal((await db.query(countThings)).length, 1);
  });
});

describe('composed', () => {
  it('prepares one text once, whatever its values', async () => {
    const byName = (name: string) => composed(query.selectFrom('things').where('displayName', '=', name).select('displayName'));
    const before = (await prepared()).length;
    assert.deepEqual(await db.query(byName('first')), [{ displayName: 'first' }]);
    assert.deepEqual(await db.query(byName('second')), [{ displayName: 'second' }]);
    assert.equal((await prepared()).length, before + 1);
  });
});

describe('tx.em', () => {
  const organization = newId();
  const scope = parseScope({ tenant: 'organization', id: organization });

  it('reads and writes in the transaction, with its role and settings', async () => {
    const id = newId();
    await db.scoped(scope, async (tx) => {
      const em = await tx.em();
      em.persist(
        em.create(things, { id, displayName: 'of the manager', detail: { size: 3 }, isReady: true, createdAt: '2026-01-01T00:00:00.000Z' }),
      );
      em.persist(em.create(organizationThings, { organizationId: organization, thingId: id }));
      await em.flush();
      assert.equal((await tx.query(findThings, { ids: [id] })).length, 1);
      const [user] = await em.getConnection().execute('SELECT current_user AS name', [], 'all', em.getTransactionContext());
      assert.deepEqual(user, { name: 'tenant_app_restricted_rbac' });
    });
    const found = await db.scoped(scope, async (tx) => (await tx.em()).findOneOrFail(things, { id }));
    assert.deepEqual([found.displayName, found.detail, found.createdAt], ['of the manager', { size: 3 }, '2026-01-01T00:00:00.000Z']);
  });

  it('changes a row that it has read, and what fails afterwards takes the change back', async () => {
    const [row] = await db.query(query.selectFrom('things').where('displayName', '=', 'first').select('id'));
    const change = (name: string, fails: boolean) =>
      db.scoped(scope, async (tx) => {
        const em = await tx.em();
        const thing = await em.findOneOrFail(things, { id: row?.id ?? '' });
        thing.displayName = name;
        await em.flush();
        if (fails) throw new Error('the work failed');
      });
    await assert.rejects(change('lost', true), /the work failed/);
    await change('kept', false);
    assert.deepEqual(
      (await db.query(findThings, { ids: [row?.id ?? ''] })).map(({ displayName }) => displayName),
      ['kept'],
    );
  });

  it('sees no row of another tenant', async () => {
    const other = parseScope({ tenant: 'organization', id: newId() });
    assert.equal(await db.scoped(other, async (tx) => (await tx.em()).count(organizationThings)), 0);
    assert.equal(await db.scoped(scope, async (tx) => (await tx.em()).count(organizationThings)), 1);
  });

  it('works in its transaction alone: a fork and what comes later are refused, and never run as the owner', async () => {
    const late = await db.scoped(scope, async (tx) => {
      const em = await tx.em();
      await assert.rejects(em.fork().count(things), /only in the transaction/);
      return em;
    });
    await assert.rejects(late.count(things), /after its transaction had ended/);
  });
});
