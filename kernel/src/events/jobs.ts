import { sql } from 'kysely';
import { type Database, type kernelTables, type Params, queryBuilder, statement, type Transaction } from '../postgres/index.ts';
import type { EventLogger } from './event.ts';

/** The latest time, not after `now`, at which the job was due. */
export type Schedule = (now: Date) => Date | undefined;

export function everySeconds(seconds: number): Schedule {
  return (now) => new Date(Math.floor(now.getTime() / (seconds * 1_000)) * seconds * 1_000);
}

export type JobOptions = {
  readonly db: Database;
  readonly name: string;
  readonly schedule: Schedule;
  /** In the transaction that takes the slot. What it returns is called after the commit. */
  readonly run: (tx: Transaction, dueAt: Date) => Promise<unknown>;
  readonly logger: EventLogger;
  readonly checkSeconds?: number;
};

export type Job = { runIfDue(now?: Date): Promise<boolean>; stop(): Promise<void> };

const query = queryBuilder<typeof kernelTables>();

const takeTurn = statement('job_take_turn', (p: Params<{ name: string }>) =>
  query.selectNoFrom(sql<boolean>`pg_try_advisory_xact_lock(hashtext('job'), hashtext(current_schema() || ${p.name}::text))`.as('isMine')),
);
const takeSlot = statement('job_take_slot', (p: Params<{ name: string; dueAt: string }>) =>
  query
    .insertInto('jobs')
    .values({ name: p.name, ranFor: p.dueAt })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(({ ref }) => ({ ranFor: ref('excluded.ranFor') }))
        .whereRef('jobs.ranFor', '<', 'excluded.ranFor'),
    ),
);

/** One replica runs the job for each slot. A slot that was missed is made up at the start. */
export function startJob({ db, name, schedule, run, logger, checkSeconds = 15 }: JobOptions): Job {
  let settledSlot = 0;
  let current: Promise<unknown> = Promise.resolve();

  async function runIfDue(now = new Date()): Promise<boolean> {
    const dueAt = schedule(now);
    if (!dueAt || dueAt.getTime() <= settledSlot) return false;
    const done = await db.transaction(async (tx) => {
      if ((await tx.one(takeTurn, { name }))?.isMine !== true) return undefined;
      const isFirst = (await tx.execute(takeSlot, { name, dueAt: dueAt.toISOString() })) === 1;
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
