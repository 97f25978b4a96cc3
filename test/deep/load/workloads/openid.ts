import { createTenant, data, signIn, type Tenant } from '../../../support/load/tenant.ts';
import { processesOf, startBenchStack } from '../bench.ts';
import { httpShot } from '../http.ts';
import { memoryMebibytes } from '../processes.ts';
import { steady } from '../race.ts';
import type { Result } from '../report.ts';
import { compareRequests, type Workload } from '../workload.ts';

const projects = 1_000;
const atOnce = 8;
const freshMs = 120_000;

export const openid: Workload = {
  name: 'openid',
  about: 'tokens of machine apps beside the exchange of API keys, and 1,000 projects with a provider each in one identity process',
  isLeisurely: true,
  run: async (bench) => [...(await providers()), ...(await tokens(bench))],
};

type Bench = Parameters<Workload['run']>[0];

function placeOf({ organizationId }: Pick<Tenant, 'organizationId'>, projectId: string) {
  return { tenant: 'organizationProject', id: `${organizationId}:${projectId}` } as const;
}

/** Both sides give a token of type apiKey for the same role. */
async function tokens({ stack, tenant, pace, processes }: Bench): Promise<readonly Result[]> {
  const { client, owner, organizationId, projectId } = tenant;
  const scope = placeOf(tenant, projectId);
  // Apps and keys are made after a fresh sign-in only, and a whole run takes longer than that.
  Object.assign(owner, await signIn(client, owner.email));
  const post = async (path: string, body: object) => data(await client.post(path, { scope, ...body }, owner.token));
  const role = await post('/api/roles', { name: 'openid' });
  const app = await post('/api/project-apps', { name: 'machine', type: 'machine', roleId: role.id });
  const key = await post('/api/api-keys', { name: 'openid', roleId: role.id });
  const authorization = `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}`;
  const origin = stack.url;
  const servers = processes('gateway', 'identity', 'keys', 'rbac', 'tenancy', 'postgres');
  return compareRequests(steady(pace), {
    workload: 'OpenID token endpoint, client_credentials',
    measured: {
      name: 'token endpoint',
      processes: servers,
      target: {
        origin,
        method: 'POST',
        path: `/org/${organizationId}/prj/${projectId}/oauth/token`,
        headers: { 'user-agent': 'bench', 'content-type': 'application/x-www-form-urlencoded', authorization },
        body: 'grant_type=client_credentials',
      },
    },
    floor: {
      name: 'API-key exchange',
      processes: servers,
      target: {
        origin,
        method: 'POST',
        path: '/api/auth/token',
        headers: { 'user-agent': 'bench' },
        body: JSON.stringify({ clientId: key.clientId, clientSecret: key.clientSecret, scope }),
      },
    },
    latency: {},
    note: 'before the token is signed, it asks whether the app may have its role, at most once in two seconds; after the commit, each time',
  });
}

/** An operator's bound of the heap: without one V8 collects garbage when it likes. */
const heap = '--max-old-space-size=192';

/** Every provider is asked until all have answered in one round, and then once more. */
async function providers(): Promise<readonly Result[]> {
  await using stack = await startBenchStack({ profile: 'fast', serviceEnv: { identity: { NODE_OPTIONS: heap } } });
  const { client, owner, organizationId } = await createTenant(stack, 'providers');
  let signedInAt = performance.now();
  const { identity = 0 } = processesOf(stack, ['identity']);
  const before = memoryMebibytes(identity);
  const ids: string[] = [];
  const parent = { tenant: 'organization', id: organizationId };
  await each(projects, async (index) => {
    // Apps are made after a fresh sign-in only, and a thousand take longer on a slow machine.
    if (performance.now() - signedInAt > freshMs) {
      signedInAt = performance.now();
      Object.assign(owner, await signIn(client, owner.email));
    }
    const { id } = data(await client.post('/api/projects', { scope: parent, name: `openid ${index}` }, owner.token));
    const app = { name: 'app', type: 'spa', redirectUris: ['https://app.example/callback'] };
    data(await client.post('/api/project-apps', { scope: placeOf({ organizationId }, String(id)), ...app }, owner.token));
    ids.push(String(id));
  });
  let asked = 0;
  const path = () => `/org/${organizationId}/prj/${ids[asked++ % projects]}/.well-known/openid-configuration`;
  using target = httpShot({ origin: stack.url, path });
  const askAll = async () => {
    let failures = 0;
    await each(projects, () => target.shot().catch(() => (failures += 1)));
    return failures;
  };
  // The first request of a project makes its key, which may take longer than the gateway waits.
  for (let round = 0; round < 20 && (await askAll()) > 0; round += 1);
  const startedAt = performance.now();
  const failures = await askAll();
  const seconds = (performance.now() - startedAt) / 1_000;
  const memory = memoryMebibytes(identity);
  const note = `identity with ${heap}; ${before.toFixed(0)} MiB before; all discovery documents again in ${seconds.toFixed(1)} s`;
  return [
    {
      workload: 'identity with 1,000 providers: memory',
      unit: 'MiB',
      measured: memory,
      failures,
      note,
      promise: { atMost: 400 },
    },
  ];
}

async function each(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
