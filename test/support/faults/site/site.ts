/**
 * An installation to break: two replicas of everything, with Postgres, NATS and Redis of its own.
 * Between services, and between services and engines, lie wires.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, databaseUrl, loginUrl } from '../../../../tools/postgres/bootstrap.ts';
import { type DatabaseService, databaseServices, type Service, services, variablePrefix } from '../../../../tools/services.ts';
import { doorsOf, type Environment } from '../../../../tools/stack/environment.ts';
import { choosePort } from '../../../../tools/stack/ports.ts';
import type { ServiceProcess } from '../../../../tools/stack/service-process.ts';
import type { Stack } from '../../../../tools/stack/stack.ts';
import { superviser } from '../../../../tools/start/supervise.ts';
import { isInstalled } from '../../engines.ts';
import { noteSecret } from '../../evidence.ts';
import { startTestStack } from '../../stack.ts';
import { adminUrl, Cluster, makeFolder } from './cluster.ts';
import { accepts, Program } from './program.ts';
import { type Address, Wire } from './wire.ts';

const loopback = '127.0.0.1';
const databaseName = 'tessera';

/** Why no site can be built here, or false. */
export function siteUnless(): string | false {
  if (process.platform !== 'linux') return 'NOT RUN: needs Linux';
  const missing = ['nats-server', 'redis-server', 'setpriv'].filter((program) => !isInstalled({ program }));
  return missing.length > 0 && `NOT RUN: needs ${missing.join(', ')}`;
}

export type Engines = { readonly postgres: Cluster; readonly nats: Program; readonly redis: Program };
export type Wires = Readonly<Record<DatabaseService | 'postgres' | 'nats' | 'redis', Wire>>;

export type Site = AsyncDisposable & {
  readonly stack: Stack;
  readonly urls: readonly string[];
  readonly engines: Engines;
  readonly wires: Wires;
  readonly natsPort: number;
  /** A superuser's URL of the database, which passes no wire. */
  readonly adminUrl: () => string;
  /** Postgres' account made it; gone at the end. */
  readonly folder: string;
  /** The other server takes over. */
  readonly serveFrom: (cluster: Cluster) => void;
  replicasOf(service: Service): readonly ServiceProcess[];
};

type SiteOptions = { readonly env?: Environment; readonly serviceEnv?: { readonly [service in Service]?: Environment } };

const redisServer = (port: number, folder: string) => [
  'redis-server',
  '--bind',
  loopback,
  '--port',
  `${port}`,
  '--dir',
  folder,
  '--save',
  '',
];

export async function openSite({ env = {}, serviceEnv = {} }: SiteOptions = {}): Promise<Site> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync('/tmp/tessera-site-');
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  makeFolder(folder);
  const postgres = parts.use(await Cluster.create(join(folder, 'first')));
  await postgres.start();
  const serving = { cluster: postgres };
  parts.defer(() => serving.cluster.stop());
  const [natsPort, redisPort] = [await choosePort(0, loopback), await choosePort(0, loopback)];
  const natsCommand = ['nats-server', '--addr', loopback, '--port', `${natsPort}`];
  const nats = parts.use(await Program.started({ command: natsCommand, isReady: () => accepts(natsPort) }));
  const redis = parts.use(await Program.started({ command: redisServer(redisPort, folder), isReady: () => accepts(redisPort) }));

  const socketFolder = join(folder, 'services');
  makeFolder(socketFolder);
  const doors = (service: DatabaseService) => [0, 1].map((replica) => doorsOf(socketFolder, service, replica));
  const toDoors = (service: DatabaseService) =>
    Wire.open(doors(service).map(({ grpcUrl }): Address => ({ path: grpcUrl.slice('unix:'.length) })));
  const postgresDoor = join(folder, 'postgres');
  makeFolder(postgresDoor);
  const wires: Wires = {
    identity: parts.use(await toDoors('identity')),
    tenancy: parts.use(await toDoors('tenancy')),
    rbac: parts.use(await toDoors('rbac')),
    keys: parts.use(await toDoors('keys')),
    postgres: parts.use(await Wire.open([postgres.socket], join(postgresDoor, '.s.PGSQL.5432'))),
    nats: parts.use(await Wire.open([{ host: loopback, port: natsPort }])),
    redis: parts.use(await Wire.open([{ host: loopback, port: redisPort }])),
  };

  const passwords = Object.fromEntries(databaseServices.map((service) => [service, `${service}-${postgres.password}`]));
  for (const password of [postgres.password, ...Object.values(passwords)]) noteSecret('deployment secret', password);
  await bootstrap(postgres.adminUrl, databaseName, passwords);
  const throughWire = adminUrl(postgresDoor, postgres.password);
  const stopping = new AbortController();
  const stack = await startTestStack({
    socketFolder,
    replicas: { identity: 2, tenancy: 2, rbac: 2, keys: 2, gateway: 2 },
    env: {
      ...Object.fromEntries(
        databaseServices.flatMap((service) => [
          [`${variablePrefix(service)}_DATABASE_URL`, loginUrl(throughWire, databaseName, service, passwords[service] ?? '')],
          [`${variablePrefix(service)}_GRPC_URL`, wires[service].address],
          [
            `${variablePrefix(service)}_HTTP_URL`,
            doors(service)
              .map(({ httpUrl }) => httpUrl)
              .join(','),
          ],
        ]),
      ),
      NATS_URL: `nats://${wires.nats.address}`,
      REDIS_URL: `redis://${wires.redis.address}`,
      // As in production, a process that stops lingers for its clients.
      NODE_ENV: 'development',
      ...env,
    },
    serviceEnv,
    died: superviser(() => undefined, stopping.signal),
  });
  parts.defer(async () => {
    stopping.abort();
    for (const wire of Object.values(wires)) wire.mend();
    await stack.stop();
  });
  const owned = parts.move();
  const processes = Object.values(stack.processes);
  return {
    stack,
    wires,
    natsPort,
    folder,
    engines: { postgres, nats, redis },
    urls: processes.filter(({ service }) => service === 'gateway').map(({ url }) => url),
    adminUrl: () => databaseUrl(serving.cluster.adminUrl, databaseName),
    serveFrom(cluster) {
      serving.cluster = cluster;
      wires.postgres.targets = [cluster.socket];
      wires.postgres.reset();
    },
    replicasOf: (service) => processes.filter((process) => process.service === service),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** All processes, the gateways last, as an operator rolls them. */
export function everyProcess(site: Pick<Site, 'replicasOf'>): readonly ServiceProcess[] {
  return services.flatMap((service) => site.replicasOf(service));
}
