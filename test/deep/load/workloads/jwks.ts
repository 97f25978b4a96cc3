import { steady } from '../race.ts';
import { compareRequests, type Workload } from '../workload.ts';
import { bareRoutesBehindGateway } from './bare-gateway.ts';

export const jwks: Workload = {
  name: 'jwks',
  about: 'the system key set through the gateway, against a bare static route proxied the same way',
  run: async (bench) => {
    const bare = await bareRoutesBehindGateway(bench);
    const path = '/.well-known/jwks.json';
    return compareRequests(steady(bench.pace), {
      workload: 'JWKS through the gateway',
      measured: { name: 'keys', target: { origin: bench.stack.url, path }, processes: bench.processes('gateway', 'keys') },
      floor: { name: 'bare static route through the gateway', target: { origin: bare.url, path }, processes: { gateway: bare.pid } },
      promise: { atLeast: 0.8 },
      latency: {},
    });
  },
};
