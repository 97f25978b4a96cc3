import { column, table, timestamp } from './entity.ts';

/** The kernel's tables in every service's schema. The audit log has partitions: it is SQL's. */

/** One row per subscriber, delivered in the order of `seq` within (key, subscriber). */
const outbox = table(
  'outbox',
  {
    seq: column.bigint('number').primary().generated('identity'),
    id: column.uuid(),
    type: column.text(),
    key: column.text(),
    subscriber: column.text(),
    payload: column.json<Readonly<Record<string, unknown>>>(),
    createdAt: timestamp().defaultRaw('now()'),
    /** A lease while a replica delivers it, the backoff after a failure. */
    dueAt: timestamp().defaultRaw('now()'),
    attempts: column.integer().defaultRaw('0'),
    deliveredAt: timestamp().nullable(),
  },
  {
    uniques: [{ name: 'outbox_id_subscriber_key', properties: ['id', 'subscriber'] }],
    indexes: [
      { name: 'outbox_lanes', properties: ['subscriber', 'key', 'seq'], where: 'delivered_at IS NULL' },
      { name: 'outbox_pending', properties: ['seq'], where: 'delivered_at IS NULL' },
      { name: 'outbox_delivered', properties: ['deliveredAt'], where: 'delivered_at IS NOT NULL' },
    ],
  },
);

const inbox = table(
  'inbox',
  { eventId: column.uuid().primary(), receivedAt: timestamp().defaultRaw('now()') },
  { indexes: [{ name: 'inbox_received', properties: ['receivedAt'] }] },
);

const jobs = table('jobs', { name: column.text().primary(), ranFor: timestamp() });

/** Answers of creating operations that named an Idempotency-Key, for 24 hours. */
const idempotencyKeys = table(
  'idempotency_keys',
  {
    id: column.blob().columnType('bytea').primary(),
    request: column.blob().columnType('bytea'),
    answer: column.blob().columnType('bytea').nullable(),
    claimedAt: timestamp().defaultRaw('now()'),
  },
  { indexes: [{ name: 'idempotency_keys_claimed', properties: ['claimedAt'] }] },
);

export const kernelTables = { outbox, inbox, jobs, idempotencyKeys };
