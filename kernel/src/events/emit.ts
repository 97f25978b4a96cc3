import { events } from '@tessera/proto/events';
import { sql } from 'kysely';
import { newId } from '../ids/index.ts';
import { type kernelTables, type Params, queryBuilder, statement, type Transaction } from '../postgres/index.ts';
import type { OutgoingEvent } from './event.ts';

const query = queryBuilder<typeof kernelTables>();

type Columns = Readonly<Record<'ids' | 'types' | 'keys' | 'subscribers' | 'payloads', readonly string[]>>;

/** Writers of one key, locked in sorted order, wait for each other: seq follows the commits. */
const insert = statement('outbox_insert', (p: Params<Columns>) =>
  query
    .insertInto('outbox')
    .columns(['id', 'type', 'key', 'subscriber', 'payload'])
    .expression(() => {
      const event = query.selectNoFrom([
        sql<string>`unnest(${p.ids}::uuid[])`.as('id'),
        sql<string>`unnest(${p.types}::text[])`.as('type'),
        sql<string>`unnest(${p.keys}::text[])`.as('key'),
        sql<string>`unnest(${p.subscribers}::text[])`.as('subscriber'),
        sql<string>`unnest(${p.payloads}::jsonb[])`.as('payload'),
        sql`pg_advisory_xact_lock(hashtextextended(current_schema() || unnest(${p.keys}::text[]), 0))`.as('lock'),
      ]);
      return query.selectFrom(event.as('event')).select(['id', 'type', 'key', 'subscriber', 'payload']);
    }),
);

/** One row per subscriber, in the caller's transaction, as its last step: it locks the keys. */
export async function emit(tx: Transaction, outgoing: readonly OutgoingEvent[]): Promise<string[]> {
  if (outgoing.length === 0) return [];
  const written = outgoing.map((event) => ({ ...event, id: newId() }));
  const rows = written
    .flatMap((event) => events[event.type].subscribers.map((subscriber) => ({ ...event, subscriber })))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  await tx.execute(insert, {
    ids: rows.map(({ id }) => id),
    types: rows.map(({ type }) => type),
    keys: rows.map(({ key }) => key),
    subscribers: rows.map(({ subscriber }) => subscriber),
    payloads: rows.map(({ payload }) => JSON.stringify(payload)),
  });
  return written.map(({ id }) => id);
}
