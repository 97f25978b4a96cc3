import { buildConnector, Pool } from 'undici';
import { ConnectError, upstreamFailure, wasConnectionLost, wasNotSent } from './failure.ts';

export const serviceNames = ['identity', 'tenancy', 'rbac', 'keys'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** One process of a service, with a pool of connections for each purpose. */
export type Replica = {
  readonly pool: Pool;
  /**
   * For the gateway's own requests: readiness and schema. They do not wait behind the requests of
   * clients.
   */
  readonly control: Pool;
  /** By the clock of `performance.now()`. */
  downUntilMs: number;
};

export type Upstream = {
  readonly name: ServiceName;
  readonly replicas: readonly Replica[];
  /**
   * All replicas in the order in which a request tries them: round robin, and those that were down
   * a moment ago last.
   */
  inTurn(): readonly Replica[];
  close(): Promise<void>;
};

export type UpstreamTimeouts = { readonly connectMs: number; readonly responseMs: number };

const maxConnections = 128;
const maxControlConnections = 4;

/** For so long a replica that refused a connection is tried last. */
const downMs = 1_000;

/** `urls`: comma-separated `http://host:port` or `unix:/path/x.sock`, one for each replica. */
export function createUpstream(name: ServiceName, urls: string, timeouts: UpstreamTimeouts): Upstream {
  const replicas = urls.split(',').map((text): Replica => {
    const url = text.trim();
    return {
      pool: createPool(url, maxConnections, timeouts),
      control: createPool(url, maxControlConnections, timeouts),
      downUntilMs: 0,
    };
  });
  let turn = 0;
  return {
    name,
    replicas,
    inTurn: () => {
      if (replicas.length === 1) return replicas;
      const nowMs = performance.now();
      const rotated = [...replicas.slice(turn), ...replicas.slice(0, turn)];
      const isDown = ({ downUntilMs }: Replica) => downUntilMs > nowMs;
      const ordered = [...rotated.filter((replica) => !isDown(replica)), ...rotated.filter(isDown)];
      const [first] = ordered;
      if (first !== undefined) turn = (replicas.indexOf(first) + 1) % replicas.length;
      return ordered;
    },
    close: async () => {
      await Promise.all(replicas.flatMap(({ pool, control }) => [pool.close(), control.close()]));
    },
  };
}

/** When a request is sent again: if it was not sent, or also once if its connection was lost. */
export type Retry = 'if-not-sent' | 'if-lost';

/**
 * Sends a request to one replica after the other until one responds. Rejects with a standard error.
 */
export async function tryReplicas<Response>(
  upstream: Upstream,
  retry: Retry,
  send: (replica: Replica) => Promise<Response>,
): Promise<Response> {
  const replicas = upstream.inTurn();
  const attempts = Math.max(replicas.length, retry === 'if-lost' ? 2 : 1);
  // A request that ends its replica must not end them all.
  let losses = retry === 'if-lost' ? 1 : 0;
  let failure: unknown;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const replica = replicas[attempt % replicas.length];
    if (replica === undefined) break;
    try {
      return await send(replica);
    } catch (error) {
      failure = error;
      if (wasNotSent(error)) replica.downUntilMs = performance.now() + downMs;
      else if (!wasConnectionLost(error) || losses === 0) break;
      else losses -= 1;
    }
  }
  throw upstreamFailure(upstream.name, failure);
}

function createPool(url: string, connections: number, { connectMs, responseMs }: UpstreamTimeouts): Pool {
  const isSocket = url.startsWith('unix:');
  const connect = buildConnector({ timeout: connectMs, ...(isSocket ? { socketPath: url.slice('unix:'.length) } : {}) });
  return new Pool(isSocket ? 'http://localhost' : new URL(url).origin, {
    connections,
    headersTimeout: responseMs,
    bodyTimeout: responseMs,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 30_000,
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error === null) callback(null, socket);
        else callback(new ConnectError(error), null);
      }),
  });
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
