import { type AuditContext, type AuditEntry, type Unit as Commit, commitUnit, writeAudit } from '@tessera/kernel/operation';
import type { ProtocolContext } from './context.ts';

/** One change of a flow: its rows, events and audit rows commit together. */
export type Unit = Omit<Commit, 'audit'> & {
  readonly now: Date;
  audit(action: string, entry: AuditEntry): void;
};

/**
 * Commits a change of a flow, then delivers its events. `isDelivered` is false when a subscriber is
 * late.
 */
export async function transact<T>(
  context: ProtocolContext,
  operation: string,
  work: (unit: Unit) => Promise<T>,
): Promise<{ result: T; isDelivered: boolean }> {
  const { deps, now } = context;
  const { result, eventIds } = await commitUnit(
    (run) => deps.database.transaction(run),
    auditContextOf(context),
    ({ audit, ...unit }) => work({ ...unit, now, audit: (action, entry) => audit({ operation, action, outcome: 'ok', entry }) }),
  );
  return { result, isDelivered: eventIds.length === 0 || (await deps.deliver(eventIds)) };
}

export function auditContextOf({ scope, request, response, now }: ProtocolContext): AuditContext {
  return { actor: { kind: 'anonymous' }, scope, request, response, now };
}

/** A refused sign-in leaves an audit row: who, from where and why. Never a code, token or state. */
export async function auditRefusal(
  context: ProtocolContext,
  refusal: { readonly operation: string; readonly action: string; readonly code: string; readonly entry?: AuditEntry },
): Promise<void> {
  const { database, logger } = context.deps;
  await writeAudit(database, { outcome: 'refused', ...refusal }, auditContextOf(context)).catch((cause: unknown) =>
    logger.error({ err: cause, operation: refusal.operation }, 'a refusal could not be audited'),
  );
}
