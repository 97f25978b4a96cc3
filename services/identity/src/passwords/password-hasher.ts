/**
 * bcrypt in a niced child process with one thread a core, behind a bounded queue: neither the event loop nor libuv's
 * shared pool ever waits for a password, and a flood of logins is refused instead of piling up.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { normalizePassword } from '../domain/password-policy.ts';

export type Job = { readonly id: number } & (
  | { readonly kind: 'hash'; readonly digest: string; readonly rounds: number }
  | { readonly kind: 'compare'; readonly digest: string; readonly hash: string }
);
export type Outcome = { readonly id: number } & ({ readonly hash: string } | { readonly matches: boolean } | { readonly fault: string });

export type PasswordHasher = {
  /** Throws `busy()` when the queue is full. */
  hash(password: string): Promise<string>;
  /** Costs the same for an unknown hash (undefined): that comparison is made too, and never matches. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
  /** Jobs waiting or running. */
  depth(): number;
  stop(): Promise<void>;
};

export type HasherOptions = {
  readonly rounds: number;
  /** What to throw when the queue is full or the process died. */
  readonly busy: () => Error;
  readonly threads?: number;
  /** Waiting and running together. */
  readonly capacity?: number;
};

type Pending = { readonly settle: (outcome: Outcome) => void; readonly reject: (error: Error) => void };

const script = new URL('./bcrypt-process.ts', import.meta.url);
/** Fewer than the connections over which a gateway reaches a service (128): whoever waits for a password never keeps others out. */
const mostJobs = 96;

export async function startPasswordHasher(options: HasherOptions): Promise<PasswordHasher> {
  const threads = options.threads ?? availableParallelism();
  const capacity = options.capacity ?? Math.max(mostJobs, threads);
  const pending = new Map<number, Pending>();
  let child = spawn(threads);
  let stopping = false;
  let jobs = 0;
  watch(child);

  function watch(started: ChildProcess): void {
    started.on('message', (outcome: Outcome) => {
      pending.get(outcome.id)?.settle(outcome);
    });
    started.once('exit', () => {
      for (const job of pending.values()) job.reject(options.busy());
      pending.clear();
      if (stopping) return;
      child = spawn(threads);
      watch(child);
    });
  }

  async function perform(job: Job): Promise<Outcome> {
    if (stopping || pending.size >= capacity) throw options.busy();
    return new Promise<Outcome>((resolve, reject) => {
      pending.set(job.id, { settle: resolve, reject });
      child.send(job, (error) => error && reject(options.busy()));
    }).finally(() => pending.delete(job.id));
  }

  async function hash(password: string): Promise<string> {
    const outcome = await perform({ id: ++jobs, kind: 'hash', digest: digest(password), rounds: options.rounds });
    if (!('hash' in outcome)) throw new Error(`bcrypt failed: ${'fault' in outcome ? outcome.fault : 'wrong answer'}`);
    return outcome.hash;
  }

  async function compare(password: string, known: string): Promise<boolean> {
    const outcome = await perform({ id: ++jobs, kind: 'compare', digest: digest(password), hash: known });
    if (!('matches' in outcome)) throw new Error(`bcrypt failed: ${'fault' in outcome ? outcome.fault : 'wrong answer'}`);
    return outcome.matches;
  }

  // Nobody knows the password of this hash, it costs what a real one costs.
  const decoy = await hash(randomBytes(32).toString('base64'));

  return {
    hash,
    async matches(password, known) {
      const equal = await compare(password, known ?? decoy);
      return equal && known !== undefined;
    },
    depth: () => pending.size,
    async stop() {
      stopping = true;
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      if (child.exitCode !== null || child.signalCode !== null) return;
      // Whoever waited for a password is gone; asked to end, it would first work off all that waits.
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** bcrypt reads 72 bytes and stops at a zero byte; 64 base64 characters of SHA-384 make all 128 characters count. */
function digest(password: string): string {
  return createHash('sha384').update(normalizePassword(password), 'utf8').digest('base64');
}

function spawn(threads: number): ChildProcess {
  // An environment of its own: none of the service's secrets go along. A session of its own (`detached`): see stepBack. It ends with the service.
  const env = { UV_THREADPOOL_SIZE: String(threads) };
  return fork(script, [], { env, detached: true, execArgv: [] });
}
