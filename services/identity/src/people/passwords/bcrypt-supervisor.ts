/**
 * Keeps one bcrypt process running and sends it jobs. A process that ends is restarted; its jobs
 * fail.
 */
import { type ChildProcess, fork } from 'node:child_process';

export type Job = { readonly id: number } & (
  | { readonly kind: 'hash'; readonly digest: string; readonly rounds: number }
  | { readonly kind: 'compare'; readonly digest: string; readonly hash: string }
  | { readonly kind: 'imported'; readonly password: string; readonly hash: string }
);
export type Outcome = { readonly id: number } & ({ readonly hash: string } | { readonly matches: boolean } | { readonly error: string });
/** Asks the process to drop a job that it has not begun. */
export type Cancellation = { readonly id: number; readonly kind: 'cancel' };
export type Answer = Outcome | { readonly id: number; readonly isCancelled: true };

export type SupervisorOptions = {
  /** Jobs that wait or run. */
  readonly capacity: number;
  /** Makes the error of a job that is lost, or that no process can take. */
  readonly unavailable: () => Error;
  /** Makes the error of a job that finds the queue full, or did not begin in time. */
  readonly busy: () => Error;
  readonly logger: { warn(details: object, message: string): void };
  readonly start: () => ChildProcess;
};

export type Supervisor = {
  /**
   * Throws `unavailable()` while no process runs, and `busy()` when the queue is full or the job
   * has not begun in time; it then leaves the queue. A job that has begun is never refused.
   */
  request(job: Job, longestWaitMs?: number): Promise<Outcome>;
  /** Jobs waiting or running. */
  depth(): number;
  /** How often the process was started again. */
  restarts(): number;
  stop(): Promise<void>;
};

type Pending = { readonly resolve: (outcome: Outcome) => void; readonly reject: (error: Error) => void };

const script = new URL('./bcrypt-process.ts', import.meta.url);
const firstDelayMs = 250;
const longestDelayMs = 15_000;
/** A process that ran longer than this was healthy: the next restart is immediate again. */
const healthyAfterMs = 30_000;

/**
 * The process gets an environment of its own, so that it sees none of the service's secrets, and a
 * session of its own (`detached`), so that its priority can be lowered as a whole.
 */
export function forkBcrypt(threads: number): ChildProcess {
  return fork(script, [], { env: { UV_THREADPOOL_SIZE: String(threads) }, detached: true, execArgv: [] });
}

export function superviseBcrypt({ capacity, unavailable, busy, logger, start }: SupervisorOptions): Supervisor {
  const pending = new Map<number, Pending>();
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  let isStopping = false;
  let restarts = 0;
  let failuresInARow = 0;
  run();

  function run(): void {
    const startedAt = Date.now();
    try {
      const started = start();
      child = started;
      ended = new Promise((resolve) => {
        const end = (details: object): void => {
          if (child !== started) return;
          child = undefined;
          resolve();
          failPending();
          if (!isStopping) restart(details, Date.now() - startedAt);
        };
        started.on('message', (answer: Answer) => {
          const job = pending.get(answer.id);
          pending.delete(answer.id);
          if ('isCancelled' in answer) job?.reject(busy());
          else job?.resolve(answer);
        });
        started.on('exit', (code, signal) => end({ code, signal }));
        // A process that cannot be started emits `error` and no `exit`. Without a listener the
        // error would stop the service.
        started.on('error', (error) => end({ err: error }));
      });
    } catch (error) {
      restart({ err: error }, 0);
    }
  }

  function failPending(): void {
    for (const job of pending.values()) job.reject(unavailable());
    pending.clear();
  }

  /**
   * The first restart is immediate; each further one waits twice as long, so that a broken binding
   * does not fork without pause.
   */
  function restart(details: object, livedMs: number): void {
    failuresInARow = livedMs >= healthyAfterMs ? 1 : failuresInARow + 1;
    restarts += 1;
    const delayMs = failuresInARow === 1 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (failuresInARow - 2));
    logger.warn({ ...details, restarts, delayMs }, 'the bcrypt process ended and is started again');
    if (delayMs === 0) run();
    else retry = setTimeout(run, delayMs).unref();
  }

  return {
    async request(job, longestWaitMs) {
      const to = child;
      if (isStopping || to?.connected !== true) throw unavailable();
      if (pending.size >= capacity) throw busy();
      let timer: NodeJS.Timeout | undefined;
      return new Promise<Outcome>((resolve, reject) => {
        pending.set(job.id, { resolve, reject });
        // Only the process knows whether the job has begun, so it decides.
        const cancel = () => to.connected && to.send({ id: job.id, kind: 'cancel' } satisfies Cancellation, () => undefined);
        if (longestWaitMs !== undefined) timer = setTimeout(cancel, longestWaitMs);
        to.send(job, (error) => {
          if (error === null) return;
          pending.delete(job.id);
          reject(unavailable());
        });
      }).finally(() => clearTimeout(timer));
    },
    depth: () => pending.size,
    restarts: () => restarts,
    async stop() {
      isStopping = true;
      clearTimeout(retry);
      // SIGKILL: on any other signal the process would first work off its queue, and the clients of
      // these jobs are gone.
      child?.kill('SIGKILL');
      await ended;
    },
  };
}
