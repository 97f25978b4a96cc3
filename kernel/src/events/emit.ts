import { events } from '@tessera/proto/events';
import { newId } from '../ids/index.ts';
import { statement, type Transaction } from '../postgres/index.ts';
import type { OutgoingEvent } from './event.ts';

// Writers of one key wait for each other until commit, so that seq follows the order of commits.
// Keys are locked in sorted order.
const insert = statement(
  'outbox_insert',
  `INSERT INTO outbox (id, type, key, subscriber, payload)
   SELECT id, type, key, subscriber, payload::jsonb FROM (
     SELECT event.*, pg_advisory_xact_lock(hashtextextended(current_schema() || event.key, 0))
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[]) AS event (id, type, key, subscriber, payload) OFFSET 0
   ) AS locked`,
);

/**
 * Writes the events into the caller's transaction, one row per subscriber, and returns their ids
 * for `relay.deliver` after the commit. Call it once and last in a transaction: it holds the keys
 * until the commit.
 */
export async function emit(tx: Transaction, outgoing: readonly OutgoingEvent[]): Promise<string[]> {
  if (outgoing.length === 0) return [];
  const written = outgoing.map((event) => ({ ...event, id: newId() }));
  const rows = written
    .flatMap((event) => events[event.type].subscribers.map((subscriber) => ({ ...event, subscriber })))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  await tx.execute(insert, [
    rows.map(({ id }) => id),
    rows.map(({ type }) => type),
    rows.map(({ key }) => key),
    rows.map(({ subscriber }) => subscriber),
    rows.map(({ payload }) => JSON.stringify(payload)),
  ]);
  return written.map(({ id }) => id);
}
