/** Searches are exact, literal and ordered on every page, and so is the total count. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { bind, type Runnable, sql, type Transaction } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import { call } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';
import { pageMembers } from './member-page.ts';
import { pagePeople } from './people-page.ts';
import { createSearchTotals, type SearchTotals } from './search-totals.ts';

const memberCount = 1_300;
const totals = createSearchTotals();
const service = await openTestService();
const { owner, organizationId, scope } = await service.createOrganization('Many');
await service.query(
  `INSERT INTO people (user_id, name, email, created_at, updated_at)
     SELECT gen_random_uuid(),
            CASE WHEN i % 13 = 0 THEN '500off ' WHEN i % 2 = 0 THEN 'Ä 50%_OFF\\Ü ' ELSE 'zoe 50%_off\\ü ' END || i % 70,
            CASE WHEN i % 5 > 0 THEN 'm' || i || '@example.com' END, now() - i % 9 * interval '1 day', now() FROM generate_series(1, $1::int) i`,
  [memberCount],
);
await service.query(
  `INSERT INTO organization_users (organization_id, user_id, name, email, user_created_at, user_updated_at)
     SELECT $1, user_id, name, email, created_at, updated_at FROM people WHERE name LIKE '%ff%'`,
  [organizationId],
);
const projectId = String((await call(service, 'rest', 'createProject', { scope, name: 'Rocket' }, owner.token)).data.id);
await service.query(
  `INSERT INTO project_users (project_id, organization_id, user_id, name, email, user_created_at, user_updated_at)
     SELECT $1, organization_id, user_id, name, email, user_created_at, user_updated_at FROM organization_users WHERE organization_id = $2`,
  [projectId, organizationId],
);
const roleId = service.rbac.roleId(organizationId, 'Dev');
for (let index = 0; index < 7; index += 1)
  await call(service, 'rest', 'inviteMember', { scope, email: `m${index * 200}.guest@example.com`, roleId }, owner.token);
afterAll(() => service.close());

function inScope<Result>(work: Parameters<typeof service.database.scoped<Result>>[1], project?: string) {
  return service.database.scoped(
    parseScope(
      project === undefined
        ? { tenant: 'organization', id: organizationId }
        : { tenant: 'organizationProject', id: `${organizationId}:${project}` },
    ),
    work,
    { readOnly: true, isOrdered: true },
  );
}

const expected: Readonly<Record<string, string>> = {
  '50%_OFF\\ü': `strpos(lower(name), '50%_off\\ü') > 0`,
  '%_': `strpos(name, '%_') > 0`,
  '\\': `strpos(name, '\\') > 0`,
  'example.com': 'email IS NOT NULL',
  '0off': `strpos(name, '0off') > 0`,
  'f%f': 'false',
};

describe('pageMembers with a search', () => {
  for (const [search, condition] of Object.entries(expected))
    for (const sortField of ['name', 'email', 'createdAt'] as const)
      test(`finds exactly the members with ${search}; its pages by ${sortField} join to the whole in both directions`, async () => {
        const [found] = await service.query<{ n: number }>(
          `SELECT count(*) AS n FROM organization_users WHERE organization_id = $1 AND ${condition}`,
          [organizationId],
        );
        const guests = search === 'example.com' ? 7 : 0;
        const read = async (sortOrder: 'asc' | 'desc', limit: number, totalsOf: () => SearchTotals) => {
          const ids: string[] = [];
          for (let page = 1; ; page += 1) {
            const query = { page, limit, search, sortField, sortOrder };
            const { rows, totalCount } = await inScope((tx) => pageMembers(tx, totalsOf(), organizationId, query));
            expect(totalCount).toBe((found?.n ?? 0) + guests);
            ids.push(...rows.map(({ id }) => id));
            if (rows.length < limit) return ids;
          }
        };
        const ascending = await read('asc', 97, createSearchTotals);
        expect(new Set(ascending).size).toBe((found?.n ?? 0) + guests);
        expect(await read('desc', 100, createSearchTotals)).toStrictEqual(ascending.toReversed());
        const totals = createSearchTotals();
        expect(await read('desc', 90, () => totals)).toStrictEqual(ascending.toReversed());
        const query = { page: 3, limit: 100, search, sortField, sortOrder: 'desc' } as const;
        const { userIds, totalCount } = await inScope((tx) => pagePeople(tx, totals, { organizationId }, query));
        expect(totalCount).toBe(found?.n);
        expect(userIds).toHaveLength(Math.max(0, Math.min(100, (found?.n ?? 0) - 200)));
      });
});

const keys = { name: 'name', email: 'email', createdAt: 'user_created_at', updatedAt: 'user_updated_at' } as const;
const places = {
  organization: { table: 'organization_users', column: 'organization_id', id: () => organizationId },
  project: { table: 'project_users', column: 'project_id', id: () => projectId },
};

describe('pagePeople with a search', () => {
  for (const [place, { table, column, id }] of Object.entries(places))
    for (const sortField of ['name', 'email', 'createdAt', 'updatedAt'] as const)
      for (const sortOrder of ['asc', 'desc'] as const)
        test(`each page of the ${place}'s people by ${sortField} ${sortOrder} equals a naive query, past the end too`, async () => {
          for (const search of ['off', 'example.com', 'zoe 50%_off\\ü 6', '500OFF 13', 'm7', 'nobody']) {
            const expectedIds = await service.query<{ id: string }>(
              `SELECT user_id AS id FROM ${table} WHERE ${column} = $1 AND strpos(search, lower($2)) > 0
               ORDER BY ${keys[sortField]} ${sortOrder}, user_id ${sortOrder}`,
              [id(), search],
            );
            const limit = 83;
            for (let page = 1; page <= Math.ceil(expectedIds.length / limit) + 2; page += 1) {
              const query = { page, limit, search, sortField, sortOrder };
              const request = place === 'project' ? { organizationId, projectId } : { organizationId };
              for (const known of [createSearchTotals(), totals]) {
                const { userIds, totalCount } = await inScope(
                  (tx) => pagePeople(tx, known, request, query),
                  place === 'project' ? projectId : undefined,
                );
                expect(totalCount).toStrictEqualFor(`${search}, page ${page}`, expectedIds.length);
                expect(userIds).toStrictEqual(expectedIds.slice((page - 1) * limit, page * limit).map((row) => row.id));
              }
            }
          }
        });
});

describe('a page of a search for members', () => {
  const pageOf = (page: number, limit: number, search: string, more = {}) =>
    inScope((tx) =>
      pageMembers(tx, createSearchTotals(), organizationId, { page, limit, search, sortField: 'name', sortOrder: 'asc', ...more }),
    );

  test('a page past the end is empty and has the total count', async () => {
    for (const [search, page] of [
      ['off', 99],
      ['off', 14],
      ['guest', 2],
      ['nobody', 3],
    ] as const) {
      const [first, past] = [await pageOf(1, 100, search), await pageOf(page, 100, search)];
      expect(past).toStrictEqual({ rows: [], totalCount: first.totalCount });
    }
  });

  test('the page after a full last page is empty', async () => {
    const { totalCount } = await pageOf(1, 1, 'm120');
    expect((await pageOf(1, totalCount, 'm120')).rows).toHaveLength(totalCount);
    expect(await pageOf(2, totalCount, 'm120')).toStrictEqual({ rows: [], totalCount });
  });

  test('a search with a status finds invitations only, and ids narrow it', async () => {
    const guests = await pageOf(1, 100, 'GUEST', { status: 'pending' });
    expect([guests.totalCount, guests.rows.length]).toStrictEqual([7, 7]);
    expect((await pageOf(1, 100, 'guest', { status: 'revoked' })).totalCount).toBe(0);
    const ids = guests.rows.slice(0, 2).map(({ id }) => id);
    expect((await pageOf(1, 100, 'example', { ids })).rows).toStrictEqual(guests.rows.slice(0, 2));
  });
});

type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Parent Relationship'?: string;
  readonly Alias?: string;
  readonly Plans?: readonly Plan[];
};

function nodesOf(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
/** The nodes whose rows a node reads completely: not its subplans, and not below a limit. */
function takenBy(plan: Plan): readonly Plan[] {
  return [
    plan,
    ...(plan.Plans ?? []).flatMap((part) =>
      part['Parent Relationship'] === 'InitPlan' || part['Node Type'] === 'Limit' ? [] : takenBy(part),
    ),
  ];
}
function isPivot({ 'Relation Name': relation = '' }: Plan): boolean {
  return ['organization_users', 'project_users'].includes(relation);
}
/** The lookup of one member by id: of a row of the page, or of a project's user. */
function isLookup({ 'Index Cond': condition = '' }: Plan): boolean {
  return /user_id = (?:page\.id|chosen\w*\.user_id)/.test(condition);
}

