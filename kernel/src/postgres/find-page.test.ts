import { afterAll, describe, expect, test } from '@jest/globals';
import { countingQueries } from '../../../test/support/queries.ts';
import { assertWithin } from '../../../test/support/until.ts';
import { createFixture } from './fixture.ts';
import { column, findPage, type PageRequest, type Params, pageList, queryBuilder, table } from './index.ts';

const size = 100_000;
const fixture = await createFixture(`
    CREATE TABLE people (id uuid PRIMARY KEY, organization_id uuid NOT NULL, name text NOT NULL, email text NOT NULL);
    INSERT INTO people SELECT gen_random_uuid(), ('00000000-0000-7000-8000-00000000000' || (number % 2))::uuid,
      CASE WHEN number = 7 THEN '100% _real\\' WHEN number < 20 THEN 'Same' ELSE 'Name ' || number END, 'person' || number || '@example.com'
      FROM generate_series(1, ${2 * size}) AS number;
    CREATE INDEX ON people (organization_id, name, id);
    CREATE INDEX ON people USING gin (name extensions.gin_trgm_ops);`);
await fixture.db.query({ text: 'VACUUM ANALYZE people' });
const counted = countingQueries(fixture.db);
afterAll(() => fixture.close());

const people = table('people', {
  id: column.uuid().primary(),
  organizationId: column.uuid(),
  name: column.text(),
  email: column.text(),
});
const query = queryBuilder<{ people: typeof people }>();
const organizationId = '00000000-0000-7000-8000-000000000001';
const from = query.selectFrom('people').where('organizationId', '=', organizationId);
const described = {
  search: ['name'] as const,
  sort: { fields: { name: 'name', email: 'email' } as const, default: 'name' },
  id: 'id',
} as const;
const builtForTheCall = (input: PageRequest) =>
  counted.database.transaction((tx) =>
    findPage(tx, { name: 'test_people', from, select: (rows) => rows.select(['id', 'name']), ...described, input }),
  );

let compilations = 0;
const kept = pageList((p: Params<{ organizationId: string }>) => ({
  name: 'test_people_kept',
  from: query.selectFrom('people').where('organizationId', '=', p.organizationId),
  select: (rows: typeof from) => {
    compilations += 1;
    return rows.select(['id', 'name']);
  },
  ...described,
}));
const compiledOnce = (input: PageRequest) => counted.database.transaction((tx) => kept(tx, { organizationId }, input));

test('pageList compiles each combination of order, search and ids once, whatever the values', async () => {
  const before = compilations;
  const inputs = [{ page: 2, limit: 3 }, { page: 7, limit: 5 }, { search: 'Same' }, { search: 'Name 4' }, { sortField: 'email' }];
  for (const input of inputs) expect((await compiledOnce(input)).rows).toStrictEqual((await builtForTheCall(input)).rows);
  expect(compilations - before).toBe(3);
  const other = await counted.database.transaction((tx) => kept(tx, { organizationId: '00000000-0000-7000-8000-000000000000' }, {}));
  expect(other.totalCount).toBe(size);
  expect(compilations - before).toBe(3);
});

describe.each([
  ['findPage', builtForTheCall],
  ['pageList', compiledOnce],
])('%s', (_name, list) => {
  test('gives one page, the count of all and whether more follows, in two queries', async () => {
    const { result, queries } = await counted.countQueries(() => list({ limit: 10 }));
    expect(queries).toBe(2);
    expect(result.rows).toHaveLength(10);
    expect(result.totalCount).toBe(size);
    expect(result.hasNextPage).toBe(true);
  });

  test('asks for no count where a page ends the list', async () => {
    const { result, queries } = await counted.countQueries(() => list({ page: 2, limit: 6, search: 'Same' }));
    expect(queries).toBe(1);
    expect([result.rows.length, result.totalCount, result.hasNextPage]).toStrictEqual([3, 9, false]);
    expect((await counted.countQueries(() => list({ page: 1, limit: 9, search: 'Same' }))).queries).toBe(2);
  });

  test('counts right beyond the end', async () => {
    expect(await list({ page: 5_000_000 })).toStrictEqual({ rows: [], totalCount: size, hasNextPage: false });
    expect((await list({ page: 2_000 })).hasNextPage).toBe(false);
  });

  test('has a stable order in which equal names neither repeat nor go missing, both ways', async () => {
    for (const sortOrder of ['asc', 'desc'] as const) {
      const pages = await Promise.all(
        [1, 2, 3, 4, 5].map((page) => list({ page, limit: 2, search: 'Same', sortField: 'name', sortOrder })),
      );
      const ids = pages.flatMap(({ rows }) => rows.map(({ id }) => id));
      expect(new Set(ids).size).toBe(pages[0]?.totalCount);
      expect(ids).toHaveLength(9);
      expect(ids).toStrictEqual(sortOrder === 'asc' ? ids.toSorted() : ids.toSorted().reverse());
    }
  });

  test('searches literally, in any case', async () => {
    expect((await list({ search: '100%' })).rows.map(({ name }) => name)).toStrictEqual(['100% _real\\']);
    expect((await list({ search: '% _REAL\\' })).totalCount).toBe(1);
    expect((await list({ search: '_eal' })).totalCount).toBe(0);
    expect((await list({ search: "' OR true --" })).totalCount).toBe(0);
    expect((await list({ search: '  ' })).totalCount).toBe(size);
  });

  test('filters by ids; an empty list matches nothing', async () => {
    const [first] = (await list({ limit: 1 })).rows;
    expect((await list({ ids: [first?.id ?? ''] })).rows).toStrictEqual([first]);
    expect((await list({ ids: [] })).totalCount).toBe(0);
  });

  test('refuses limits and pages out of range, and sort fields that are not listed', async () => {
    for (const input of [{ limit: 0 }, { limit: -1 }, { limit: 101 }, { limit: 1.5 }, { page: 0 }, { page: Number.NaN }])
      await expect(list(input)).rejects.toThrow(RangeError);
    for (const sortField of ['id; DROP TABLE people', 'constructor', 'toString'])
      await expect(list({ sortField })).rejects.toThrow(RangeError);
  });

  test(`answers any page of ${size} rows within 100 ms, sorted or searched`, async () => {
    const inputs: PageRequest[] = [{}, { page: 1_000, limit: 100 }, { sortOrder: 'desc', page: 500 }, { search: 'Name 4242' }];
    for (const input of inputs) {
      await list(input);
      await assertWithin(100, () => list(input));
    }
  });
});
