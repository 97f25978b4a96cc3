import { chownSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';

/**
 * The system account that runs Postgres; undefined means our own. Postgres refuses root, so root
 * starts it as an unprivileged account.
 */
export type Account = { readonly uid: number; readonly gid: number } | undefined;

export function postgresAccount(): Account {
  if (process.getuid?.() !== 0) return undefined;
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = entries.find(([name]) => name === 'postgres') ?? entries.find(([name]) => name === 'nobody');
  if (entry === undefined)
    throw new Error('Postgres does not run as root, and there is neither a postgres nor a nobody account to run it as');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

export function giveTo(account: Account, path: string): void {
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}

/** The environment of Postgres' programs, without our PGHOST, PGDATA and the like. */
export function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: homedir(), LC_ALL: 'C', TZ: 'UTC' };
}
