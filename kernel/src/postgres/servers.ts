import pg from 'pg';

const parts = /^(?<login>postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)(?<hosts>[^@/?#]*)(?<rest>.*)$/;

/**
 * One URL for each server that a URL names, as libpq reads it: `host1:5432,host2:5432` in the
 * address, or `?host=…,…&port=…,…`. pg reads only one.
 */
export function urlsOf(url: string): readonly string[] {
  const { login = '', hosts = '', rest = '' } = parts.exec(url)?.groups ?? {};
  if (hosts.includes(',')) return hosts.split(',').map((host) => `${login}${host}${rest}`);
  if (!URL.canParse(url)) return [url];
  const parameters = new URL(url).searchParams;
  const [names = [], ports = []] = ['host', 'port'].map((name) => parameters.get(name)?.split(',') ?? []);
  if (names.length < 2) return [url];
  return names.map((name, at) => {
    const single = new URL(url);
    single.searchParams.set('host', name);
    const port = ports[at] ?? ports[0];
    if (port !== undefined) single.searchParams.set('port', port);
    return single.href;
  });
}

type ParameterStatus = { readonly parameterName: string; readonly parameterValue: string };

/** Postgres reports both at the start of each session; a pooler may hide them. */
const readOnlyParameters: readonly string[] = ['in_hot_standby', 'default_transaction_read_only'];

/** One of several servers answers within this, or the next one is tried. */
const connectsWithinMs = 3_000;
/** After a round without one that takes writes. */
const restsMs = 250;

export type Servers = {
  readonly count: number;
  /** Connects to the server that is in use now. */
  readonly Client: typeof pg.Client;
  /** Throws for a server that takes no writes, such as a primary of before. */
  assertWritable(client: pg.ClientBase): void;
  /** Whether the connection leads to the server in use, or to one that was left meanwhile. */
  isCurrent(client: pg.ClientBase): boolean;
  /** Which server is in use, for `leave`. */
  turn(): number;
  /** Goes on to the next server, once for all that failed at this turn. */
  leave(turn: number | undefined): void;
  turnOf(client: pg.ClientBase): number | undefined;
  /** All were tried a moment ago, and none took writes. */
  isResting(): boolean;
};

/**
 * Finds the one that takes writes among the servers of a URL. Connections to a server that was left
 * are closed when they are lent next: a stopped primary that comes back would answer from the past.
 */
export function createServers(url: string): Servers {
  const urls = urlsOf(url);
  const several = urls.length > 1;
  const turns = new WeakMap<pg.ClientBase, number>();
  const refusing = new WeakMap<pg.ClientBase, Set<string>>();
  let turn = 0;
  let failures = 0;
  let restsUntil = 0;

  class ServerClient extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      const connectionString = urls[turn % urls.length] ?? url;
      super({ ...config, connectionString, ...(several ? { connectionTimeoutMillis: connectsWithinMs } : {}) });
      turns.set(this, turn);
      const names = new Set<string>();
      refusing.set(this, names);
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
        if (!readOnlyParameters.includes(parameterName)) return;
        if (parameterValue === 'on') names.add(parameterName);
        else names.delete(parameterName);
      });
    }
  }

  return {
    count: urls.length,
    Client: ServerClient,
    assertWritable(client) {
      const [name] = refusing.get(client) ?? [];
      if (name !== undefined) throw new Error(`The server of Postgres takes no writes: ${name} is on.`);
      failures = 0;
    },
    isCurrent: (client) => !several || turns.get(client) === turn,
    turn: () => turn,
    leave(failed) {
      if (!several || failed !== turn) return;
      turn += 1;
      failures += 1;
      if (failures % urls.length === 0) restsUntil = performance.now() + restsMs;
    },
    turnOf: (client) => turns.get(client),
    isResting: () => several && performance.now() < restsUntil,
  };
}

/** A connection of the caller's own to the server that takes writes. */
export async function connectToWritable(url: string, config: pg.ClientConfig): Promise<pg.Client> {
  const servers = createServers(url);
  for (let failed = 1; ; failed += 1) {
    const client = new servers.Client(config);
    const ignore = () => undefined;
    client.on('error', ignore);
    try {
      await client.connect();
      servers.assertWritable(client);
      client.off('error', ignore);
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (failed >= servers.count) throw error;
      servers.leave(servers.turnOf(client));
    }
  }
}
