import { availableParallelism } from 'node:os';
import { data } from '../../../support/load/tenant.ts';
import { queriesOf } from '../../../support/statements.ts';
import { closedLoop, median } from '../drive.ts';
import { httpShot } from '../http.ts';
import { runFloor } from '../processes.ts';
import { comfortableRate, paced, race, type Standing, steady } from '../race.ts';
import type { Workload } from '../workload.ts';

const cores = availableParallelism();

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
    const side = { name: 'gateway', shot, concurrency: 64, processes: bench.processes('gateway', 'keys', 'postgres') };
    await closedLoop(shot, { concurrency: 64, seconds: pace.warmSeconds });
    const [ours, floors]: [Standing[], number[]] = [[], []];
    for (let round = 0; round < pace.rounds; round += 1) {
      ours.push(...(await race([side], { ...pace, rounds: 1, warmSeconds: 0 })));
      floors.push(await runFloor('rsa-all-cores.ts', pace.seconds, { UV_THREADPOOL_SIZE: String(cores) }));
    }
    const [perSecond, floor] = [median(ours.map((round) => round.perSecond)), median(floors)];
    const cpuMs = (name: string) => median(ours.map(({ cpuMsPerRequest }) => cpuMsPerRequest[name] ?? 0));
    const cpuMsPerRequest = Object.fromEntries(['client', 'gateway', 'keys', 'postgres'].map((name) => [name, cpuMs(name)]));
    const failures = ours.reduce((sum, round) => sum + round.failures, 0);
    const rate = comfortableRate([{ perSecond, failures, cpuMsPerRequest }]);
    const [times] = await paced([shot], rate, { ...pace, rounds: 1 });
    return [
      {
        workload: 'API-key exchange through the gateway',
        unit: 'a second',
        measured: perSecond,

        floor: { name: 'RSA signing alone on all cores', measured: floor },
        ratio: perSecond / floor,
        promise: { atLeast: 0.3 },
        isByCpu: true,
        cpuMsPerRequest,
        cpuRatio: (cores * 1_000) / floor / cpuMs('keys'),
        rate,
        p50Ms: times?.p50Ms,
        p99Ms: times?.p99Ms,
        queriesPerRequest,
        failures,
      },
    ];
  },
};
