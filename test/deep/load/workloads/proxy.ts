import { startFloor } from '../processes.ts';
import { steady } from '../race.ts';
import { compareRequests, type Workload } from '../workload.ts';
import { bareRoutesBehindGateway } from './bare-gateway.ts';

export const proxy: Workload = {
  name: 'proxy',
  about: 'a REST route through the gateway with everything on, against a bare undici-dispatch proxy in front of the same bare route',
  run: async (bench) => {
    const gateway = await bareRoutesBehindGateway(bench);
    await using floor = await startFloor('dispatch-proxy.ts', { TARGET: gateway.routes.address });
    const headers = { authorization: `Bearer ${bench.tenant.owner.token}`, 'user-agent': 'bench', accept: 'application/json' };
    const [path, processes] = ['/api/me', { gateway: gateway.pid, route: gateway.routes.pid }];
    return await compareRequests(steady(bench.pace), {
      workload: 'REST route through the gateway',
      measured: { name: 'gateway', target: { origin: gateway.url, path, headers }, processes },
      floor: { name: 'bare undici-dispatch proxy', target: { origin: floor.address, path, headers }, processes: { proxy: floor.pid } },
      promise: { atLeast: 0.6 },
      latency: {},
      note: 'request id, trace, headers both ways, CORS, three limit layers counted; a bare Fastify route behind both',
    });
  },
};
