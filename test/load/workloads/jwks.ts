import { httpShot } from '../http.ts';
import { steady } from '../race.ts';
import { compare, type Workload } from '../workload.ts';
import { bareRoutesBehindGateway } from './bare-gateway.ts';

export const jwks: Workload = {
  name: 'jwks',
  about: 'the system key set through the gateway, against a bare static route proxied the same way',
  run: async (bench) => {
    const bare = await bareRoutesBehindGateway(bench);
    const path = '/.well-known/jwks.json';
    const ours = httpShot({ origin: bench.stack.url, path });
    const floor = httpShot({ origin: bare.url, path });
    try {
      return await compare(steady(bench.pace), {
        workload: 'JWKS through the gateway',
        measured: { name: 'keys', shot: ours.shot, concurrency: 64, processes: bench.processes('gateway', 'keys') },
        floor: { name: 'bare static route through the gateway', shot: floor.shot, concurrency: 64, processes: { gateway: bare.pid } },
        promise: { atLeast: 0.8 },
        latency: {},
      });
    } finally {
      ours.close();
      floor.close();
    }
  },
};
