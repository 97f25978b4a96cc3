/**
 * Hashes and compares passwords with bcrypt in a child process with one thread for each core,
 * behind a bounded queue. So neither the event loop nor libuv's shared threads wait for bcrypt, and
 * too many sign-ins at once get a 503 instead of waiting without end.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { forkBcrypt, type Job, type Outcome, superviseBcrypt } from './bcrypt-supervisor.ts';
import { countRefusals } from './full-queue.ts';
import { importedHashOf } from './imported-hash.ts';
import { createPrehash } from './prehash.ts';

export type PasswordHasher = {
  /** Throws `unavailable()` when no bcrypt process runs, `busy()` when too many passwords wait. */
  hash(password: string): Promise<string>;
  /** False for an unknown hash (undefined) after a comparison that costs the same. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
  /**
   * Whether the hash should be replaced at the next sign-in: it was imported, or made without the
   * current key.
   */
  isOutdated(hash: string): boolean;
  /** Jobs waiting or running. */
  depth(): number;
  /** How often the bcrypt process was started again. */
  restarts(): number;
  /** Passwords that were refused because too many wait. */
  refusals(): number;
  stop(): Promise<void>;
};

export type HasherOptions = {
  readonly rounds: number;
  /** The first one keys new hashes, all verify. */
  readonly secrets: readonly [string, ...string[]];
  /** Makes the error when no bcrypt process runs. */
  readonly unavailable: () => Error;
  /** Makes the error when the queue is full or too slow; after the seconds it will be shorter. */
  readonly busy: (seconds: number) => Error;
  readonly logger: { warn(details: object, message: string): void; error(details: object, message: string): void };
  readonly threads?: number;
  /** Waiting and running together. */
  readonly capacity?: number;
  /** How long a job may wait for its turn. The costlier a hash is, the less, when left out. */
  readonly longestWaitMs?: number;
  /** Starts the bcrypt process. */
  readonly start?: (threads: number) => ChildProcess;
};

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/**
 * Fewer than the connections of a gateway to a service (128), so that waiting sign-ins never use
 * them all.
 */
const defaultCapacity = 96;

/**
 * How long a job may wait and run together. Requests hash before they change anything, at most
 * twice. So a request that waits for its passwords is refused (503 SIGN_IN_BUSY) before the gateway
 * gives it up (10 s in a query), and none is answered by a timeout after its change was made.
 */
const longestMs = 4_000;
const shortestWaitMs = 500;
/** Of one round on an idle core. Not measured at the start, when the machine may be busy. */
const roundMs = 0.05;

export async function startPasswordHasher(options: HasherOptions): Promise<PasswordHasher> {
  const { rounds, unavailable, logger, threads = availableParallelism(), start = forkBcrypt } = options;
  const { capacity = Math.max(defaultCapacity, threads) } = options;
  const prehash = createPrehash(options.secrets);
  const queue = countRefusals({
    logger,
    startIntervalMs: (roundMs * 2 ** rounds) / threads,
    busy: options.busy,
    depth: () => bcrypt.depth(),
  });
  const bcrypt = superviseBcrypt({ capacity, unavailable, busy: queue.refuse, logger, start: () => start(threads) });
  let jobs = 0;
  /** Not for the first job, which waits for the start of the process. */
  let longestWaitMs: number | undefined;

  async function request(job: WithoutId<Job>): Promise<Outcome> {
    const outcome = await bcrypt.request({ ...job, id: ++jobs }, longestWaitMs);
    queue.finished();
    if ('error' in outcome) throw new Error(`bcrypt failed: ${outcome.error}`);
    return outcome;
  }

  async function hash(password: string): Promise<string> {
    const { digestOf, store } = prehash.current;
    const outcome = await request({ kind: 'hash', digest: digestOf(password), rounds });
    if (!('hash' in outcome)) throw new Error('bcrypt did not answer with a hash');
    return store(outcome.hash);
  }

  async function compare(password: string, stored: string): Promise<boolean> {
    const imported = importedHashOf(stored);
    if (imported !== undefined) {
      const compared = await request({ kind: 'imported', password, hash: imported });
      return 'matches' in compared && compared.matches;
    }
    const known = prehash.read(stored);
    if (known === undefined) logger.error({}, 'a password hash was made with a key that AUTH_PASSWORD_SECRETS does not hold');
    const { digestOf, bcryptHash } = known ?? decoy;
    const outcome = await request({ kind: 'compare', digest: digestOf(password), hash: bcryptHash });
    return known !== undefined && 'matches' in outcome && outcome.matches;
  }

  // Compared where there is no hash: its password is random, and it costs what a real one costs.
  const unknown = await hash(randomBytes(32).toString('base64')).catch(async (error: unknown) => {
    await bcrypt.stop();
    throw new Error('the bcrypt process does not start', { cause: error });
  });
  longestWaitMs = options.longestWaitMs ?? Math.max(shortestWaitMs, longestMs - roundMs * 2 ** rounds);
  const decoy = { digestOf: prehash.current.digestOf, bcryptHash: unknown.slice(unknown.indexOf('$')) };

  return {
    hash,
    async matches(password, stored) {
      const isEqual = await compare(password, stored ?? unknown);
      return isEqual && stored !== undefined;
    },
    isOutdated: (stored) => prehash.isOutdated(stored),
    depth: () => bcrypt.depth(),
    restarts: () => bcrypt.restarts(),
    refusals: () => queue.refusals(),
    stop: () => bcrypt.stop(),
  };
}
