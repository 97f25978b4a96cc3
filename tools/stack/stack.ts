import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { bootstrap, databaseUrl, loginUrl } from '../postgres/bootstrap.ts';
import { type Profile, startPostgres } from '../postgres/server.ts';
import { newStackSockets } from '../postgres/sockets.ts';
import { type DatabaseService, databaseServices, type Service, services, variablePrefix } from '../services.ts';
import { type Doors, doorsOf, type Environment, environmentOf, replicaName, type StackValues } from './environment.ts';
import { lockFolder } from './lock.ts';
import { migrate } from './migrate.ts';
import { choosePort } from './ports.ts';
import { keepSecrets, type Secrets } from './secrets.ts';
import { ServiceProcess } from './service-process.ts';

export interface StackOptions {
  /** Holds everything that stays: database, secrets, mail, pictures, logs. Made when missing. */
  readonly dataDir: string;
  /** The gateway's; 0 (the default) takes a free one. Further gateways always take free ones. */
  readonly port?: number;
  readonly host?: string;
  /** Variables for every process. `<NAME>_DATABASE_URL`s given here are used as they are. */
  readonly env?: Environment;
  readonly serviceEnv?: { readonly [service in Service]?: Environment };
  readonly replicas?: { readonly [service in Service]?: number };
  /** For the unix sockets of the services; a new one when left out. Removed at the end. */
  readonly socketFolder?: string;
  /** Of the embedded Postgres. */
  readonly profile?: Profile;
  /**
   * A running server in place of the embedded one: a superuser's URL and the name of the database
   * to create.
   */
  readonly database?: { readonly adminUrl: string; readonly name: string };
  /** Other URLs for the services, as through a pooler. Migrations use the first. */
  readonly through?: (urls: StackValues['databaseUrls']) => Promise<StackValues['databaseUrls']>;
  /** Called when a process ends unexpectedly. Only this callback restarts it. */
  readonly died?: (process: ServiceProcess, reason: string) => void;
  readonly step?: (name: string, ms: number) => void;
  readonly signal?: AbortSignal;
}

export interface Stack extends AsyncDisposable {
  /** Of the first gateway; also APP_URL unless that was given. */
  readonly url: string;
  readonly dataDir: string;
  /** The environment of a process of this service, including secrets. */
  env(service: Service): Environment;
  readonly databaseUrls: StackValues['databaseUrls'];
  /** A superuser's URL of the stack's database; undefined when all four databases were given. */
  readonly adminDatabaseUrl: string | undefined;
  /** By name: `rbac`, and `rbac-2` for its second replica. */
  readonly processes: Readonly<Record<string, ServiceProcess>>;
  doors(service: DatabaseService, replica?: number): Doors;
  /** Stops the gateway, the services and the database, in this order. Safe to call twice. */
  stop(): Promise<void>;
}

const databaseName = 'tessera';

/**
 * Starts a whole stack and resolves when every process is ready. After a failure it stops what it
 * has started.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  await using started = new AsyncDisposableStack();
  const dataDir = prepareFolder(options.dataDir);
  started.defer(lockFolder(dataDir));
  const step = timer(options);
  const host = options.host ?? '127.0.0.1';
  const port = await choosePort(options.port ?? 0, host);
  const secrets = keepSecrets(dataDir);

  const database = await step('database', () => openDatabases(options, dataDir, secrets, started));
  await step('migrations', () => migrate(database.urls));

  const socketFolder = options.socketFolder ?? newStackSockets(dataDir);
  started.defer(() => rmSync(socketFolder, { recursive: true, force: true }));
  const given = options.env ?? {};
  const values: StackValues = {
    url: `http://${publicHost(host)}:${port}`,
    dataDir,
    internalAuthSecret: secrets.internalAuthSecret,
    keysEncryptionKey: given.KEYS_ENCRYPTION_KEY ?? secrets.keysEncryptionKey,
    databaseUrls: (await options.through?.(database.urls)) ?? database.urls,
    socketFolder,
    given,
  };
  const processes = await describeProcesses(options, values, host, port);
  const [inner, gateways] = [
    processes.filter(({ service }) => service !== 'gateway'),
    processes.filter(({ service }) => service === 'gateway'),
  ];
  started.defer(() => stopAll(inner));
  started.defer(() => stopAll(gateways));
  const start = (process: ServiceProcess) => step(`  ${process.name}`, () => process.start({}, options.signal));
  await step('services', async () => {
    for (const wave of wavesOf(processes)) await Promise.all(wave.map(start));
  });

  const owned = started.move();
  const stop = () => owned.disposeAsync();
  return {
    url: values.url,
    dataDir,
    env: (service) => ({ ...environmentOf(service, 0, replicaCounts(options), values), ...options.serviceEnv?.[service] }),
    databaseUrls: database.urls,
    adminDatabaseUrl: database.adminUrl,
    processes: Object.fromEntries(processes.map((process) => [process.name, process])),
    doors: (service, replica = 0) => doorsOf(socketFolder, service, replica),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * A name where there is one: passkeys and cookies belong to a name. `localhost` leads to the
 * loopback address.
 */
