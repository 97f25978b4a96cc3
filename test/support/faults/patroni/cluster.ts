/** Postgres on three nodes of Patroni with three of etcd, and HAProxy before them. */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { giveTo, postgresAccount } from '../../../../tools/postgres/account.ts';
import { withClient } from '../../../../tools/postgres/bootstrap.ts';
import { choosePort } from '../../../../tools/stack/ports.ts';
import { isInstalled } from '../../engines.ts';
import { until } from '../../until.ts';
import { installedTools, makeFolder } from '../site/cluster.ts';
import { accepts, Program } from '../site/program.ts';

const loopback = '127.0.0.1';
/** None is called first or any: Patroni writes them without quotes where these are key words. */
const names = ['one', 'two', 'three'] as const;
type Name = (typeof names)[number];

/** Why no cluster can be built here, or false. */
export function patroniUnless(): string | false {
  if (process.platform !== 'linux') return 'NOT RUN: needs Linux';
  const missing = ['patroni', 'etcd', 'haproxy', 'setpriv'].filter((program) => !isInstalled({ program }));
  if (missing.length > 0) return `NOT RUN: needs ${missing.join(', ')} (apt-get install patroni etcd-server haproxy)`;
  return installedTools() === undefined && 'NOT RUN: needs an installed Postgres of 15 or later';
}

type Ports = { readonly postgres: number; readonly api: number; readonly client: number; readonly peer: number };

/** As an operator sets it, except that faults are noticed after 20 s at most. */
const shared = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  maximum_lag_on_failover: 1_048_576,
  synchronous_mode: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: {
      max_connections: 300,
      // A replica that stands still holds commits up until Patroni names another one.
      wal_sender_timeout: '5s',
      wal_log_hints: 'on',
      // A commit stands once the system has it: processes are killed here, not machines.
      fsync: 'off',
      jit: 'off',
    },
  },
};

/** One machine: Patroni and the Postgres that it runs. */
export class Node implements AsyncDisposable {
  readonly name: Name;
  readonly port: number;
  readonly #api: string;
  readonly #data: string;
  readonly #password: string;
  readonly #patroni: Program;

