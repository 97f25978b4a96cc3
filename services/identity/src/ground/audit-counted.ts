import { type HandleContext, writeAudit } from '@tessera/kernel/operation';
import type { GroundDeps } from './deps.ts';

type Counted = {
  readonly operation: string;
  readonly action: string;
  readonly appId?: string;
  readonly clientId?: string;
  /** Requests that differ in it have rows of their own: it takes few values. */
  readonly isWanted?: boolean;
};

/**
 * The audit row of an operation that any caller may use for any address: one a minute for each
 * operation and app, with a count.
 */
export function auditCounted({ operation, action, appId, clientId, isWanted }: Counted, context: HandleContext<GroundDeps>): void {
  const { deps, now, request, audit } = context;
  const target = appId === undefined ? {} : { targetType: 'ProjectApp', targetId: appId };
  const entryOf = (count: number) => {
    const detail = { ...(clientId === undefined ? {} : { clientId }), ...(isWanted === undefined ? {} : { isWanted }) };
    return { ...target, detail: { ...detail, ...(count === 1 ? {} : { count }) } };
  };
  const count = deps.requestCounts.count(`${operation} ${appId ?? ''} ${isWanted ?? ''}`, now, async (later, at) => {
    const record = { operation, action, outcome: 'ok', entry: entryOf(later) } as const;
    await writeAudit(deps.database, record, { actor: { kind: 'anonymous' }, scope: undefined, request, now: at });
  });
  audit(count === undefined ? { isWritten: true } : entryOf(count));
}
