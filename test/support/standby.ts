/** A primary of the embedded Postgres and a server that follows it, as processes of their own. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveTo, postgresAccount } from '../../tools/postgres/account.ts';
import { withClient } from '../../tools/postgres/bootstrap.ts';
import { type PostgresServer, startPostgres } from '../../tools/postgres/server.ts';

export interface Pair extends AsyncDisposable {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Of the primary's first process, whose children are the others. */
  primaryPid(): number;
  /** The same login and database, at the standby. */
  atStandby(url: string): string;
  /** The standby replays nothing until it goes on: it grows old. */
  pause(): Promise<void>;
  goOn(): Promise<void>;
}

function socketsOf(url: string): string {
  return new URL(url).searchParams.get('host') ?? '';
}

export async function startPair(): Promise<Pair> {
  await using cleanup = new AsyncDisposableStack();
  const account = postgresAccount();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-pair-'));
  giveTo(account, folder);
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')];
  // What one initdb has made, twice: a server follows only the cluster that it is a copy of.
  await (await startPostgres({ folder: first, profile: 'durable' })).stop();
  execFileSync('cp', ['-a', first, second]);
  const primary = await startPostgres({ folder: first, profile: 'durable' });
  cleanup.defer(() => primary.stop());
  const { username, password } = new URL(primary.adminUrl);
  const login = `user=${username} password=${decodeURIComponent(password)} host=${socketsOf(primary.adminUrl)} port=5432`;
  appendFileSync(join(second, 'data', 'postgresql.auto.conf'), `primary_conninfo = '${login}'\n`);
  writeFileSync(join(second, 'data', 'standby.signal'), '');
  giveTo(account, join(second, 'data', 'standby.signal'));
  const standby = await startPostgres({ folder: second, profile: 'durable' });
  cleanup.defer(() => standby.stop());
  const running = cleanup.move();
  const tell = async (statement: string) => {
    await withClient(standby.adminUrl, (client) => client.query(statement));
  };
  return {
    primary,
    standby,
    primaryPid: () => Number(readFileSync(join(first, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
    atStandby: (url) => url.replace(encodeURIComponent(socketsOf(primary.adminUrl)), encodeURIComponent(socketsOf(standby.adminUrl))),
    pause: () => tell('SELECT pg_wal_replay_pause()'),
    goOn: () => tell('SELECT pg_wal_replay_resume()'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
