import { createTenant, data, type Tenant } from '../../../support/load/tenant.ts';
import { countEach } from '../../../support/statements.ts';
import type { Bench } from '../bench.ts';
import { addMembers, changeMember } from '../crowd.ts';
import { median, percentile } from '../drive.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

const limit = 50;

export const members: Workload = {
  name: 'members',
  about: 'pages of members and users, sorted and searched, with roles, in organizations of 10, 1,000 and 100,000 people',
  run: async (bench) => {
    const results: Result[] = [];
    for (const size of [10, 1_000, 100_000]) {
      const tenant = await createTenant(bench.stack, `members-${size}`);
      await addMembers(bench.stack, tenant, size);
      results.push(...(await listPages(bench, tenant, size)));
    }
    return results;
  },
};

/** First, middle and last pages, every order, few hits, many and none. The slowest page counts. */
function pagesOf(size: number): readonly string[] {
  const last = Math.ceil(size / limit);
  const pages = [1, Math.ceil(last / 2), last];
  return [
    ...['name', 'email', 'createdAt'].flatMap((field) =>
      ['asc', 'desc'].flatMap((order) => pages.map((page) => `page=${page}&sortField=${field}&sortOrder=${order}`)),
    ),
    ...['Lovelace 1', 'a', 'example.com', 'no such person'].map(
      (text) => `search=${encodeURIComponent(text)}&sortField=name&sortOrder=asc`,
    ),
    `page=${Math.min(last, 200)}&search=a&sortField=email&sortOrder=desc`,
    `page=${Math.ceil(last / 2)}&search=example.com&sortField=email&sortOrder=asc`,
  ].map((query) => `${query}&limit=${limit}`);
}

type List = { readonly name: string; readonly path: string; readonly more: string };
const lists: readonly List[] = [
  { name: 'members with roles', path: '/api/organization-members', more: '' },
  { name: 'users with roles', path: '/api/users', more: '&relations=roles' },
];

async function listPages(bench: Bench, tenant: Tenant, size: number): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const list of lists) results.push(...(await listOne(bench, tenant, size, list)));
  return results;
}

async function listOne({ isQuick, stack }: Bench, tenant: Tenant, size: number, { name, path, more }: List): Promise<readonly Result[]> {
  const { client, owner, organizationId } = tenant;
  const scope = `tenant=organization&scopeId=${organizationId}`;
  const ask = async (query: string) => data(await client.get(`${path}?${scope}&${query}${more}`, owner.token));
  const pages = pagesOf(size);
  const { totalCount } = await ask(pages[0] ?? '');
  if (totalCount !== size + 1) throw new Error(`${totalCount} of ${size + 1} ${name}`);

  const counts = await countEach(
    stack,
    pages.map((query) => () => ask(query)),
  );
  const most = [...counts].sort((a, b) => b.queries - a.queries)[0];
  const timed = async (query: string) => {
    const startedAt = performance.now();
    await ask(query);
    return performance.now() - startedAt;
  };
  const byPage: { readonly query: string; readonly times: number[] }[] = pages.map((query) => ({ query, times: [] }));
  const firsts: number[] = [];
  const isPromised = size === 100_000;
  const rounds = Array.from({ length: isQuick ? 3 : 10 });
  for (const _ of rounds) for (const { query, times } of byPage) times.push(await timed(query));
  for (const _ of isPromised ? rounds : [])
    for (const query of pages.filter((one) => one.includes('search='))) {
      await changeMember(stack, tenant);
      firsts.push(await timed(query));
    }
  const all = byPage.flatMap(({ times }) => times).sort((a, b) => a - b);
  const slowest = [...byPage].sort((a, b) => median(b.times) - median(a.times))[0];
  const workload = `${name}, ${size.toLocaleString('en')} people`;
  return [
    {
      workload,
      unit: 'ms p95',
      measured: percentile(all, 0.95),
      promise: isPromised ? { atMost: 50 } : undefined,
      failures: 0,
      p50Ms: percentile(all, 0.5),
      p99Ms: percentile(all, 0.99),
      rate: 1_000 / median(all),
      note: `${pages.length} pages and searches, one after the other; slowest ${slowest?.query} (${median(slowest?.times ?? []).toFixed(1)} ms)`,
    },
    ...(isPromised ? [searchesAfterAChange(workload, firsts)] : []),
    {
      workload: `${workload}: queries`,
      unit: 'queries at most',
      measured: most?.queries ?? 0,
      promise: isPromised ? { atMost: 4 } : undefined,
      failures: 0,
      note: Object.entries(most?.byService ?? {})
        .map(([service, count]) => `${service} ${count}`)
        .join(', '),
    },
  ];
}

function searchesAfterAChange(workload: string, times: readonly number[]): Result {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    workload: `${workload}: searches after a change`,
    unit: 'ms p95',
    measured: percentile(sorted, 0.95),
    failures: 0,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    rate: 1_000 / median(sorted),
    note: 'a member of the organization changes before each search, so that its count is not cached',
  };
}
