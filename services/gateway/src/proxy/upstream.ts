import { type Dispatcher, Pool } from 'undici';
import { addressOf, Connections } from './connections.ts';

export const serviceNames = ['identity', 'tenancy', 'rbac', 'keys'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** One process of a service. */
export type Replica = {
  readonly connections: Connections;
  /** For what the gateway itself asks now and then: whether a replica is ready, which schema it has. */
  readonly aside: Connections;
  /** Connections of their own for bodies that come at their client's pace: as many slow ones as there are hold up none of the others. */
  readonly patient: Dispatcher;
  downUntil: number;
};

/** A service as the gateway sees it: its replicas, taken in turn. */
export type Upstream = {
  readonly name: ServiceName;
  readonly replicas: readonly Replica[];
  /** The next replica that is not known to be down; when all are, the next anyway. */
  next(): Replica;
  close(): Promise<void>;
};

export type UpstreamTimeouts = { readonly connectMs: number; readonly patienceMs: number };

const mostConnections = 128;
const mostAside = 4;

/** How long a replica that refused a connection is passed over while others answer. */
const restMs = 1_000;

/** `urls`: comma-separated `http://host:port` or `unix:/path/x.sock`, one for each replica. */
export function createUpstream(name: ServiceName, urls: string, timeouts: UpstreamTimeouts): Upstream {
  const { connectMs } = timeouts;
  const replicas = urls.split(',').map((text): Replica => {
    const url = text.trim();
    return {
      connections: new Connections(url, { connectMs, most: mostConnections }),
      aside: new Connections(url, { connectMs, most: mostAside }),
      patient: createPool(url, timeouts),
      downUntil: 0,
    };
  });
  let turn = 0;
  return {
    name,
    replicas,
    next: () => {
      if (replicas.length === 1 && replicas[0] !== undefined) return replicas[0];
      const now = performance.now();
      for (let tried = 0; tried < replicas.length; tried += 1) {
        const replica = replicas[(turn + tried) % replicas.length];
        if (replica === undefined || replica.downUntil > now) continue;
        turn = (turn + tried + 1) % replicas.length;
        return replica;
      }
      turn = (turn + 1) % replicas.length;
      const replica = replicas[turn];
      if (replica === undefined) throw new Error(`${name} has no address`);
      return replica;
    },
    close: async () => {
      await Promise.all(replicas.flatMap(({ connections, aside, patient }) => [connections.close(), aside.close(), patient.close()]));
    },
  };
}

export function restReplica(replica: Replica): void {
  replica.downUntil = performance.now() + restMs;
}

function createPool(url: string, { connectMs, patienceMs }: UpstreamTimeouts): Pool {
  const { origin, ...socket } = addressOf(url);
  const timeouts = { headersTimeout: patienceMs, bodyTimeout: patienceMs, connect: { timeout: connectMs }, keepAliveTimeout: 30_000 };
  return new Pool(origin, { ...timeouts, ...socket, connections: mostConnections });
}

export type Upstreams = Readonly<Record<ServiceName, Upstream>>;

export function createUpstreams(urls: Readonly<Record<ServiceName, string>>, timeouts: UpstreamTimeouts): Upstreams {
  return {
    identity: createUpstream('identity', urls.identity, timeouts),
    tenancy: createUpstream('tenancy', urls.tenancy, timeouts),
    rbac: createUpstream('rbac', urls.rbac, timeouts),
    keys: createUpstream('keys', urls.keys, timeouts),
  };
}
