import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop, median, openLoop } from '../drive.ts';
import { httpShot } from '../http.ts';
import { runFloor } from '../processes.ts';
import { credentials } from '../tenant.ts';
import type { Workload } from '../workload.ts';

const devices = 32;
const meRate = 100;
const settleSeconds = 1;

export const logins: Workload = {
  name: 'logins',
  about: 'logins at full rate against bcrypt alone on all cores, and what GET /api/me feels of them',
  run: async ({ isQuick, pace, stack, tenant }) => {
    let device = 0;
    const login = httpShot({
      origin: stack.url,
      method: 'POST',
      path: '/api/auth/login',
      headers: () => {
        device = (device + 1) % devices;
        return { 'user-agent': `device ${device}` };
      },
      body: JSON.stringify(credentials(tenant.owner.email)),
    });
    const me = httpShot({
      origin: stack.url,
      path: '/api/me',
      headers: { authorization: `Bearer ${tenant.owner.token}`, 'user-agent': 'bench' },
    });
    const [rounds, seconds] = isQuick ? [2, 1.5] : [pace.rounds, 4];
    const cores = String(availableParallelism());
    const concurrency = 4 * availableParallelism();
    try {
      await closedLoop(login.shot, { concurrency, seconds: pace.warmSeconds });
      await openLoop(me.shot, { rate: meRate, seconds: pace.warmSeconds });
      const [ours, floors, idle, busy]: [number[], number[], number[], number[]] = [[], [], [], []];
      const [idleMedians, busyMedians]: [number[], number[]] = [[], []];
      let failures = 0;
      for (let round = 0; round < rounds; round += 1) {
        const quiet = await openLoop(me.shot, { rate: meRate, seconds });
        const [measured, felt] = await Promise.all([
          closedLoop(login.shot, { concurrency, seconds: seconds + settleSeconds }),
          // Not before the first wave of logins, which all begin at once, has spread out.
          sleep(settleSeconds * 1_000).then(() => openLoop(me.shot, { rate: meRate, seconds })),
        ]);
        ours.push((await closedLoop(login.shot, { concurrency, seconds })).perSecond);
        floors.push(await runFloor('bcrypt-all-cores.ts', seconds, { UV_THREADPOOL_SIZE: cores, ROUNDS: '10' }));
        idle.push(quiet.p99Ms);
        idleMedians.push(quiet.p50Ms);
        busy.push(felt.p99Ms);
        busyMedians.push(felt.p50Ms);
        failures += measured.failures + quiet.failures + felt.failures;
      }
      return [
        {
          ...{
            workload: 'logins',
            unit: 'a second',
            measured: median(ours),
            ratio: median(ours) / median(floors),
            promise: { atLeast: 0.9 },
            failures,
          },
          floor: { name: 'bcrypt alone on all cores', measured: median(floors) },
          note: 'both at the priority that the product gives bcrypt (niced by 10)',
        },
        {
          ...{
            workload: 'GET /api/me during logins: p99',
            unit: `ms at ${meRate}/s`,
            measured: median(busy),
            promise: { atMost: 2 },
            failures,
          },
          ...{ floor: { name: 'idle', measured: median(idle) }, ratio: median(busy) / median(idle) },
          note: `medians ${median(busyMedians).toFixed(1)} ms against ${median(idleMedians).toFixed(1)} ms idle`,
        },
      ];
    } finally {
      login.close();
      me.close();
    }
  },
};
