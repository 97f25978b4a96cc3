/** PgBouncer in transaction mode before the logins of the services. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveTo, postgresAccount } from '../../tools/postgres/account.ts';
import type { DatabaseService } from '../../tools/services.ts';
import { startNats } from '../../tools/stack/nats.ts';
import { choosePort } from '../../tools/stack/ports.ts';
import type { StackOptions } from '../../tools/stack/stack.ts';
import { accepts, isInstalled } from './engines.ts';
import { until } from './until.ts';

export function poolerUnless(): string | false {
  return !isInstalled({ program: 'pgbouncer' }) && 'NOT RUN: pgbouncer is not installed';
}

export interface Pooler extends AsyncDisposable {
  /** The same login and database, through the pooler. */
  through(url: string): string;
}

/** At most `connections` to the server, for all logins of these URLs together. */
export async function startPooler(urls: readonly string[], connections: number): Promise<Pooler> {
  const logins = urls.map((url) => new URL(url));
  const [first] = logins;
  if (first === undefined) throw new Error('A pooler needs a login.');
  const port = await choosePort(0, '127.0.0.1');
  const folder = mkdtempSync(join(tmpdir(), 'tessera-pooler-'));
  const account = postgresAccount();
  const users = logins.map(({ username, password }) => `"${username}" "${decodeURIComponent(password)}"`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'users.txt'),
    pool_mode: 'transaction',
    default_pool_size: connections,
    max_db_connections: connections,
    max_client_conn: 1_000,
    logfile: join(folder, 'log'),
  };
  const server = `host=${first.searchParams.get('host') || first.hostname} port=${first.searchParams.get('port') || first.port || 5432}`;
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(join(folder, 'users.txt'), users.join('\n'));
  writeFileSync(join(folder, 'pgbouncer.ini'), `[databases]\n* = ${server}\n\n[pgbouncer]\n${lines.join('\n')}\n`);
  for (const path of [folder, join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')]) giveTo(account, path);
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...account });
  const ended = once(child, 'exit');
  const through = (url: string): string => {
    const { username, password, pathname } = new URL(url);
    return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
  };
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  await using started = new AsyncDisposableStack();
  started.defer(stop);
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
    return accepts(port);
  });
  const owned = started.move();
  return { through, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Options of a stack whose services share this many connections. They need NATS for notices. */
export async function behindPooler(parts: AsyncDisposableStack, connections: number): Promise<Pick<StackOptions, 'env' | 'through'>> {
  const nats = await startNats();
  parts.defer(() => nats.stop());
  return {
    env: { DATABASE_POOLER: 'transaction', NATS_URL: nats.url },
    through: async (urls) => {
      const pooler = parts.use(await startPooler(Object.values(urls), connections));
      const through = (service: DatabaseService) => pooler.through(urls[service]);
      return { identity: through('identity'), tenancy: through('tenancy'), rbac: through('rbac'), keys: through('keys') };
    },
  };
}
