import { steady } from '../race.ts';
import { compareRequests, type Workload } from '../workload.ts';
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
    return compareRequests(steady(bench.pace), {
      workload: 'REST is-authorized through the gateway',
      measured: { name: 'rbac', target: { ...target, origin: stack.url }, processes: bench.processes('gateway', 'rbac') },
      floor: { name: 'bare JSON route through the gateway', target: { ...target, origin: bare.url }, processes: { gateway: bare.pid } },
      promise: { atLeast: 0.7 },
      isByCpu: true,
      latency: {},
    });
  },
};
