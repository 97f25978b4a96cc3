import { type OutgoingEvent, emit as writeOutbox } from '../events/index.ts';
import type { Transaction } from '../postgres/index.ts';
import { type AuditContext, type AuditRecord, writeAuditsLast } from './audit.ts';

/** What a change writes: rows through `tx`, events and audit records. */
export type Unit = {
  readonly tx: Transaction;
  emit(...events: readonly OutgoingEvent[]): void;
  audit(record: AuditRecord): void;
};

export type Committed<Result> = { readonly result: Result; readonly eventIds: readonly string[] };

type Begin = <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>;

/**
 * The one place where a change commits: its rows, its events and its audit records together, or
 * none of them. `begin` opens the transaction, or gives the one that has begun. The records are
 * sent with the COMMIT.
 */
export function commitUnit<Result>(begin: Begin, context: AuditContext, work: (unit: Unit) => Promise<Result>): Promise<Committed<Result>> {
  return begin(async (tx) => {
    const events: OutgoingEvent[] = [];
    const records: AuditRecord[] = [];
    const result = await work({
      tx,
      emit: (...emitted) => void events.push(...emitted),
      audit: (record) => void records.push(record),
    });
    const eventIds = events.length > 0 ? await writeOutbox(tx, events) : [];
    writeAuditsLast(tx, records, context);
    return { result, eventIds };
  });
}