  constructor({ name, own: { postgres, api }, place, password }: OfNode) {
    this.name = name;
    this.port = postgres;
    this.#api = `http://${loopback}:${api}`;
    this.#data = join(place, 'data');
    this.#password = password;
    this.#patroni = new Program({
      command: ['patroni', join(place, 'patroni.yml')],
      account: postgresAccount(),
      isReady: () => accepts(api),
    });
  }

  async start(): Promise<void> {
    await this.#patroni.start();
  }

  /** As a machine that loses power: Patroni and Postgres at once. */
  async kill(): Promise<void> {
    // Patroni's Postgres is no child of it, so that it survives a restart of Patroni.
    const pids = this.#postgres();
    await this.#patroni.kill();
    for (const pid of pids) signal(pid, 'SIGKILL');
  }

  /** As a machine that stands still: connections stay open, and nothing answers. */
  freeze(): void {
    this.#patroni.freeze();
    this.freezePostgres();
  }
  freezePostgres(): void {
    for (const pid of [...this.#postgres(), ...this.#postgres()]) signal(pid, 'SIGSTOP');
  }
  thaw(): void {
    for (const pid of this.#postgres().toReversed()) signal(pid, 'SIGCONT');
    this.#patroni.thaw();
  }

  async ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await request(`${this.#api}${path}`, {
      method,
      headersTimeout: 60_000,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  /** As a superuser of this server, whichever role it has. */
  async query(text: string): Promise<void> {
    await withClient(`postgres://postgres:${this.#password}@${loopback}:${this.port}/postgres`, (client) => client.query(text));
  }

  /** Whether Patroni answers 200: `/primary`, `/replica`, `/sync`. */
  async is(path: 'primary' | 'replica' | 'sync'): Promise<boolean> {
    return this.ask('GET', `/${path}`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  #postgres(): readonly number[] {
    try {
      const [pid = ''] = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
      return [pid, ...children].map(Number);
    } catch {
      return []; // it does not run
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    await this.kill().catch(() => undefined);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export class Patroni implements AsyncDisposable {
  readonly nodes: readonly Node[];
  readonly etcd: readonly Program[];
  readonly password: string;
  readonly #proxyPort: number;
  readonly #parts: AsyncDisposableStack;

  private constructor(
    nodes: readonly Node[],
    etcd: readonly Program[],
    access: { password: string; proxyPort: number },
    parts: AsyncDisposableStack,
  ) {
    this.nodes = nodes;
    this.etcd = etcd;
    this.password = access.password;
    this.#proxyPort = access.proxyPort;
    this.#parts = parts;
  }

  /** A superuser's URL of the server that is primary now, through HAProxy. */
  get adminUrl(): string {
    return `postgres://postgres:${this.password}@${loopback}:${this.#proxyPort}/postgres`;
  }

  /** A login's URL of that server: through HAProxy, or of all nodes. */
  through(url: string, way: 'haproxy' | 'hosts'): string {
    const hosts = way === 'haproxy' ? `${loopback}:${this.#proxyPort}` : this.nodes.map(({ port }) => `${loopback}:${port}`).join(',');
    const { username, password, pathname } = new URL(url);
    return `postgres://${username}:${password}@${hosts}${pathname}${way === 'hosts' ? '?target_session_attrs=read-write' : ''}`;
  }

  static async start(folder: string): Promise<Patroni> {
    await using parts = new AsyncDisposableStack();
    const password = randomBytes(24).toString('base64url');
    const ports = new Map<Name, Ports>();
    for (const name of names) {
      const [postgres, api] = [await choosePort(0, loopback), await choosePort(0, loopback)];
      ports.set(name, { postgres, api, client: await choosePort(0, loopback), peer: await choosePort(0, loopback) });
    }
    const etcd = await Promise.all([...ports].map(async ([name]) => parts.use(await Program.started(etcdOf(name, ports, folder)))));
    const nodes: Node[] = [];
    for (const [name, own] of ports) {
      const place = join(folder, name);
      makeFolder(place);
      const file = join(place, 'patroni.yml');
      const given = { name, own, ports, place, password };
      writeFileSync(file, JSON.stringify(settingsOf(given)));
      chmodSync(file, 0o600);
      giveTo(postgresAccount(), file);
      const node = parts.use(new Node(given));
      nodes.push(node);
      await node.start();
      // The first of them makes the database that the others copy.
      if (nodes.length === 1) await until(() => node.is('primary'), 90_000);
    }
    const proxyPort = await choosePort(0, loopback);
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, proxySettings(proxyPort, ports));
    parts.use(await Program.started({ command: ['haproxy', '-db', '-f', file], isReady: () => accepts(proxyPort), stopSignal: 'SIGINT' }));
    const cluster = new Patroni(nodes, etcd, { password, proxyPort }, parts.move());
    await cluster.whole();
    return cluster;
  }

  async primary(): Promise<Node> {
    let found: Node | undefined;
    await until(async () => {
      for (const node of this.nodes) if (await node.is('primary')) found = node;
      return found !== undefined;
    }, 120_000);
    if (found === undefined) throw new Error('no primary');
    return found;
  }

  async synchronous(): Promise<Node> {
    let found: Node | undefined;
    await until(async () => {
      for (const node of this.nodes) if (await node.is('sync')) found = node;
      return found !== undefined;
    }, 120_000);
    if (found === undefined) throw new Error('no synchronous replica');
    return found;
  }

  /** One primary that takes connections through HAProxy, two replicas, one of them synchronous. */
  async whole(): Promise<void> {
    const count = async (role: 'primary' | 'replica' | 'sync') =>
      (await Promise.all(this.nodes.map((node) => node.is(role)))).filter(Boolean).length;
    await until(async () => (await count('primary')) === 1 && (await count('replica')) === 2 && (await count('sync')) === 1, 180_000);
    const answers = () =>
      withClient(this.adminUrl, (client) => client.query('SELECT')).then(
        () => true,
        () => false,
      );
    await until(answers, 30_000);
  }

  /** What all nodes share, as `patronictl edit-config` changes it. */
  async configure(settings: object): Promise<void> {
    const { status, text } = await (await this.primary()).ask('PATCH', '/config', settings);
    if (status !== 200) throw new Error(`Patroni refused its settings: ${status} ${text}`);
    // All nodes have read it a turn later.
    await sleep(2_000 * shared.loop_wait);
  }

  /** As `patronictl switchover` does: waits until it is done. */
  async switchOver(): Promise<void> {
    const [leader, candidate] = [await this.primary(), await this.synchronous()];
    const { status, text } = await leader.ask('POST', '/switchover', { leader: leader.name, candidate: candidate.name });
    if (status !== 200) throw new Error(`Patroni refused to switch over: ${status} ${text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

type OfNode = {
  readonly name: Name;
  readonly own: Ports;
  readonly ports: ReadonlyMap<Name, Ports>;
  readonly place: string;
  readonly password: string;
};

/** JSON is YAML. */
function settingsOf({ name, own, ports, place, password }: OfNode): object {
  const login = (username: string) => ({ username, password });
  const address = `${loopback}:${own.postgres}`;
  const sockets = join(place, 's');
  makeFolder(sockets);
  return {
    scope: 'tessera',
    name,
    log: { dir: place, level: 'INFO' },
    restapi: { listen: `${loopback}:${own.api}`, connect_address: `${loopback}:${own.api}` },
    // Not etcd3: Patroni 3.0 writes the leader's key there without comparing it, so that a leader
    // that stood still takes it back, and what was acknowledged meanwhile is lost.
    etcd: { hosts: [...ports.values()].map(({ client }) => `${loopback}:${client}`) },
    bootstrap: {
      dcs: shared,
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums', 'no-sync'],
    },
    postgresql: {
      listen: address,
      connect_address: address,
      data_dir: join(place, 'data'),
      bin_dir: installedTools(),
      pgpass: join(place, 'pgpass'),
      authentication: { superuser: login('postgres'), replication: login('replicator'), rewind: login('rewinder') },
      parameters: { unix_socket_directories: sockets, logging_collector: 'on', log_directory: place },
      pg_hba: ['all', 'replication'].map((database) => `host ${database} all ${loopback}/32 scram-sha-256`),
    },
  };
}

function etcdOf(name: Name, ports: ReadonlyMap<Name, Ports>, folder: string) {
  const own = ports.get(name);
  if (own === undefined) throw new Error(`no ports for ${name}`);
  const at = (port: number) => `http://${loopback}:${port}`;
  const flags = {
    name,
    'data-dir': join(folder, `etcd-${name}`),
    'listen-client-urls': at(own.client),
    'advertise-client-urls': at(own.client),
    'listen-peer-urls': at(own.peer),
    'initial-advertise-peer-urls': at(own.peer),
    'initial-cluster': [...ports].map(([other, { peer }]) => `${other}=${at(peer)}`).join(','),
    // A busy machine answers late; a real one has disks of its own for etcd.
    'enable-v2': 'true',
    'heartbeat-interval': '250',
    'election-timeout': '2500',
  };
  return {
    command: ['etcd', ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)],
    isReady: () => accepts(own.client),
  };
}

function proxySettings(port: number, ports: ReadonlyMap<Name, Ports>): string {
  const servers = [...ports].map(([name, { postgres, api }]) => `  server ${name} ${loopback}:${postgres} check port ${api}`);
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 3s

listen primary
  bind ${loopback}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
