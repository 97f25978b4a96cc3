import { type Database, statement } from '../postgres/index.ts';

/**
 * A lane is what one subscriber must get in order: the undelivered rows of one (subscriber, key).
 */
export type LaneRow = {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly subscriber: string;
  readonly payloadJson: string;
  readonly occurredAt: string;
  readonly attempts: number;
  /** false: another process delivers this lane, or it waits behind such a lane. */
  readonly isLeased: boolean;
};

export type Outcome = { readonly seq: number; readonly isDelivered: boolean; readonly retryInMs: number };

export const lanesAtOnce = 50;
const eventsPerLane = 10;

const columns = `seq, id, type, key, subscriber, payload::text AS "payloadJson", created_at AS "occurredAt", attempts`;

// Only the head of a lane can be leased, and a leased or backed-off head holds up all behind it: so
// replicas share the lanes and none overtakes.
const isHead = `delivered_at IS NULL AND due_at <= now() AND NOT EXISTS (
  SELECT FROM outbox AS earlier
  WHERE earlier.subscriber = head.subscriber AND earlier.key = head.key AND earlier.delivered_at IS NULL AND earlier.seq < head.seq)`;

const lease = `
  leased AS (
    UPDATE outbox SET due_at = now() + $1 * interval '1 millisecond', attempts = attempts + 1
    FROM heads WHERE outbox.seq = heads.seq RETURNING outbox.seq, outbox.subscriber, outbox.key),
  lanes AS (
    SELECT lane.*, true AS "isLeased" FROM leased CROSS JOIN LATERAL (
      SELECT ${columns} FROM outbox
      WHERE subscriber = leased.subscriber AND key = leased.key AND delivered_at IS NULL AND seq >= leased.seq
      ORDER BY seq LIMIT ${eventsPerLane}) AS lane)`;

const leaseDue = statement(
  'outbox_lease_due',
  `WITH heads AS (SELECT seq FROM outbox AS head WHERE ${isHead} ORDER BY seq LIMIT ${lanesAtOnce} FOR UPDATE SKIP LOCKED), ${lease}
   SELECT * FROM lanes ORDER BY seq`,
);

const leaseLanesOf = statement(
  'outbox_lease_lanes_of',
  `WITH wanted AS (SELECT DISTINCT subscriber, key FROM outbox WHERE id = ANY($2::uuid[]) AND delivered_at IS NULL),
     heads AS (SELECT seq FROM outbox AS head JOIN wanted USING (subscriber, key) WHERE ${isHead} ORDER BY seq FOR UPDATE OF head SKIP LOCKED),
     ${lease}
   SELECT * FROM lanes
   UNION ALL
   SELECT ${columns}, false FROM outbox
   WHERE id = ANY($2::uuid[]) AND delivered_at IS NULL AND seq NOT IN (SELECT seq FROM lanes)
   ORDER BY seq`,
);

// A delivered payload is not needed any more: it may hold a name, an address, the token of a
// mail.
const settleRows = statement(
  'outbox_settle',
  `UPDATE outbox SET delivered_at = CASE WHEN outcome.is_delivered THEN now() END,
     payload = CASE WHEN outcome.is_delivered THEN '{}' ELSE payload END,
     due_at = CASE WHEN outcome.is_delivered THEN due_at ELSE now() + outcome.retry_in_ms * interval '1 millisecond' END
   FROM unnest($1::bigint[], $2::boolean[], $3::integer[]) AS outcome (seq, is_delivered, retry_in_ms)
   WHERE outbox.seq = outcome.seq AND outbox.delivered_at IS NULL`,
);

const countPending = statement(
  'outbox_count_pending',
  `SELECT count(*) AS pending, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestSeconds" FROM outbox WHERE delivered_at IS NULL`,
);

/**
 * Leases the due lanes, oldest first; a lease that is not settled ends by itself, and the lane is
 * delivered again.
 */
export function leaseDueLanes(db: Database, leaseMs: number): Promise<LaneRow[]> {
  return db.query<LaneRow>(leaseDue, [leaseMs]);
}

/**
 * The same for the lanes of these events. It also returns those of the events that another
 * replica is delivering.
 */
export function leaseLanesOfEvents(db: Database, leaseMs: number, ids: readonly string[]): Promise<LaneRow[]> {
  return db.query<LaneRow>(leaseLanesOf, [leaseMs, ids]);
}

export async function settle(db: Database, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await db.query(settleRows, [
    outcomes.map(({ seq }) => seq),
    outcomes.map(({ isDelivered }) => isDelivered),
    outcomes.map(({ retryInMs }) => retryInMs),
  ]);
}

export async function backlogOf(db: Database): Promise<{ pending: number; oldestSeconds: number }> {
  const [backlog] = await db.query<{ pending: number; oldestSeconds: number }>(countPending);
  return backlog ?? { pending: 0, oldestSeconds: 0 };
}
