import { failures } from '@tessera/kernel/errors';
import { emit, type OutgoingEvent } from '@tessera/kernel/events';
import { writeAuditMessage } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import type { Actor } from '../../domain/escalation.ts';
import type { Subject } from '../../domain/subject.ts';
import { actorWithin } from '../actor.ts';

export type MembershipWrite = {
  readonly tx: Transaction;
  readonly emit: (...events: readonly OutgoingEvent[]) => void;
  readonly actor: Actor | undefined;
};

export type MembershipChange = {
  readonly scope: ParsedScope;
  readonly actor?: Subject | undefined;
  /** The row for the audit log: the service that was asked for the change has made it. */
  readonly auditJson?: string | undefined;
};

/**
 * Runs a change of memberships under the lock of the scope, with the actor's current rights, and
 * writes its audit row. Returns its result and the ids of the events to deliver after the commit.
 */
export async function changeWithin<Result>(
  deps: RbacDeps,
  { scope, actor: subject, auditJson }: MembershipChange,
  work: (write: MembershipWrite) => Promise<Result>,
): Promise<{ result: Result; eventIds: readonly string[] }> {
  return deps.database.scoped(scope, async (tx) => {
    const versions = await deps.tenants.bump(tx, scope);
    if (versions === undefined) throw failures.forbidden();
    const actor = subject && (await actorWithin({ tx, deps, scope }, subject, versions, { isBumped: true }));
    const events: OutgoingEvent[] = [];
    const result = await work({ tx, actor, emit: (...emitted) => void events.push(...emitted) });
    if (auditJson !== undefined) await writeAuditMessage(tx, auditJson);
    return { result, eventIds: await emit(tx, events) };
  });
}
