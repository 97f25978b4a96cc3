import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type DatabaseService, databaseServices, type Service, variablePrefix } from '../services.ts';

export type Environment = Readonly<Record<string, string>>;

/** The addresses of one replica, in the form of `<NAME>_HTTP_URL` and `<NAME>_GRPC_URL`. */
export interface Doors {
  readonly httpUrl: string;
  readonly grpcUrl: string;
}

export interface StackValues {
  readonly url: string;
  readonly dataDir: string;
  readonly internalAuthSecret: string;
  readonly keysEncryptionKey: string;
  readonly databaseUrls: { readonly [service in DatabaseService]: string };
  readonly socketFolder: string;
  /** Variables from outside, which win over generated ones. */
  readonly given: Environment;
}

/** Replica 0 of rbac is `rbac`, replica 1 `rbac-2`. */
export function replicaName(service: Service, replica: number) {
  return replica === 0 ? service : `${service}-${replica + 1}`;
}

export function doorsOf(socketFolder: string, service: Service, replica: number): Doors {
  const path = join(socketFolder, replicaName(service, replica));
  return { httpUrl: `unix:${path}.http`, grpcUrl: `unix:${path}.grpc` };
}

/**
 * The environment of one process. It contains only its own database login, and only keys gets the
 * key that encrypts signing keys. Replica n of a service talks to replica n of every other (modulo
 * their number), so that a test can choose its path. The replicas of a service are distributed
 * among the gateways.
 */
export function environmentOf(
  service: Service,
  replica: number,
  replicas: Readonly<Record<Service, number>>,
  values: StackValues,
): Environment {
  const peers = databaseServices.flatMap((peer) => {
    const lane = doorsOf(values.socketFolder, peer, replica % replicas[peer]);
    const shares = Array.from({ length: replicas[peer] }, (_, index) => index).filter((index) => index % replicas.gateway === replica);
    const all = shares.map((index) => doorsOf(values.socketFolder, peer, index));
    const isShared = service === 'gateway' && all.length > 0;
    return [
      [`${variablePrefix(peer)}_HTTP_URL`, isShared ? all.map(({ httpUrl }) => httpUrl).join(',') : lane.httpUrl],
      // The gateway passes calls on to every replica of rbac, and asks the others little.
      [`${variablePrefix(peer)}_GRPC_URL`, isShared && peer === 'rbac' ? all.map(({ grpcUrl }) => grpcUrl).join(',') : lane.grpcUrl],
    ];
  });
  return {
    NODE_ENV: 'development',
    APP_URL: values.url,
    DATA_DIR: values.dataDir,
    CACHE_STRATEGY: values.given.REDIS_URL === undefined ? 'memory' : 'redis',
    INTERNAL_AUTH_SECRET: values.internalAuthSecret,
    ...Object.fromEntries(peers),
    ...withoutOthersSecrets(values.given, service),
    ...ownSecrets(service, values),
    ...threadsOf(service),
    ...listenOn(service, replica, values.socketFolder),
  };
}

function withoutOthersSecrets(given: Environment, service: Service): Environment {
  const secret = (name: string) => /^[A-Z]+_DATABASE_URL$/.test(name) || (name === 'KEYS_ENCRYPTION_KEY' && service !== 'keys');
  return Object.fromEntries(Object.entries(given).filter(([name]) => !secret(name)));
}

function ownSecrets(service: Service, values: StackValues): Environment {
  if (service === 'gateway') return {};
  const database = { [`${variablePrefix(service)}_DATABASE_URL`]: values.databaseUrls[service] };
  return service === 'keys' ? { ...database, KEYS_ENCRYPTION_KEY: values.keysEncryptionKey } : database;
}

/**
 * keys signs in libuv's threads. On Linux they give way to those who read requests and write
 * answers, so every core may have one; elsewhere one core is left to those: they keep the signers
 * busy.
 */
function threadsOf(service: Service): Environment {
  const kept = process.platform === 'linux' ? 0 : 1;
  return service === 'keys' ? { UV_THREADPOOL_SIZE: String(Math.max(2, availableParallelism() - kept)) } : {};
}

function listenOn(service: Service, replica: number, socketFolder: string): Environment {
  if (service === 'gateway') return {};
  const doors = doorsOf(socketFolder, service, replica);
  return { HTTP_LISTEN: doors.httpUrl, GRPC_LISTEN: doors.grpcUrl };
}

/** What a process needs of the surroundings to run at all. */
export function systemEnvironment(): Environment {
  const names = ['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
