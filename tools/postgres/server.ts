import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Account, giveTo, postgresAccount, programEnvironment } from './account.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { withClient } from './bootstrap.ts';
import { canWrite, reachableFolder, requireRemovable } from './folder.ts';
import { newSocketFolder } from './sockets.ts';

/**
 * `durable` keeps every commit. `fast` is for tests: a crash of the machine may destroy the data.
 */
export type Profile = 'durable' | 'fast';

export interface PostgresOptions {
  /**
   * Contains the data, the superuser's password and the log; created when missing. One server at a
   * time may use it.
   */
  readonly folder: string;
  readonly profile: Profile;
  /** Remove the folder when the server has stopped, however that comes about. */
  readonly ephemeral?: boolean;
}

export interface PostgresServer {
  /** The superuser's URL, over a unix socket that only this account can reach. */
  readonly adminUrl: string;
  readonly logFile: string;
  /** Ends when the server does: the exit code. */
  readonly ended: Promise<number>;
  /** Fast shutdown: open transactions are rolled back. Safe to call twice. */
  stop(): Promise<void>;
}

const settings: Record<Profile, Record<string, string>> = {
  durable: { shared_buffers: '256MB', wal_compression: 'on' },
  fast: {
    shared_buffers: '256MB',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
  },
};
const commonSettings = {
  listen_addresses: '',
  max_connections: '300',
  jit: 'off',
  log_line_prefix: '%m [%p] %u@%d ',
  unix_socket_permissions: '0700',
};
const startTimeoutMs = 30_000;
const watchdog = fileURLToPath(new URL('watchdog.sh', import.meta.url));

/**
 * Starts the embedded Postgres in `folder`. It creates the cluster on first use and stops a server
 * that a killed launcher left behind.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const account = postgresAccount();
  if (options.ephemeral) requireRemovable(options.folder, account);
  const folder = reachableFolder(options.folder, account);
  const binaries = findBinaries(account, folder);
  const data = join(folder, 'data');
  if (!existsSync(data)) createCluster(binaries, folder, options.profile, account);
  requireVersion(data, binaries);
  const stalePid = stopLeftover(binaries, data, account);

  const sockets = newSocketFolder('pg-', canWrite(tmpdir(), account) ? tmpdir() : '/tmp');
  giveTo(account, sockets);
  const logFile = join(folder, 'postgres.log');
  const child = launch({ binaries, data, sockets, logFile, account, profile: options.profile, ephemeral: options.ephemeral ? folder : '' });
  const ended = new Promise<number>((done) => child.once('exit', (code) => done(code ?? 1)));
  await ready(data, stalePid, child, logFile);

  const adminUrl = `postgres://postgres:${readFileSync(join(folder, 'password'), 'utf8')}@localhost/postgres?host=${encodeURIComponent(sockets)}&port=5432`;
  await closeToPublic(adminUrl);
  const stop = async () => {
    child.ref();
    child.stdio[3]?.destroy();
    await ended;
  };
  return { adminUrl, logFile, ended, stop };
}

/**
 * Created in a temporary folder and moved when complete, so that an interrupted start leaves no
 * partial cluster.
 */
function createCluster({ initdb }: Binaries, folder: string, profile: Profile, account: Account): void {
  const partial = mkdtempSync(join(folder, 'new-'));
  const passwordFile = join(folder, 'password');
  giveTo(account, partial);
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  giveTo(account, passwordFile);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const args = [`--pgdata=${partial}`, ...login, ...locale, '--no-instructions', ...(profile === 'fast' ? ['--no-sync'] : [])];
  const result = spawnSync(initdb, args, { ...account, cwd: folder, env: programEnvironment(), encoding: 'utf8' });
  if (result.status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error(`initdb failed: ${result.error?.message ?? result.stderr}`);
  }
  renameSync(partial, join(folder, 'data'));
}

function requireVersion(data: string, { postgres }: Binaries): void {
  const ours = /(\d+)(\.|$)/.exec(spawnSync(postgres, ['--version'], { encoding: 'utf8', env: programEnvironment() }).stdout)?.[1];
  const theirs = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (ours !== theirs)
    throw new Error(
      `${data} was made by Postgres ${theirs}, and Postgres ${ours} is installed: move the folder away, or upgrade it with pg_upgrade`,
    );
}

/**
 * The caller has locked the folder, so a running server there has lost its launcher. Returns the
 * process id of its pid file.
 */
function stopLeftover({ pgCtl }: Binaries, data: string, account: Account): string | undefined {
  const [pid] = pidFileLines(data);
  if (pid === undefined) return undefined;
  const command = spawnSync('ps', ['-o', 'stat=,command=', '-p', pid], { encoding: 'utf8' }).stdout ?? '';
  if (command.includes('postgres') && !command.startsWith('Z')) {
    spawnSync(pgCtl, ['stop', `--pgdata=${data}`, '--mode=fast', '--wait', '--timeout=30'], {
      ...account,
      cwd: '/',
      env: programEnvironment(),
    });
  } else if (command !== '') {
    rmSync(pidFileOf(data), { force: true }); // the id now belongs to another program, and Postgres would refuse to start
  }
  return pid;
}

interface Launch {
  readonly binaries: Binaries;
  readonly data: string;
  readonly sockets: string;
  readonly logFile: string;
  readonly account: Account;
  readonly profile: Profile;
  readonly ephemeral: string;
}

function launch({ binaries, data, sockets, logFile, account, profile, ephemeral }: Launch): ChildProcess {
  const all = { ...commonSettings, ...settings[profile], unix_socket_directories: sockets };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(logFile, 'a', 0o600);
  const script = readFileSync(watchdog, 'utf8').replace(/^#.*\n/gm, '');
  const child = spawn('/bin/sh', ['-c', script, 'tessera-postgres', sockets, ephemeral, binaries.postgres, '-D', data, ...flags], {
    ...account,
    cwd: '/',
    detached: true, // a Ctrl-C in the terminal must not stop it before the services that use it
    env: programEnvironment(),
    stdio: ['ignore', log, log, 'pipe'],
  });
  closeSync(log);
  child.unref();
  (child.stdio[3] as Socket).unref();
  return child;
}

/** postmaster.pid has the process id in its first line and the state in its eighth. */
async function ready(data: string, stalePid: string | undefined, child: ChildProcess, logFile: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`Postgres did not start:\n${lastLines(logFile)}`);
    const [pid, , , , , , , state] = pidFileLines(data);
    if (['ready', 'standby'].includes(state?.trim() ?? '') && pid !== stalePid) return;
    await sleep(5);
  }
  throw new Error(`Postgres was not ready after ${startTimeoutMs / 1000} s:\n${lastLines(logFile)}`);
}

function pidFileOf(data: string) {
  return join(data, 'postmaster.pid');
}

/** Postgres may remove the file at any time, so it is read without a check before. */
function pidFileLines(data: string): readonly string[] {
  try {
    return readFileSync(pidFileOf(data), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function lastLines(logFile: string): string {
  return readFileSync(logFile, 'utf8').split('\n').slice(-12).join('\n');
}

/** Logins may enter the databases that they were given, and no other. */
async function closeToPublic(adminUrl: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS follows');
    // A server that follows takes no writes, and has what its primary has.
    if (!rows[0].follows) await client.query('REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC');
  });
}
