import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Account, giveTo } from './account.ts';

const systemFolder = '/var/lib/tessera';

/**
 * Creates `folder`, owned by the account that runs Postgres. If that account cannot reach it (in
 * root's home, for example), a fixed folder below /var/lib/tessera is used instead.
 */
export function reachableFolder(folder: string, account: Account): string {
  const wanted = own(resolve(folder), account);
  if (account === undefined || canEnter(wanted, account)) return wanted;
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  return own(join(systemFolder, name), account);
}

/**
 * Refuses a folder that only its owner may remove: when the launcher dies, only the account of
 * Postgres is left to do it.
 */
export function requireRemovable(folder: string, account: Account): void {
  const parent = dirname(resolve(folder));
  if (canWrite(parent, account)) return;
  throw new Error(
    `Postgres runs as another account, which may not write ${parent} and so could not remove ${folder}: set TMPDIR to a folder that every account may write, for example /tmp`,
  );
}

/** True for our own account, whatever the rights are: it made the folder. */
export function canWrite(folder: string, account: Account): boolean {
  return account === undefined || spawnSync('/bin/sh', ['-c', '[ -w "$1" ]', 'sh', folder], { ...account, cwd: '/' }).status === 0;
}

function own(folder: string, account: Account): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  giveTo(account, folder);
  return folder;
}

function canEnter(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...account, cwd: '/' }).status === 0;
}
