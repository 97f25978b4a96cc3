import { type Database, statement, type Transaction } from '../postgres/index.ts';
import type { EventLogger } from './event.ts';

/**
 * The latest time, not after `now`, at which the job was due. With croner: `(now) =>
 * cron.previousRuns(1, now)[0]`.
 */
export type Schedule = (now: Date) => Date | undefined;

export function everySeconds(seconds: number): Schedule {
  return (now) => new Date(Math.floor(now.getTime() / (seconds * 1_000)) * seconds * 1_000);
}

export type JobOptions = {
  readonly db: Database;
  readonly name: string;
  readonly schedule: Schedule;
  /**
   * Runs in the transaction that takes the slot: it is done once, or is tried again. A function
   * that it returns is called after the commit.
   */
  readonly run: (tx: Transaction, dueAt: Date) => Promise<unknown>;
  readonly logger: EventLogger;
  readonly checkSeconds?: number;
};

export type Job = { runIfDue(now?: Date): Promise<boolean>; stop(): Promise<void> };

const takeTurn = statement(
  'job_take_turn',
  `SELECT pg_try_advisory_xact_lock(hashtext('job'), hashtext(current_schema() || $1)) AS "isMine"`,
);
// The first time a job is seen it runs at once; after that once a slot, on whichever replica comes
// first.
const takeSlot = statement(
  'job_take_slot',
  `INSERT INTO jobs (name, ran_for) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET ran_for = excluded.ran_for WHERE jobs.ran_for < excluded.ran_for`,
);

/**
 * One replica runs the job for each slot of its schedule; a slot missed while all were down is made
 * up at the next start.
 */
export function startJob({ db, name, schedule, run, logger, checkSeconds = 15 }: JobOptions): Job {
  let settledSlot = 0;
  let current: Promise<unknown> = Promise.resolve();

  async function runIfDue(now = new Date()): Promise<boolean> {
    const dueAt = schedule(now);
    if (!dueAt || dueAt.getTime() <= settledSlot) return false;
    const done = await db.transaction(async (tx) => {
      const turn = await tx.one<{ isMine: boolean }>(takeTurn, [name]);
      if (!turn?.isMine) return undefined;
      const isFirst = (await tx.execute(takeSlot, [name, dueAt])) === 1;
      return { isFirst, after: isFirst ? await run(tx, dueAt) : undefined };
    });
    if (!done) return false;
    settledSlot = dueAt.getTime();
    if (typeof done.after === 'function') await done.after();
    return done.isFirst;
  }

  const check = () => {
    current = current
      .then(() => runIfDue())
      .catch((error: unknown) => logger.error({ err: error, job: name }, 'a scheduled job failed and will be tried again'));
  };
  const timer = setInterval(check, checkSeconds * 1_000).unref();
  check();
  return {
    runIfDue,
    stop: async () => {
      clearInterval(timer);
      await current;
    },
  };
}
