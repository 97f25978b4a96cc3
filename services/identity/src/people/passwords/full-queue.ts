/**
 * Reports a queue of passwords that is too long: to its caller when to come back, to the log how
 * long it is, to the metrics how many jobs it refused.
 */
type Options = {
  readonly logger: { warn(details: object, message: string): void };
  /** Between two finished jobs, until some have been seen. */
  readonly startIntervalMs: number;
  readonly busy: (seconds: number) => Error;
  readonly depth: () => number;
  readonly now?: () => number;
};

const logEveryMs = 1_000;
/** People do not wait longer than this at a page; by then the queue has another length. */
const longestSeconds = 30;
/** The share of the newest interval in the average: some ten jobs count. */
const weight = 0.1;

export type FullQueue = {
  /** Says that a job has finished: the pace of the queue. */
  finished(): void;
  /** The error for a job that is refused. */
  refuse(): Error;
  refusals(): number;
};

export function countRefusals({ logger, startIntervalMs, busy, depth, now = () => performance.now() }: Options): FullQueue {
  let intervalMs = startIntervalMs;
  let finishedAt: number | undefined;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  let refusals = 0;
  return {
    finished() {
      const at = now();
      if (finishedAt !== undefined) intervalMs += weight * (at - finishedAt - intervalMs);
      // Without jobs that wait, the time to the next one says nothing of the pace.
      finishedAt = depth() > 0 ? at : undefined;
    },
    refuse() {
      const waiting = depth();
      const seconds = Math.min(longestSeconds, Math.max(1, Math.ceil((waiting * intervalMs) / 1_000)));
      refusals += 1;
      unlogged += 1;
      if (now() - loggedAt >= logEveryMs) {
        logger.warn({ waiting, refused: unlogged, seconds }, 'too many passwords wait: sign-ins are refused');
        loggedAt = now();
        unlogged = 0;
      }
      return busy(seconds);
    },
    refusals: () => refusals,
  };
}
