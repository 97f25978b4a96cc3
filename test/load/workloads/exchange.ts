import { availableParallelism } from 'node:os';
import { closedLoop, median } from '../drive.ts';
import { httpShot } from '../http.ts';
import { runFloor } from '../processes.ts';
import { comfortableRate, paced, steady } from '../race.ts';
import { queriesOf } from '../statements.ts';
import { data } from '../tenant.ts';
import type { Workload } from '../workload.ts';

export const exchange: Workload = {
  name: 'exchange',
  about: 'POST /api/auth/token through the gateway, against RSA signing alone on all cores',
  run: async (bench) => {
    const { stack, tenant } = bench;
    const pace = steady(bench.pace);
    const { organizationId, projectId, owner, client } = tenant;
    const project = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
    const role = data(await client.post('/api/roles', { scope: project, name: 'exchange' }, owner.token));
    const key = data(await client.post('/api/api-keys', { scope: project, name: 'bench', roleId: role.id }, owner.token));
    const body = JSON.stringify({ clientId: key.clientId ?? key.apiKey?.clientId, clientSecret: key.clientSecret, scope: project });
    using target = httpShot({
      origin: stack.url,
      method: 'POST',
      path: '/api/auth/token',
      headers: { 'user-agent': 'bench' },
      body,
    });
    const { shot } = target;
    await shot();
    const queriesPerRequest = await queriesOf(stack, shot);
    await closedLoop(shot, { concurrency: 64, seconds: pace.warmSeconds });
    const [ours, floors]: [number[], number[]] = [[], []];
    let failures = 0;
    for (let round = 0; round < pace.rounds; round += 1) {
      const measured = await closedLoop(shot, { concurrency: 64, seconds: pace.seconds });
      ours.push(measured.perSecond);
      failures += measured.failures;
      floors.push(await runFloor('rsa-all-cores.ts', pace.seconds, { UV_THREADPOOL_SIZE: String(availableParallelism()) }));
    }
    const [perSecond, floor] = [median(ours), median(floors)];
    const rate = comfortableRate([{ perSecond, failures, cpuMsPerRequest: {} }]);
    const [times] = await paced([shot], rate, { ...pace, rounds: 1 });
    return [
      {
        ...{ workload: 'API-key exchange through the gateway', unit: 'a second', measured: perSecond },
        ...{ floor: { name: 'RSA signing alone on all cores', measured: floor }, ratio: perSecond / floor, promise: { atLeast: 0.3 } },
        ...{ rate, p50Ms: times?.p50Ms, p99Ms: times?.p99Ms, queriesPerRequest, failures },
      },
    ];
  },
};
