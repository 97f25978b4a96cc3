import { createTenant, data } from '../../../support/load/tenant.ts';
import type { Bench } from '../bench.ts';
import { addMembers } from '../crowd.ts';
import { percentile } from '../drive.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

const limit = 1_000;
const promised = 10_000;

export const whoMay: Workload = {
  name: 'who may',
  about: 'the inverse question (who may do this) among 100, 1,000 and 10,000 members, page by page to the end',
  run: async (bench) => {
    const results: Result[] = [];
    for (const size of [100, 1_000, promised]) results.push(...(await askWhoMay(bench, size)));
    return results;
  },
};

async function askWhoMay({ stack, isQuick }: Bench, size: number): Promise<readonly Result[]> {
  const tenant = await createTenant(stack, `who-may-${size}`);
  const { client, owner, organizationId } = tenant;
  await addMembers(stack, tenant, size);
  const question = {
    scope: { tenant: 'organization', id: organizationId },
    subjectType: 'user',
    permission: { resource: 'Role', action: 'Query' },
    limit,
  };
  const pages: number[] = [];
  const walks: number[] = [];
  for (let round = 0; round < (isQuick ? 5 : 15); round += 1) {
    const found = new Set<string>();
    const startedAt = performance.now();
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const askedAt = performance.now();
      const body = cursor === undefined ? question : { ...question, cursor };
      const { items, nextCursor } = data(await client.post('/api/auth/search/subjects', body, owner.token));
      pages.push(performance.now() - askedAt);
      for (const { id } of items) found.add(id);
      cursor = nextCursor;
    }
    walks.push(performance.now() - startedAt);
    if (found.size !== size + 1) throw new Error(`${found.size} of ${size + 1} members`);
  }
  const name = `who may, ${size.toLocaleString('en')} members`;
  return [
    {
      ...resultOf(name, pages),
      promise: size === promised ? { atMost: 100 } : undefined,
      note: `pages of ${limit.toLocaleString('en')}, with names, one after the other`,
    },
    { ...resultOf(`${name}: all of them`, walks), note: `${Math.ceil((size + 1) / limit)} pages, each member once` },
  ];
}

function resultOf(workload: string, times: readonly number[]): Result {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    workload,
    unit: 'ms p95',
    measured: percentile(sorted, 0.95),
    failures: 0,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    rate: 1_000 / percentile(sorted, 0.5),
  };
}
