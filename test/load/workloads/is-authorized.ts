import { httpShot } from '../http.ts';
import { steady } from '../race.ts';
import { compare, type Workload } from '../workload.ts';
import { bareRoutesBehindGateway } from './bare-gateway.ts';

export const isAuthorized: Workload = {
  name: 'is-authorized',
  about: 'POST /api/auth/is-authorized through the gateway, against a bare JSON route proxied by the same gateway',
  run: async (bench) => {
    const { tenant, stack } = bench;
    const bare = await bareRoutesBehindGateway(bench);
    const target = {
      method: 'POST',
      path: '/api/auth/is-authorized',
      headers: { authorization: `Bearer ${tenant.owner.token}`, 'user-agent': 'bench' },
      body: JSON.stringify({
        permission: { resource: 'Role', action: 'Create' },
        context: { resource: { id: 'x' } },
        scope: { tenant: 'organization', id: tenant.organizationId },
      }),
    } as const;
    const [ours, floor] = [httpShot({ ...target, origin: stack.url }), httpShot({ ...target, origin: bare.url })];
    try {
      return await compare(steady(bench.pace), {
        workload: 'REST is-authorized through the gateway',
        measured: { name: 'rbac', shot: ours.shot, concurrency: 64, processes: bench.processes('gateway', 'rbac') },
        floor: { name: 'bare JSON route through the gateway', shot: floor.shot, concurrency: 64, processes: { gateway: bare.pid } },
        promise: { atLeast: 0.7 },
        latency: {},
      });
    } finally {
      ours.close();
      floor.close();
    }
  },
};
