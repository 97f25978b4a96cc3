import { httpShot } from '../http.ts';
import { startFloor } from '../processes.ts';
import { steady } from '../race.ts';
import { compare, type Workload } from '../workload.ts';
import { bareRoutesBehindGateway } from './bare-gateway.ts';

export const proxy: Workload = {
  name: 'proxy',
  about: 'a REST route through the gateway with everything on, against a bare undici-dispatch proxy in front of the same bare route',
  run: async (bench) => {
    const gateway = await bareRoutesBehindGateway(bench);
    const floor = await startFloor('dispatch-proxy.ts', { TARGET: gateway.routes.address });
    const headers = { authorization: `Bearer ${bench.tenant.owner.token}`, 'user-agent': 'bench', accept: 'application/json' };
    const ours = httpShot({ origin: gateway.url, path: '/api/me', headers });
    const bare = httpShot({ origin: floor.address, path: '/api/me', headers });
    try {
      return await compare(steady(bench.pace), {
        workload: 'REST route through the gateway',
        measured: { name: 'gateway', shot: ours.shot, concurrency: 64, processes: { gateway: gateway.pid, route: gateway.routes.pid } },
        floor: { name: 'bare undici-dispatch proxy', shot: bare.shot, concurrency: 64, processes: { proxy: floor.pid } },
        promise: { atLeast: 0.6 },
        latency: {},
        note: 'request id, trace, headers both ways, CORS, three limit layers counted; a bare Fastify route behind both',
      });
    } finally {
      ours.close();
      bare.close();
      await floor.stop();
    }
  },
};
