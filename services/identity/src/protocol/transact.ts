import { type OutgoingEvent, emit as writeOutbox } from '@tessera/kernel/events';
import { type AuditEntry, type AuditRecord, writeAudit } from '@tessera/kernel/operation';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { ProtocolContext } from './context.ts';

/** One change of a flow: its rows, events and audit rows commit together. */
export type Unit = {
  readonly tx: Transaction;
  readonly now: Date;
  emit(...events: readonly OutgoingEvent[]): void;
  audit(action: string, entry: AuditEntry): void;
};

type AuditedAction = { readonly action: string; readonly entry: AuditEntry };

/**
 * Commits a change with its events and audit rows, then delivers the events. `isDelivered` is false
 * when a subscriber is late.
 */
export async function transact<T>(
  context: ProtocolContext,
  operation: string,
  work: (unit: Unit) => Promise<T>,
): Promise<{ result: T; isDelivered: boolean }> {
  const { deps, now } = context;
  const { result, eventIds } = await deps.database.transaction(async (tx) => {
    const events: OutgoingEvent[] = [];
    const audited: AuditedAction[] = [];
    const result = await work({
      tx,
      now,
      emit: (...emitted) => void events.push(...emitted),
      audit: (action, entry) => void audited.push({ action, entry }),
    });
    for (const { action, entry } of audited) await writeRow(tx, context, { operation, action, outcome: 'ok', entry });
    return { result, eventIds: await writeOutbox(tx, events) };
  });
  return { result, isDelivered: eventIds.length === 0 || (await deps.oauth.deliver(eventIds)) };
}

function writeRow(where: Transaction | Database, context: ProtocolContext, record: AuditRecord): Promise<void> {
  const { scope, request, response, now } = context;
  return writeAudit(where, record, { actor: { kind: 'anonymous' }, scope, request, response, now });
}

/** A refused sign-in leaves an audit row: who, from where and why. Never a code, token or state. */
export async function auditRefusal(
  context: ProtocolContext,
  refusal: { readonly operation: string; readonly action: string; readonly code: string; readonly entry?: AuditEntry },
): Promise<void> {
  const { database, oauth } = context.deps;
  await writeRow(database, context, { outcome: 'refused', ...refusal }).catch((cause: unknown) =>
    oauth.logger.error({ err: cause, operation: refusal.operation }, 'a refusal could not be audited'),
  );
}
