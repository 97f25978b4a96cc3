import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemEnvironment } from '../../../tools/stack/environment.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import { serviceScript } from '../../../tools/stack/repository.ts';
import type { Bench } from '../bench.ts';
import { httpShot } from '../http.ts';
import { startFloor } from '../processes.ts';
import { compare, type Workload } from '../workload.ts';

/** A gateway with everything on (all limits counted, none reached) in front of bare Fastify routes; and those routes alone. */
export const bareRoutesBehindGateway = async (bench: Bench) => {
  const routes = await startFloor('fastify-route.ts', { LISTEN: join(bench.stack.dataDir, 'bare.sock') });
  bench.defer(routes.stop);
  const port = await choosePort(0, '127.0.0.1');
  const child = spawn(process.execPath, [serviceScript('gateway', 'main.ts')], {
    stdio: 'ignore',
    env: {
      ...systemEnvironment(),
      ...bench.stack.env('gateway'),
      ...{
        HOST: '127.0.0.1',
        PORT: String(port),
        IDENTITY_HTTP_URL: routes.address,
        KEYS_HTTP_URL: routes.address,
        RBAC_HTTP_URL: routes.address,
      },
      ...{ SECURITY_ENABLE_RATE_LIMIT: 'true', SECURITY_RATE_LIMIT_MAX: '100000000', SECURITY_RATE_LIMIT_AUTH_MAX: '100000000' },
      ...{ SECURITY_RATE_LIMIT_PER_TENANT_ENABLED: 'true', SECURITY_RATE_LIMIT_PER_TENANT_MAX: '100000000' },
    },
  });
  const exited = once(child, 'exit');
  bench.defer(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 400; tries += 1) {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.status === 200) return { url, pid: child.pid ?? 0, routes };
    await sleep(25);
  }
  throw new Error('the gateway in front of the bare routes did not start');
};

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
      return await compare(bench.pace, {
        workload: 'REST route through the gateway',
        measured: { name: 'gateway', shot: ours.shot, concurrency: 64, processes: { gateway: gateway.pid, route: gateway.routes.pid } },
        floor: { name: 'bare undici-dispatch proxy', shot: bare.shot, concurrency: 64, processes: { proxy: floor.pid } },
        promise: { atLeast: 0.75 },
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
