import { newId } from '../ids/index.ts';
import { composed, type Database, type kernelTables, queryBuilder, type Transaction } from '../postgres/index.ts';
import type { AuditEntry, OperationContext } from './context.ts';

export type AuditRecord = {
  readonly operation: string;
  readonly action: string;
  readonly outcome: 'ok' | 'refused' | 'failed';
  readonly code?: string;
  readonly entry?: AuditEntry;
};

type Context = Pick<OperationContext<unknown>, 'actor' | 'scope' | 'request' | 'now'> & Partial<OperationContext<unknown>>;

function insertOf({ entry = {}, ...record }: AuditRecord, { actor, request, now, ...context }: Context) {
  const token = actor.kind === 'token' ? actor : undefined;
  const scope = entry.scope ?? context.scope;
  const row = {
    ...{ id: newId(), at: now.toISOString(), code: null, ...record, action: entry.action ?? record.action },
    ...{
      actorId: entry.actorId ?? token?.userId ?? null,
      actorType: token?.claims.type ?? 'anonymous',
      tokenId: token?.claims.jti ?? null,
    },
    ...{ scopeTenant: scope?.tenant ?? null, scopeId: scope?.id ?? null },
    ...{ targetType: entry.targetType ?? null, targetId: entry.targetId ?? null, detail: entry.detail ?? {} },
    ...{ ipAddress: request.ipAddress, userAgent: request.userAgent.slice(0, 512), requestId: request.id },
  };
  return composed(queryBuilder<typeof kernelTables>().insertInto('audit_log').values(row));
}

export async function writeAudit(where: Transaction | Database, record: AuditRecord, context: Context): Promise<void> {
  await where.query(insertOf(record, context));
}

/** The same, sent together with the COMMIT, when nothing else is written afterwards. */
export function writeAuditLast(tx: Transaction, record: AuditRecord, context: Context): void {
  tx.last(insertOf(record, context));
}
