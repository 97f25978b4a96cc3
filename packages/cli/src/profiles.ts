/**
 * What `tessera login` keeps: one file in the user's configuration folder, which only they can
 * read. Beside it, for as long as it is good, the access token of a job's ID token.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from './failure.ts';

export type Tokens = { readonly accessToken: string; readonly refreshToken: string; readonly expiresAt: number };
export type Profile = { readonly url: string; readonly scope?: string; readonly tokens?: Tokens };
export type JobToken = { readonly accessToken: string; readonly expiresAt: number };
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

/** Undefined removes the profile. */
export function writeProfile(name: string, profile: Profile | undefined): void {
  const { [name]: _, ...others } = readAll();
  write(file(), profile === undefined ? others : { ...others, [name]: profile });
}

/** Written beside and renamed: a crash leaves the old file. */
function write(path: string, content: object): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  chmodSync(folder(), 0o700);
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
}

const jobFile = /^job-[\da-f]{64}\.json$/;

/** Named by the address, the account and the ID token that it was got with: others find nothing. */
function jobFileOf(of: readonly string[]): string {
  return join(folder(), `job-${createHash('sha256').update(JSON.stringify(of)).digest('hex')}.json`);
}

/** Those that have ended, of any job, are removed. */
export function readJobToken(of: readonly string[]): JobToken | undefined {
  const names = existsSync(folder()) ? readdirSync(folder()).filter((name) => jobFile.test(name)) : [];
  const read = (path: string): JobToken | undefined => {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as JobToken;
    } catch {
      return undefined;
    }
  };
  for (const path of names.map((name) => join(folder(), name)))
    if (!((read(path)?.expiresAt ?? 0) > Date.now())) rmSync(path, { force: true });
  return read(jobFileOf(of));
}

export function writeJobToken(of: readonly string[], token: JobToken): void {
  write(jobFileOf(of), token);
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
