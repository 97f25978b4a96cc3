import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../../../tools/postgres/bootstrap.ts';
import { createTenant, data, signIn, type Tenant } from '../../../support/load/tenant.ts';
import { addAuditRows, makeMonths } from '../audit-rows.ts';
import { startBenchStack } from '../bench.ts';
import { percentile } from '../drive.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

const promised = 10_000_000;
const limit = 'limit=50';

export const auditLog: Workload = {
  name: 'audit log',
  about: 'pages of the audit log among 10,000 to 10,000,000 rows of a thousand tenants; the asked one has a tenth of them',
  isLeisurely: true,
  run: async ({ isQuick }) => {
    await using stack = await startBenchStack({ profile: 'fast' });
    const tenant = await createTenant(stack, 'audited');
    return await withClient(stack.adminDatabaseUrl ?? '', async (admin) => {
      await makeMonths(admin);
      const results: Result[] = [];
      let known = 0;
      for (const size of [10_000, 100_000, 1_000_000, ...(isQuick ? [] : [promised])]) {
        await addAuditRows(admin, tenant.organizationId, size - known);
        known = size;
        await admin.query('CHECKPOINT');
        await sleep(1_000);
        Object.assign(tenant.owner, await signIn(tenant.client, tenant.owner.email));
        results.push(await readPages(tenant, size, isQuick ? 20 : 60));
      }
      return [...results, await exportRows(stack.url, tenant)];
    });
  },
};

type Item = { readonly at: string; readonly actor: { readonly id: string }; readonly target: { readonly id: string } };
type Page = { readonly items: readonly Item[]; readonly nextCursor: string | null };
type Question = { readonly name: string; readonly query: (round: number) => string; readonly path?: string };

const daysAgo = (days: number) => encodeURIComponent(new Date(Date.now() - days * 86_400_000).toISOString());

/** Each filter, places near and far, what is rare and what never happened. */
function questionsOf(cursors: readonly string[], items: readonly Item[]): readonly Question[] {
  const item = (round: number) => items[round % items.length];
  return [
    { name: 'the first page', query: () => limit },
    { name: 'a page in the middle', query: (round) => `${limit}&to=${daysAgo(30 + round)}` },
    { name: 'the next page', query: (round) => `${limit}&cursor=${encodeURIComponent(cursors[round % cursors.length] ?? '')}` },
    { name: 'one actor', query: (round) => `${limit}&actorId=${item(round)?.actor.id}` },
    { name: 'one target', query: (round) => `${limit}&targetType=Role&targetId=${item(round)?.target.id}` },
    { name: 'one action', query: (round) => `${limit}&action=thing${round % 40}.updated` },
    { name: 'an action that never happened', query: () => `${limit}&action=role.created` },
    { name: 'refusals, 1 in 1,000', query: () => `${limit}&outcome=refused` },
    { name: 'without projects', query: () => `${limit}&includeProjects=false` },
    { name: 'one’s own', query: () => limit, path: '/api/me/audit-events' },
  ];
}

async function readPages({ client, owner, organizationId }: Tenant, size: number, rounds: number): Promise<Result> {
  const ask = async (query: string, path = '/api/audit-events'): Promise<Page> => {
    const scope = path.startsWith('/api/me') ? '' : `tenant=organization&scopeId=${organizationId}&`;
    return data(await client.get(`${path}?${scope}${query}`, owner.token));
  };
  const cursors: string[] = [];
  let page = await ask(limit);
  const first = page.items;
  for (; cursors.length < rounds && page.nextCursor !== null; page = await ask(`${limit}&cursor=${encodeURIComponent(page.nextCursor)}`))
    cursors.push(page.nextCursor);
  const times = questionsOf(cursors, first.slice(0, 20)).map((question) => ({ question, taken: [] as number[] }));
  for (let round = 0; round < rounds; round += 1)
    for (const { question, taken } of times) {
      const startedAt = performance.now();
      await ask(question.query(round), question.path);
      taken.push(performance.now() - startedAt);
    }
  const all = times.flatMap(({ taken }) => taken).sort((a, b) => a - b);
  const each = times.map(({ question: { name }, taken }) => ({
    name,
    p95: percentile(
      taken.toSorted((a, b) => a - b),
      0.95,
    ),
  }));
  const slowest = each.toSorted((a, b) => b.p95 - a.p95)[0];
  return {
    workload: `audit log, ${size.toLocaleString('en')} rows`,
    unit: 'ms p95',
    measured: percentile(all, 0.95),
    failures: 0,
    p50Ms: percentile(all, 0.5),
    p99Ms: percentile(all, 0.99),
    rate: 1_000 / percentile(all, 0.5),
    promise: size === promised ? { atMost: 50 } : undefined,
    note: `${times.length} questions in turn, one after the other; slowest: ${slowest?.name} (${slowest?.p95.toFixed(1)} ms p95)`,
  };
}

/** A part of the log as a file, streamed. */
async function exportRows(url: string, { owner, organizationId }: Tenant): Promise<Result> {
  const startedAt = performance.now();
  const query = `tenant=organization&scopeId=${organizationId}&format=ndjson&from=${daysAgo(15)}`;
  const answer = await fetch(`${url}/api/audit-events/export?${query}`, { headers: { authorization: `Bearer ${owner.token}` } });
  let lines = 0;
  for await (const chunk of answer.body ?? []) lines += chunk.reduce((sum: number, byte: number) => sum + Number(byte === 10), 0);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    workload: 'audit log, export',
    unit: 'rows a second',
    measured: lines / seconds,
    failures: answer.ok ? 0 : 1,
    note: `${lines.toLocaleString('en')} rows of 15 days as NDJSON, page by page`,
  };
}