describe('the query plan of a page', () => {
  /** The plans of the queries that `work` sends. */
  async function plansOf(work: (tx: Transaction) => Promise<unknown>, project?: string): Promise<readonly Plan[]> {
    return inScope(async (tx) => {
      const plans: Plan[] = [];
      const query = async <Row>(...call: readonly [Runnable, unknown?]): Promise<Row[]> => {
        const { text, values } = bind(...call);
        const given = values.map((value) => `'${value}'`).join(', ');
        const [, explained] = await Promise.all([
          tx.query(sql(`PREPARE explained AS ${text}`)),
          tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql(`EXPLAIN (FORMAT JSON) EXECUTE explained(${given})`)),
          tx.query(sql('DEALLOCATE explained')),
        ]);
        plans.push(...explained.map((row) => row['QUERY PLAN'][0].Plan));
        return tx.query<Row>(sql(text), values);
      };
      await work({ ...tx, query, one: async <Row>(...call: readonly [Runnable, unknown?]) => (await query<Row>(...call))[0] });
      return plans;
    }, project);
  }

  for (const search of [undefined, 'example.com'])
    for (const sortField of ['name', 'email', 'createdAt'] as const)
      test(`${search === undefined ? 'a page' : `a search for ${search}`} by ${sortField} reads people in the order of an index and never sorts them`, async () => {
        const query = { page: 3, limit: 5, search, sortField, sortOrder: 'asc' } as const;
        const totals = createSearchTotals();
        const plans = [
          // The second call uses the cached total of the search.
          ...(await plansOf((tx) => pageMembers(tx, totals, organizationId, query))),
          ...(await plansOf((tx) => pageMembers(tx, totals, organizationId, query))),
          ...(await plansOf((tx) => pagePeople(tx, createSearchTotals(), { organizationId }, query))),
          ...(await plansOf((tx) => pagePeople(tx, totals, { organizationId }, query))),
          ...(await plansOf((tx) => pagePeople(tx, totals, { organizationId, projectId }, query), projectId)),
        ];
        const nodes = plans.flatMap(nodesOf);
        const scans = nodes.filter(isPivot);
        expect(scans.length).toBeGreaterThan(6);
        const others = scans.filter((scan) => scan['Node Type'] !== 'Index Only Scan' && !isLookup(scan));
        expect(others).toStrictEqual([]);
        const gathering = nodes.filter((node) => /Sort|Hash|Materialize/.test(node['Node Type']));
        expect(gathering.filter((node) => takenBy(node).some((part) => isPivot(part) && !isLookup(part)))).toStrictEqual([]);
      });
});
