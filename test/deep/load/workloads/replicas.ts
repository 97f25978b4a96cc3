import { randomUUID } from 'node:crypto';
import { services } from '../../../../tools/services.ts';
import { startNats } from '../../../../tools/stack/nats.ts';
import type { Stack } from '../../../../tools/stack/stack.ts';
import { createTenant, data } from '../../../support/load/tenant.ts';
import { behindPooler, poolerUnless } from '../../../support/pooler.ts';
import { postgresPid, processesOf, startBenchStack } from '../bench.ts';
import type { Shot } from '../drive.ts';
import { type HttpTarget, httpShot } from '../http.ts';
import { type Pace, race } from '../race.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

/** As many to the server as two services without a pooler may have. */
const pooledConnections = 60;
const copies = [1, 2, 4];

export const replicas: Workload = {
  name: 'replicas',
  about: 'one mix of requests through 1, 2 and 4 of every service and of the gateway, with a pooler and without',
  isLeisurely: true,
  run: async ({ pace }) => {
    const results: Result[] = [];
    const missing = poolerUnless();
    for (const isPooled of missing ? [false] : [false, true])
      for (const count of copies) results.push(await through(count, isPooled, { ...pace, warmSeconds: 12 * count }));
    return results;
  },
};

/** A new stack for each row: what it costs to have more processes is the question. */
async function through(count: number, isPooled: boolean, pace: Pace): Promise<Result> {
  await using parts = new AsyncDisposableStack();
  const pooled = isPooled ? await behindPooler(parts, pooledConnections) : { env: await withNats(parts) };
  const stack = parts.use(await startBenchStack({ ...pooled, replicas: Object.fromEntries(services.map((service) => [service, count])) }));
  const shot = parts.use(await mixOf(stack));
  const processes = { ...processesOf(stack, Object.keys(stack.processes)), postgres: postgresPid(stack) };
  const [standing] = await race([{ name: 'mix', shot: shot.next, concurrency: 48, processes }], pace);
  if (standing === undefined) throw new Error('a race has no result');
  const { client, postgres = 0, ...own } = standing.cpuMsPerRequest;
  const [busiest, busiestMs] = Object.entries(own).reduce((most, each) => (each[1] > most[1] ? each : most));
  const summed = Object.values(own).reduce((sum, ms) => sum + ms, 0);
  return {
    workload: `mixed requests, ${count} of every service${isPooled ? ', through a pooler' : ''}`,
    unit: 'a second',
    measured: standing.perSecond,
    cpuMsPerRequest: { client: client ?? 0, services: summed, [busiest]: busiestMs, postgres },
    failures: standing.failures,
    note: `the busiest process (${busiest}) has room for ${Math.round(1_000 / busiestMs)} a second on a core of its own`,
  };
}

async function withNats(parts: AsyncDisposableStack): Promise<{ readonly NATS_URL: string }> {
  const nats = await startNats();
  parts.defer(() => nats.stop());
  return { NATS_URL: nats.url };
}

/** Of twenty requests twelve decide or read rights, six read lists, and two write. */
async function mixOf(stack: Stack): Promise<{ readonly next: Shot } & Disposable> {
  const { owner, organizationId, projectId, client } = await createTenant(stack, 'replicas');
  const project = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
  const organization = { tenant: 'organization', id: organizationId };
  const role = data(await client.post('/api/roles', { scope: project, name: 'exchange' }, owner.token));
  const key = data(await client.post('/api/api-keys', { scope: project, name: 'bench', roleId: role.id }, owner.token));
  const read = (path: string): Part => ({ path });
  const write = (path: string, body: () => unknown, status = 200): Part => ({
    method: 'POST',
    path,
    body: () => JSON.stringify(body()),
    status,
  });
  const decide = write('/api/auth/is-authorized', () => ({
    permission: { resource: 'Role', action: 'Create' },
    context: {},
    scope: organization,
  }));
  const inOrganization = `tenant=organization&scopeId=${organizationId}`;
  const kinds: readonly (readonly [times: number, part: Part])[] = [
    [8, decide],
    [4, read('/api/me')],
    [2, read(`/api/organization-members?${inOrganization}`)],
    [2, read(`/api/roles?${inOrganization}`)],
    [2, write('/graphql', () => ({ query: `{ me { accounts { organizations { name roles { name } } } } }` }))],
    [1, write('/api/auth/token', () => ({ clientId: key.clientId, clientSecret: key.clientSecret, scope: project }))],
    [1, write('/api/tags', () => ({ scope: organization, name: randomUUID(), color: 'red' }), 201)],
  ];
  const origins = Object.values(stack.processes)
    .filter(({ service }) => service === 'gateway')
    .map(({ url }) => url);
  const headers = { authorization: `Bearer ${owner.token}`, 'user-agent': 'bench' };
  const shots = kinds.map(([times, part]) => ({
    times,
    doors: origins.map((origin) => httpShot({ headers, ...part, origin })),
  }));
  const order = shots.flatMap(({ times, doors }) => Array.from({ length: times }, () => doors));
  let turn = 0;
  return {
    next: () => {
      turn += 1;
      // 7 and 20 have no divisor in common: each kind comes as often as it should, well mixed.
      const doors = order[(turn * 7) % order.length] ?? [];
      return doors[(turn + Math.floor(turn / order.length)) % doors.length]?.shot() ?? Promise.reject(new Error('there is no gateway'));
    },
    [Symbol.dispose]: () => {
      for (const { doors } of shots) for (const door of doors) door[Symbol.dispose]();
    },
  };
}

type Part = Pick<HttpTarget, 'method' | 'path' | 'body' | 'status'>;
