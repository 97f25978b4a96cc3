import { httpShot } from '../http.ts';
import { startFloor } from '../processes.ts';
import { compare, type Workload } from '../workload.ts';
import { bareRoutesBehindGateway } from './bare-gateway.ts';

export const isAuthorized: Workload = {
  name: 'is-authorized',
  about: 'POST /api/auth/is-authorized through the gateway, against a bare JSON route proxied by the same gateway, and by a bare proxy',
  run: async (bench) => {
    const { tenant, stack, pace } = bench;
    const bare = await bareRoutesBehindGateway(bench);
    const proxy = await startFloor('dispatch-proxy.ts', { TARGET: bare.routes.address });
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
    const [ours, floor, strict] = [stack.url, bare.url, proxy.address].map((origin) => httpShot({ ...target, origin }));
    if (ours === undefined || floor === undefined || strict === undefined) throw new Error('a side is missing');
    const measured = { name: 'rbac', shot: ours.shot, concurrency: 64, processes: bench.processes('gateway', 'rbac') };
    try {
      return [
        ...(await compare(pace, {
          workload: 'REST is-authorized through the gateway',
          measured,
          floor: { name: 'bare JSON route through the gateway', shot: floor.shot, concurrency: 64, processes: { gateway: bare.pid } },
          promise: { atLeast: 0.7 },
          latency: {},
        })),
        ...(await compare(pace, {
          workload: 'REST is-authorized, the stricter floor',
          measured,
          floor: { name: 'bare JSON route behind a bare proxy', shot: strict.shot, concurrency: 64, processes: { proxy: proxy.pid } },
        })),
      ];
    } finally {
      for (const { close } of [ours, floor, strict]) close();
      await proxy.stop();
    }
  },
};
