import { type Expression, sql } from 'kysely';
import { type Database, type kernelTables, type Params, queryBuilder, statement } from '../postgres/index.ts';

/** The undelivered rows of one (subscriber, key) are a lane: its subscriber gets them in order. */
export type LaneRow = {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly subscriber: string;
  readonly payloadJson: string;
  readonly occurredAt: string;
  /** false: another process delivers this lane, or it waits behind such a lane. */
  readonly isLeased: boolean;
};

export type Outcome = { readonly seq: number; readonly isDelivered: boolean };

export const lanesAtOnce = 50;
const eventsPerLane = 10;
const firstRetryMs = 200;
const longestRetryMs = 5_000;

const query = queryBuilder<typeof kernelTables>();
const pending = query.selectFrom('outbox').where('deliveredAt', 'is', null);
const rows = pending.select([
  'seq',
  'id',
  'type',
  'key',
  'subscriber',
  sql<string>`payload::text`.as('payloadJson'),
  'createdAt as occurredAt',
]);

/** Only the head of a lane is leased, and it holds up all behind it, so no replica overtakes. */
const heads = query
  .selectFrom('outbox as head')
  .select('head.seq')
  .where('head.deliveredAt', 'is', null)
  .where('head.dueAt', '<=', sql<string>`now()`)
  .where(({ not, exists, selectFrom }) => {
    const earlier = selectFrom('outbox as earlier').select('earlier.seq').where('earlier.deliveredAt', 'is', null);
    const ofLane = earlier.whereRef('earlier.subscriber', '=', 'head.subscriber').whereRef('earlier.key', '=', 'head.key');
    return not(exists(ofLane.whereRef('earlier.seq', '<', 'head.seq')));
  })
  .orderBy('head.seq')
  .forUpdate('head')
  .skipLocked();

function later(ms: Expression<unknown>) {
  return sql<string>`now() + ${ms} * interval '1 millisecond'`;
}

function leasing(wanted: typeof heads, leaseMs: Expression<number>) {
  return query
    .with('heads', () => wanted)
    .with('leased', (db) =>
      db
        .updateTable('outbox')
        .from('heads')
        .whereRef('outbox.seq', '=', 'heads.seq')
        .set(({ eb }) => ({ dueAt: later(sql`${leaseMs}::float8`), attempts: eb('outbox.attempts', '+', 1) }))
        .returning(['outbox.seq', 'outbox.subscriber', 'outbox.key']),
    )
    .with('lanes', (db) =>
      db
        .selectFrom('leased')
        .innerJoinLateral(
          ({ ref }) =>
            rows
              .where('outbox.subscriber', '=', ref('leased.subscriber'))
              .where('outbox.key', '=', ref('leased.key'))
              .where('outbox.seq', '>=', ref('leased.seq'))
              .orderBy('outbox.seq')
              .limit(sql.lit(eventsPerLane))
              .as('lane'),
          (join) => join.onTrue(),
        )
        .selectAll('lane')
        .select(sql<boolean>`true`.as('isLeased')),
    );
}

const leaseDue = statement('outbox_lease_due', (p: Params<{ leaseMs: number }>) =>
  leasing(heads.limit(sql.lit(lanesAtOnce)), p.leaseMs)
    .selectFrom('lanes')
    .selectAll()
    .orderBy('seq'),
);

const leaseLanesOf = statement('outbox_lease_lanes_of', (p: Params<{ leaseMs: number; ids: readonly string[] }>) => {
  const ofEvents = sql<boolean>`id = any(${p.ids}::uuid[])`;
  const lanes = pending.where(ofEvents).select(['subscriber', 'key']).distinct();
  return leasing(heads.where(sql<boolean>`(head.subscriber, head.key) in ${lanes}`), p.leaseMs)
    .selectFrom('lanes')
    .selectAll()
    .unionAll(({ selectFrom }) =>
      rows.where(ofEvents).where('seq', 'not in', selectFrom('lanes').select('seq')).select(sql<boolean>`false`.as('isLeased')),
    )
    .orderBy('seq');
});

type Seqs = { readonly seqs: readonly number[] };
function settling(seqs: Expression<readonly number[]>) {
  return query.updateTable('outbox').where('deliveredAt', 'is', null).where(sql<boolean>`seq = any(${seqs}::bigint[])`);
}

/** A delivered payload is not needed any more, and may hold an address or the token of a mail. */
const markDelivered = statement('outbox_mark_delivered', ({ seqs }: Params<Seqs>) =>
  settling(seqs).set({ deliveredAt: sql`now()`, payload: sql`'{}'::jsonb` }),
);

const retryMs = sql`least(${sql.lit(longestRetryMs)}, ${sql.lit(firstRetryMs)} * 2 ^ least(attempts - 1, 10)) * (0.75 + random() / 2)`;
const postpone = statement('outbox_postpone', ({ seqs }: Params<Seqs>) => settling(seqs).set({ dueAt: later(retryMs) }));

const backlog = statement('outbox_backlog', () =>
  pending.select(({ fn }) => [
    fn.countAll<number>().as('pending'),
    sql<number>`coalesce(extract(epoch from now() - min(created_at)), 0)::float8`.as('oldestSeconds'),
  ]),
);

/** Leases the due lanes, oldest first. A lease that is not settled ends by itself. */
export function leaseDueLanes(db: Database, leaseMs: number): Promise<LaneRow[]> {
  return db.query(leaseDue, { leaseMs });
}

export function leaseLanesOfEvents(db: Database, leaseMs: number, ids: readonly string[]): Promise<LaneRow[]> {
  return db.query(leaseLanesOf, { leaseMs, ids });
}

export async function settle(db: Database, outcomes: readonly Outcome[]): Promise<void> {
  const seqsOf = (wanted: boolean) => outcomes.filter(({ isDelivered }) => isDelivered === wanted).map(({ seq }) => seq);
  const [delivered, waiting] = [seqsOf(true), seqsOf(false)];
  if (delivered.length > 0) await db.query(markDelivered, { seqs: delivered });
  if (waiting.length > 0) await db.query(postpone, { seqs: waiting });
}

export async function backlogOf(db: Database): Promise<{ pending: number; oldestSeconds: number }> {
  const [found] = await db.query(backlog);
  return found ?? { pending: 0, oldestSeconds: 0 };
}
