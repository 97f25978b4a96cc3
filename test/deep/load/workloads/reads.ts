import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { lastRelease } from '../../../../tools/release/last.ts';
import { createTenant, type Tenant } from '../../../support/load/tenant.ts';
import { checkOut, releaseUnless, runCodeOf } from '../../../support/upgrade/release.ts';
import { type Bench, processesOf, startBenchStack } from '../bench.ts';
import { closedLoop, type Shot } from '../drive.ts';
import { type HttpTarget, httpShot } from '../http.ts';
import { type Pace, race, type Standing } from '../race.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

/** More CPU a request than the release, by so much, is a loss and no noise. */
const mostRatio = 1.2;
const connections = 32;
const warmRequests = 10_000;
const mostWarmSeconds = 4;

type Read = { readonly name: string; readonly target: (tenant: Tenant) => Omit<HttpTarget, 'origin'> };

function as({ owner }: Tenant) {
  return { authorization: `Bearer ${owner.token}`, 'user-agent': 'bench' };
}

function question({ organizationId }: Tenant): string {
  const scope = { tenant: 'organization', id: organizationId };
  return JSON.stringify({ permission: { resource: 'Role', action: 'Create' }, context: { resource: { id: 'x' } }, scope });
}

function graphql(name: string, query: string): Read {
  const body = JSON.stringify({ query });
  return { name, target: (tenant) => ({ method: 'POST', path: '/graphql', headers: as(tenant), forbidden: '"errors"', body }) };
}

const reads: readonly Read[] = [
  { name: 'health', target: () => ({ path: '/health' }) },
  { name: 'JWKS', target: () => ({ path: '/.well-known/jwks.json' }) },
  { name: 'GET /api/me', target: (tenant) => ({ path: '/api/me', headers: as(tenant) }) },
  {
    name: 'roles of an organization',
    target: (tenant) => ({ path: `/api/roles?tenant=organization&scopeId=${tenant.organizationId}`, headers: as(tenant) }),
  },
  {
    name: 'is-authorized',
    target: (tenant) => ({ method: 'POST', path: '/api/auth/is-authorized', headers: as(tenant), body: question(tenant) }),
  },
  {
    name: 'is-authorized past every cache',
    target: (tenant) => ({
      method: 'POST',
      path: '/api/auth/is-authorized',
      headers: { ...as(tenant), 'cache-control': 'no-cache' },
      body: question(tenant),
    }),
  },
  graphql('GraphQL me', '{ me { user { id name } email isVerified } }'),
  graphql('GraphQL me, accounts, organizations, roles', '{ me { accounts { organizations { id name roles { id name } } } } }'),
];

/** The code to measure beside: a folder with its own packages, a commit, or the last release. */
async function openBeside(beside: string | undefined, owned: AsyncDisposableStack) {
  const isFolder = beside?.includes('/') === true;
  const missing = beside === undefined ? releaseUnless() : false;
  if (missing !== false) throw new Error(missing);
  const release = beside === undefined ? lastRelease() : { version: beside.slice(0, 12), commit: beside };
  const services = isFolder ? join(beside, 'services') : owned.use(checkOut(release)).services;
  runCodeOf(services);
  try {
    return { name: isFolder ? commitOf(beside) : release.version, side: await openSide(owned) };
  } finally {
    runCodeOf(undefined);
  }
}

/** A folder is called by its commit: its path says nothing to a reader. */
function commitOf(folder: string): string {
  return execFileSync('git', ['-C', folder, 'rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim();
}

async function openSide(owned: AsyncDisposableStack) {
  const stack = owned.use(await startBenchStack({ env: { METRICS_ENABLED: 'false' } }));
  return { stack, tenant: await createTenant(stack, 'reads') };
}

type OpenSide = Awaited<ReturnType<typeof openSide>>;

function totalOf({ cpuMsPerRequest }: Standing): number {
  return Object.entries(cpuMsPerRequest).reduce((sum, [name, ms]) => (name === 'client' ? sum : sum + ms), 0);
}

function least(standings: readonly Standing[]): Standing {
  const [best] = standings.toSorted((one, other) => totalOf(one) - totalOf(other));
  if (best === undefined) throw new Error('a race has no result');
  return best;
}

/** V8 optimizes a path after thousands of requests, however long a slow one takes for them. */
async function warm(shot: Shot, { warmSeconds: seconds }: Pace): Promise<void> {
  let answered = 0;
  for (let spent = 0; answered < warmRequests && spent < mostWarmSeconds; spent += seconds)
    answered += (await closedLoop(shot, { concurrency: connections, seconds })).answered;
}

/** The least CPU of alternating rounds: other load on the machine only ever adds. */
async function compareRead({ name, target }: Read, now: OpenSide, then: OpenSide, besideName: string, pace: Pace): Promise<Result> {
  using present = httpShot({ ...target(now.tenant), origin: now.stack.url }, connections);
  using past = httpShot({ ...target(then.tenant), origin: then.stack.url }, connections);
  const sides = [
    { name, shot: present.shot, stack: now.stack },
    { name: besideName, shot: past.shot, stack: then.stack },
  ].map(({ stack, ...side }) => ({
    ...side,
    concurrency: connections,
    processes: processesOf(stack, [...Object.keys(stack.processes), 'postgres']),
  }));
  for (const { shot } of sides) await warm(shot, pace);
  const rounds: (readonly Standing[])[] = [];
  for (let round = 0; round < pace.rounds; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    const standings = await race(order, { ...pace, rounds: 1, warmSeconds: 0 });
    rounds.push(round % 2 === 0 ? standings : standings.toReversed());
  }
  const [ours, theirs] = [0, 1].map((side) => least(rounds.flatMap((standings) => standings[side] ?? [])));
  if (ours === undefined || theirs === undefined) throw new Error('a race has no result');
  return {
    workload: `${name}: CPU beside ${besideName}`,
    unit: 'ms a request, all processes',
    measured: totalOf(ours),
    floor: { name: besideName, measured: totalOf(theirs), cpuMsPerRequest: theirs.cpuMsPerRequest },
    ratio: totalOf(ours) / totalOf(theirs),
    promise: { atMost: mostRatio },
    cpuMsPerRequest: ours.cpuMsPerRequest,
    failures: rounds.flat().reduce((sum, { failures }) => sum + failures, 0),
    note: `${ours.perSecond.toFixed(0)} and ${theirs.perSecond.toFixed(0)} a second`,
  };
}

export const readsWorkload: Workload = {
  name: 'reads',
  about: 'reads through the gateway beside the last release, by the CPU of the whole product a request',
  run: async ({ pace, beside }: Bench) => {
    await using owned = new AsyncDisposableStack();
    const past = await openBeside(beside, owned);
    const now = await openSide(owned);
    const results: Result[] = [];
    for (const read of reads)
      results.push(await compareRead(read, now, past.side, past.name, { ...pace, warmSeconds: Math.max(1, pace.warmSeconds) }));
    return results;
  },
};
