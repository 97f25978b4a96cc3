import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemEnvironment } from '../../../../tools/stack/environment.ts';
import { choosePort } from '../../../../tools/stack/ports.ts';
import { serviceScript } from '../../../../tools/stack/repository.ts';
import type { Bench } from '../bench.ts';
import { endWithParent, type Floor, startFloor } from '../processes.ts';

export type BareGateway = { readonly url: string; readonly pid: number; readonly routes: Floor };

const started = new WeakMap<Bench, Promise<BareGateway>>();

/** One for the whole run. */
export function bareRoutesBehindGateway(bench: Bench): Promise<BareGateway> {
  const known = started.get(bench) ?? start(bench);
  started.set(bench, known);
  return known;
}

/** A gateway with all limits counted and none reached, and the bare routes behind it. */
async function start(bench: Bench): Promise<BareGateway> {
  const routes = await startFloor('fastify-route.ts', { LISTEN: join(bench.stack.dataDir, 'bare.sock') });
  bench.defer(() => routes[Symbol.asyncDispose]());
  const port = await choosePort(0, '127.0.0.1');
  const child = spawn(process.execPath, [endWithParent, serviceScript('gateway', 'main.ts')], {
    stdio: 'ignore',
    env: {
      ...systemEnvironment(),
      ...bench.stack.env('gateway'),

      HOST: '127.0.0.1',
      PORT: String(port),
      IDENTITY_HTTP_URL: routes.address,
      TENANCY_HTTP_URL: routes.address,
      KEYS_HTTP_URL: routes.address,
      RBAC_HTTP_URL: routes.address,
      SECURITY_ENABLE_RATE_LIMIT: 'true',
      SECURITY_RATE_LIMIT_MAX: '100000000',
      SECURITY_RATE_LIMIT_AUTH_MAX: '100000000',
      SECURITY_RATE_LIMIT_PER_TENANT_ENABLED: 'true',
      SECURITY_RATE_LIMIT_PER_TENANT_MAX: '100000000',
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
}
