/** Two replicas of everything on Postgres of three nodes, reached in one of two ways. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, databaseUrl, loginUrl } from '../../../../tools/postgres/bootstrap.ts';
import { databaseServices, variablePrefix } from '../../../../tools/services.ts';
import { choosePort } from '../../../../tools/stack/ports.ts';
import type { Stack } from '../../../../tools/stack/stack.ts';
import { superviser } from '../../../../tools/start/supervise.ts';
import { noteSecret } from '../../evidence.ts';
import { startTestStack } from '../../stack.ts';
import { makeFolder } from '../site/cluster.ts';
import { accepts, Program } from '../site/program.ts';
import type { UnderTraffic } from '../site/undergo.ts';
import { Patroni } from './cluster.ts';

const loopback = '127.0.0.1';
const databaseName = 'tessera';

export type PatroniSite = AsyncDisposable &
  UnderTraffic & { readonly stack: Stack; readonly urls: readonly string[]; readonly cluster: Patroni };

/** `haproxy`: one address before all nodes; `hosts`: a URL that names them all. */
export async function openPatroniSite(way: 'haproxy' | 'hosts'): Promise<PatroniSite> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync('/tmp/tessera-patroni-');
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  makeFolder(folder);
  const cluster = parts.use(await Patroni.start(folder));
  const [natsPort, redisPort] = [await choosePort(0, loopback), await choosePort(0, loopback)];
  const nats = ['nats-server', '--addr', loopback, '--port', `${natsPort}`];
  parts.use(await Program.started({ command: nats, isReady: () => accepts(natsPort) }));
  const redis = ['redis-server', '--bind', loopback, '--port', `${redisPort}`, '--dir', join(folder), '--save', ''];
  parts.use(await Program.started({ command: redis, isReady: () => accepts(redisPort) }));

  const passwords = Object.fromEntries(databaseServices.map((service) => [service, `${service}-${cluster.password}`]));
  for (const password of [cluster.password, ...Object.values(passwords)]) noteSecret('deployment secret', password);
  await bootstrap(cluster.adminUrl, databaseName, passwords);
  const urlOf = (service: (typeof databaseServices)[number]) =>
    cluster.through(loginUrl(cluster.adminUrl, databaseName, service, passwords[service] ?? ''), way);
  const stopping = new AbortController();
  const stack = await startTestStack({
    replicas: { identity: 2, tenancy: 2, rbac: 2, keys: 2, gateway: 2 },
    env: {
      ...Object.fromEntries(databaseServices.map((service) => [`${variablePrefix(service)}_DATABASE_URL`, urlOf(service)])),
      NATS_URL: `nats://${loopback}:${natsPort}`,
      CACHE_STRATEGY: 'redis',
      REDIS_URL: `redis://${loopback}:${redisPort}`,
      // As in production, a process that stops lingers for its clients.
      NODE_ENV: 'development',
    },
    died: superviser(() => undefined, stopping.signal),
  });
  parts.defer(async () => {
    stopping.abort();
    await stack.stop();
  });
  const owned = parts.move();
  const processes = Object.values(stack.processes);
  return {
    stack,
    cluster,
    urls: processes.filter(({ service }) => service === 'gateway').map(({ url }) => url),
    adminUrl: () => databaseUrl(cluster.adminUrl, databaseName),
    replicasOf: (service) => processes.filter((process) => process.service === service),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
