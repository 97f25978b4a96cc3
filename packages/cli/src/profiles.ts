/**
 * What `tessera login` keeps: one file in the user's configuration folder, which only they can
 * read.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from './failure.ts';

export type Tokens = { readonly accessToken: string; readonly refreshToken: string; readonly expiresAt: number };
export type Profile = { readonly url: string; readonly scope?: string; readonly tokens?: Tokens };
type Profiles = Readonly<Record<string, Profile>>;

const lockPatienceMs = 15_000;
const staleLockMs = 30_000;

function folder(): string {
  return join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'tessera');
}
function file(): string {
  return join(folder(), 'profiles.json');
}

function readAll(): Profiles {
  if (!existsSync(file())) return {};
  try {
    return JSON.parse(readFileSync(file(), 'utf8')) as Profiles;
  } catch (cause) {
    throw new Failure(`${file()} cannot be read. Remove it and sign in again.`, undefined, { cause });
  }
}

export function readProfile(name: string): Profile | undefined {
  return Object.hasOwn(readAll(), name) ? readAll()[name] : undefined;
}

/** Undefined removes the profile. Written beside and renamed: a crash leaves the old file. */
export function writeProfile(name: string, profile: Profile | undefined): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  chmodSync(folder(), 0o700);
  const { [name]: _, ...others } = readAll();
  const next = `${file()}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(profile === undefined ? others : { ...others, [name]: profile }, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, file());
}

/**
 * One process at a time: a refresh token is good once, and its second use ends the session.
 */
export async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  const lock = `${file()}.lock`;
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  for (const until = Date.now() + lockPatienceMs; ; await pause(50)) {
    try {
      mkdirSync(lock);
      break;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > staleLockMs) removeLock(lock);
      else if (Date.now() > until) throw new Failure(`Another tessera command holds ${lock}.`, undefined, { cause });
    }
  }
  try {
    return await work();
  } finally {
    removeLock(lock);
  }
}

function removeLock(lock: string): void {
  try {
    rmdirSync(lock);
  } catch {
    // Another process has removed it.
  }
}
