import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '../ids/index.ts';
import { parseScope } from '../scope/index.ts';
import { createFixture } from './fixture.ts';
import { column, composed, type Params, pivot, queryBuilder, sql, statement, table, timestamp } from './index.ts';

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

const fixture = await createFixture(`
    CREATE TABLE things (
      id uuid PRIMARY KEY, display_name text NOT NULL, detail jsonb, is_ready boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE organization_things (organization_id uuid NOT NULL, thing_id uuid NOT NULL, PRIMARY KEY (organization_id, thing_id));
    SELECT grant_to_scoped('things'), isolate_pivot('organization_things');`);
const db = fixture.open({ poolSize: 1, entities });
afterAll(() => fixture.close());

async function prepared(): Promise<readonly { name: string; statement: string }[]> {
  return db.query(sql(`SELECT name, statement FROM pg_prepared_statements WHERE name LIKE 'test\\_%' OR name LIKE 'c\\_%' ORDER BY name`));
}

describe('statement', () => {
  test('compiles a typed query once, prepares it under its name and binds the values of each call', async () => {
    const [first, second] = [newId(), newId()];
    await db.transaction(async (tx) => {
      expect(await tx.execute(addThing, { id: first, displayName: 'first', detail: { size: 1 } })).toBe(1);
      expect(await tx.execute(addThing, { id: second, displayName: 'second', detail: null })).toBe(1);
    });
    const rows = await db.query(findThings, { ids: [first, second] });
    expect(rows.map(({ displayName, detail, isReady }) => [displayName, detail, isReady])).toStrictEqual([
      ['first', { size: 1 }, false],
      ['second', null, false],
    ]);
    expect(rows[0]?.createdAt ?? '').toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    expect(await db.query(findThings, { ids: [second] })).toStrictEqual([rows[1]]);
    expect((await prepared()).filter(({ name }) => name === 'test_find_things')).toHaveLength(1);
  });

  test('takes no input where the query has no parameters', async () => {
    const [row] = await db.query(countThings);
    expect(typeof row?.thingCount).toBe('number');
  });

  test('uses one placeholder for a parameter that stands in several places', async () => {
    const twice = statement('test_twice', (p: Params<{ name: string }>) =>
      query
        .selectFrom('things')
        .where(({ eb, or }) => or([eb('displayName', '=', p.name), eb('id', 'is', null), eb('displayName', '=', p.name)]))
        .select('id'),
    );
    await db.query(twice, { name: 'first' });
    const text = (await prepared()).find(({ name }) => name === 'test_twice')?.statement ?? '';
    expect(text.match(/\$1/g)?.length).toBe(2);
    expect(text).not.toMatch(/\$2/);
  });

  test('refuses two queries under one name', () =>
    expect(() => statement('test_count_things', () => query.selectFrom('things').select('id'))).toThrow(/Two SQL texts/));

  test('never puts a value into the text', async () => {
    const hostile = `x'; DROP TABLE things; --`;
    expect(await db.query(query.selectFrom('things').where('displayName', '=', hostile).select('id'))).toStrictEqual([]);
    expect(await db.query(countThings)).toHaveLength(1);
  });
});

describe('composed', () => {
  test('prepares one text once, whatever its values', async () => {
    const byName = (name: string) => composed(query.selectFrom('things').where('displayName', '=', name).select('displayName'));
    const before = (await prepared()).length;
    expect(await db.query(byName('first'))).toStrictEqual([{ displayName: 'first' }]);
    expect(await db.query(byName('second'))).toStrictEqual([{ displayName: 'second' }]);
    expect(await prepared()).toHaveLength(before + 1);
  });
});

describe('tx.em', () => {
  const organization = newId();
  const scope = parseScope({ tenant: 'organization', id: organization });

  test('reads and writes in the transaction, with its role and settings', async () => {
    const id = newId();
    await db.scoped(scope, async (tx) => {
      const em = await tx.em();
      em.persist(
        em.create(things, { id, displayName: 'of the manager', detail: { size: 3 }, isReady: true, createdAt: '2026-01-01T00:00:00.000Z' }),
      );
      em.persist(em.create(organizationThings, { organizationId: organization, thingId: id }));
      await em.flush();
      expect(await tx.query(findThings, { ids: [id] })).toHaveLength(1);
      const [user] = await em.getConnection().execute('SELECT current_user AS name', [], 'all', em.getTransactionContext());
      expect(user).toStrictEqual({ name: 'tenant_app_restricted_rbac' });
    });
    const found = await db.scoped(scope, async (tx) => (await tx.em()).findOneOrFail(things, { id }));
    expect([found.displayName, found.detail, found.createdAt]).toStrictEqual(['of the manager', { size: 3 }, '2026-01-01T00:00:00.000Z']);
  });

  test('changes a row that it has read, and what fails afterwards takes the change back', async () => {
    const [row] = await db.query(query.selectFrom('things').where('displayName', '=', 'first').select('id'));
    const change = (name: string, fails: boolean) =>
      db.scoped(scope, async (tx) => {
        const em = await tx.em();
        const thing = await em.findOneOrFail(things, { id: row?.id ?? '' });
        thing.displayName = name;
        await em.flush();
        if (fails) throw new Error('the work failed');
      });
    await expect(change('lost', true)).rejects.toThrow(/the work failed/);
    await change('kept', false);
    expect((await db.query(findThings, { ids: [row?.id ?? ''] })).map(({ displayName }) => displayName)).toStrictEqual(['kept']);
  });

  test('sees no row of another tenant', async () => {
    const other = parseScope({ tenant: 'organization', id: newId() });
    expect(await db.scoped(other, async (tx) => (await tx.em()).count(organizationThings))).toBe(0);
    expect(await db.scoped(scope, async (tx) => (await tx.em()).count(organizationThings))).toBe(1);
  });

  test('works in its transaction alone: a fork and what comes later are refused, and never run as the owner', async () => {
    const late = await db.scoped(scope, async (tx) => {
      const em = await tx.em();
      await expect(em.fork().count(things)).rejects.toThrow(/only in the transaction/);
      return em;
    });
    await expect(late.count(things)).rejects.toThrow(/after its transaction had ended/);
  });
});