function publicHost(host: string): string {
  return ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host) ? 'localhost' : host;
}

function prepareFolder(folder: string): string {
  const dataDir = resolve(folder);
  // Logs and mails are private: mails contain tokens that sign a user in.
  for (const folder of ['logs', 'outbox']) makeFolder(join(dataDir, folder));
  // As root, the database folder belongs to another account, which must be able to enter this one.
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  return dataDir;
}

/**
 * One level at a time: in /proc, Node's recursive mkdir never returns, and elsewhere it misnames
 * faults.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new Error(`DATA_DIR must be a folder: ${folder} is a file`);
    return;
  }
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`DATA_DIR cannot be used: no folder can be made in ${dirname(folder)} (${code}). Choose another with DATA_DIR=…`);
  }
}

/** Runs a step, and says how long it took; an aborted start ends before the next one. */
function timer({ step, signal }: StackOptions) {
  return async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    signal?.throwIfAborted();
    const began = performance.now();
    const result = await run();
    step?.(name, performance.now() - began);
    return result;
  };
}

interface Databases {
  readonly urls: StackValues['databaseUrls'];
  readonly adminUrl: string | undefined;
}

/** The given databases; the missing ones are created on the given server or on the embedded one. */
async function openDatabases(options: StackOptions, dataDir: string, secrets: Secrets, started: AsyncDisposableStack): Promise<Databases> {
  const given = (service: DatabaseService) => options.env?.[`${variablePrefix(service)}_DATABASE_URL`];
  const server = databaseServices.every(given)
    ? undefined
    : (options.database?.adminUrl ?? (await embeddedPostgres(options, dataDir, started)));
  const name = options.database?.name ?? databaseName;
  if (server !== undefined) await bootstrap(server, name, secrets.databasePasswords);
  const url = (service: DatabaseService) => given(service) ?? loginUrl(server ?? '', name, service, secrets.databasePasswords[service]);
  return {
    urls: { identity: url('identity'), tenancy: url('tenancy'), rbac: url('rbac'), keys: url('keys') },
    adminUrl: server === undefined ? undefined : databaseUrl(server, name),
  };
}

async function embeddedPostgres({ profile = 'durable' }: StackOptions, dataDir: string, started: AsyncDisposableStack): Promise<string> {
  const server = await startPostgres({ folder: join(dataDir, 'postgres'), profile });
  started.defer(() => server.stop());
  return server.adminUrl;
}

function replicaCounts({ replicas }: StackOptions): Record<Service, number> {
  return { keys: 1, identity: 1, tenancy: 1, rbac: 1, gateway: 1, ...replicas };
}

async function describeProcesses(
  options: StackOptions,
  values: StackValues,
  host: string,
  port: number,
): Promise<readonly ServiceProcess[]> {
  const counts = replicaCounts(options);
  const startsWith = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const described = services.flatMap((service) =>
    Array.from({ length: counts[service] }, async (_, replica) => {
      const name = replicaName(service, replica);
      const listen = service === 'gateway' ? { HOST: host, PORT: String(replica === 0 ? port : await choosePort(0, host)) } : {};
      const url =
        service === 'gateway'
          ? `${values.url.slice(0, values.url.lastIndexOf(':'))}:${listen.PORT}`
          : doorsOf(values.socketFolder, service, replica).httpUrl;
      const env = { ...environmentOf(service, replica, counts, values), ...listen, ...options.serviceEnv?.[service] };
      const logFile = join(values.dataDir, 'logs', `${name}.log`);
      return new ServiceProcess({ name, service, env, url, logFile, startsWith, died: options.died ?? (() => {}) });
    }),
  );
  return Promise.all(described);
}

const mostAtOnce = 16;

/**
 * Many processes that load their code at once on few cores keep each other from answering in time.
 * As in a rollout, one of each service comes first; those of the same number call each other.
 */
function wavesOf(processes: readonly ServiceProcess[]): readonly (readonly ServiceProcess[])[] {
  if (processes.length <= mostAtOnce) return [processes];
  const waves = new Map<string, ServiceProcess[]>();
  for (const process of processes) {
    const number = process.name.slice(process.service.length);
    waves.set(number, [...(waves.get(number) ?? []), process]);
  }
  return [...waves.values()];
}

async function stopAll(processes: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(processes.map((process) => process.stop()));
}
