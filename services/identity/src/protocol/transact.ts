import { type OutgoingEvent, emit as writeOutbox } from '@tessera/kernel/events';
import { type AuditEntry, type AuditRecord, writeAudit } from '@tessera/kernel/operation';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { ProtocolContext } from './context.ts';

/** What one change of a flow works with: rows, events and audit rows stand or fall together. */
export type Unit = {
  readonly tx: Transaction;
  readonly now: Date;
  emit(...events: readonly OutgoingEvent[]): void;
  audit(action: string, entry: AuditEntry): void;
};

type Noted = { readonly action: string; readonly entry: AuditEntry };

/** One change, committed with its events and audit rows. Waits until the other services have heard of it, or says that they have not. */
export async function transact<T>(
  context: ProtocolContext,
  operation: string,
  work: (unit: Unit) => Promise<T>,
): Promise<{ result: T; isDelivered: boolean }> {
  const { deps, now } = context;
  const { result, eventIds } = await deps.database.transaction(async (tx) => {
    const events: OutgoingEvent[] = [];
    const noted: Noted[] = [];
    const result = await work({
      tx,
      now,
      emit: (...emitted) => void events.push(...emitted),
      audit: (action, entry) => void noted.push({ action, entry }),
    });
    for (const { action, entry } of noted) await note(tx, context, { operation, action, outcome: 'ok', entry });
    return { result, eventIds: await writeOutbox(tx, events) };
  });
  return { result, isDelivered: eventIds.length === 0 || (await deps.oauth.deliver(eventIds)) };
}

function note(where: Transaction | Database, context: ProtocolContext, record: AuditRecord): Promise<void> {
  const { request, response, now } = context;
  return writeAudit(where, record, { actor: { kind: 'anonymous' }, scope: undefined, request, response, now });
}

/** A sign-in that came to nothing leaves an audit row: who tried, from where, and why not. Never a code, token or state. */
export async function noteRefusal(
  context: ProtocolContext,
  refusal: { readonly operation: string; readonly action: string; readonly code: string; readonly entry?: AuditEntry },
): Promise<void> {
  const { database, oauth } = context.deps;
  await note(database, context, { outcome: 'refused', ...refusal }).catch((cause: unknown) =>
    oauth.logger.error({ err: cause, operation: refusal.operation }, 'a refusal could not be audited'),
  );
}
