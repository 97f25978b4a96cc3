/** A Postgres server that a test may kill, freeze, copy into a standby, and recover. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { giveTo, postgresAccount, programEnvironment } from '../../../../tools/postgres/account.ts';
import { findBinaries } from '../../../../tools/postgres/binaries.ts';
import { withClient } from '../../../../tools/postgres/bootstrap.ts';
import { Program } from './program.ts';
import type { Address } from './wire.ts';

const account = postgresAccount();
const debian = '/usr/lib/postgresql';

/** The folder of Postgres' own tools, where they are installed: the newest version from 15 on. */
export function installedTools(): string | undefined {
  const versions = existsSync(debian)
    ? readdirSync(debian)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  const bins = versions.toSorted((a, b) => b - a).map((version) => join(debian, String(version), 'bin'));
  return bins.find((bin) => existsSync(join(bin, 'pg_basebackup')) && existsSync(join(bin, 'postgres')));
}

/** A command of Postgres' account, as an operator would give it. */
async function run(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, args, { ...account, cwd: '/', env: programEnvironment(), timeout: 60_000 });
}

export class Cluster implements AsyncDisposable {
  readonly folder: string;
  readonly bin: string;
  readonly password: string;
  readonly #program: Program;

  private constructor(folder: string, bin: string, password: string) {
    this.folder = folder;
    this.bin = bin;
    this.password = password;
    // A commit stands once the system has it: processes are killed here, not machines.
    const speed = { fsync: 'off', full_page_writes: 'off', jit: 'off' };
    const settings = { unix_socket_directories: this.sockets, listen_addresses: '', max_connections: '300', ...speed };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#program = new Program({
      command: [join(bin, 'postgres'), '-D', this.data, ...flags, '-c', `log_directory=${folder}`, '-c', 'logging_collector=on'],
      isReady: () => this.#isReady(),
      account,
      stopSignal: 'SIGINT',
    });
  }

  get data(): string {
    return join(this.folder, 'data');
  }
  get sockets(): string {
    return join(this.folder, 's');
  }
  get socket(): Address {
    return { path: join(this.sockets, '.s.PGSQL.5432') };
  }
  get adminUrl(): string {
    return adminUrl(this.sockets, this.password);
  }

  /** A new, empty one, of the installed Postgres or else the embedded one. Not started. */
  static async create(folder: string): Promise<Cluster> {
    makeFolder(folder);
    const bin = installedTools() ?? join(findBinaries(account, folder).postgres, '..');
    const password = randomBytes(24).toString('base64url');
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, password, { mode: 0o600 });
    giveTo(account, passwordFile);
    const cluster = new Cluster(folder, bin, password);
    makeFolder(cluster.sockets);
    await run(join(bin, 'initdb'), [
      `--pgdata=${cluster.data}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ]);
    return cluster;
  }

  /** Of a data folder at `folder`/data that a tool of Postgres made. Not started. */
  static at(folder: string, like: Cluster): Cluster {
    const cluster = new Cluster(folder, like.bin, like.password);
    makeFolder(cluster.sockets);
    return cluster;
  }

  /** Lines for postgresql.conf: the next start reads them. */
  configure(settings: Readonly<Record<string, string>>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
    appendFileSync(join(this.data, 'postgresql.conf'), lines.join(''));
  }

  async start(): Promise<void> {
    await this.#program.start();
  }
  async stop(): Promise<void> {
    await this.#program.stop();
  }
  async kill(): Promise<void> {
    await this.#program.kill();
  }
  freeze(): void {
    this.#program.freeze();
  }
  thaw(): void {
    this.#program.thaw();
  }

  async query<Row extends object>(text: string, database = 'postgres'): Promise<readonly Row[]> {
    const url = new URL(this.adminUrl);
    url.pathname = `/${database}`;
    return withClient(url.href, async (client) => (await client.query<Row>(text)).rows);
  }

  /** By pg_basebackup, as docs/operating.md says. */
  async baseBackup(folder: string, more: readonly string[] = []): Promise<Cluster> {
    makeFolder(folder);
    const connection = `host=${this.sockets} port=5432 user=postgres password=${this.password}`;
    const target = join(folder, 'data');
    await run(join(this.bin, 'pg_basebackup'), [
      `--pgdata=${target}`,
      '--checkpoint=fast',
      '--wal-method=stream',
      `--dbname=${connection}`,
      ...more,
    ]);
    return Cluster.at(folder, this);
  }

  /** The first line of postmaster.pid is the process id, the eighth the state. */
  #isReady(): boolean {
    try {
      const [pid, , , , , , , state] = readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n');
      return pid === String(this.#program.pid) && (state?.trim() === 'ready' || state?.trim() === 'standby');
    } catch {
      return false;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** The superuser's URL of a server with its socket in this folder. */
export function adminUrl(sockets: string, password: string): string {
  return `postgres://postgres:${password}@localhost/postgres?host=${encodeURIComponent(sockets)}&port=5432`;
}

/** For Postgres' account, which the tests' own account can enter too. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  giveTo(account, folder);
}
